// Package programtest runs command lines of the program in the process of a test.
package programtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"graph500/cluster"
	"graph500/graph500/commandline"
	"graph500/graph500/commands"
	"graph500/graph500/output"
	"graph500/graph500/run"
	"graph500/graph500/testinput"
)

// Result is the output and exit status of a process.
type Result struct {
	Stdout, Stderr string
	Status         int
}

// runs runs a command line of the program in this process, in a directory and with variables of
// the environment in addition to those of the test.
func Run(t *testing.T, dir string, variables []string, args ...string) Result {
	t.Helper()
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	defer t.Chdir(before)
	captured := func(name string) *os.File {
		file, err := os.Create(filepath.Join(t.TempDir(), name))
		if err != nil {
			t.Fatal(err)
		}
		return file
	}
	stdout, stderr := captured("stdout"), captured("stderr")
	defer stderr.Close()
	defer stdout.Close() // if the program has not done it
	given := testinput.Environment(variables...)
	p := &run.Process{
		World: cluster.Alone(), Started: time.Now(), Args: testinput.CommandLine(args), Stdout: stdout, Stderr: stderr, Commit: "abc123",
		Lookup: func(name string) (string, bool) {
			if value, set := given(name); set {
				return value, true
			}
			if slices.Contains(commandline.SettingVariables(), name) {
				return "", false
			}
			return os.LookupEnv(name)
		},
	}
	err = commands.Execute(t.Context(), p)
	output.PrintError(stderr, err)
	text := func(file *os.File) string {
		text, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	return Result{text(stdout), text(stderr), output.ExitStatus(err)}
}

// Succeed runs a command line of the program in dir and fails the test if that fails.
func Succeed(t *testing.T, dir string, args ...string) Result {
	t.Helper()
	return SucceedWith(t, dir, nil, args...)
}

// SucceedWith does so with variables of the environment.
func SucceedWith(t *testing.T, dir string, variables []string, args ...string) Result {
	t.Helper()
	r := Run(t, dir, variables, args...)
	if r.Status != 0 {
		t.Fatalf("%v: status %d\n%s", args, r.Status, r.Stderr)
	}
	return r
}

// Refused checks that a run ended with a status, one line of message and no result.
func Refused(t *testing.T, r Result, status int, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(r.Stderr, "\n"), "\n")
	last := lines[len(lines)-1]
	if r.Status != status {
		t.Errorf("status %d, not %d", r.Status, status)
	}
	if r.Stdout != "" {
		t.Errorf("stdout holds %q", r.Stdout)
	}
	if !strings.HasPrefix(last, "graph500: ") || !strings.Contains(last, want) {
		t.Errorf("the last line is %q, not %q", last, want)
	}
	for _, line := range lines {
		if !strings.HasPrefix(line, "graph500: ") {
			t.Errorf("a line without the program's name: %q", line)
		}
	}
}

// blockNames lists the lines of the official block for breadth-first search.
func blockNames() []string {
	return []string{
		"SCALE:", "edgefactor:", "NBFS:", "graph_generation:", "num_mpi_processes:", "construction_time:",
		"bfs  min_time:", "bfs  firstquartile_time:", "bfs  median_time:", "bfs  thirdquartile_time:", "bfs  max_time:", "bfs  mean_time:", "bfs  stddev_time:",
		"min_nedge:", "firstquartile_nedge:", "median_nedge:", "thirdquartile_nedge:", "max_nedge:", "mean_nedge:", "stddev_nedge:",
		"bfs  min_TEPS:", "bfs  firstquartile_TEPS:", "bfs  median_TEPS:", "bfs  thirdquartile_TEPS:", "bfs  max_TEPS:", "bfs  harmonic_mean_TEPS:     !", "bfs  harmonic_stddev_TEPS:",
		"bfs  min_validate:", "bfs  firstquartile_validate:", "bfs  median_validate:", "bfs  thirdquartile_validate:", "bfs  max_validate:", "bfs  mean_validate:", "bfs  stddev_validate:",
	}
}

// Block reads an official block and checks its form.
func Block(t *testing.T, stdout string) map[string]string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	want := blockNames()
	if len(lines) != len(want) {
		t.Fatalf("%d lines instead of %d:\n%s", len(lines), len(want), stdout)
	}
	values := make(map[string]string)
	for i, line := range lines {
		if len(line) < 33 || strings.TrimRight(line[:32], " ") != want[i] || line[32] == ' ' {
			t.Fatalf("line %d is %q, not %q with its value in column 33", i+1, line, want[i])
		}
		values[want[i]] = line[32:]
	}
	return values
}
