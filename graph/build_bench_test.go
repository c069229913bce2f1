package graph_test

import (
	"fmt"
	"testing"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/parallel"
)

// BenchmarkBuild constructs the official graph with two workers: its rows, and both its rows and
// their order by hubs (kernel 1 of BFS).
func BenchmarkBuild(b *testing.B) {
	for _, scale := range []int{18, 20, 22} {
		spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
		for _, byHubs := range []bool{false, true} {
			b.Run(fmt.Sprintf("scale=%d/byHubs=%v", scale, byHubs), func(b *testing.B) {
				team := parallel.NewTeam(2)
				defer team.Close()
				tuples := engine.Tuples{Edges: make([]engine.Edge, spec.Tuples())}
				if err := kronecker.New(spec).FillFrom(b.Context(), team, tuples, 0, nil); err != nil {
					b.Fatal(err)
				}
				of := graph.WholeGraph(spec.Vertices())
				for b.Loop() {
					g, err := graph.Build(b.Context(), team, of, tuples)
					if err != nil {
						b.Fatal(err)
					}
					if byHubs {
						h, err := g.ByHubs(b.Context(), team, graph.HubFormOf(of.Owned, team.Size()), false)
						if err != nil {
							b.Fatal(err)
						}
						if err := h.Close(); err != nil {
							b.Fatal(err)
						}
					}
					if err := g.Close(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
