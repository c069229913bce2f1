package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// console prints messages and progress to stderr. An error in writing them does not
// end the run.
type console struct {
	w        io.Writer
	phases   bool // print a line when a phase begins
	progress bool
	bar      *progressbar.ProgressBar
}

// newConsole returns a console that prints to stderr: a line for each phase, and progress
// always, never or, with auto, on a terminal.
func newConsole(stderr *os.File, phases bool, progress string) *console {
	return &console{
		w:        stderr,
		phases:   phases,
		progress: progress == "always" || progress == "auto" && term.IsTerminal(int(stderr.Fd())),
	}
}

// printf prints a message of one line, preceded by the name of the program.
func (c *console) printf(format string, args ...any) {
	if c.bar != nil {
		_ = c.bar.Clear() // its next step draws it again
	}
	c.print("graph500: " + fmt.Sprintf(format, args...) + "\n")
}

// print prints text that is not a message, such as a table.
func (c *console) print(text string) { _, _ = io.WriteString(c.w, text) }

// begin announces a phase.
func (c *console) begin(phase string) {
	if c.phases {
		c.printf("%s ...", phase)
	}
}

// track shows a progress bar until the returned function is called.
func (c *console) track(what string, total int64, unit string) (done func()) {
	if !c.progress {
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

// advance moves the progress bar, if there is one, to done steps.
func (c *console) advance(done int64) {
	if c.bar != nil {
		_ = c.bar.Set64(done)
	}
}
