//go:build cuda

package sssp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/construct/constructtest"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// searchCase is a graph on the device with a search of it, and its tuples in host memory.
type searchCase struct {
	device    *device.Device
	team      *device.Team // of the device
	vertices  int
	tuples    engine.Tuples
	input     *generate.Tuples
	graph     *construct.Graph
	parents   device.Array[engine.Label]
	distances device.Array[float32]
	held      *device.Held
	search    *Search
}

// newSearchCase constructs the graph and a search of it with the given capacities.
func newSearchCase(t *testing.T, d *device.Device, vertices int, tuples engine.Tuples, c capacity) *searchCase {
	t.Helper()
	return newCase(t, d, vertices, tuples, c, func(input *generate.Tuples) (*construct.Graph, error) {
		return constructtest.OnOne(t, d, vertices, input, construct.Form{Order: construct.ByWeight}, construct.Input{})
	})
}

// newCase constructs the graph of the tuples and a search of it.
func newCase(t *testing.T, d *device.Device, vertices int, tuples engine.Tuples, c capacity, build func(*generate.Tuples) (*construct.Graph, error)) *searchCase {
	t.Helper()
	s := &searchCase{device: d, team: devicetest.Team(t, []*device.Device{d}), vertices: vertices, tuples: tuples}
	var err error
	s.input = generatetest.Load(t, d, generate.Config{}, tuples)
	if s.graph, err = build(s.input); err != nil {
		t.Fatal(err)
	}
	n := uint64(vertices)
	if s.held, err = d.Take(device.Group{Alive: engine.Searching, Arrays: []device.Declared{
		device.Of(&s.parents, "parents", n), device.Of(&s.distances, "distances", n),
	}}); err != nil {
		t.Fatal(err)
	}
	devicetest.Dirty(t, d, 1<<16)
	s.start(t, c, false)
	return s
}

// start makes a search of the graph, or a counted one.
func (s *searchCase) start(t *testing.T, c capacity, counted bool) {
	t.Helper()
	var err error
	graphs, parents, distances := []*construct.Graph{s.graph}, []device.Array[engine.Label]{s.parents}, []device.Array[float32]{s.distances}
	if s.search, err = newSearch(t.Context(), s.team, graphs, parents, distances, form{counted: counted, capacities: func(uint64) capacity { return c }}); err != nil {
		t.Fatal(err)
	}
}

// ofOne returns the lengths of the lists of a search of n rows on one device.
func ofOne(rows uint64) capacity { return capacities(rows, rows, 1) }

func (s *searchCase) close(t *testing.T) {
	t.Helper()
	devicetest.Close(t, s.search)
	if err := errors.Join(s.held.Free(), s.graph.Close(), s.input.Close()); err != nil {
		t.Fatal(err)
	}
}

// hasRow reports whether a vertex has an edge to another one.
func (s *searchCase) hasRow(v engine.Label) bool { return devicetest.HasEdge(s.tuples.Edges, v) }

// check searches from root and checks distances and parents.
func (s *searchCase) check(t *testing.T, root engine.Label) {
	t.Helper()
	parents, distances := make([]engine.Label, s.vertices), make([]float32, s.vertices)
	for v := range parents {
		parents[v], distances[v] = engine.None, engine.Unreached
	}
	if err := errors.Join(s.parents.Write(0, parents), s.distances.Write(0, distances)); err != nil {
		t.Fatal(err)
	}
	if err := s.search.Search(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.parents.Read(0, parents), s.distances.Read(0, distances)); err != nil {
		t.Fatal(err)
	}
	if err := conformance.AnswerOf(s.vertices, s.tuples, root).Judge(engine.SSSP, parents, distances); err != nil {
		t.Fatalf("%v (lists full: %v)", err, s.search.fellBack)
	}
	profile, err := s.search.Profile()
	if err != nil || profile.LevelCount == 0 {
		t.Fatalf("root %d: profile %+v, %v", root, profile, err)
	}
}

// zeroSample returns a graph whose first 2^16 arcs, of which the mean weight is taken, weigh 0.
func zeroSample() (vertices int, t engine.Tuples) {
	const leaves, tail = 1 << 16, 20
	for v := engine.Label(1); v <= leaves+tail; v++ {
		from, w := engine.Label(0), float32(0)
		if v > leaves {
			from, w = v-1, 1/float32(v-leaves)
		}
		t.Edges, t.Weights = append(t.Edges, engine.Edge{U: from, V: v}), append(t.Weights, w)
	}
	return leaves + tail + 1, t
}

