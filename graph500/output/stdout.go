// Package output is what the program shows: results on standard output, messages and progress on
// standard error, and its exit status. It does not know what the texts say.
package output

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// CheckStdout returns an error if stdout is closed, because writing to it would lose
// the result without an error. The Go runtime opens /dev/null for reading and
// writing instead of a closed stdout.
func CheckStdout(stdout *os.File) error {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return nil
	}
	if info, err := stdout.Stat(); err != nil || !os.SameFile(info, null) {
		return nil
	}
	mode, err := unix.FcntlInt(stdout.Fd(), unix.F_GETFL, 0)
	if err != nil || mode&unix.O_ACCMODE != unix.O_RDWR {
		return nil
	}
	return fmt.Errorf("standard output is closed, or %s opened for reading and writing: the result would be lost; name a file (>FILE) or a directory (-out), or open %[1]s for writing only", os.DevNull)
}

// PrintText writes a text that needs no run to stdout.
func PrintText(stdout *os.File, text string) error {
	if err := CheckStdout(stdout); err != nil {
		return err
	}
	return WriteOut(stdout, text)
}

// WriteOut writes the last text to stdout.
func WriteOut(stdout *os.File, text string) error {
	err := WriteText(stdout, text)
	if closeErr := CloseOut(stdout); err == nil {
		err = closeErr
	}
	return err
}

// WriteText writes text to stdout.
func WriteText(stdout *os.File, text string) error {
	if _, err := stdout.WriteString(text); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}

// CloseOut closes stdout, because some file systems report a full disk only then.
func CloseOut(stdout *os.File) error {
	if err := stdout.Close(); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}
