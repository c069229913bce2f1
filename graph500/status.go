package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// exitStatus returns the exit status of the process: 0 for success, that of an error which has
// one, else 1.
func exitStatus(err error) int {
	var own interface{ ExitStatus() int }
	switch {
	case err == nil:
		return 0
	case errors.As(err, &own):
		return own.ExitStatus()
	}
	return 1
}

// printError prints err as one line.
func printError(stderr io.Writer, err error) {
	if err != nil {
		fmt.Fprintf(stderr, "graph500: %s\n", strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool {
			return r == '\n' || r == '\r'
		}), "; "))
	}
}
