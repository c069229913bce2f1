//go:build cuda

package distributed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/device/devicetest"
	"graph500/engine"
)

// parts returns the names of the parts of searches, and "refused" if one has considered the pull and
// gone on without it.
func parts(searches []engine.Profile) map[string]bool {
	found := make(map[string]bool)
	for _, p := range searches {
		considered := 0
		for _, l := range p.Levels {
			found[l.Step] = true
			if l.Step == "near" {
				considered++
			}
		}
		if considered > 1 || considered > 0 && p.Levels[len(p.Levels)-1].Step == "push" {
			found["refused"] = true
		}
	}
	return found
}

func TestPathsOnOfficialGraphs(t *testing.T) {
	eachDivision(t, func(t *testing.T, d division) {
		for _, scale := range devicetest.Sized([]int{8, 9, 10, 11, 12, 14}, []int{11}) {
			var roots []engine.Label
			for root := engine.Label(3); root < 1<<scale; root += 1<<scale/5 + 1 {
				roots = append(roots, root)
			}
			c := newCase(1<<scale, devicetest.OfficialWeighted(scale), roots...)
			parts := parts(c.run(t, d))
			for _, part := range []string{"push", "near", "pull", "tail"} {
				if !parts[part] && scale >= 10 {
					t.Errorf("scale %d: no search has a part %q", scale, part)
				}
			}
		}
	})
}

func TestPathsOnRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachDivision(t, func(t *testing.T, d division) {
		pulled := 0
		for i := range devicetest.Sized(10, 5) {
			vertices := 2 + r.IntN(1<<(1+r.IntN(13)))
			edges := devicetest.HubTuples(r, vertices, 1+r.IntN(12*vertices))
			if i%2 == 0 {
				edges = devicetest.Spread(edges, vertices)
			}
			for kind, weights := range devicetest.Weightings(len(edges), r) {
				if testing.Short() && r.IntN(3) > 0 {
					continue
				}
				c := newCase(vertices, engine.Tuples{Edges: edges, Weights: weights}, engine.Label(r.IntN(vertices)), engine.Label(r.IntN(vertices)))
				c.bufferSize = 12 * len(d.devices) * (1 + r.IntN(300)) // lists in many pieces
				t.Run(fmt.Sprint(i, " ", kind), func(t *testing.T) {
					if parts(c.run(t, d))["pull"] {
						pulled++
					}
				})
			}
		}
		if pulled == 0 {
			t.Error("no search has pulled")
		}
	})
}

// The pull would decide few vertices of a grid.
func TestPathsOnAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const vertices = 4 * 1024
	eachDivision(t, func(t *testing.T, d division) {
		edges := devicetest.Spread(devicetest.SmallGraphs()["grid"], vertices)
		weights := devicetest.Weightings(len(edges), r)["uniform"]
		if parts := parts(newCase(vertices, engine.Tuples{Edges: edges, Weights: weights}, edges[0].U, edges[len(edges)/2].V).run(t, d)); !parts["refused"] {
			t.Errorf("parts %v", parts)
		}
	})
}

// Rows longer than a block, all of whose arcs end at once, and a component that ends before the
// pull.
func TestPathsOfHubs(t *testing.T) {
	const vertices = 3 * 1024
	var edges []engine.Edge
	var weights []float32
	for v := range engine.Label(vertices - 10) {
		edges = append(edges, engine.Edge{U: 5, V: v}, engine.Edge{U: 1500, V: v}, engine.Edge{U: v, V: v ^ 1})
		weights = append(weights, 1, float32(v%7), 3)
	}
	edges, weights = append(edges, engine.Edge{U: vertices - 1, V: vertices - 2}), append(weights, 2)
	newCase(vertices, engine.Tuples{Edges: edges, Weights: weights}, 5, 1500, 7, vertices-1).run(t, divide(t, 2, 1))
}

// The end of the context ends a search with its cause, and the next search is right.
func TestPathsEnd(t *testing.T) {
	const vertices = 2048
	edges, weights := make([]engine.Edge, 200), make([]float32, 200) // a path: many rounds
	for i := range edges {
		edges[i], weights[i] = engine.Edge{U: engine.Label(i), V: engine.Label(i + 1)}, 1
	}
	c := newCase(vertices, engine.Tuples{Edges: devicetest.Spread(edges, vertices), Weights: weights}, 0)
	o, err := c.open(t.Context(), cluster.Alone(), openDevices(t, 2))
	t.Cleanup(func() {
		if err := o.close(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("ended")
	for polls := range 6 {
		if err := o.poison(false); err != nil {
			t.Fatal(err)
		}
		if err := o.search.Search(&endingContext{t.Context(), 3 * polls, cause}, 0); !errors.Is(err, cause) {
			t.Errorf("after %d checks: %v", 3*polls, err)
		}
	}
	r := c.emptyResults()
	if err := errors.Join(o.poison(false), o.search.Search(t.Context(), 0), o.read(r)); err != nil {
		t.Fatal(err)
	}
	if err := conformance.AnswerOf(c.vertices, c.tuples, 0).Judge(engine.SSSP, r.Parents, r.Distances); err != nil {
		t.Error(err)
	}
}

// endingContext ends after that many checks.
type endingContext struct {
	context.Context
	left  int
	cause error
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return c.cause
	}
	return nil
}

// The plan is what a search takes.
func TestPathsPlan(t *testing.T) {
	devices := openDevices(t, 2)
	c := newCase(4096, engine.Tuples{Edges: devicetest.OfficialTuples(12), Weights: make([]float32, 16<<12)}, 1)
	o, err := c.open(t.Context(), cluster.Alone(), devices)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range o.search.(*Paths).members {
		before := devices[i].Free()
		if err := m.held.Free(); err != nil {
			t.Fatal(err)
		}
		m.held = nil
		g := o.graphs[i]
		if want := engine.Peak(PathsPlan(4096, uint64(g.Info.Connected), uint64(g.ByWeight.Heads.Len())), engine.DeviceMemory); devices[i].Free()-before != want {
			t.Errorf("device %d: %d bytes, planned %d", i, devices[i].Free()-before, want)
		}
	}
	if err := o.close(); err != nil {
		t.Fatal(err)
	}
}
