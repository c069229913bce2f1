package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"graph500/cluster"
	"graph500/cpu"
	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/graph500/testinput"
)

// runOnRanks runs the benchmark on ranks that are goroutines, with the CPU engine. It returns
// the errors by rank, and of each kernel the facts of its searches. Like the watch of a run,
// the first error ends the context of all.
func runOnRanks(t *testing.T, ranks int, args ...string) (facts []string, errs []error) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	benches, errs := make([]*Bench, ranks), make([]error, ranks)
	var all sync.WaitGroup
	for r, w := range cluster.InProcess(ranks) {
		benches[r], _ = newTestBench(t, new(fakeEngine), args...)
		all.Go(func() {
			if errs[r] = runOnRank(ctx, w, benches[r]); errs[r] != nil {
				cancel(errs[r])
			}
		})
	}
	all.Wait()
	for _, k := range benches[0].Record.Kernels {
		text := string(k.Kernel)
		for _, s := range k.Searches {
			text += fmt.Sprintf(" %d:%+v", s.Root, s.Tree)
		}
		facts = append(facts, text)
	}
	return facts, errs
}

// runOnRank runs a benchmark with the CPU engine as a rank.
func runOnRank(ctx context.Context, w *cluster.World, b *Bench) (err error) {
	e := cpu.New(w, 1)
	own := newBench(&Process{World: w, Started: time.Now(), Args: testinput.CommandLine(nil), Lookup: os.LookupEnv}, b.Options, e, b.Console)
	own.machine = os.DirFS("/")
	if err := own.recordRanks(ctx); err != nil {
		return errors.Join(err, e.Close())
	}
	own.machine = nil // no monitor of load
	*b = *own
	if err = commandline.CheckInputs(b.Options); err == nil {
		err = w.OnFirst(ctx, func() error { return commandline.CheckTargets(b.Options) })
	}
	if err == nil {
		_, err = b.run(ctx, b.benchmark)
	}
	return errors.Join(err, e.Close())
}

// wantFacts runs the benchmark on ranks and compares the facts of the searches. It returns
// those that it found.
func wantFacts(t *testing.T, want []string, ranks int, args ...string) []string {
	t.Helper()
	got, errs := runOnRanks(t, ranks, args...)
	if err := errors.Join(errs...); err != nil {
		t.Fatalf("%d ranks, %s: %v", ranks, args, err)
	}
	if want != nil && !slices.Equal(got, want) {
		t.Errorf("%d ranks, %s: %q instead of %q", ranks, args, got, want)
	}
	return got
}

// checkTrees validates the parents and distances that several ranks have written, with one
// rank that reads them.
func checkTrees(t *testing.T, dir string, args ...string) {
	t.Helper()
	for kernel, files := range map[engine.Kernel]string{engine.BFS: dir, engine.SSSP: graph.SSSPDir(dir)} {
		written, err := filepath.Glob(filepath.Join(files, "*.i64"))
		if err != nil || len(written) == 0 {
			t.Fatalf("no parents in %s (%v)", files, err)
		}
		for _, file := range written {
			_, root, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".i64"), "-")
			b, _ := newTestBench(t, cpu.New(cluster.Alone(), 1), append(args, "-kernel="+string(kernel), "-check-parents="+file, "-root="+root)...)
			if _, err := b.run(t.Context(), b.checkParents); err != nil {
				t.Error(err)
			}
			if err := b.engine.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// Any number of ranks writes the same edges, weights and distances as one, with valid
// parents, and finds the same in files that it reads.
func TestRanksWriteAndReadFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"-kernel=both", "-scale=7", "-roots=2"}
	var want []string
	for ranks := 1; ranks <= 4; ranks++ {
		dir := fmt.Sprint(ranks)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		want = wantFacts(t, want, ranks, append(args, "-write-edges="+dir+"/edges", "-write-parents="+dir)...)
		testinput.SameFiles(t, dir, "1")
		checkTrees(t, dir, "-scale=7")
		wantFacts(t, want, ranks, append(args, "-read-edges="+dir+"/edges")...)
	}
}

// Several ranks read compressed edges too.
func TestRanksReadCompressedEdges(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"-kernel=sssp", "-scale=7", "-roots=2"}
	want := wantFacts(t, nil, 1, append(args, "-write-edges=e.zst")...)
	wantFacts(t, want, 3, append(args, "-read-edges=e.zst")...)
}

// Any number of ranks finds the same in a text file, with or without weights.
func TestRanksReadText(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(3, 4))
	var weighted bytes.Buffer
	for range 900 {
		fmt.Fprintln(&weighted, r.IntN(300), r.IntN(300), float32(r.IntN(9))/2)
	}
	testinput.Write(t, ".", "weighted", weighted.String())
	testinput.Write(t, ".", "m.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n70 70 3\n70 1\n2 1\n70 2\n")
	for _, file := range []string{"weighted", "m.mtx"} {
		args := []string{"-kernel=both", "-roots=2", "-graph=" + file}
		want := wantFacts(t, nil, 1, append(args, "-write-edges="+file+"-1")...)
		for ranks := 2; ranks <= 4; ranks++ {
			edges := fmt.Sprintf("%s-%d", file, ranks)
			wantFacts(t, want, ranks, append(args, "-write-edges="+edges)...)
			if testinput.Read(t, edges) != testinput.Read(t, file+"-1") || testinput.Read(t, edges+".weights") != testinput.Read(t, file+"-1.weights") {
				t.Errorf("%s differs", edges)
			}
		}
	}
}

