package run

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/graph500/testinput"
	"graph500/kronecker"
)

// loaded runs a benchmark with the given flags and returns the tuples of the engine, its
// record and its messages.
func loaded(t *testing.T, args ...string) (*fakeEngine, *Bench, string) {
	t.Helper()
	f := new(fakeEngine)
	b, output := ran(t, f, args...)
	return f, b, output.String()
}

const drawn = " has no weights: they are drawn as those of a generated graph, with seeds 2 and 3\n"

func TestWeightsOfEdgeFiles(t *testing.T) {
	spec := kronecker.Spec{Scale: 6, EdgeFactor: 4, Seed1: 2, Seed2: 3}
	want := engine.Tuples{Edges: make([]engine.Edge, spec.Tuples()), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Tuples(want, 0)
	for _, name := range []string{"edges", "edges.zst"} {
		path := filepath.Join(t.TempDir(), name)
		size := []string{"-scale=6", "-edgefactor=4"}
		f, _, _ := loaded(t, append(size, "-kernel=both", "-write-edges", path)...)
		if !slices.Equal(f.tuples.Weights, want.Weights) {
			t.Error("not the weights of the generator")
		}
		f, b, output := loaded(t, append(size, "-kernel=sssp", "-read-edges", path)...)
		if !slices.Equal(f.tuples.Edges, want.Edges) || !slices.Equal(f.tuples.Weights, want.Weights) || b.foreign != "" || b.Record.Input.Weights != commandline.FileWeights || strings.Contains(output, "drawn") {
			t.Errorf("%s: other tuples: %s", name, output)
		}
		if f, _, _ := loaded(t, append(size, "-read-edges", path)...); f.tuples.Weights != nil {
			t.Errorf("%s: BFS has weights", name)
		}
		if err := os.Remove(graph.WeightsPath(path)); err != nil {
			t.Fatal(err)
		}
		for _, kernel := range []string{"sssp", "both"} {
			b, _ := newTestBench(t, new(fakeEngine), append(size, "-kernel="+kernel, "-read-edges", path)...)
			if err := commandline.CheckPaths(b.Options); err == nil || !strings.HasPrefix(err.Error(), graph.WeightsPath(path)+": there is no such file: -kernel="+kernel+" needs ") {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := b.run(t.Context(), b.benchmark); !errors.Is(err, fs.ErrNotExist) { // removed since the check
				t.Errorf("%s: %v", name, err)
			}
		}
		if f, _, _ := loaded(t, append(size, "-read-edges", path)...); !slices.Equal(f.tuples.Edges, want.Edges) {
			t.Errorf("%s: other edges for BFS", name)
		}
	}
}

func TestForeignWeights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "edges")
	loaded(t, "-scale=6", "-kernel=sssp", "-write-edges", path)
	weights := []byte(testinput.Read(t, path+".weights"))
	if len(weights) != 4*16<<6 {
		t.Fatalf("%d bytes", len(weights))
	}
	clear(weights[4*5 : 4*6])
	if err := os.WriteFile(path+".weights", weights, 0o666); err != nil {
		t.Fatal(err)
	}
	f, b, output := loaded(t, "-scale=6", "-kernel=sssp", "-read-edges", path)
	if f.tuples.Weights[5] != 0 || !strings.Contains(output, path+".weights holds other weights than the generator makes at scale 6") {
		t.Error(output)
	}
	if b.Record.Input.Source != path || !slices.Contains(b.Record.NotConforming, "the edge file holds other weights than the generator makes") {
		t.Errorf("%q, %q", b.Record.Input.Source, b.Record.NotConforming)
	}
	if err := os.Truncate(path+".weights", 40); err != nil {
		t.Fatal(err)
	}
	b, _ = newTestBench(t, new(fakeEngine), "-scale=6", "-kernel=sssp", "-read-edges", path)
	if _, err := b.run(t.Context(), b.benchmark); err == nil || !strings.HasPrefix(err.Error(), path+".weights") {
		t.Error(err)
	}
}

