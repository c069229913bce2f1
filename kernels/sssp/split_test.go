//go:build cuda

package sssp

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/construct/constructtest"
	"graph500/kernels/generate"
)

// leastArcs returns the least arcs of device memory for the rows of the edges.
func leastArcs(vertices int, edges []engine.Edge) (arcs uint64) {
	degrees := make([]int, vertices)
	for _, e := range edges {
		if e.U != e.V {
			degrees[e.U]++
			degrees[e.V]++
		}
	}
	for _, d := range degrees {
		arcs += uint64(min(d, construct.LeastPrefix+1))
	}
	return arcs
}

// newSplitCase constructs a graph with its rows in that many arcs of the device's memory,
// and a search of it.
func newSplitCase(t *testing.T, d *device.Device, vertices int, tuples engine.Tuples, c capacity, arcs uint64) *searchCase {
	t.Helper()
	tails, err := device.Uncleared[construct.Arc](d, int(1+construct.MostTails(uint64(vertices), uint64(len(tuples.Edges)), arcs)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tails.Free(); err != nil {
			t.Error(err)
		}
	})
	return newCase(t, d, vertices, tuples, c, func(input *generate.Tuples) (*construct.Graph, error) {
		form := construct.Form{Order: construct.ByWeight, Split: construct.Split{Words: arcs}}
		return constructtest.OnOne(t, d, vertices, input, form, construct.Input{ArcTails: []*device.HostArray[construct.Arc]{tails}})
	})
}

// checkRoots searches from n random roots that have rows. It returns the number of searches
// that were made without lists.
func (s *searchCase) checkRoots(t *testing.T, r *rand.Rand, n int) (fellBack int) {
	t.Helper()
	for range n {
		e := s.tuples.Edges[r.IntN(len(s.tuples.Edges))]
		root := []engine.Label{e.U, e.V}[r.IntN(2)] // of a star the centre or a leaf
		if !s.hasRow(root) {
			continue
		}
		s.check(t, root)
		if s.search.fellBack {
			fellBack++
		}
	}
	return fellBack
}

// Searches of split rows make the same steps as those of other rows.
func TestSearchOfSplitRowsOnOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{8, 10, 12, 14, 16}, []int{12}) {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			tuples := devicetest.OfficialWeighted(scale)
			c := ofOne(1 << scale)
			c.hubs = hubsOf(1<<scale, 1)
			least := leastArcs(1<<scale, tuples.Edges)
			for _, arcs := range []uint64{least, 2 * least} {
				s := newSplitCase(t, d, 1<<scale, tuples, c, arcs)
				s.checkSteps(t)
				s.close(t)
			}
		})
	}
}

// A counted search of split rows gives the same results, and counts.
func TestCountedSearchOfSplitRows(t *testing.T) {
	d := devicetest.Open(t)
	const scale = 10
	tuples := devicetest.OfficialWeighted(scale)
	s := newSplitCase(t, d, 1<<scale, tuples, ofOne(1<<scale), leastArcs(1<<scale, tuples.Edges))
	defer s.close(t)
	devicetest.Close(t, s.search)
	s.start(t, ofOne(1<<scale), true)
	s.checkRoots(t, rand.New(rand.NewPCG(15, 16)), 1)
	counts, err := s.search.Counts()
	if err != nil || counts.Examined == 0 || counts.Atomics == 0 {
		t.Errorf("counts %+v, %v", counts, err)
	}
}

// rowsOfManyLengths returns stars of many sizes, whose centres are connected one after the
// other. It also returns the number of vertices; the last one is a leaf.
func rowsOfManyLengths() (edges []engine.Edge, vertices int) {
	centre := engine.Label(0)
	for _, leaves := range []engine.Label{1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 100, 129, 1100, 3000} {
		for leaf := range leaves {
			edges = append(edges, engine.Edge{U: centre, V: centre + 1 + leaf})
		}
		next := centre + leaves + 1
		edges = append(edges, engine.Edge{U: centre, V: next})
		centre = next
	}
	edges = append(edges, engine.Edge{U: centre, V: centre + 1})
	return edges, int(centre) + 2
}

// With equal weights the pushes find everything, so every arc of a tail must be relaxed.
func TestSearchOfSplitRowsOfManyLengths(t *testing.T) {
	d := devicetest.Open(t)
	edges, n := rowsOfManyLengths()
	weights := devicetest.Weightings(len(edges), rand.New(rand.NewPCG(19, 20)))
	for _, kind := range []string{"zero", "equal", "uniform"} {
		t.Run(kind, func(t *testing.T) {
			s := newSplitCase(t, d, n, engine.Tuples{Edges: edges, Weights: weights[kind]}, ofOne(uint64(n)), leastArcs(n, edges))
			defer s.close(t)
			s.check(t, 1)
			s.check(t, engine.Label(n-1))
		})
	}
}
