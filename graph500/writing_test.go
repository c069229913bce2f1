package main

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"graph500/kronecker"
)

func TestOutputDirectory(t *testing.T) {
	dir := t.TempDir()
	r := succeed(t, dir, "-scale=8", "-out=a/b")
	files := names(t, filepath.Join(dir, "a/b"))
	if strings.Join(files, " ") != "result.bench result.csv result.json result.txt" {
		t.Errorf("%v", files)
	}
	if read(t, dir, "a/b/result.txt") != r.stdout {
		t.Error("result.txt is not the block on stdout")
	}
	for format, file := range map[string]string{"json": "result.json", "csv": "result.csv", "benchstat": "result.bench"} {
		r := succeed(t, dir, "-scale=8", "-out=a/b", "-format", format)
		if r.stdout == "" || read(t, dir, "a/b", file) != r.stdout {
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
		refused(t, r, 1, "no space left on device")

		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		c = prepare(dir, nil, args...)
		c.Stdout = writer
		r = finish(t, c)
		writer.Close()
		refused(t, r, 1, "broken pipe")
		if len(args) > 1 && args[1] == "-out=results" && len(names(t, filepath.Join(dir, "results"))) != 4 {
			t.Errorf("%v", names(t, filepath.Join(dir, "results")))
		}
	}
}

func TestEdgeFiles(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-scale=9", "-edgefactor=4", "-format=csv"}
	spec := kronecker.Spec{Scale: 9, EdgeFactor: 4, Seed1: 2, Seed2: 3}
	f := new(fakeEngine)
	if err := f.Generate(t.Context(), spec, func(int64, int64) {}); err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, e := range f.tuples {
		want = binary.LittleEndian.AppendUint32(want, e.U)
		want = binary.LittleEndian.AppendUint32(want, e.V)
		want = binary.LittleEndian.AppendUint32(want, 0)
	}
	succeed(t, dir, append(args, "-write-edges=plain")...)
	if read(t, dir, "plain") != string(want) {
		t.Error("the edge file is not the reference's")
	}
	succeed(t, dir, append(args, "-write-edges=packed.zst")...)
	succeed(t, dir, append(args, "-read-edges=packed.zst", "-write-edges=again")...)
	if read(t, dir, "again") != string(want) {
		t.Error("compressing and expanding changes the edges")
	}
	for _, file := range []string{"plain", "packed.zst"} {
		r := succeed(t, dir, append(args, "-read-edges", file)...)
		if strings.Contains(r.stderr, "holds other edges") {
			t.Error(r.stderr)
		}
	}
	r := succeed(t, dir, append(args, "-read-edges=plain", "-seed1=5")...)
	if !strings.Contains(r.stderr, "plain holds other edges than the generator makes") {
		t.Error(r.stderr)
	}
	if err := os.Truncate(filepath.Join(dir, "plain"), int64(len(want)-1)); err != nil {
		t.Fatal(err)
	}
	refused(t, finish(t, prepare(dir, nil, append(args, "-read-edges=plain")...)), 1, "plain")
	if left := names(t, dir); len(left) != 3 {
		t.Errorf("%v", left)
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
	succeedWith(t, dir, []string{"TMPFILE=edges"}, "-scale=7")
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	succeedWith(t, dir, []string{"TMPFILE=edges", "REUSEFILE="}, "-scale=7")
	if size() != 12*edges {
		t.Errorf("the kept file has %d bytes", size())
	}
	r := succeedWith(t, dir, []string{"TMPFILE=edges", "REUSEFILE=1"}, "-scale=7", "-v")
	if !strings.Contains(r.stderr, "reading ...") || strings.Contains(r.stderr, "generation ...") {
		t.Errorf("the file is not reused:\n%s", r.stderr)
	}
	refused(t, finish(t, prepare(dir, []string{"TMPFILE=edges"}, "-scale=7")), 1, "edges is there already")
	if size() != 12*edges {
		t.Error("somebody's file is gone")
	}
	// Another size: made anew.
	succeedWith(t, dir, []string{"TMPFILE=edges", "REUSEFILE=1"}, "-scale=8")
	if size() != 2*12*edges {
		t.Errorf("%d bytes", size())
	}
	refused(t, finish(t, prepare(dir, []string{"TMPFILE=missing/edges"}, "-scale=7")), 1, "TMPFILE: ")
}

// A disk that fills up: the shell's limit on the size of a file, in blocks of
// 512 or 1024 bytes, lets the write fail in the middle.
func TestWriteThatFailsInTheMiddle(t *testing.T) {
	for _, c := range []struct {
		args      string
		variables []string
	}{
		{"-scale=12 -write-edges=edges", nil},
		{"-scale=12", []string{"TMPFILE=edges"}},
		{"-scale=14 -write-parents=.", nil},
		{"-scale=7 -roots=3000 -out=.", nil},
	} {
		dir := t.TempDir()
		p := prepare(dir, c.variables)
		p.Path, p.Args = "/bin/sh", append([]string{"sh", "-c", `ulimit -f 16; exec "$@"`, "sh", program}, strings.Fields(c.args)...)
		refused(t, finish(t, p), 1, "file too large")
		if left := names(t, dir); len(left) > 0 {
			t.Errorf("%s %v: %v are left", c.args, c.variables, left)
		}
	}
}

func TestParentsFiles(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, "-scale=10", "-roots=3", "-write-parents=trees")
	files := names(t, filepath.Join(dir, "trees"))
	if len(files) != 3 {
		t.Fatalf("%v", files)
	}
	for i, file := range files {
		path := filepath.Join(dir, "trees", file)
		index, root, _ := strings.Cut(strings.TrimSuffix(file, ".i64"), "-")
		number, err := strconv.ParseUint(root, 10, 32)
		if err != nil || index != strconv.Itoa(i) {
			t.Fatalf("a file is called %s", file)
		}
		check := []string{"-scale=10", "-root", root, "-check-parents", path}
		r := succeed(t, dir, check...)
		if !strings.Contains(r.stdout, "a valid search tree from root "+root) {
			t.Error(r.stdout)
		}
		parents := []byte(read(t, path))
		if len(parents) != 8<<10 || binary.LittleEndian.Uint64(parents[8*number:]) != number {
			t.Errorf("%s has %d bytes, and the parent of its root is not the root", file, len(parents))
		}
		// The root's tree is no tree from another root.
		other := append([]string{}, check...)
		other[2] = strconv.FormatUint(number^1, 10)
		refused(t, finish(t, prepare(dir, nil, other...)), 1, "rule")
		// A vertex as its own parent, a parent that is none, one out of range, a short file.
		victim := number ^ 1
		for _, value := range []uint64{victim, number, 1 << 10, ^uint64(1)} {
			spoilt := append([]byte{}, parents...)
			binary.LittleEndian.PutUint64(spoilt[8*victim:], value)
			if string(spoilt) == string(parents) {
				continue
			}
			bad := write(t, dir, "bad.i64", string(spoilt))
			want := "rule"
			if value >= 1<<10 {
				want = strconv.FormatUint(victim, 10)
			}
			refused(t, finish(t, prepare(dir, nil, "-scale=10", "-root", root, "-check-parents", bad)), 1, want)
		}
		bad := write(t, dir, "bad.i64", string(parents[:len(parents)-8]))
		refused(t, finish(t, prepare(dir, nil, "-scale=10", "-root", root, "-check-parents", bad)), 1, "bad.i64")
	}
}

func TestGraphsFromFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "path.txt", "# a path\r\n0 1\r\n1 2\r\n2 3\r\n3 4\r\n")
	write(t, dir, "path.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 4\n")
	if err := exec.Command("gzip", "-k", filepath.Join(dir, "path.txt")).Run(); err != nil {
		t.Log("no gzip:", err)
	}
	for _, file := range names(t, dir) {
		r := succeed(t, dir, "-graph", file, "-write-parents=trees-"+file, "-write-edges=edges")
		b := block(t, r.stdout)
		if b["SCALE:"] != "3" || b["edgefactor:"] != "1" || b["NBFS:"] != "5" || b["min_nedge:"] != "4" {
			t.Errorf("%s: %s", file, r.stdout)
		}
		if want := "taken as an undirected graph"; strings.Contains(r.stderr, want) != strings.Contains(file, ".txt") {
			t.Errorf("%s: %s", file, r.stderr)
		}
		if !strings.Contains(r.stderr, "not a conforming run: labels of 32 bits instead of at least 48; the graph comes from a file; number of searches 5 instead of 64") {
			t.Error(r.stderr)
		}
		if trees := names(t, filepath.Join(dir, "trees-"+file)); len(trees) != 5 || len(read(t, dir, "trees-"+file, trees[0])) != 8*5 {
			t.Errorf("%v", trees)
		}
		if len(read(t, dir, "edges")) != 12*4 {
			t.Error("the edge file has another size")
		}
		if r := succeed(t, dir, "-graph", file, "-memory"); !strings.Contains(r.stdout, "5 vertices, 4 tuples") {
			t.Error(r.stdout)
		}
	}
}
