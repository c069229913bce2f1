package divide

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/synthetic"
)

// input is a graph to divide.
type input struct {
	vertices uint64
	edges    []engine.Edge
}

// of returns the tuples of a synthetic graph.
func of(g synthetic.Graph) input {
	edges := make([]engine.Edge, g.Tuples())
	g.Fill(engine.Tuples{Edges: edges}, 0)
	return input{g.Vertices(), edges}
}

func kroneckerGraph(scale int) input {
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	edges := make([]engine.Edge, spec.Tuples())
	kronecker.New(spec).Edges(edges, 0)
	return input{spec.Vertices(), edges}
}

// share returns the rank's part of a graph.
func (in input) share(ctx context.Context, w *cluster.World, team *parallel.Team) (Share, *graph.CSR, error) {
	ranges := partition.NewRanges(in.vertices, w.Size())
	first, owned := ranges.Range(w.Rank())
	var arcs []engine.Edge
	for _, e := range in.edges {
		for _, a := range []engine.Edge{e, {U: e.V, V: e.U}} {
			if e.U != e.V && ranges.Owner(a.U) == w.Rank() {
				arcs = append(arcs, engine.Edge{U: a.U - engine.Label(first), V: a.V})
			}
		}
	}
	of, tuples := graph.WholeGraph(in.vertices), in.edges
	if w.Size() > 1 {
		tuples = arcs
		of = graph.Share{
			Vertices: in.vertices, First: first, Owned: owned, Shares: w.Size(),
			Gather: func(own, all []uint32) error { return cluster.GatherAll(ctx, w, own, all) },
			Sum:    func(v []int64) error { return w.Sum(ctx, v) },
			Max:    func(v []int64) error { return w.Max(ctx, v) },
		}
	}
	g, err := graph.Build(ctx, team, of, engine.Tuples{Edges: tuples})
	if err != nil {
		return Share{}, nil, err
	}
	return Plain(ranges, g), g, nil
}

// result is what the ranks make of a graph.
type result struct {
	Figures
	masters []uint8
	parts   []*Part // all, in memory of the Go heap
	labels  []engine.Label
	streams []uint32
}

// with returns a policy and props for a test.
func with(t testing.TB, name string, parts int, threshold uint64) (partition.Policy, partition.Props) {
	t.Helper()
	policy, ok := partition.Find(name)
	if !ok {
		t.Fatalf("no policy %q", name)
	}
	return policy, partition.Props{Parts: parts, Threshold: threshold, ArcWeight: 1}
}

// divided divides a graph over ranks.
func divided(t testing.TB, in input, policy partition.Policy, props partition.Props, ranks, threads int) result {
	t.Helper()
	var r result
	var mu sync.Mutex
	r.parts = make([]*Part, props.Parts)
	errs := cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
		team := parallel.NewTeam(threads)
		defer team.Close()
		share, g, err := in.share(ctx, w, team)
		if err != nil {
			return err
		}
		defer g.Close()
		props := props
		rows, err := Read(ctx, w, team, share, &props)
		if err != nil {
			return err
		}
		defer rows.Close()
		d := New(w, team, rows, props, policy, 100)
		defer d.Close()
		if err := d.Run(ctx); err != nil {
			return err
		}
		figures, err := d.Figures(ctx)
		if err != nil {
			return err
		}
		taken := uint64(0)
		for _, p := range d.Parts() {
			taken += 4*uint64(len(p.Rows)+len(p.Neighbors)+len(p.Weights)) + 8*uint64(len(p.Offsets)-1)
		}
		if planned := engine.Peak(d.Memory(), engine.HostMemory); taken > planned {
			return fmt.Errorf("parts of %d bytes, planned %d", taken, planned)
		}
		if few := d.misfit(memory.Limit{Source: "a test"}); few == nil || !strings.Contains(few.Error(), "(a test): choose a policy with more even parts") {
			return fmt.Errorf("parts without memory: %v", few)
		}
		mu.Lock()
		defer mu.Unlock()
		r.Figures, r.masters, r.labels, r.streams = figures, slices.Clone(d.Masters()), slices.Clone(rows.Labels), slices.Clone(rows.Streams)
		for _, p := range d.Parts() {
			r.parts[p.Number] = &Part{Number: p.Number, Masters: p.Masters, First: slices.Clone(p.First), Rows: slices.Clone(p.Rows), Offsets: slices.Clone(p.Offsets), Neighbors: slices.Clone(p.Neighbors)}
		}
		return nil
	})
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// columns returns the figures as in the files of vectors.
func (r *result) columns() []string {
	number := func(x uint64) string { return strconv.FormatUint(x, 10) }
	ratio := func(x float64) string { return fmt.Sprintf("%.6f", x) }
	return []string{ratio(MaxMean(r.Figures.Masters)), ratio(MaxMean(r.Proxies)), ratio(MaxMean(r.Arcs)), ratio(r.Replication()),
		number(r.Mirrors()), number(r.Cut), number(r.Moved), number(r.Groups), number(r.Pairs),
		r.MastersCheck, Check(r.Arcs), Check(r.Proxies)}
}

