package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

func TestOutputDirectory(t *testing.T) {
	dir := t.TempDir()
	r := programtest.Succeed(t, dir, "-scale=8", "-out=a/b")
	files := testinput.Names(t, filepath.Join(dir, "a/b"))
	if strings.Join(files, " ") != "result.bench result.csv result.json result.txt" {
		t.Errorf("%v", files)
	}
	if testinput.Read(t, dir, "a/b/result.txt") != r.Stdout {
		t.Error("result.txt is not the block on stdout")
	}
	for format, file := range map[string]string{"json": "result.json", "csv": "result.csv", "benchstat": "result.bench"} {
		r := programtest.Succeed(t, dir, "-scale=8", "-out=a/b", "-format", format)
		if r.Stdout == "" || testinput.Read(t, dir, "a/b", file) != r.Stdout {
			t.Errorf("%s and stdout differ", file)
		}
	}
}

func TestStdoutThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"-scale=6", "-out=results"}, {"-help"}, {"-version"}, {"-scale=6", "-memory"}} {
		dir := t.TempDir()
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		c := prepare(dir, nil, args...)
		c.Stdout = full
		r := finish(t, c)
		full.Close()
		programtest.Refused(t, r, 1, "no space left on device")

		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		c = prepare(dir, nil, args...)
		c.Stdout = writer
		r = finish(t, c)
		writer.Close()
		programtest.Refused(t, r, 1, "broken pipe")
		if len(args) > 1 && args[1] == "-out=results" && len(testinput.Names(t, filepath.Join(dir, "results"))) != 4 {
			t.Errorf("%v", testinput.Names(t, filepath.Join(dir, "results")))
		}
	}
}

func TestEdgeFiles(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-scale=9", "-edgefactor=4", "-format=csv"}
	programtest.Succeed(t, dir, append(args, "-write-edges=plain")...)
	programtest.Succeed(t, dir, append(args, "-read-edges=plain", "-write-edges=packed.zst")...)
	if r := programtest.Succeed(t, dir, append(args, "-read-edges=packed.zst", "-write-edges=again")...); strings.Contains(r.Stderr, "holds other edges") {
		t.Error(r.Stderr)
	}
	if plain := testinput.Read(t, dir, "plain"); testinput.Read(t, dir, "again") != plain || len(plain) != 12*4<<9 {
		t.Error("compressing and expanding changes the edges")
	}
	r := programtest.Succeed(t, dir, append(args, "-read-edges=plain", "-seed1=5")...)
	if !strings.Contains(r.Stderr, "plain holds other edges than the generator makes") {
		t.Error(r.Stderr)
	}
}

func TestTemporaryEdgeFile(t *testing.T) {
	const edges = 16 << 7
	dir := t.TempDir()
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "edges"))
		if err != nil {
			return -1
		}
		return info.Size()
	}
	programtest.SucceedWith(t, dir, []string{"TMPFILE=edges"}, "-scale=7")
	if left := testinput.Names(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	programtest.SucceedWith(t, dir, []string{"TMPFILE=edges", "REUSEFILE="}, "-scale=7")
	if size() != 12*edges {
		t.Errorf("the kept file has %d bytes", size())
	}
	r := programtest.SucceedWith(t, dir, []string{"TMPFILE=edges", "REUSEFILE=1"}, "-scale=7", "-v")
	if !strings.Contains(r.Stderr, "reading ...") || strings.Contains(r.Stderr, "generation ...") {
		t.Errorf("the file is not reused:\n%s", r.Stderr)
	}
	programtest.Refused(t, programtest.Run(t, dir, []string{"TMPFILE=edges"}, "-scale=7"), 1,
		"TMPFILE: edges is there already: name another file, or set REUSEFILE to read this one")
	if size() != 12*edges {
		t.Error("somebody's file is gone")
	}
	// Another size, so these are no edges of this graph.
	testinput.Write(t, dir, "thesis.tex", "years of work")
	for _, c := range []struct{ file, scale, want string }{
		{"edges", "8", "TMPFILE: edges is there already and has 24576 bytes, the edge file of scale 8 and edgefactor 16 has 49152: name another file"},
		{"thesis.tex", "7", "TMPFILE: thesis.tex is there already and has 13 bytes, the edge file of scale 7 and edgefactor 16 has 24576: name another file"},
	} {
		before := testinput.Read(t, dir, c.file)
		for _, variables := range [][]string{{"TMPFILE=" + c.file, "REUSEFILE=1"}, {"TMPFILE=" + c.file}} {
			programtest.Refused(t, programtest.Run(t, dir, variables, "-scale", c.scale), 1, c.want)
			if testinput.Read(t, dir, c.file) != before {
				t.Fatalf("%v: %s is changed", variables, c.file)
			}
		}
	}
	programtest.Refused(t, programtest.Run(t, dir, []string{"TMPFILE=missing/edges"}, "-scale=7"), 1, "TMPFILE: missing/edges: cannot create a file in missing")
	if left := testinput.Names(t, dir); len(left) != 2 {
		t.Errorf("%v", left)
	}
}

