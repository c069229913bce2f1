//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

// interruptAt starts the program and sends a signal when it announces a phase. It returns
// the result and the time from the signal to the end.
func interruptAt(t *testing.T, c *exec.Cmd, phase string, sig syscall.Signal) (programtest.Result, time.Duration) {
	t.Helper()
	var stdout strings.Builder
	c.Stdout = &stdout
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	var sent time.Time
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if sent.IsZero() && strings.HasPrefix(lines.Text(), "graph500: "+phase) {
			time.Sleep(20 * time.Millisecond) // so that the phase has begun
			sent = time.Now()
			if err := c.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait()
	if sent.IsZero() {
		t.Fatalf("phase %s did not come:\n%s", phase, said.String())
	}
	return programtest.Result{Stdout: stdout.String(), Stderr: said.String(), Status: c.ProcessState.ExitCode()}, time.Since(sent)
}

// Each phase ends with a signal, each signal ends two phases.
func TestSignalInEveryPhase(t *testing.T) {
	sameProgram(t)
	dir := t.TempDir()
	var list strings.Builder
	list.WriteString("1 2\n") // the largest label in the first line would look like a header
	for v := range 1 << 19 {
		list.WriteString("1234567 ")
		list.WriteString(strings.Repeat("7", v%6+1))
		list.WriteString("\n")
	}
	graph := testinput.Write(t, dir, "graph.txt", list.String())
	if err := syscall.Mkfifo(filepath.Join(dir, "silent"), 0o666); err != nil {
		t.Fatal(err)
	}
	names := []string{"SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGXCPU"}
	numbers := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGXCPU}
	for i, c := range []struct {
		phase     string
		args      string
		variables []string
	}{
		{"reading", "-graph=" + graph, nil},
		{"reading", "-graph=" + filepath.Join(dir, "silent"), nil}, // no process writes to it
		{"generation", "-scale=21", nil},
		{"writing edges", "-scale=19 -write-edges=edges.zst", nil},
		{"writing edges", "-scale=19", []string{"TMPFILE=edges"}},
		{"construction", "-scale=18", []string{"TMPFILE=edges"}},
		{"construction", "-scale=21", nil},
		{"warm-up", "-scale=18", nil},
		{"searches", "-scale=16 -out=.", []string{"TMPFILE=edges"}},
		{"searches", "-scale=16 -roots=1000 -write-parents=.", nil},
	} {
		name, sig := names[i%len(names)], numbers[i%len(names)]
		t.Run(c.phase+" "+name, func(t *testing.T) {
			if signal.Ignored(sig) || sig == syscall.SIGQUIT && signal.Ignored(syscall.SIGINT) {
				t.Skip("these tests were started with this signal ignored")
			}
			work := t.TempDir()
			args := append(strings.Fields(c.args), "-v")
			if !strings.Contains(c.args, "-roots") {
				args = append(args, "-roots=100000") // no run ends before the signal
			}
			r, took := interruptAt(t, prepare(work, c.variables, args...), c.phase, sig)
			if took > 10*time.Second { // a second for the program, the rest for a busy machine
				t.Errorf("%s: went on for %v", c.args, took)
			}
			programtest.Refused(t, r, 128+int(sig), "stopped by "+name+", no result")
			for _, file := range testinput.Names(t, work) {
				if !strings.HasSuffix(file, ".i64") {
					t.Errorf("%s is left", file)
				}
			}
			for _, file := range testinput.Names(t, work) {
				if n := len(testinput.Read(t, work, file)); n != 8<<16 {
					t.Errorf("%s has %d bytes", file, n)
				}
			}
		})
	}
}

// A signal that was ignored when the program started, as under nohup or in the
// background of a script, does not end the run.
func TestIgnoredSignals(t *testing.T) {
	sameProgram(t)
	for _, test := range []struct {
		trap string
		sent syscall.Signal
	}{
		{"trap '' HUP", syscall.SIGHUP},
		{"trap '' INT", syscall.SIGINT},
		{"trap '' INT QUIT", syscall.SIGQUIT},
	} {
		c := prepare(t.TempDir(), nil, "-scale=14", "-roots=300", "-v")
		c.Args = append([]string{"sh", "-c", test.trap + `; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
		r, _ := interruptAt(t, c, "searches", test.sent)
		if r.Status != 0 || !strings.Contains(r.Stdout, "harmonic_mean_TEPS") {
			t.Errorf("%s, %v: %+v", test.trap, test.sent, r)
		}
	}
}

// A second signal ends the program at once.
func TestSecondSignalKills(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) { secondSignal(t, sig) })
	}
}

func secondSignal(t *testing.T, sig syscall.Signal) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "silent"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := prepare(dir, nil, "-graph=silent", "-v")
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "graph500: reading") {
			break
		}
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait()
		close(ended)
	}()
	for {
		_ = c.Process.Signal(sig)
		select {
		case <-ended:
			status := c.ProcessState.Sys().(syscall.WaitStatus)
			if !(status.Signaled() && status.Signal() == sig) && status.ExitStatus() != 128+int(sig) {
				t.Errorf("ended with %v", c.ProcessState)
			}
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// The program stops even if the reader of its output does not read.
func TestSignalWhileStdoutIsBlocked(t *testing.T) {
	sameProgram(t)
	c := prepare(t.TempDir(), nil, "-scale=10", "-roots=900", "-format=json") // more than the capacity of the pipe
	stdout, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	c.Stdout = writer
	pipe, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	var last string
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		last = lines.Text()
		if strings.Contains(last, "GTEPS harmonic mean") { // printed just before the result is written
			time.Sleep(50 * time.Millisecond)
			if err := c.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = c.Wait()
	if code := c.ProcessState.ExitCode(); code != 130 || last != "graph500: stopped by SIGINT, no result" {
		t.Errorf("status %d, last line %q", code, last)
	}
}
