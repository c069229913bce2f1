package commands_test

import (
	"encoding/json"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

func TestChartProgram(t *testing.T) {
	dir := t.TempDir()
	for _, scale := range []string{"6", "7"} {
		programtest.Succeed(t, dir, "-scale="+scale, "-engine=cpu", "-threads=2", "-roots=2", "-out="+scale)
	}
	programtest.Succeed(t, dir, "-scale=6", "-engine=cpu", "-threads=1", "-roots=2", "-skip-validation", "-out=plain")
	testinput.Write(t, dir, "peer.csv", "scale,GTEPS\n6,0.5\n 7, 0.25\n")
	r := programtest.Succeed(t, dir, "chart", "-title=A <title>", "-series=a peer:peer.csv", "6/result.json", "7/result.json", "plain/result.json")
	texts := testinput.SVGTexts(t, r.Stdout)
	for want, times := range map[string]int{"A <title>": 1, "a peer": 1, ", 2 threads\n": 1, ", 1 thread, not validated\n": 1, "graph500 cpu engine, ": 2} {
		if strings.Count(texts, want) != times {
			t.Errorf("%q is not there %d times:\n%s", want, times, texts)
		}
	}
	if texts := testinput.SVGTexts(t, programtest.Succeed(t, dir, "chart", "-series=a peer:peer.csv").Stdout); !strings.Contains(texts, "a peer\n") {
		t.Error(texts)
	}
	if r := programtest.Succeed(t, dir, "chart", "-help"); !strings.Contains(r.Stdout, "graph500 chart [flags] FILE.json") || strings.Contains(r.Stdout, " --") || r.Stderr != "" {
		t.Error(r)
	}
}

func TestChartRefusals(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=6", "-engine=cpu", "-roots=2", "-out=6")
	testinput.Write(t, dir, "grid.txt", "0 1\n1 2\n2 3\n")
	programtest.Succeed(t, dir, "-graph=grid.txt", "-engine=cpu", "-roots=2", "-out=grid")
	programtest.Succeed(t, dir, "strategies", "-scale=6", "-engine=cpu", "-roots=2", "-out=s", "push")
	testinput.Write(t, dir, "bad.csv", "6,1\n7,x\n")
	testinput.Write(t, dir, "good.csv", "6,1\n")
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"", 2, "chart needs the JSON files"},
		{"-out=x 6/result.json", 2, "unknown flag -out"},
		{"-series=x 6/result.json", 2, `flag -series: "x" is not NAME:FILE`},
		{"-series=:good.csv 6/result.json", 2, `flag -series: ":good.csv" is not NAME:FILE`},
		{"-series=a:good.csv -series=a:good.csv", 2, `flag -series: there are two lines of the name "a"`},
		{"none.json", 1, "none.json: no such file"},
		{"6/result.csv", 1, "6/result.csv: no result in JSON"},
		{"6/result.json grid/result.json", 1, "grid/result.json: its graph comes from the file grid.txt"},
		{"s/strategies.json", 1, "s/strategies.json: it has no searches"},
		{"-series=a:none.csv 6/result.json", 1, "none.csv: no such file"},
		{"-series=a:bad.csv 6/result.json", 1, `bad.csv: line 2: the GTEPS "x"`},
	} {
		programtest.Refused(t, programtest.Run(t, dir, nil, append([]string{"chart"}, strings.Fields(c.args)...)...), c.status, c.want)
	}
}

// JSON and CSV contain the exact edge factor, the official block an integer.
func TestSparseGraph(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "sparse.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n10 10 2\n2 1\n3 2\n")
	r := programtest.Succeed(t, dir, "-graph=sparse.mtx", "-engine=cpu", "-out=o")
	if b := programtest.Block(t, r.Stdout); b["edgefactor:"] != "0" {
		t.Error(r.Stdout)
	}
	var document struct{ Input struct{ EdgeFactor float64 } }
	if err := json.Unmarshal([]byte(testinput.Read(t, dir, "o/result.json")), &document); err != nil || document.Input.EdgeFactor != 0.2 {
		t.Errorf("%+v, %v", document, err)
	}
	for _, file := range []string{"o/result.csv", "o/result.bench"} {
		if text := testinput.Read(t, dir, file); !strings.Contains(text, "0.2") {
			t.Error(text)
		}
	}
	if r := programtest.Succeed(t, dir, "-graph=sparse.mtx", "-engine=cpu", "-memory"); !strings.Contains(r.Stdout, "edgefactor 0.2,") {
		t.Error(r.Stdout)
	}
}

// Edges of the generator count as such when they are read from a file.
func TestSourceOfEdgeFiles(t *testing.T) {
	dir := t.TempDir()
	programtest.Succeed(t, dir, "-scale=6", "-write-edges=edges")
	for args, want := range map[string]string{"": "kronecker", "-seed1=7": "edges"} {
		r := programtest.Succeed(t, dir, append([]string{"-scale=6", "-read-edges=edges", "-format=json"}, strings.Fields(args)...)...)
		var document struct{ Input struct{ Source string } }
		if err := json.Unmarshal([]byte(r.Stdout), &document); err != nil || document.Input.Source != want {
			t.Errorf("%s: source %q, %v", args, document.Input.Source, err)
		}
	}
}
