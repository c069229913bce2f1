package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// checkStdout returns an error if stdout is closed, because writing to it would lose
// the result without an error. The Go runtime opens /dev/null for reading and
// writing instead of a closed stdout.
func checkStdout(stdout *os.File) error {
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

// printText writes a text that needs no run to stdout.
func printText(stdout *os.File, text string) error {
	if err := checkStdout(stdout); err != nil {
		return err
	}
	return writeOut(stdout, text)
}

// writeOut writes the last text to stdout.
func writeOut(stdout *os.File, text string) error {
	err := writeText(stdout, text)
	if closeErr := closeOut(stdout); err == nil {
		err = closeErr
	}
	return err
}

// writeText writes text to stdout.
func writeText(stdout *os.File, text string) error {
	if _, err := stdout.WriteString(text); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}

// closeOut closes stdout, because some file systems report a full disk only then.
func closeOut(stdout *os.File) error {
	if err := stdout.Close(); err != nil {
		return fmt.Errorf("cannot write the result: %w", err)
	}
	return nil
}