// A symbolic link does not change. Its target is created and removed like a file without
// a link.
func TestTemporaryEdgeFileThroughALink(t *testing.T) {
	dir, scratch := t.TempDir(), t.TempDir()
	target := filepath.Join(scratch, "edges")
	link(t, target, dir, "link")
	programtest.SucceedWith(t, dir, []string{"TMPFILE=link"}, "-scale=7")
	wantLink(t, target, dir, "link")
	if left := testinput.Names(t, scratch); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	for _, phase := range []string{"-root=0", "-root=0"} { // created, then reused
		programtest.SucceedWith(t, dir, []string{"TMPFILE=link", "REUSEFILE=1"}, "-scale=7", phase)
		wantLink(t, target, dir, "link")
		if n := len(testinput.Read(t, target)); n != 12*16<<7 {
			t.Errorf("the file that the link leads to has %d bytes", n)
		}
	}
	link(t, "circle", dir, "circle")
	programtest.Refused(t, programtest.Run(t, dir, []string{"TMPFILE=circle"}, "-scale=7"), 1, "TMPFILE: ")
	wantLink(t, "circle", dir, "circle")
}

// link creates a symbolic link.
func link(t *testing.T, target string, elements ...string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(elements...)); err != nil {
		t.Skip(err)
	}
}

func wantLink(t *testing.T, target string, elements ...string) {
	t.Helper()
	if got, err := os.Readlink(filepath.Join(elements...)); err != nil || got != target {
		t.Errorf("%s leads to %q, %v, not to %q", elements, got, err, target)
	}
}

// The file behind standard output is not replaced.
func TestOutputInPlaceOfStdout(t *testing.T) {
	dir := t.TempDir()
	p := prepare(dir, nil, "-scale=7", "-write-edges=out")
	out, err := os.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p.Stdout = out
	programtest.Refused(t, finish(t, p), 2, "standard output and flag -write-edges name the same file, out: ")
}