// allVectors makes TestVectors take all lines of all files: go test ./divide -run=Vectors -all
var allVectors = flag.Bool("all", false, "compare with all lines of all vectors")

// TestVectors compares with the figures of another program, which agree with those of the
// partitioner of Galois.
func TestVectors(t *testing.T) {
	rmat := synthetic.RMAT{Scale: 18, EdgeFactor: 16, Quadrants: [4]float64{0.45, 0.25, 0.15, 0.15}, Seed: 1}
	grid, crawl := synthetic.Grid{Scale: 18, Keep: 0.9, Seed: 1}, synthetic.Crawl{Scale: 18, Seed: 1}
	for number, c := range []struct {
		name      string
		input     func() input
		threshold uint64
		long      bool
	}{
		{"kronecker-8", func() input { return kroneckerGraph(8) }, 60, false},
		{"kronecker-16", func() input { return kroneckerGraph(16) }, 1000, true},
		{"kronecker-18", func() input { return kroneckerGraph(18) }, 1000, true},
		{"kronecker-20", func() input { return kroneckerGraph(20) }, 1000, true},
		{"grid-18", func() input { return of(grid) }, 1000, true},
		{"grid-18-shuffled", func() input { return of(synthetic.Shuffled{Graph: grid}) }, 1000, true},
		{"crawl-18", func() input { return of(crawl) }, 1000, true},
		{"crawl-18-shuffled", func() input { return of(synthetic.Shuffled{Graph: crawl}) }, 1000, true},
		{"rmat-18", func() input { return of(rmat) }, 1000, true},
	} {
		if c.long && testing.Short() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			checkVectors(t, filepath.Join("testdata", c.name+".tsv"), c.input(), c.threshold, number)
		})
	}
}

// oneIn returns in how many lines of vectors one is taken, for a number of edges.
func oneIn(edges int) int {
	switch {
	case edges > 1<<23:
		return 41
	case edges > 1<<21:
		return 13
	case edges > 1<<17:
		return 5
	}
	return 1
}

// checkVectors divides a graph as the lines of a file say, in one process. Of a large graph it takes
// one line in some (oneIn), other ones of the next graph.
func checkVectors(t *testing.T, path string, in input, threshold uint64, number int) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := csv.NewReader(strings.NewReader(string(text)))
	lines.Comma, lines.Comment, lines.ReuseRecord = '\t', '#', true
	table, err := lines.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	w, team := cluster.Alone(), parallel.NewTeam(2)
	defer team.Close()
	share, g, err := in.share(t.Context(), w, team)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	var rows *Rows
	read := "" // number of parts of the rows
	for i, line := range table[1:] {
		parts, _ := strconv.Atoi(line[0])
		if !*allVectors && (testing.Short() && parts > 8 || (i+number)%oneIn(len(in.edges)) > 0) {
			continue
		}
		policy, props := with(t, line[1]+"-"+line[2], parts, threshold)
		if line[0] != read {
			read = line[0]
			if rows != nil {
				rows.Close()
			}
			if rows, err = Read(t.Context(), w, team, share, &props); err != nil {
				t.Fatal(err)
			}
			if head := fmt.Sprintf("# rows %d arcs %d rows_check %s arcs_check %s\n", len(rows.Labels), rows.Arcs, Check(rows.Labels), Check(rows.Neighbors)); !strings.HasPrefix(string(text), head) {
				t.Fatalf("%s, and not %s", head, text[:len(head)])
			}
		}
		props.Rows, props.Arcs = uint64(len(rows.Labels)), rows.Arcs
		d := New(w, team, rows, props, policy, 100)
		var r result
		if err = d.Run(t.Context()); err == nil {
			r.Figures, err = d.Figures(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := r.columns(); !slices.Equal(got, line[3:]) {
			t.Errorf("%s: %v", line, got)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
}
