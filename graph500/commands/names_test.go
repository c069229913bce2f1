package commands_test

import (
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

// TestRenumber searches a graph whose vertices are words, and writes their names.
func TestRenumber(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "towns.txt", "rome paris\nberlin rome\nberlin prague\nparis berlin\n")
	r := programtest.Succeed(t, dir, "-engine=cpu", "-graph=towns.txt", "-renumber", "-root=0", "-root=3", "-out=out", "-write-parents=parents")
	for _, beside := range []string{"out", "parents"} {
		if got := testinput.Read(t, dir, beside, "names.txt"); got != "rome\nparis\nberlin\nprague\n" {
			t.Errorf("%s: %q", beside, got)
		}
	}
	if !strings.Contains(r.Stderr, "towns.txt: the 4 vertices are numbered in the order of appearance; names.txt beside the results") {
		t.Error(r.Stderr)
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "-graph=towns.txt"), 1, `towns.txt:1: "rome" is not a vertex number: a line that is not an edge begins with # or %; -renumber reads names of vertices`)
	testinput.Write(t, dir, "huge.txt", "1 99999999999\n")
	programtest.Refused(t, programtest.Run(t, dir, nil, "-graph=huge.txt"), 1, "huge.txt:1: vertex number 99999999999 is too large, the largest is 4294967294: -renumber numbers the vertices anew")
	testinput.Write(t, dir, "gaps.txt", "1 999999\n")
	if r := programtest.Succeed(t, dir, "-engine=cpu", "-graph=gaps.txt", "-root=1"); !strings.Contains(r.Stderr, "gaps.txt: only 2 of the 1000000 vertices have an edge to another one: -renumber leaves out") {
		t.Error(r.Stderr)
	}
	programtest.Refused(t, programtest.Run(t, dir, nil, "-renumber"), 2, "flag -renumber: it is for the vertices of -graph")
}
