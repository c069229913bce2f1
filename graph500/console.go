package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// console is what people see of a run: lines and progress on stderr. That they
// cannot be shown is no reason to fail.
type console struct {
	w        io.Writer
	phases   bool // a line when a phase begins
	progress bool
	bar      *progressbar.ProgressBar
}

func newConsole(stderr *os.File, o *options) *console {
	return &console{
		w:        stderr,
		phases:   len(o.Verbose) > 0,
		progress: o.Progress == "always" || o.Progress == "auto" && term.IsTerminal(int(stderr.Fd())),
	}
}

// printf prints one line, after the name of the program.
func (c *console) printf(format string, args ...any) {
	if c.bar != nil {
		_ = c.bar.Clear() // it is drawn anew by its next step
	}
	c.print("graph500: " + fmt.Sprintf(format, args...) + "\n")
}

// print prints lines that are no messages, such as a table.
func (c *console) print(text string) { _, _ = io.WriteString(c.w, text) }

// begin announces a phase.
func (c *console) begin(phase string) {
	if c.phases {
		c.printf("%s ...", phase)
	}
}

// track shows progress until the function it returns is called.
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

// advance moves the progress shown, if any, to done steps.
func (c *console) advance(done int64) {
	if c.bar != nil {
		_ = c.bar.Set64(done)
	}
}