// Files that are not those of the run, or that cannot be written, are refused by all ranks
// with the same line, and nothing is left.
func TestRanksRefuseFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"-kernel=both", "-scale=6", "-roots=2"}
	wantFacts(t, nil, 2, append(args, "-write-edges=e")...)
	edges := testinput.Read(t, "e")
	testinput.Write(t, ".", "short", edges[:100])
	testinput.Write(t, ".", "label", edges[:1000*12]+"\xff\xff\xff\xff"+edges[1000*12+4:])
	for _, name := range []string{"short", "label"} {
		testinput.Write(t, ".", name+".weights", testinput.Read(t, "e.weights"))
	}
	testinput.Write(t, ".", "alone", edges)
	testinput.Write(t, ".", "w", edges)
	testinput.Write(t, ".", "w.weights", "1234")
	testinput.Write(t, ".", "text", "0 1\n1 x\n")
	testinput.Write(t, ".", "other", "")
	if err := os.Mkdir("parents", 0o777); err != nil {
		t.Fatal(err)
	}
	testinput.Write(t, ".", "parents/0-0.i64", "")
	before := testinput.Names(t, ".")
	for flag, want := range map[string]string{
		"-read-edges=short":      "short: has 100 bytes, the edge file of 1024 tuples has 12288",
		"-read-edges=label":      "rank 2 on host2: label: edge 1000 at offset 12000: vertex 4294967295 is out of range, the graph has 64 vertices",
		"-read-edges=alone":      "alone.weights: there is no such file: -kernel=both needs the weights beside the edges: make both files with -kernel=sssp -write-edges or graph500 edges -weights, or give -weights=drawn or -kernel=bfs",
		"-read-edges=w":          "w.weights: has 4 bytes, the weights file of 1024 tuples has 4096",
		"-read-edges=missing":    "stat missing: no such file or directory",
		"-read-edges=parents":    "parents: is not a regular file",
		"-graph=text":            `rank 0 on host0: text:2: "x" is not a vertex number: a line that is not an edge begins with # or %; -renumber reads names of vertices`,
		"-graph=missing":         "rank 0 on host0: open missing: no such file or directory",
		"-write-edges=no/e":      "rank 0 on host0: flag -write-edges: no/e: cannot create a file in no: no such file or directory",
		"-write-edges=w":         "flag -write-edges: rank 0 on host0: w.weights: is there already and would be taken for the weights of the new edges: remove it, or choose another edge file",
		"-write-edges=w.zst":     "flag -write-edges: w.zst: several ranks do not write a compressed file: name one without .zst",
		"-write-parents=other":   "rank 0 on host0: flag -write-parents: other: cannot be created: not a directory",
		"-write-parents=parents": "rank 0 on host0: flag -write-parents: parents: already holds parents files, such as 0-0.i64: choose another directory",
	} {
		all := append(slices.Clone(args), flag)
		if strings.HasPrefix(flag, "-graph") {
			all = []string{"-kernel=both", flag}
		}
		_, errs := runOnRanks(t, 3, all...)
		for _, err := range errs {
			if err == nil || err.Error() != want {
				t.Errorf("%s: %v, not %s", flag, err, want)
			}
		}
	}
	if after := testinput.Names(t, "."); !slices.Equal(after, before) {
		t.Errorf("left %v, before %v", after, before)
	}
}

// Ranks that find different files under a name do not search.
func TestRanksFindDifferentFiles(t *testing.T) {
	paths := []string{testinput.Write(t, t.TempDir(), "e", "one"), testinput.Write(t, t.TempDir(), "e", "other"), filepath.Join(t.TempDir(), "missing")}
	for _, c := range []struct {
		second int
		want   string
	}{
		{0, ""},
		{1, "edges: rank 1 on host1 finds 5 bytes with checksum deeb029d, rank 0 on host0 3 bytes with checksum d378a16a: name a file that all hosts share, or copies of it"},
		{2, "edges: rank 1 on host1 finds no such file, rank 0 on host0 3 bytes with checksum d378a16a: name a file that all hosts share, or copies of it"},
	} {
		var all sync.WaitGroup
		for r, w := range cluster.InProcess(2) {
			all.Go(func() {
				b, _ := newTestBench(t, new(fakeEngine))
				b.World = w
				text := ""
				if err := b.checkSameFile(t.Context(), paths[r*c.second]); err != nil {
					text = strings.ReplaceAll(err.Error(), paths[r*c.second], "edges")
				}
				if text != c.want {
					t.Errorf("rank %d: %q, not %q", r, text, c.want)
				}
			})
		}
		all.Wait()
	}
}

// The ranks on the host of rank 0 share the memory of the file that it reads.
func TestRanksPlanFile(t *testing.T) {
	worlds := cluster.InProcess(3)
	for _, w := range worlds {
		copy(w.Hosts(), []string{"a", "b", "a"})
	}
	job := engine.Job{Tuples: 100, Strategies: []engine.Strategy{{Kernel: engine.SSSP, Name: "default"}}}
	for _, c := range []struct {
		world *cluster.World
		flag  string
		want  uint64
	}{{worlds[0], "-graph=g", 600}, {worlds[1], "-graph=g", 0}, {worlds[2], "-graph=g", 600}, {worlds[0], "-scale=3", 0}, {cluster.Alone(), "-graph=g", 0}} {
		b, _ := newTestBench(t, new(fakeEngine), c.flag)
		b.World = c.world
		if got := engine.Peak(b.distributed(job), engine.HostMemory); got != c.want {
			t.Errorf("rank %d, %s: %d bytes, not %d", c.world.Rank(), c.flag, got, c.want)
		}
	}
}
