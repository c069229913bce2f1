package commands_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"graph500/graph500/programtest"
)

// Edge files of other graphs are read and searched by both kernels, with their weights.
func TestEdges(t *testing.T) {
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"road.edges":    {"-scale=9", "-keep=0.8", "-weights"},
		"web.edges.zst": {"-kind=rmat", "-scale=8", "-edgefactor=5", "-weights"},
		"crawl.edges":   {"-kind=crawl", "-scale=8", "-shuffle", "-weights"},
	} {
		printed := programtest.Succeed(t, dir, append(append([]string{"edges"}, args...), name)...).Stdout
		_, flags, found := strings.Cut(strings.TrimSpace(printed), "; read it with ")
		if !found {
			t.Fatal(printed)
		}
		r := programtest.Succeed(t, dir, append(strings.Fields(flags), "-engine=cpu", "-kernel=both", "-roots=4", "-format=json")...)
		if !strings.Contains(r.Stderr, "holds other edges than the generator makes") {
			t.Error(r.Stderr)
		}
	}
	first, err := os.ReadFile(filepath.Join(dir, "road.edges"))
	if err != nil {
		t.Fatal(err)
	}
	programtest.Succeed(t, dir, "edges", "-scale=9", "-keep=0.8", "-threads=1", "again.edges")
	if again, err := os.ReadFile(filepath.Join(dir, "again.edges")); err != nil || string(again) != string(first) {
		t.Errorf("weights or threads change the edges (%v)", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "again.edges.weights")); err == nil {
		t.Error("weights without -weights")
	}
}

func TestEdgesRefusals(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", 2, "edges takes the name of one file to write"},
		{"a b c", 2, "edges takes the name of one file to write"},
		{"-scale=5,6 a", 2, "flag -scale: give one scale"},
		{"-scale=40 a", 2, "flag -scale: "},
		{"-kind=tree a", 2, `flag -kind: there is no "tree"`},
		{"-keep=1.5 a", 2, "flag -keep: 1.5 is not in 0..1"},
		{"-kind=rmat -keep=1 a", 2, "flags -keep and -kind=rmat contradict each other: it is for grid"},
		{"-edgefactor=3 a", 2, "flags -edgefactor and -kind=grid contradict each other: it is for rmat"},
		{"-kind=crawl -edgefactor=3 a", 2, "flags -edgefactor and -kind=crawl contradict each other: it is for rmat"},
		{"-kind=rmat -probabilities=0.5,0.5 a", 2, `flag -probabilities: "0.5,0.5" is not four numbers`},
		{"-kind=rmat -probabilities=0.5,0.5,x,0 a", 2, `flag -probabilities: "x" is not a number`},
		{"-kind=rmat -probabilities=1_0,0.5,x,0 a", 2, `flag -probabilities: "1_0" is not a number`},
		{"-kind=rmat -probabilities=0.5,0.5,0.5,0 a", 2, "flag -probabilities: the four probabilities must add up to 1"},
		{"missing/a", 1, "missing"},
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"edges"}, strings.Fields(c.args)...)...), c.status, c.want)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
	if r := programtest.Succeed(t, dir, "edges", "-help"); !strings.Contains(r.Stdout, "graph500 edges [flags] FILE") || strings.Contains(r.Stdout, " --") {
		t.Error(r)
	}
}
