package main

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"graph500/scaling"
)

// The tables and the picture of docs/scaling.md are what the program prints.
func TestScalingDocument(t *testing.T) {
	text, err := os.ReadFile("../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	counted := scaling.Counted()
	tables := scaling.Tables(scaling.H200(), counted[len(counted)-1], 1024)
	printed := succeed(t, dir, "model").stdout
	for _, table := range tables {
		if !strings.Contains(string(text), "\n\n"+table.Text) {
			t.Errorf("docs/scaling.md does not have the table %q:\n%s", table.Title, table.Text)
		}
		if !strings.Contains(printed, table.Title+"\n\n"+table.Text+"\n") {
			t.Errorf("graph500 model does not print the table %q", table.Title)
		}
	}
	if got := strings.Count("\n"+string(text), "\n|---|"); got != len(tables)+4 { // and two of formulas, one of measured ratios, one of counted bytes
		t.Errorf("docs/scaling.md has %d tables, graph500 model prints %d", got, len(tables))
	}
	if want := fmt.Sprintf("**stated error of the model on one host, %.0f %%**", 100*scaling.StatedError); !strings.Contains(string(text), want) {
		t.Errorf("docs/scaling.md without %q", want)
	}
	picture, err := os.ReadFile("../docs/scaling.svg")
	if err != nil {
		t.Fatal(err)
	}
	// Elsewhere the compiler may fuse operations, which moves a point by a last digit.
	if runtime.GOARCH == "amd64" && succeed(t, dir, "model", "-chart").stdout != string(picture) {
		t.Error("docs/scaling.svg is not the output of graph500 model -chart")
	}
}

// The measured figures are those of docs/performance.md.
func TestMeasuredFigures(t *testing.T) {
	text, err := os.ReadFile("../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Two and four H200\n")
	section, _, before := strings.Cut(section, "| **SSSP")
	if !found || !before {
		t.Fatal("no section")
	}
	row := func(begin string) []string {
		for line := range strings.Lines(section) {
			if cells, found := strings.CutPrefix(line, "| "+begin+" |"); found {
				return strings.Split(regexp.MustCompile(`[*, \n]`).ReplaceAllString(strings.TrimSuffix(cells, "|\n"), ""), "|")
			}
		}
		t.Fatalf("no row %q", begin)
		return nil
	}
	documented := map[string]bool{}
	scales := row("scale")
	for gpus, name := range map[int]string{1: "one GPU, in turn", 2: "**BFS, GTEPS**"} {
		for i, rate := range row(name) {
			if rate != "" {
				documented[fmt.Sprintf("%d %s %s", gpus, scales[i], rate)] = true
			}
		}
	}
	for _, m := range scaling.Measured() {
		if !documented[fmt.Sprintf("%d %d %.0f", m.GPUs, m.Scale, m.GTEPS)] {
			t.Errorf("%+v is not in docs/performance.md", m)
		}
	}
	if len(documented) != len(scaling.Measured()) {
		t.Errorf("%d figures in docs/performance.md, %d in the model", len(documented), len(scaling.Measured()))
	}
}

// The counted levels are those that the program counts.
func TestCountedLevels(t *testing.T) {
	if testing.Short() {
		t.Skip("64 searches")
	}
	dir := t.TempDir()
	succeed(t, dir, "-engine=cpu", "-scale=16", "-skip-validation", "-threads=2", "-out=run")
	got, err := readLevels(dir + "/run")
	if err != nil {
		t.Fatal(err)
	}
	want := scaling.Counted()[0]
	if got.Scale != want.Scale || len(got.Levels) != len(want.Levels) {
		t.Fatalf("%+v, want %+v", got, want)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) }
	for i, w := range want.Levels {
		g := got.Levels[i]
		if g.Place != w.Place || g.Direction != w.Direction || g.Share != w.Share || !near(g.Frontier, w.Frontier) || !near(g.Found, w.Found) || !near(g.Arcs, w.Arcs) {
			t.Errorf("%+v, want %+v", g, w)
		}
	}
	if text := succeed(t, dir, "model", "-levels=run", "-nodes=1").stdout; !strings.Contains(text, "Levels of scale 16, ") {
		t.Error(text)
	}
}

func TestModelRefusals(t *testing.T) {
	dir := t.TempDir()
	succeed(t, dir, "-scale=6", "-engine=cpu", "-kernel=sssp", "-roots=2", "-out=sssp")
	write(t, dir, "ring.txt", "0 1\n1 2\n2 0\n")
	succeed(t, dir, "-graph=ring.txt", "-engine=cpu", "-out=ring")
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
		refused(t, finish(t, prepare(dir, nil, append([]string{"model"}, strings.Fields(c.args)...)...)), c.status, c.want)
	}
	if r := succeed(t, dir, "model", "-help"); !strings.Contains(r.stdout, "graph500 model [flags]") || strings.Contains(r.stdout, " --") {
		t.Error(r)
	}
	texts := svgTexts(t, succeed(t, dir, "model", "-chart", "-nodes=4", "-gpus-per-node=4").stdout)
	if !strings.Contains(texts, "nodes of 4 H200, by a model") || strings.Contains(texts, "scale 34") {
		t.Error(texts)
	}
}
