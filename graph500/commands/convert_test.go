package commands_test

import (
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

// TestConvert converts a graph through every format that is written, and searches it.
func TestConvert(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "four.txt", "0 1 5\n2 0 6\n2 3 7\n1 2 8\n")
	files := []string{"four.txt", "a.mtx", "b.wsg", "c.el.gz", "d.tsv.zst"}
	for i, out := range files[1:] {
		if r := programtest.Succeed(t, dir, "edges", files[i], out); !strings.Contains(r.Stdout, out+": 4 vertices, 4 ") {
			t.Errorf("%s: %s", out, r.Stdout)
		}
	}
	programtest.Succeed(t, dir, "edges", "b.wsg", "e.sg")
	testinput.Write(t, dir, "half.txt", "0 1 0.5\n2 0 0.25\n2 3 1\n1 2 0\n")
	files = []string{"half.txt", "packed", "f.mtx", "packed.edges.zst"}
	for i, out := range files[1:] {
		programtest.Succeed(t, dir, "edges", files[i], out)
	}
	distances := func(input string) string {
		args := append(strings.Fields(input), "-engine=cpu", "-kernel=sssp", "-root=3", "-write-parents="+strings.NewReplacer("=", "_", " ", "_").Replace(input))
		programtest.Succeed(t, dir, args...)
		return testinput.Read(t, dir, strings.TrimPrefix(args[len(args)-1], "-write-parents="), "sssp", "0-3.f32")
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
	testinput.Write(t, dir, "three.txt", "0 1\n1 2\n")
	if r := programtest.Succeed(t, dir, "edges", "three.txt", "three.edges"); r.Stdout != "three.edges: 4 vertices, 4 tuples, of which 2 are self loops of vertex 3 that fill up the file; read it with -read-edges=three.edges -scale=2 -edgefactor=1\n" {
		t.Error(r.Stdout)
	}
	testinput.Write(t, dir, "square.txt", "0 1\n1 2\n2 3\n3 0\n0 2\n")
	if r := programtest.Succeed(t, dir, "edges", "square.txt", "square.edges"); !strings.Contains(r.Stdout, "8 vertices, 8 tuples, of which 3 are self loops of vertex 4") {
		t.Error(r.Stdout)
	}
	programtest.Succeed(t, dir, "-read-edges=square.edges", "-scale=3", "-edgefactor=1", "-root=0", "-engine=cpu")
	programtest.Refused(t, programtest.Run(t, dir, nil, "edges", "four.txt", "./four.txt"), 2, "four.txt is the file to read and to write: choose another place for one")
	programtest.Refused(t, programtest.Run(t, dir, nil, "edges", "three.txt", "x.wsg"), 1, "x.wsg: cannot be written: the graph has no weights: choose .sg")
	programtest.Refused(t, programtest.Run(t, dir, nil, "edges", "-kind=rmat", "three.txt", "x.sg"), 2, "flag -kind: it is for graphs that are made, and not for IN OUT")
	programtest.Refused(t, programtest.Run(t, dir, nil, "edges", "four.txt", "x.edges"), 1, "x.edges: the weights beside a packed edge file are at most 1")
	programtest.Refused(t, programtest.Run(t, dir, nil, "edges", "none.txt", "x.sg"), 1, "open none.txt: no such file or directory")
}