// A full disk: the shell's limit on the size of a file, in blocks of 512 or 1024 bytes,
// makes a write fail in the middle.
func TestWriteThatFailsInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		args      string
		variables []string
		file      string
	}{
		{"-scale=12 -write-edges=edges", nil, "edges"},
		{"-scale=12", []string{"TMPFILE=edges"}, "edges"},
		{"-scale=14 -write-parents=.", nil, ".i64"},
		{"-scale=7 -out=.", nil, "-out ."},
	} {
		dir := t.TempDir()
		p := prepare(dir, c.variables)
		p.Path, p.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 16; exec "$@"`, "sh", program}, strings.Fields(c.args)...)
		r := finish(t, p)
		programtest.Refused(t, r, 1, "file too large")
		if !regexp.MustCompile(regexp.QuoteMeta(c.file) + ": cannot (be written|write there): file too large").MatchString(r.Stderr) {
			t.Errorf("does not name %s: %s", c.file, r.Stderr)
		}
		if strings.Contains(r.Stderr, "/.") {
			t.Errorf("names a temporary file: %s", r.Stderr)
		}
		if left := testinput.Names(t, dir); len(left) > 0 {
			t.Errorf("%s %v: %v are left", c.args, c.variables, left)
		}
	}
}

func TestParentsFiles(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=10", "-roots=1", "-write-parents=trees")
	programtest.Refused(t, programtest.Run(t, dir, nil, "-scale=10", "-write-parents=trees"), 1, "flag -write-parents: trees: already holds parents files, such as 0-")
	path := filepath.Join("trees", testinput.Names(t, filepath.Join(dir, "trees"))[0])
	root := strings.TrimSuffix(strings.TrimPrefix(path, "trees/0-"), ".i64")
	if r := programtest.Succeed(t, dir, "-scale=10", "-root", root, "-check-parents", path); !strings.Contains(r.Stdout, "a valid search tree from root "+root) {
		t.Error(r.Stdout)
	}
	// The root's tree is no tree from another root.
	number, err := strconv.ParseUint(root, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "-scale=10", "-root", strconv.FormatUint(number^1, 10), "-check-parents", path), 1, "rule")
}

// A file with both directions of each edge causes one warning, which is in the record.
func TestEdgesInBothDirections(t *testing.T) {
	dir := t.TempDir()
	one, both := "0 1\n1 2\n2 3\n3 0\n", "1 0\n2 1\n3 2\n0 3\n"
	banner := "%%MatrixMarket matrix coordinate pattern general\n4 4 "
	for name, c := range map[string]struct{ text, want string }{
		"one.txt":    {one, ""},
		"both.txt":   {one + both, "100 %"},
		"half.txt":   {one + both[:8], "67 %"},
		"third.txt":  {one + both[:4], ""}, // 2 of 5
		"repeat.txt": {one + one, ""},
		"one.mtx":    {banner + "3\n1 2\n2 3\n3 4\n", ""},
		"both.mtx":   {banner + "6\n1 2\n2 3\n3 4\n2 1\n3 2\n4 3\n", "100 %"},
	} {
		testinput.Write(t, dir, name, c.text)
		r := programtest.Succeed(t, dir, "-graph", name, "-format=json", "-v")
		warning := "warning: " + name + " holds " + c.want
		if n := strings.Count(r.Stderr, "in both directions"); n != min(1, len(c.want)) || n > 0 && !strings.Contains(r.Stderr, warning) {
			t.Errorf("%s: %s", name, r.Stderr)
		}
		if strings.Contains(r.Stdout, name+" holds "+c.want) != (c.want != "") || strings.Contains(r.Stdout, "both directions") != (c.want != "") {
			t.Errorf("%s: %s", name, r.Stdout)
		}
	}
}

func TestGraphsFromFiles(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "path.txt", "# a path\r\n0 1\r\n1 2\r\n2 3\r\n3 4\r\n")
	testinput.Write(t, dir, "path.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 4\n")
	if err := exec.Command("gzip", "-k", filepath.Join(dir, "path.txt")).Run(); err != nil {
		t.Log("no gzip:", err)
	}
	for _, file := range testinput.Names(t, dir) {
		r := programtest.Succeed(t, dir, "-graph", file, "-write-parents=trees-"+file, "-write-edges=edges")
		b := programtest.Block(t, r.Stdout)
		if b["SCALE:"] != "3" || b["edgefactor:"] != "1" || b["NBFS:"] != "5" || b["min_nedge:"] != "4" {
			t.Errorf("%s: %s", file, r.Stdout)
		}
		if want := "taken as an undirected graph"; strings.Contains(r.Stderr, want) != strings.Contains(file, ".txt") {
			t.Errorf("%s: %s", file, r.Stderr)
		}
		if !strings.Contains(r.Stderr, "not a conforming run: labels of 32 bits instead of at least 48; the graph comes from a file; number of searches 5 instead of 64") {
			t.Error(r.Stderr)
		}
		if trees := testinput.Names(t, filepath.Join(dir, "trees-"+file)); len(trees) != 5 || len(testinput.Read(t, dir, "trees-"+file, trees[0])) != 8*5 {
			t.Errorf("%v", trees)
		}
		if len(testinput.Read(t, dir, "edges")) != 12*4 {
			t.Error("the edge file has another size")
		}
		if r := programtest.Succeed(t, dir, "-graph", file, "-memory"); !strings.Contains(r.Stdout, "5 vertices, 4 tuples") {
			t.Error(r.Stdout)
		}
	}
}
