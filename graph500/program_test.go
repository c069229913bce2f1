package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"graph500/cluster/mpitest"
	"graph500/gpu"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

// commandNames are the names of the commands in messages.
const commandNames = "strategies, partition, chart, leaderboard, compare, submit, energy, model, edges, help, manual, completion"

// program is the path of the program, built with the build tags of the tests.
var program string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "graph500-test-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		program = filepath.Join(dir, "graph500")
		link, environment := "-X main.commit=abc123", os.Environ()
		if buildTags == "" { // as scripts/build.sh
			environment = append(environment, "CGO_ENABLED=0")
			if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
				link += " -E=graph500_entry"
			}
		}
		build := exec.Command("go", "build", "-tags", buildTags, "-ldflags", link, "-o", program, ".")
		build.Env = environment
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// prepare returns a command in a directory. Its environment is that of the test with
// additional variables.
func prepare(dir string, variables []string, args ...string) *exec.Cmd {
	c := exec.Command(program, args...)
	c.Dir = dir
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !slices.Contains([]string{"SKIP_VALIDATION", "SKIP_BFS", "TMPFILE", "REUSEFILE"}, name) {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, variables...)
	return c
}

// finish runs a prepared command.
func finish(t *testing.T, c *exec.Cmd) programtest.Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &stdout
	}
	c.Stderr = &stderr
	var exit *exec.ExitError
	if err := mpitest.Run(c); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return programtest.Result{Stdout: stdout.String(), Stderr: stderr.String(), Status: c.ProcessState.ExitCode()}
}

func TestOfficialBlockAndNothingElseOnStdout(t *testing.T) {
	r := programtest.Succeed(t, t.TempDir(), "-scale=10", "-vv", "-progress=always")
	b := programtest.Block(t, r.Stdout)
	for name, want := range map[string]string{"SCALE:": "10", "edgefactor:": "16", "NBFS:": "64", "num_mpi_processes:": "1", "min_nedge:": "16239"} {
		if b[name] != want {
			t.Errorf("%s %s, not %s", name, b[name], want)
		}
	}
	for _, want := range []string{"32-bit labels", "isolated", "generation", "construction"} {
		if !strings.Contains(r.Stderr, want) {
			t.Errorf("stderr says nothing of %q:\n%s", want, r.Stderr)
		}
	}
	if !strings.Contains(r.Stderr, "not a conforming run: labels of 32 bits instead of at least 48\n") {
		t.Error(r.Stderr)
	}
}

func TestSkippedValidation(t *testing.T) {
	for _, r := range []programtest.Result{
		programtest.Succeed(t, t.TempDir(), "-scale=8", "-skip-validation"),
		programtest.SucceedWith(t, t.TempDir(), []string{"SKIP_VALIDATION="}, "-scale=8"),
	} {
		b := programtest.Block(t, r.Stdout)
		if b["bfs  mean_validate:"] != "-1" || b["bfs  stddev_validate:"] != "0" || b["min_nedge:"] != "4011" {
			t.Error(r.Stdout)
		}
		if !strings.Contains(r.Stderr, "not a conforming run: labels of 32 bits instead of at least 48; the searches were not validated\n") {
			t.Error(r.Stderr)
		}
	}
}

// A run succeeds if its messages cannot be written.
func TestStderrThatCannotBeWritten(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	c := prepare(t.TempDir(), nil, "-scale=6", "-v", "-progress=always")
	c.Stderr = full
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	programtest.Block(t, string(out))
}

func TestHelpVersionStrategies(t *testing.T) {
	dir := t.TempDir()
	if r := programtest.Succeed(t, dir, "-help"); !strings.Contains(r.Stdout, "-scale=N") || r.Stderr != "" {
		t.Error(r)
	}
	if r := programtest.Succeed(t, dir, "-version"); !strings.HasPrefix(r.Stdout, "graph500") || !strings.Contains(r.Stdout, ", commit abc123, go1.") || !strings.HasSuffix(r.Stdout, ", "+gpu.Build()+"\n") || strings.Count(r.Stdout, "\n") != 1 {
		t.Error(r)
	}
	for command, option := range map[string]string{
		"help": "-help", "help help": "-help", "help strategies": "strategies -help", "help chart": "chart -help",
	} {
		got, want := programtest.Succeed(t, dir, strings.Fields(command)...), programtest.Succeed(t, dir, strings.Fields(option)...)
		if got.Stdout != want.Stdout || got.Stderr != "" {
			t.Errorf("%s prints\n%s, not the same as %s", command, got.Stdout, option)
		}
	}
	r := programtest.Succeed(t, dir, "-strategy=help")
	for _, name := range []string{"push", "pull", "edge", "frontier", "asynchronous", "direction-half", "direction", "default"} {
		if !strings.Contains(r.Stdout, name+" ") {
			t.Errorf("%s is not listed", name)
		}
		programtest.Block(t, programtest.Succeed(t, dir, "-scale=7", "-engine=cpu", "-strategy", name).Stdout)
	}
}

