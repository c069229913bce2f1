package cpu

import (
	"context"
	"strconv"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
)

// TestAsynchronousCounts searches with one worker, which takes vertices first in,
// first out: the depths are final at once, and every arc is examined once.
func TestAsynchronousCounts(t *testing.T) {
	for name, tuples := range edgeCases() {
		vertices := extent(tuples)
		s := load(t, 1, "asynchronous", vertices, tuples)
		root := tuples[0].U
		checkSearch(t, s, vertices, tuples, root)
		var visited, arcs int64
		for v, p := range s.results.Parents {
			if p != engine.None {
				visited++
				arcs += int64(len(s.graph.NeighborsOf(engine.Label(v))))
			}
		}
		counts := s.method.(*asynchronous).bag.Counts()
		if counts.Processed != visited || counts.Useful != visited-1 || counts.Steals != [3]int64{} {
			t.Errorf("%s: %+v, %d vertices are visited", name, counts, visited)
		}
		p := s.levels(t)
		var sum int64
		for _, l := range p.Levels {
			sum += l.Examined
		}
		if p.Examined != arcs || sum != arcs {
			t.Errorf("%s: %d neighbours examined, %d in the levels, want %d", name, p.Examined, sum, arcs)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAsynchronousManyWorkers has more workers than processors, so that depths are
// lowered several times.
func TestAsynchronousManyWorkers(t *testing.T) {
	for name, tuples := range edgeCases() {
		vertices := extent(tuples)
		s := load(t, 16, "asynchronous", vertices, tuples)
		for range 3 {
			checkSearch(t, s, vertices, tuples, tuples[0].U)
		}
		counts := s.method.(*asynchronous).bag.Counts()
		if counts.Processed != counts.Pushed || counts.Useful < counts.Pushed-1 {
			t.Errorf("%s: %+v", name, counts)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkAsynchronous reports the work for each vertex of the graph.
func BenchmarkAsynchronous(b *testing.B) {
	for _, scale := range []int{16, 18} {
		b.Run(strconv.Itoa(scale), func(b *testing.B) {
			e := official(b, scale, "asynchronous", 1)
			defer e.Close()
			spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
			roots, err := kronecker.Sample(context.Background(), spec, 8, e.graph.Info.Connected, e.engine.Usable)
			if err != nil {
				b.Fatal(err)
			}
			var useful, processed, steals int64
			for i := 0; b.Loop(); i++ {
				e.Clear()
				if err := e.Search(b.Context(), roots[i%len(roots)]); err != nil {
					b.Fatal(err)
				}
				counts := e.method.(*asynchronous).bag.Counts()
				useful += counts.Useful
				processed += counts.Processed
				for _, n := range counts.Steals {
					steals += n
				}
			}
			perVertex := float64(e.graph.Info.Connected) * float64(b.N)
			b.ReportMetric(float64(processed)/perVertex, "processed/vertex")
			b.ReportMetric(float64(useful)/perVertex, "lowered/vertex")
			b.ReportMetric(float64(steals)/float64(b.N), "steals/op")
		})
	}
}
