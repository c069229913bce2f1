package cpu

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/partition"
	"graph500/validate"
)

// wholeSize returns the size of a graph on one rank.
func wholeSize(vertices, tuples, rows, arcs uint64) size {
	return size{ranges: partition.NewRanges(vertices, 1), owned: vertices, tuples: tuples, rows: rows, arcs: arcs}
}

// searchingPeak returns the bytes used in the search phase of a given graph when
// the given number of searches are kept.
func searchingPeak(e *Engine, z size, s strategy, kept int) uint64 {
	plan := e.basePlan(z, []strategy{s}, nil)
	plan = append(plan, engine.Allocation{Bytes: batchBytes(z, []strategy{s}, kept), Phase: engine.Searching})
	sum := uint64(0)
	for _, a := range plan {
		if a.Phase == engine.Always || a.Phase == engine.Searching {
			sum += a.Bytes
		}
	}
	return sum
}

// TestKeptTreesStayInThePlan draws jobs, amounts of free memory and possible
// graphs. Kept trees must never exceed the plan, and the plan must not exceed
// free memory or the plan of a single search, whichever is larger; above freeUse it leaves half of
// what a single search leaves free.
func TestKeptTreesStayInThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := New(cluster.Alone(), 2)
		defer e.Close()
		e.free = memory.Limit{}
		vertices := rapid.Uint64Range(0, 1<<rapid.IntRange(0, 30).Draw(t, "log2 N")).Draw(t, "N")
		tuples := rapid.Uint64Range(0, 1<<rapid.IntRange(0, 33).Draw(t, "log2 M")).Draw(t, "M")
		rows := rapid.Uint64Range(0, min(vertices, 2*tuples)).Draw(t, "rows")
		arcs := 2 * rapid.Uint64Range(0, tuples).Draw(t, "edges")
		s := rapid.SampledFrom(table()).Draw(t, "strategy")
		job := engine.Job{Vertices: vertices, Tuples: tuples, Strategies: []engine.Strategy{s.Strategy}, Searches: 1}
		alone := engine.Peak(e.Plan(job).Memory, engine.HostMemory)
		if rapid.Bool().Draw(t, "memory is known") {
			e.free = memory.Limit{Bytes: rapid.Uint64Range(0, 3*alone).Draw(t, "free"), Source: "a test"}
		}
		job.Searches = rapid.IntRange(0, 100).Draw(t, "searches")

		plan := e.Plan(job).Memory
		peak := engine.Peak(plan, engine.HostMemory)
		most := max(alone, freeUse)
		if e.free.Source != "" {
			most = max(alone, min(max(most, (alone+e.free.Bytes)/2), e.free.Bytes))
		}
		if peak > most {
			t.Fatalf("%d bytes planned, %d for one search, %+v", peak, alone, e.free)
		}
		z := wholeSize(vertices, tuples, rows, arcs)
		if rapid.Bool().Draw(t, "constructed") {
			z.numbers, z.ofAll = z.rowNumbers()
			z.lists = rapid.Uint64Range(0, arcs).Draw(t, "words of lists")
		}
		kept := e.batchSize(z, job.Searches, []strategy{s}, nil)
		if kept < 1 || kept > max(1, min(job.Searches, validate.MaxBatch)) {
			t.Fatalf("%d of %d searches are kept", kept, job.Searches)
		}
		if need := searchingPeak(e, z, s, kept); need > peak {
			t.Fatalf("%d searches kept take %d bytes, %d planned", kept, need, peak)
		}
	})
}

// TestBatchesOfOfficialGraphs uses the row and edge counts of the official graphs and 23 GiB of
// free memory.
func TestBatchesOfOfficialGraphs(t *testing.T) {
	for _, c := range []struct {
		scale                     int
		isolated, loops, repeated uint64
		kernel                    engine.Kernel
		lists                     uint64 // hundredths of a word for each arc
		want                      int
	}{
		{20, 402453, 1158, 1075689, engine.BFS, 60, 64},
		{22, 1797658, 1906, 2951247, engine.BFS, 69, 64},
		{22, 1797658, 1906, 2951247, engine.SSSP, 100, 64},
		{24, 7906309, 2860, 8053212, engine.BFS, 77, 64},
		{26, 34304025, 4250, 21815150, engine.BFS, 100, 16},
		{26, 34304025, 4250, 21815150, engine.BFS, 85, 32},
	} {
		t.Run(fmt.Sprintf("%s at scale %d, lists %d", c.kernel, c.scale, c.lists), func(t *testing.T) {
			e := New(cluster.Alone(), 2)
			defer e.Close()
			e.free = memory.Limit{Bytes: 23 << 30, Source: "a test"}
			vertices, tuples := uint64(1)<<c.scale, uint64(16)<<c.scale
			s, _ := lookUp(engine.Strategy{Kernel: c.kernel, Name: "default"})
			z := wholeSize(vertices, tuples, vertices-c.isolated, 2*(tuples-c.loops-c.repeated))
			z.numbers, z.ofAll = z.rowNumbers()
			z.lists = z.arcs * c.lists / 100
			if n := e.batchSize(z, 64, []strategy{s}, nil); n != c.want {
				t.Errorf("%d searches are validated together, want %d", n, c.want)
			}
			alone := engine.Peak(e.basePlan(largest(engine.Job{Vertices: vertices, Tuples: tuples}, 1), []strategy{s}, nil), engine.HostMemory)
			if c.kernel == engine.BFS && c.scale >= 22 && alone > 20*tuples {
				t.Errorf("%.2f bytes a tuple are planned", float64(alone)/float64(tuples))
			}
		})
	}
}

// TestPlanBesideOtherStrategies: where other strategies need the rows of the graph, the default one
// searches a copy in the order of the hubs, which is in the plan.
func TestPlanBesideOtherStrategies(t *testing.T) {
	e := New(cluster.Alone(), 2)
	defer e.Close()
	of := func(name string) []engine.Strategy { return []engine.Strategy{{Kernel: engine.BFS, Name: name}} }
	job := engine.Job{Vertices: 1 << 20, Tuples: 16 << 20, Strategies: of("default"), Searches: 1}
	alone := engine.PeakIn(e.Plan(job).Memory, engine.HostMemory, engine.Searching)
	job.Beside = of("push")
	beside := engine.PeakIn(e.Plan(job).Memory, engine.HostMemory, engine.Searching)
	if lists := uint64(4 * 2 * 16 << 20); beside < alone+lists {
		t.Fatalf("%d bytes are planned beside another strategy, %d alone", beside, alone)
	}
}