func TestSearchIfTheSampleIsZero(t *testing.T) {
	d := devicetest.Open(t)
	vertices, tuples := zeroSample()
	s := newSearchCase(t, d, vertices, tuples, ofOne(uint64(vertices)))
	defer s.close(t)
	if s.graph.ByWeight.MeanWeight != 0 {
		t.Fatalf("mean weight %v", s.graph.ByWeight.MeanWeight)
	}
	s.check(t, 0)
}

// TestSearchRandomGraphs also searches with lists that run full.
func TestSearchRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, split := range []bool{false, true} {
		r := rand.New(rand.NewPCG(3, 4))
		fellBack := 0
		for i := range devicetest.Sized(50, 3) {
			vertices := 2 + r.IntN(1<<(4+r.IntN(8)))
			edges := devicetest.HubTuples(r, vertices, 1+r.IntN(16*vertices))
			for kind, weights := range devicetest.Weightings(len(edges), r) {
				t.Run(fmt.Sprintf("%d %s, split rows: %v", i, kind, split), func(t *testing.T) {
					c := ofOne(uint64(vertices))
					if r.IntN(3) == 0 {
						c = capacity{log: 1 + r.Uint64N(uint64(vertices)), queue: 1 + r.Uint64N(uint64(vertices)), kept: device.MaxBlocks * 16 * (1 + r.Uint64N(3))}
					}
					c.hubs = []uint64{0, hubsOf(uint64(vertices), 1), uint64(vertices) / 64 * 32, uint64(vertices)}[r.IntN(4)]
					tuples, s := engine.Tuples{Edges: edges, Weights: weights}, (*searchCase)(nil)
					if split {
						s = newSplitCase(t, d, vertices, tuples, c, leastArcs(vertices, edges)+r.Uint64N(1+uint64(len(edges))))
					} else {
						s = newSearchCase(t, d, vertices, tuples, c)
					}
					defer s.close(t)
					fellBack += s.checkRoots(t, r, 2)
				})
			}
		}
		if fellBack == 0 {
			t.Errorf("split rows: %v: no list ran full", split)
		}
	}
}

func TestSearchOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{8, 10, 12, 14, 16}, []int{8, 11}) {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			tuples := devicetest.OfficialWeighted(scale)
			c := ofOne(1 << scale)
			c.hubs = hubsOf(1<<scale, 1)
			s := newSearchCase(t, d, 1<<scale, tuples, c)
			defer s.close(t)
			s.checkSteps(t)
		})
	}
}

// The near step from this root leaves one row with arcs to push. Its block may push them when
// the other blocks have ended their first sweeps of light arcs without any change.
func TestSearchAfterOneItem(t *testing.T) {
	d := devicetest.Open(t)
	const scale, root = 10, 395
	s := newSearchCase(t, d, 1<<scale, devicetest.OfficialWeighted(scale), ofOne(1<<scale))
	defer s.close(t)
	for range devicetest.Sized(1000, 30) { // in the emulation, one in 30 had such an order
		s.check(t, root)
	}
}

// checkSteps searches from a few roots, which takes all steps.
func (s *searchCase) checkSteps(t *testing.T) {
	t.Helper()
	steps := map[string]bool{}
	for root := engine.Label(3); root < engine.Label(s.vertices); root += engine.Label(s.vertices) / 5 {
		if !s.hasRow(root) {
			continue
		}
		s.check(t, root)
		profile, err := s.search.Profile()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range profile.Levels {
			steps[l.Step] = true
		}
	}
	for _, step := range stepNames[:stepDense] { // the others are of several devices
		if !steps[step] {
			t.Errorf("no search has a step %q", step)
		}
	}
}

func TestSearchStopsWithItsContext(t *testing.T) {
	d := devicetest.Open(t)
	vertices := devicetest.Sized(50_000, 5_000) // of a path: many rounds
	edges := make([]engine.Edge, vertices-1)
	for i := range edges {
		edges[i] = engine.Edge{U: engine.Label(i), V: engine.Label(i + 1)}
	}
	weights := make([]float32, len(edges))
	for i := range weights {
		weights[i] = 1
	}
	s := newSearchCase(t, d, vertices, engine.Tuples{Edges: edges, Weights: weights}, ofOne(uint64(vertices)))
	defer s.close(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := s.search.Search(ctx, 0); !errors.Is(err, stop) {
		t.Fatalf("err = %v", err)
	}
	s.check(t, engine.Label(vertices/2))
}
