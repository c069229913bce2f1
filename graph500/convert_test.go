package main

import (
	"strings"
	"testing"
)

// TestConvert converts a graph through every format that is written, and searches it.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "four.txt", "0 1 5\n2 0 6\n2 3 7\n1 2 8\n")
	files := []string{"four.txt", "a.mtx", "b.wsg", "c.el.gz", "d.tsv.zst"}
	for i, out := range files[1:] {
		if r := succeed(t, dir, "edges", files[i], out); !strings.Contains(r.stdout, out+": 4 vertices, 4 ") {
			t.Errorf("%s: %s", out, r.stdout)
		}
	}
	succeed(t, dir, "edges", "b.wsg", "e.sg")
	write(t, dir, "half.txt", "0 1 0.5\n2 0 0.25\n2 3 1\n1 2 0\n")
	files = []string{"half.txt", "packed", "f.mtx", "packed.edges.zst"}
	for i, out := range files[1:] {
		succeed(t, dir, "edges", files[i], out)
	}
	distances := func(input string) string {
		args := append(strings.Fields(input), "-engine=cpu", "-kernel=sssp", "-root=3", "-write-parents="+strings.NewReplacer("=", "_", " ", "_").Replace(input))
		succeed(t, dir, args...)
		return read(t, dir, strings.TrimPrefix(args[len(args)-1], "-write-parents="), "sssp", "0-3.f32")
	}
	for _, same := range [][]string{
		{"-graph=four.txt", "-graph=a.mtx", "-graph=b.wsg", "-graph=c.el.gz", "-graph=d.tsv.zst"},
		{"-graph=half.txt", "-read-edges=packed -scale=2 -edgefactor=1", "-graph=f.mtx", "-read-edges=packed.edges.zst -scale=2 -edgefactor=1"},
	} {
		want := distances(same[0])
		for _, input := range same[1:] {
			if distances(input) != want {
				t.Errorf("%s: other distances than %s", input, same[0])
			}
		}
	}
	// Self loops of a vertex without edges fill up a packed file.
	write(t, dir, "three.txt", "0 1\n1 2\n")
	if r := succeed(t, dir, "edges", "three.txt", "three.edges"); r.stdout != "three.edges: 4 vertices, 4 tuples, of which 2 are self loops of vertex 3 that fill up the file; read it with -read-edges=three.edges -scale=2 -edgefactor=1\n" {
		t.Error(r.stdout)
	}
	write(t, dir, "square.txt", "0 1\n1 2\n2 3\n3 0\n0 2\n")
	if r := succeed(t, dir, "edges", "square.txt", "square.edges"); !strings.Contains(r.stdout, "8 vertices, 8 tuples, of which 3 are self loops of vertex 4") {
		t.Error(r.stdout)
	}
	succeed(t, dir, "-read-edges=square.edges", "-scale=3", "-edgefactor=1", "-root=0", "-engine=cpu")
	refused(t, finish(t, prepare(dir, nil, "edges", "four.txt", "./four.txt")), 2, "four.txt is the file to read and to write: choose another place for one")
	refused(t, finish(t, prepare(dir, nil, "edges", "three.txt", "x.wsg")), 1, "x.wsg: cannot be written: the graph has no weights: choose .sg")
	refused(t, finish(t, prepare(dir, nil, "edges", "-kind=rmat", "three.txt", "x.sg")), 2, "flag -kind: it is for graphs that are made, and not for IN OUT")
	refused(t, finish(t, prepare(dir, nil, "edges", "four.txt", "x.edges")), 1, "x.edges: the weights beside a packed edge file are at most 1")
	refused(t, finish(t, prepare(dir, nil, "edges", "none.txt", "x.sg")), 1, "open none.txt: no such file or directory")
}