func TestBadInputEndsWithOneLine(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "empty.txt", "")
	testinput.Write(t, dir, "comment.txt", "# nothing\n")
	testinput.Write(t, dir, "loops.txt", "0 0\n1 1\n")
	testinput.Write(t, dir, "letters.txt", "0 1\n1 x\n")
	testinput.Write(t, dir, "negative.txt", "0 1\n1 2\n2 -1\n")
	testinput.Write(t, dir, "one.txt", "0 1\n1\n")
	testinput.Write(t, dir, "rectangular.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n")
	testinput.Write(t, dir, "beyond.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n4 1\n")
	testinput.Write(t, dir, "short.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n")
	testinput.Write(t, dir, "corrupt.zst", "this is not compressed")
	testinput.Write(t, dir, "short.edges", strings.Repeat("\x00", 100))
	testinput.Write(t, dir, "beyond.edges", strings.Repeat("\x00", 12*32-1)+"\x01")
	testinput.Write(t, dir, "file", "")
	link(t, "circle", dir, "circle")
	link(t, "/dev/null", dir, "null")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"-scale=0", 2, "flag -scale: 0 is not in 1..31"},
		{"-skale=4", 2, "unknown flag -skale, the nearest is -scale"},
		{"-scale=31 -edgefactor=1048576", 1, "the largest scale that fits is "},
		{"-graph=missing.txt", 1, "missing.txt"},
		{"-graph=.", 1, "directory"},
		{"-graph=empty.txt", 1, "empty.txt"},
		{"-graph=comment.txt", 1, "comment.txt"},
		{"-graph=loops.txt", 1, "no vertex has an edge to another one"},
		{"-graph=letters.txt", 1, "letters.txt:2: "},
		{"-graph=negative.txt", 1, "negative.txt:3: "},
		{"-graph=one.txt", 1, "one.txt:2: "},
		{"-graph=rectangular.mtx", 1, "rectangular.mtx:2: "},
		{"-graph=beyond.mtx", 1, "beyond.mtx:4: "},
		{"-graph=short.mtx", 1, "short.mtx"},
		{"-graph=corrupt.zst", 1, "corrupt.zst"},
		{"-scale=4 -edgefactor=2 -read-edges=missing", 1, "missing"},
		{"-scale=4 -edgefactor=2 -read-edges=short.edges", 1, "short.edges"},
		{"-scale=4 -edgefactor=2 -read-edges=beyond.edges", 1, "beyond.edges"},
		{"-scale=4 -edgefactor=2 -read-edges=corrupt.zst", 1, "corrupt.zst"},
		{"-scale=4 -edgefactor=2 -read-edges=.", 1, ""},
		{"-scale=4 -out=file/results", 1, "-out file"},
		{"-scale=4 -out=file", 1, "-out file"},
		// Paths are checked before anything else.
		{"-scale=31 -edgefactor=1048576 -out=file", 1, "-out file"},
		{"-scale=31 -edgefactor=1048576 -write-parents=file", 1, "flag -write-parents: "},
		{"-scale=31 -edgefactor=1048576 -write-edges=file/x", 1, "flag -write-edges: "},
		{"-scale=4 -write-parents=file/x", 1, "flag -write-parents: "},
		{"-scale=4 strategies", 2, `unexpected argument "strategies": a command comes first, and all else is given with flags`},
		{"strategy -scale=4", 2, `unknown command "strategy", the nearest is strategies; the commands are ` + commandNames + `, and flags begin with a dash`},
		{"charts", 2, `unknown command "charts", the nearest is chart; the commands are `},
		{"file.txt -scale=4", 2, `unknown command "file.txt"; the commands are `},
		{"help benchmark", 2, `unknown command "benchmark"; the commands are `},
		{"help chart strategies", 2, "help takes the name of one command"},
		{"-scale=4 -write-edges=missing/edges", 1, "flag -write-edges: missing/edges: cannot create a file in missing: no such file or directory"},
		{"-scale=4 -write-edges=.", 1, "flag -write-edges: .: is a directory and will not be replaced"},
		{"-scale=4 -write-edges=/dev/null", 1, "flag -write-edges: /dev/null: is a device and will not be replaced"},
		{"-scale=4 -write-edges=circle", 1, "flag -write-edges: circle: the symbolic links form a loop"},
		{"-scale=4 -out=circle", 1, "-out circle: cannot make the directory: the symbolic links form a loop"},
		{"-scale=4 -write-parents=null", 1, "flag -write-parents: null: cannot be created"},
		{"-scale=4 -root=1 -check-parents=missing", 1, "missing"},
		{"-scale=4 -root=16", 2, "no vertex 16, they are 0..15"},
	} {
		t.Run(c.args, func(t *testing.T) {
			programtest.Refused(t, programtest.Run(t, dir, nil, strings.Fields(c.args)...), c.status, c.want)
		})
	}
	for variable, want := range map[string]string{"TMPFILE=null": "TMPFILE: null is not a regular file", "TMPFILE=circle": "TMPFILE: "} {
		programtest.Refused(t, programtest.Run(t, dir, []string{variable}, "-scale=4"), 1, want)
	}
	programtest.Refused(t, finish(t, prepare(dir, []string{"GRAPH500_SIMD=sse"}, "-scale=4")), 2, "GRAPH500_SIMD=sse is not one of plain, avx2, avx512")
	if left := testinput.Names(t, dir); len(left) != 15 {
		t.Errorf("files were left: %v", left)
	}
}