func TestWeightsOfAGraph(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"path.txt": "0 1 0.5\n1 2 2.5\n2 3 0\n",
		"path.mtx": "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 0.5\n3 2 2.5\n4 3 0\n",
	} {
		path := testinput.Write(t, dir, name, text)
		f, b, output := loaded(t, "-kernel=both", "-root=0", "-graph", path)
		if !slices.Equal(f.tuples.Weights, []float32{0.5, 2.5, 0}) || b.Record.Kernels[1].Searches[0].MaxDistance != 3 || strings.Contains(output, "drawn") {
			t.Errorf("%s: %v, %s", name, f.tuples.Weights, output)
		}
		if f, _, _ := loaded(t, "-root=0", "-graph", path); f.tuples.Weights != nil {
			t.Errorf("%s: BFS has weights", name)
		}
	}
	path := testinput.Write(t, dir, "plain.txt", "0 1\n1 2\n2 3\n")
	f, _, output := loaded(t, "-kernel=sssp", "-root=0", "-graph", path)
	want := make([]float32, 3)
	kronecker.New(kronecker.Spec{Scale: 2, EdgeFactor: 1, Seed1: 2, Seed2: 3}).Weights(want, 0)
	if !slices.Equal(f.tuples.Weights, want) || strings.Count(output, path+drawn) != 1 {
		t.Errorf("%v, %s", f.tuples.Weights, output)
	}
	b, _ := newTestBench(t, new(fakeEngine), "-kernel=sssp", "-graph", testinput.Write(t, dir, "one.txt", "0 0\n"))
	if _, err := b.run(t.Context(), b.benchmark); err == nil || !strings.HasPrefix(err.Error(), "no vertex has an edge to another one") {
		t.Error(err)
	}
}

