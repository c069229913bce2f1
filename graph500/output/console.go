package output

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Console prints messages and progress to stderr. An error in writing them does not
// end the run.
type Console struct {
	w        io.Writer
	Phases   bool // print a line when a phase begins
	Progress bool
	bar      *progressbar.ProgressBar
}

// NewConsole returns a console that prints to stderr: a line for each phase, and progress
// always, never or, with auto, on a terminal.
func NewConsole(stderr io.Writer, phases bool, progress string) *Console {
	file, isFile := stderr.(*os.File)
	return &Console{
		w:        stderr,
		Phases:   phases,
		Progress: progress == "always" || progress == "auto" && isFile && term.IsTerminal(int(file.Fd())),
	}
}

// Printf prints a message of one line, preceded by the name of the program.
func (c *Console) Printf(format string, args ...any) {
	if c.bar != nil {
		_ = c.bar.Clear() // its next step draws it again
	}
	c.Print("graph500: " + fmt.Sprintf(format, args...) + "\n")
}

// Print prints text that is not a message, such as a table.
func (c *Console) Print(text string) { _, _ = io.WriteString(c.w, text) }

// Begin announces a phase.
func (c *Console) Begin(phase string) {
	if c.Phases {
		c.Printf("%s ...", phase)
	}
}

// Track shows a progress bar until the returned function is called.
func (c *Console) Track(what string, total int64, unit string) (done func()) {
	if !c.Progress {
		return func() {}
	}
	c.bar = progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(c.w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(30),
		progressbar.OptionShowCount(),
		progressbar.OptionShowIts(),
		progressbar.OptionSetItsString(unit),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
	return func() {
		_ = c.bar.Clear()
		c.bar = nil
	}
}

// Advance moves the progress bar, if there is one, to done steps.
func (c *Console) Advance(done int64) {
	if c.bar != nil {
		_ = c.bar.Set64(done)
	}
}
