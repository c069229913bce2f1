package commands_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/scaling"
)

// The tables of the model and the picture in docs/scaling.md are what the program prints.
func TestScalingDocument(t *testing.T) {
	if testing.Short() {
		t.Skip("computes all tables of the model")
	}
	text, err := os.ReadFile("../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	counted := scaling.Counted()
	tables := scaling.Tables(scaling.H200(), counted[len(counted)-1], 1024)
	documented := []string{"Parameters", "Measured beside modelled", "Parts of the time"}
	for _, title := range documented {
		if !slices.ContainsFunc(tables, func(table scaling.Table) bool { return table.Title == title }) {
			t.Errorf("no table %q", title)
		}
	}
	printed := programtest.Succeed(t, dir, "model").Stdout
	for _, table := range tables {
		if slices.Contains(documented, table.Title) && !strings.Contains(string(text), "\n\n"+table.Text) {
			t.Errorf("docs/scaling.md does not have the table %q:\n%s", table.Title, table.Text)
		}
		if !strings.Contains(printed, table.Title+"\n\n"+table.Text+"\n") {
			t.Errorf("graph500 model does not print the table %q", table.Title)
		}
	}
	if got := strings.Count("\n"+string(text), "\n|---|"); got != len(documented)+4 { // and those of measured ratios, of largest scales, and two of counted arcs and bytes
		t.Errorf("docs/scaling.md has %d tables, of which %d should be those of the model", got, len(documented))
	}
	if want := fmt.Sprintf("**stated error of the model on one host, %.0f %%**", 100*scaling.StatedError); !strings.Contains(string(text), want) {
		t.Errorf("docs/scaling.md without %q", want)
	}
	picture, err := os.ReadFile("../../docs/scaling.svg")
	if err != nil {
		t.Fatal(err)
	}
	// Elsewhere the compiler may fuse operations, which moves a point by a last digit.
	if runtime.GOARCH == "amd64" && programtest.Succeed(t, dir, "model", "-chart").Stdout != string(picture) {
		t.Error("docs/scaling.svg is not the output of graph500 model -chart")
	}
}

func TestModelRefusals(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=6", "-engine=cpu", "-kernel=sssp", "-roots=2", "-out=sssp")
	testinput.Write(t, dir, "ring.txt", "0 1\n1 2\n2 0\n")
	programtest.Succeed(t, dir, "-graph=ring.txt", "-engine=cpu", "-out=ring")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"-nodes=3", 2, "flag -nodes: 3 is not in 1, 2, 4 .. 65536"},
		{"-gpus-per-node=0", 2, "flag -gpus-per-node: 0 is not in 1..64"},
		{"-network=0", 2, "flag -network: 0 is not in "},
		{"-latency=NaN", 2, "flag -latency: NaN is not in "},
		{"-node=3", 2, "unknown flag -node"},
		{"file", 2, "model takes flags only"},
		{"-levels=missing", 1, "missing"},
		{"-levels=sssp", 1, "sssp: the levels must be those of BFS on a generated graph"},
		{"-levels=ring", 1, "ring: the levels must be those of BFS on a generated graph"},
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"model"}, strings.Fields(c.args)...)...), c.status, c.want)
	}
	if r := programtest.Succeed(t, dir, "model", "-help"); !strings.Contains(r.Stdout, "graph500 model [flags]") || strings.Contains(r.Stdout, " --") {
		t.Error(r)
	}
	texts := testinput.SVGTexts(t, programtest.Succeed(t, dir, "model", "-chart", "-nodes=4", "-gpus-per-node=4").Stdout)
	if !strings.Contains(texts, "nodes of 4 H200, by a model") || strings.Contains(texts, "scale 34") {
		t.Error(texts)
	}
}
