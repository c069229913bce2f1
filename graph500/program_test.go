package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/gpu"
)

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
		build := exec.Command("go", "build", "-tags", buildTags, "-ldflags", "-X main.commit=abc123", "-o", program, ".")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		return m.Run()
	}())
}

// result is the output and exit status of a process.
type result struct {
	stdout, stderr string
	status         int
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
func finish(t *testing.T, c *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &stdout
	}
	c.Stderr = &stderr
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), c.ProcessState.ExitCode()}
}

// succeed runs the program in dir and fails the test if it fails.
func succeed(t *testing.T, dir string, args ...string) result {
	t.Helper()
	return succeedWith(t, dir, nil, args...)
}

func succeedWith(t *testing.T, dir string, variables []string, args ...string) result {
	t.Helper()
	r := finish(t, prepare(dir, variables, args...))
	if r.status != 0 {
		t.Fatalf("%v: status %d\n%s", args, r.status, r.stderr)
	}
	return r
}

// refused checks that a run ended with a status, one line of message and no result.
func refused(t *testing.T, r result, status int, want string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(r.stderr, "\n"), "\n")
	last := lines[len(lines)-1]
	if r.status != status {
		t.Errorf("status %d, not %d", r.status, status)
	}
	if r.stdout != "" {
		t.Errorf("stdout holds %q", r.stdout)
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

// write creates a file and returns its path.
func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns a file's content.
func read(t *testing.T, elements ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(elements...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// blockNames are the lines of the official block for breadth-first search.
var blockNames = []string{
	"SCALE:", "edgefactor:", "NBFS:", "graph_generation:", "num_mpi_processes:", "construction_time:",
	"bfs  min_time:", "bfs  firstquartile_time:", "bfs  median_time:", "bfs  thirdquartile_time:", "bfs  max_time:", "bfs  mean_time:", "bfs  stddev_time:",
	"min_nedge:", "firstquartile_nedge:", "median_nedge:", "thirdquartile_nedge:", "max_nedge:", "mean_nedge:", "stddev_nedge:",
	"bfs  min_TEPS:", "bfs  firstquartile_TEPS:", "bfs  median_TEPS:", "bfs  thirdquartile_TEPS:", "bfs  max_TEPS:", "bfs  harmonic_mean_TEPS:     !", "bfs  harmonic_stddev_TEPS:",
	"bfs  min_validate:", "bfs  firstquartile_validate:", "bfs  median_validate:", "bfs  thirdquartile_validate:", "bfs  max_validate:", "bfs  mean_validate:", "bfs  stddev_validate:",
}

// block reads an official block and checks its form.
func block(t *testing.T, stdout string) map[string]string {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	if len(lines) != len(blockNames) {
		t.Fatalf("%d lines instead of %d:\n%s", len(lines), len(blockNames), stdout)
	}
	values := make(map[string]string)
	for i, line := range lines {
		if len(line) < 33 || strings.TrimRight(line[:32], " ") != blockNames[i] || line[32] == ' ' {
			t.Fatalf("line %d is %q, not %q with its value in column 33", i+1, line, blockNames[i])
		}
		values[blockNames[i]] = line[32:]
	}
	return values
}

func TestOfficialBlockAndNothingElseOnStdout(t *testing.T) {
	r := succeed(t, t.TempDir(), "-scale=10", "-vv", "-progress=always")
	b := block(t, r.stdout)
	for name, want := range map[string]string{"SCALE:": "10", "edgefactor:": "16", "NBFS:": "64", "num_mpi_processes:": "1", "min_nedge:": "16239"} {
		if b[name] != want {
			t.Errorf("%s %s, not %s", name, b[name], want)
		}
	}
	for _, want := range []string{"32-bit labels", "isolated", "generation", "construction"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("stderr says nothing of %q:\n%s", want, r.stderr)
		}
	}
	if !strings.Contains(r.stderr, "not a conforming run: labels of 32 bits instead of at least 48\n") {
		t.Error(r.stderr)
	}
}

func TestSkippedValidation(t *testing.T) {
	for _, r := range []result{
		succeed(t, t.TempDir(), "-scale=8", "-skip-validation"),
		succeedWith(t, t.TempDir(), []string{"SKIP_VALIDATION="}, "-scale=8"),
	} {
		b := block(t, r.stdout)
		if b["bfs  mean_validate:"] != "-1" || b["bfs  stddev_validate:"] != "0" || b["min_nedge:"] != "4011" {
			t.Error(r.stdout)
		}
		if !strings.Contains(r.stderr, "not a conforming run: labels of 32 bits instead of at least 48; the searches were not validated\n") {
			t.Error(r.stderr)
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
	block(t, string(out))
}

func TestHelpVersionStrategies(t *testing.T) {
	dir := t.TempDir()
	if r := succeed(t, dir, "-help"); !strings.Contains(r.stdout, "-scale=N") || r.stderr != "" {
		t.Error(r)
	}
	if r := succeed(t, dir, "-version"); !strings.HasPrefix(r.stdout, "graph500") || !strings.Contains(r.stdout, ", commit abc123, go1.") || !strings.HasSuffix(r.stdout, ", "+gpu.Build()+"\n") || strings.Count(r.stdout, "\n") != 1 {
		t.Error(r)
	}
	for command, option := range map[string]string{
		"help": "-help", "help help": "-help", "help strategies": "strategies -help", "help chart": "chart -help",
	} {
		got, want := succeed(t, dir, strings.Fields(command)...), succeed(t, dir, strings.Fields(option)...)
		if got.stdout != want.stdout || got.stderr != "" {
			t.Errorf("%s prints\n%s, not the same as %s", command, got.stdout, option)
		}
	}
	r := succeed(t, dir, "-strategy=help")
	for _, name := range []string{"push", "pull", "edge", "frontier", "asynchronous", "direction-half", "direction", "default"} {
		if !strings.Contains(r.stdout, name+" ") {
			t.Errorf("%s is not listed", name)
		}
		block(t, succeed(t, dir, "-scale=7", "-engine=cpu", "-strategy", name).stdout)
	}
}

func TestMemoryPlanOfTheProgram(t *testing.T) {
	dir := t.TempDir()
	r := succeed(t, dir, "-scale=8", "-memory")
	for _, want := range []string{"tuples", "results", "at most at once", "fits: yes"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("%q is missing in %s", want, r.stdout)
		}
	}
	r = finish(t, prepare(dir, nil, "-scale=31", "-edgefactor=1048576", "-memory"))
	if r.status != 1 || !strings.Contains(r.stdout, "fits: no") || !strings.HasPrefix(r.stderr, "graph500: flag -scale: scale 31 needs ") {
		t.Error(r)
	}
}

func TestUnusualRoots(t *testing.T) {
	dir := t.TempDir()
	r := succeed(t, dir, "-scale=5") // 30 usable vertices
	if b := block(t, r.stdout); b["NBFS:"] != "30" {
		t.Error(r.stdout)
	}
	if want := "warning: only 30 vertices have an edge to another one: 30 searches instead of 64"; !strings.Contains(r.stderr, want) {
		t.Error(r.stderr)
	}
	r = succeed(t, dir, "-scale=5", "-root=0")
	if b := block(t, r.stdout); b["NBFS:"] != "1" || b["bfs  stddev_time:"] != "0" || strings.Contains(strings.ToLower(r.stdout), "nan") {
		t.Error(r.stdout)
	}
	isolated := write(t, dir, "isolated.txt", "0 1\n2 2\n3 1\n")
	refused(t, finish(t, prepare(dir, nil, "-graph", isolated, "-root=2")), 1, "vertex 2 has no edge to another vertex")
	refused(t, finish(t, prepare(dir, nil, "-graph", isolated, "-root=4")), 1, "no vertex 4, they are 0..3")
	refused(t, finish(t, prepare(dir, nil, "-scale=4", "-root=16")), 2, "no vertex 16, they are 0..15")
	refused(t, finish(t, prepare(dir, []string{"GRAPH500_SIMD=sse"}, "-scale=4")), 2, "GRAPH500_SIMD=sse is not one of plain, avx2, avx512")
}

func TestBadInputEndsWithOneLine(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "empty.txt", "")
	write(t, dir, "comment.txt", "# nothing\n")
	write(t, dir, "loops.txt", "0 0\n1 1\n")
	write(t, dir, "letters.txt", "0 1\n1 x\n")
	write(t, dir, "negative.txt", "0 1\n1 2\n2 -1\n")
	write(t, dir, "one.txt", "0 1\n1\n")
	write(t, dir, "rectangular.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n")
	write(t, dir, "beyond.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n4 1\n")
	write(t, dir, "short.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n")
	write(t, dir, "corrupt.zst", "this is not compressed")
	write(t, dir, "short.edges", strings.Repeat("\x00", 100))
	write(t, dir, "beyond.edges", strings.Repeat("\x00", 12*32-1)+"\x01")
	write(t, dir, "file", "")
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
		{"strategy -scale=4", 2, `unknown command "strategy", the nearest is strategies; the commands are ` + strings.Join(described(newCommands()).names(), ", ") + `, and flags begin with a dash`},
		{"charts", 2, `unknown command "charts", the nearest is chart; the commands are `},
		{"file.txt -scale=4", 2, `unknown command "file.txt"; the commands are `},
		{"help benchmark", 2, `unknown command "benchmark"; the commands are `},
		{"help chart strategies", 2, "help takes the name of one command"},
		{"-scale=4 -write-edges=missing/edges", 1, "flag -write-edges: missing/edges: cannot create a file in missing: no such file or directory"},
		{"-scale=4 -write-edges=.", 1, "flag -write-edges: .: is a directory and will not be replaced"},
		{"-scale=4 -write-edges=/dev/null", 1, "flag -write-edges: /dev/null: is a device and will not be replaced"},
		{"-scale=4 -root=1 -check-parents=missing", 1, "missing"},
	} {
		t.Run(c.args, func(t *testing.T) {
			refused(t, finish(t, prepare(dir, nil, strings.Fields(c.args)...)), c.status, c.want)
		})
	}
	if left := names(t, dir); len(left) != 13 {
		t.Errorf("files were left: %v", left)
	}
}
