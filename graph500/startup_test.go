//go:build unix

package main

import (
	"bufio"
	"os"
	"strings"
	"syscall"
	"testing"

	"graph500/graph500/programtest"
)

// inShell starts a prepared command from a shell line, where "$@" is the command.
func inShell(t *testing.T, line string, args ...string) programtest.Result {
	t.Helper()
	c := prepare(t.TempDir(), nil, args...)
	c.Args = append([]string{"sh", "-c", line, "sh", program}, args...)
	c.Path = "/bin/sh"
	return finish(t, c)
}

func TestTooFewOpenFiles(t *testing.T) {
	for _, limit := range []string{"16", "31"} {
		programtest.Refused(t, inShell(t, "ulimit -n "+limit+` && exec "$@"`, "-scale=4"), 1,
			"graph500: this process may open "+limit+" files (ulimit -n): the program needs 32")
	}
	if r := inShell(t, `ulimit -n 32 && exec "$@"`, "-scale=6", "-out=results", "-write-edges=edges", "-write-parents=parents"); r.Status != 0 {
		t.Errorf("32 files do not suffice: %+v", r)
	}
}

// A run whose result would be lost fails at the start.
func TestClosedStdout(t *testing.T) {
	for _, line := range []string{`exec "$@" >&-`, `exec "$@" <&- >&-`} {
		for _, args := range []string{"-scale=31 -edgefactor=100000", "-help", "help", "-version", "strategies -scale=31 -edgefactor=100000", "chart -help", "-strategy=help"} {
			programtest.Refused(t, inShell(t, line, strings.Fields(args)...), 1, "graph500: standard output is closed")
		}
		if r := inShell(t, line, "-scale=6", "-out=results"); r.Status != 0 { // nothing is lost
			t.Errorf("with -out: %+v", r)
		}
	}
	for _, line := range []string{`exec "$@" >/dev/null`, `exec "$@" >file`} {
		if r := inShell(t, line, "-scale=6"); r.Status != 0 {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

// A crash does not have the status of a wrong command line, and creates no core file.
func TestFaultAborts(t *testing.T) {
	sameProgram(t)
	t.Parallel() // the Go runtime waits for ten seconds before it aborts
	c := prepare(t.TempDir(), nil, "-scale=14", "-roots=100000", "-v")
	c.Args = append([]string{"sh", "-c", `ulimit -c unlimited; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
	c.Path = "/bin/sh"
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "graph500: searches") {
			if err := c.Process.Signal(syscall.SIGABRT); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait()
	if status := c.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGABRT || status.CoreDump() {
		t.Errorf("ended with %v", c.ProcessState)
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
