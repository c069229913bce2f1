package output

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ExitStatus returns the exit status of the process: 0 for success, that of an error which has
// one, else 1.
func ExitStatus(err error) int {
	var own interface{ ExitStatus() int }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &own):
		return own.ExitStatus()
	}
	return 1
}

// PrintError prints err as one line.
func PrintError(stderr io.Writer, err error) {
	if err != nil {
		fmt.Fprintf(stderr, "graph500: %s\n", strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool {
			return r == '\n' || r == '\r'
		}), "; "))
	}
}

// Interrupted is the cause of a context that a signal ended.
type Interrupted struct {
	Signal syscall.Signal
}

func (i Interrupted) Error() string {
	return "stopped by " + unix.SignalName(i.Signal) + ", no result"
}

// ExitStatus is that of a process which the signal ends.
func (i Interrupted) ExitStatus() int { return 128 + int(i.Signal) }
