package main

import (
	"strings"
	"testing"
)

// TestRenumber searches a graph whose vertices are words, and writes their names.
func TestRenumber(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "towns.txt", "rome paris\nberlin rome\nberlin prague\nparis berlin\n")
	r := succeed(t, dir, "-engine=cpu", "-graph=towns.txt", "-renumber", "-root=0", "-root=3", "-out=out", "-write-parents=parents")
	for _, beside := range []string{"out", "parents"} {
		if got := read(t, dir, beside, "names.txt"); got != "rome\nparis\nberlin\nprague\n" {
			t.Errorf("%s: %q", beside, got)
		}
	}
	if !strings.Contains(r.stderr, "towns.txt: the 4 vertices are numbered in the order of appearance; names.txt beside the results") {
		t.Error(r.stderr)
	}
	refused(t, finish(t, prepare(dir, nil, "-graph=towns.txt")), 1, `towns.txt:1: "rome" is not a vertex number: a line that is not an edge begins with # or %; -renumber reads names of vertices`)
	write(t, dir, "huge.txt", "1 99999999999\n")
	refused(t, finish(t, prepare(dir, nil, "-graph=huge.txt")), 1, "huge.txt:1: vertex number 99999999999 is too large, the largest is 4294967294: -renumber numbers the vertices anew")
	write(t, dir, "gaps.txt", "1 999999\n")
	if r := succeed(t, dir, "-engine=cpu", "-graph=gaps.txt", "-root=1"); !strings.Contains(r.stderr, "gaps.txt: only 2 of the 1000000 vertices have an edge to another one: -renumber leaves out") {
		t.Error(r.stderr)
	}
	refused(t, finish(t, prepare(dir, nil, "-renumber")), 2, "flag -renumber: it is for the vertices of -graph")
}
