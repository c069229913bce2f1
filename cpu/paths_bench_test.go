package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
)

// starGraph returns the tuples of a star: its hubs are the first vertices, and each of the
// other vertices has an edge to one of them. The first hub is joined to the others.
func starGraph(r *rand.Rand, hubs, leaves int) engine.Tuples {
	var tuples engine.Tuples
	for v := 1; v < hubs+leaves; v++ {
		hub := 0
		if v >= hubs {
			hub = v % hubs
		}
		tuples.Edges = append(tuples.Edges, engine.Edge{U: engine.Label(hub), V: engine.Label(v)})
		tuples.Weights = append(tuples.Weights, r.Float32())
	}
	return tuples
}

// BenchmarkShortestPaths searches official graphs from their keys, and a star from its hub
// and from leaves, by every strategy. The width of the buckets is that of -delta.
func BenchmarkShortestPaths(b *testing.B) {
	for _, of := range Strategies() {
		if of.Kernel != engine.SSSP {
			continue
		}
		for _, scale := range []int{16, 18, 20} {
			b.Run(fmt.Sprintf("%s/scale=%d", of.Name, scale), func(b *testing.B) {
				s := officialWeighted(b, scale, of)
				defer s.Close()
				spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
				roots, err := kronecker.Sample(b.Context(), spec, 64, s.engine.weightedGraph.Info.Connected, s.engine.Usable)
				if err != nil {
					b.Fatal(err)
				}
				s.benchmark(b, roots)
			})
		}
		for _, from := range []engine.Vertex{0, 1} {
			b.Run(fmt.Sprintf("%s/star/root=%d", of.Name, from), func(b *testing.B) {
				s := loadWeighted(b, 2, of, 1<<20+1, starGraph(rand.New(rand.NewPCG(1, 2)), 1, 1<<20))
				defer s.Close()
				s.benchmark(b, []engine.Vertex{from})
			})
		}
	}
}

// benchmark searches from the roots in turn.
func (s pathSearch) benchmark(b *testing.B, roots []engine.Vertex) {
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		b.StopTimer()
		if err := s.Clear(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := s.Search(b.Context(), roots[i%len(roots)]); err != nil {
			b.Fatal(err)
		}
	}
}