// TMPFILE is a pair of files. Both are removed, and none replaces another file.
func TestTemporaryPair(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "edges")
	run := func(reuse bool, args ...string) (*fakeEngine, string, error) {
		f := new(fakeEngine)
		b, output := newTestBench(t, f, append([]string{"-scale=6", "-roots=1"}, args...)...)
		b.TempFile, b.ReuseTempFile = path, reuse
		if err := commandline.CheckPaths(b.Options); err != nil {
			return f, "", err
		}
		_, err := b.run(t.Context(), b.benchmark)
		return f, output.String(), err
	}
	want, _, err := run(false, "-kernel=both")
	if left := testinput.Names(t, dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
	if _, _, err := run(true, "-kernel=both"); err != nil || !slices.Equal(testinput.Names(t, dir), []string{"edges", "edges.weights"}) {
		t.Errorf("%v are kept, %v", testinput.Names(t, dir), err)
	}
	if f, output, err := run(true, "-kernel=sssp"); err != nil || slices.Contains(f.calls, "generate") || !slices.Equal(f.tuples.Weights, want.tuples.Weights) || strings.Contains(output, "drawn") {
		t.Errorf("not reused: %v, %s, %v", f.calls, output, err)
	}
	if _, _, err := run(false, "-kernel=sssp"); err == nil || !strings.Contains(err.Error(), "edges is there already") {
		t.Error(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	before := testinput.Read(t, path+".weights")
	for _, args := range []string{"-kernel=sssp", "-kernel=bfs"} {
		for _, reuse := range []bool{false, true} {
			if _, _, err := run(reuse, args); err == nil || !strings.HasPrefix(err.Error(), "TMPFILE: ") || !strings.Contains(err.Error(), "edges.weights: is there already") {
				t.Error(err)
			}
		}
	}
	if !slices.Equal(testinput.Names(t, dir), []string{"edges.weights"}) || testinput.Read(t, path+".weights") != before {
		t.Errorf("%v", testinput.Names(t, dir))
	}
}

func TestResultsOfSSSPAreWrittenAndChecked(t *testing.T) {
	dir := t.TempDir()
	_, b, _ := loaded(t, "-scale=6", "-roots=1", "-kernel=both", "-write-parents", dir)
	root := b.Record.Kernels[0].Searches[0].Root
	name := "0-" + strconv.FormatUint(uint64(root), 10)
	if left := testinput.Names(t, dir); !slices.Equal(left, []string{name + ".i64", "sssp"}) {
		t.Errorf("%q", left)
	}
	sssp := filepath.Join(dir, "sssp")
	if left := testinput.Names(t, sssp); !slices.Equal(left, []string{name + ".f32", name + ".i64"}) {
		t.Errorf("%q", left)
	}
	parents, distances := filepath.Join(sssp, name+".i64"), filepath.Join(sssp, name+".f32")
	check := func(args ...string) (*fakeEngine, string, error) {
		f := new(fakeEngine)
		b, _ := newTestBench(t, f, append([]string{"-scale=6", "-kernel=sssp", "-root=" + name[2:], "-check-parents", parents}, args...)...)
		if err := commandline.CheckPaths(b.Options); err != nil {
			return f, "", err
		}
		text, err := b.run(t.Context(), b.checkParents)
		return f, text, err
	}
	_, text, err := check()
	if err != nil || !strings.HasPrefix(text, parents+": a valid shortest-path tree from root "+name[2:]+": ") || !strings.Contains(text, ", largest distance ") {
		t.Errorf("%s, %v", text, err)
	}
	other := testinput.Write(t, dir, "other", string(bytes.Repeat([]byte{0, 0, 128, 63}, 64))) // 1
	if _, text, err := check("-check-distances", other); err != nil || !strings.Contains(text, ", largest distance 1\n") {
		t.Errorf("%s, %v", text, err)
	}
	if err := os.Truncate(distances, 100); err != nil {
		t.Fatal(err)
	}
	if _, _, err := check(); err == nil || !strings.Contains(err.Error(), distances) {
		t.Error(err)
	}
	if err := os.Remove(distances); err != nil {
		t.Fatal(err)
	}
	if _, _, err := check(); err == nil || !strings.Contains(err.Error(), distances) {
		t.Error(err)
	}
	// Files of another run are not mixed with new ones.
	b, _ = newTestBench(t, new(fakeEngine), "-scale=6", "-kernel=sssp", "-write-parents", dir)
	if _, err := b.run(t.Context(), b.benchmark); err == nil || !strings.HasPrefix(err.Error(), "flag -write-parents: "+sssp+": already holds ") {
		t.Error(err)
	}
}

// TestChosenWeights runs every value of -weights on a graph file with weights, one without,
// and an edge file.
func TestChosenWeights(t *testing.T) {
	dir := t.TempDir()
	with, without := testinput.Write(t, dir, "with.txt", "0 1 0.5\n1 2 2.5\n2 3 7\n"), testinput.Write(t, dir, "without.txt", "0 1\n1 2\n2 3\n")
	drawnFour := make([]float32, 3)
	kronecker.New(kronecker.Spec{Scale: 2, EdgeFactor: 1, Seed1: 2, Seed2: 3}).Weights(drawnFour, 0)
	ones := []float32{1, 1, 1}
	for _, c := range []struct {
		value, path string
		want        []float32
		source      string
	}{
		{"auto", with, []float32{0.5, 2.5, 7}, "file"}, {"file", with, []float32{0.5, 2.5, 7}, "file"},
		{"unit", with, ones, "unit"}, {"drawn", with, drawnFour, "drawn"}, {"ignore", with, drawnFour, "drawn"},
		{"auto", without, drawnFour, "drawn"}, {"unit", without, ones, "unit"}, {"drawn", without, drawnFour, "drawn"},
	} {
		f, b, output := loaded(t, "-kernel=sssp", "-root=0", "-weights="+c.value, "-graph", c.path)
		if !slices.Equal(f.tuples.Weights, c.want) || b.Record.Input.Weights != c.source {
			t.Errorf("%s of %s: %v, %q: %s", c.value, c.path, f.tuples.Weights, b.Record.Input.Weights, output)
		}
		if told := strings.Contains(output, "weight"); told != (c.source != "file") {
			t.Errorf("%s of %s: %s", c.value, c.path, output)
		}
	}
	b, _ := newTestBench(t, new(fakeEngine), "-kernel=sssp", "-weights=file", "-graph", without)
	if _, err := b.run(t.Context(), b.benchmark); err == nil || err.Error() != "flag -weights=file: "+without+" has none" {
		t.Error(err)
	}

	edges := filepath.Join(dir, "edges")
	size := []string{"-scale=6", "-edgefactor=4", "-root=0"}
	loaded(t, append(size, "-write-edges", edges)...) // no file of weights
	f, b, _ := loaded(t, append(size, "-kernel=sssp", "-weights=drawn", "-read-edges", edges)...)
	if b.foreign != "" || b.Record.Input.Weights != "drawn" || len(f.tuples.Weights) != 4<<6 {
		t.Errorf("%q, %q", b.foreign, b.Record.Input.Weights)
	}
	f, b, _ = loaded(t, append(size, "-kernel=sssp", "-weights=unit", "-read-edges", edges)...)
	if b.foreign != "weights" || slices.ContainsFunc(f.tuples.Weights, func(w float32) bool { return w != 1 }) {
		t.Errorf("%q, %v", b.foreign, f.tuples.Weights)
	}
	for _, args := range [][]string{{"-weights=unit", "-kernel=sssp"}, {"-weights=unit", "-graph=x"}, {"-weights=units", "-kernel=sssp", "-graph=x"}} {
		if _, err := commandline.ParseFlags(testinput.CommandLine(args), func(string) (string, bool) { return "", false }, commandline.NewCatalogue()); err == nil || !strings.HasPrefix(err.Error(), "flag -weights: ") {
			t.Errorf("%v: %v", args, err)
		}
	}
}
