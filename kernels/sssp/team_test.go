//go:build cuda

package sssp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// teamCase is a graph on several devices with a search of it, and its tuples in host memory.
type teamCase struct {
	searchCase // team, vertices and tuples only
	devices    []*device.Device
	shares     []*generate.Tuples
	graphs     []*construct.Graph
	results    *devicetest.Results
	tails      []*device.HostArray[construct.Arc]
	searcher   *Search
}

// eachTeam runs a test of the kernels for several devices on 1, 2 and 3 devices.
func eachTeam(t *testing.T, test func(t *testing.T, devices []*device.Device)) {
	devicetest.EachPeers(t, []int{1, 2, 3}, test)
}

// newTeamCase constructs the graph, with or without split rows, and a search of it with the given
// capacities of each device.
func newTeamCase(t *testing.T, devices []*device.Device, vertices int, tuples engine.Tuples, split bool, lengths func(own uint64) capacity) *teamCase {
	t.Helper()
	if len(devices) == 1 {
		vertices, tuples = padded(vertices, tuples)
	}
	c := &teamCase{devices: devices, searchCase: searchCase{team: devicetest.Team(t, devices), vertices: vertices, tuples: tuples}}
	c.shares = generatetest.LoadShares(t, devices, generate.Config{}, tuples)
	in := construct.Input{Vertices: uint64(vertices), Tuples: c.shares}
	rows := construct.Form{Order: construct.ByWeight, Devices: len(devices), Groups: 1 + len(tuples.Edges)%5}
	if split {
		rows.Split.Words, in.ArcTails = c.splitRows(t)
	}
	var err error
	if c.graphs, err = construct.Build(t.Context(), c.team, in, rows); err != nil {
		t.Fatal(err)
	}
	c.results = devicetest.NewResults(t, devices, vertices, engine.SSSP)
	for _, d := range devices {
		devicetest.Dirty(t, d, 1<<16)
	}
	f := form{several: true, capacities: lengths}
	if lengths == nil {
		f.capacities = func(own uint64) capacity { return capacities(uint64(c.graphs[0].Info.Connected), own, len(devices)) }
	}
	if c.searcher, err = newSearch(t.Context(), c.team, c.graphs, c.results.Parents, c.results.Distances, f); err != nil {
		t.Fatal(err)
	}
	return c
}

// padded adds leaves to a graph until the number of its rows is a multiple of 32. Kernels for several
// devices need that on each of them, and kernel 1 does not add rows on one device.
func padded(vertices int, tuples engine.Tuples) (int, engine.Tuples) {
	rows, centre := map[engine.Label]bool{}, engine.None
	for _, e := range tuples.Edges {
		if e.U != e.V {
			rows[e.U], rows[e.V], centre = true, true, e.U
		}
	}
	tuples = engine.Tuples{Edges: slices.Clone(tuples.Edges), Weights: slices.Clone(tuples.Weights)}
	for range (32 - len(rows)%32) % 32 {
		tuples.Edges, tuples.Weights = append(tuples.Edges, engine.Edge{U: centre, V: engine.Label(vertices)}), append(tuples.Weights, tuples.Weights[0])
		vertices++
	}
	return vertices, tuples
}

// splitRows returns memory for split rows: arcs for the least prefix on the device that needs most,
// or about twice as many.
func (c *teamCase) splitRows(t *testing.T) (arcs uint64, into []*device.HostArray[construct.Arc]) {
	t.Helper()
	edges := uint64(len(c.tuples.Edges))
	for k, labels := range construct.Ranges(uint64(c.vertices), len(c.devices)) {
		own := make([]engine.Edge, 0, 2*edges) // an arc each, of the labels of the device
		for _, e := range c.tuples.Edges {
			for _, v := range []engine.Label{e.U, e.V} {
				if e.U != e.V && labels.First <= uint64(v) && uint64(v) < labels.End {
					own = append(own, engine.Edge{U: v, V: engine.Label(c.vertices)})
				}
			}
		}
		arcs = max(arcs, leastArcs(c.vertices+1, own))
		tails, err := device.Uncleared[construct.Arc](c.devices[k], int(1+construct.MostTails(labels.End-labels.First, edges, 0)))
		if err != nil {
			t.Fatal(err)
		}
		c.tails = append(c.tails, tails)
	}
	if edges%2 == 0 {
		arcs *= 2
	}
	return arcs, c.tails
}

func (c *teamCase) close(t *testing.T) {
	t.Helper()
	errs := []error{c.searcher.Close(), c.results.Close()}
	for k := range slices.Backward(c.devices) {
		errs = append(errs, c.graphs[k].Close(), c.shares[k].Close())
	}
	for _, tails := range c.tails {
		errs = append(errs, tails.Free())
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// search searches from root and returns the results of all ranges.
func (c *teamCase) search(t *testing.T, root engine.Label) (parents []engine.Label, distances []float32) {
	t.Helper()
	parents, distances = make([]engine.Label, c.vertices), make([]float32, c.vertices)
	for v := range parents {
		parents[v], distances[v] = engine.None, engine.Unreached
	}
	for k := range c.devices {
		if err := errors.Join(c.results.Parents[k].Write(0, parents), c.results.Distances[k].Write(0, distances)); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.searcher.Search(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	for k, g := range c.graphs {
		first, end := g.Labels.First, g.Labels.End
		if err := errors.Join(c.results.Parents[k].Read(int(first), parents[first:end]), c.results.Distances[k].Read(int(first), distances[first:end])); err != nil {
			t.Fatal(err)
		}
	}
	return parents, distances
}

// check searches from root and checks distances, parents and the profile. It returns the
// steps of the search.
func (c *teamCase) check(t *testing.T, root engine.Label) (steps []string) {
	t.Helper()
	parents, distances := c.search(t, root)
	if err := conformance.AnswerOf(c.vertices, c.tuples, root).Judge(engine.SSSP, parents, distances); err != nil {
		t.Fatal(err)
	}
	profile, err := c.searcher.Profile()
	if err != nil || profile.LevelCount == 0 || profile.Examined == 0 || profile.DeviceSeconds <= 0 {
		t.Fatalf("root %d: profile %+v, %v", root, profile, err)
	}
	for _, l := range profile.Levels {
		steps = append(steps, l.Step)
	}
	return steps
}

// TestTeamRandomGraphs also searches with lists that run full.
func TestTeamRandomGraphs(t *testing.T) {
	eachTeam(t, func(t *testing.T, devices []*device.Device) {
		r := rand.New(rand.NewPCG(3, 4))
		withoutLists, cases := 0, 0
		for i := range devicetest.Sized(40, 3) {
			vertices := 1024*len(devices) + r.IntN(1<<(4+r.IntN(8)))
			edges := devicetest.HubTuples(r, vertices, 1+r.IntN(16*vertices))
			if i%2 == 0 {
				edges = devicetest.Spread(edges, vertices)
			}
			for kind, weights := range devicetest.Weightings(len(edges), r) {
				if testing.Short() && r.IntN(3) > 0 {
					continue
				}
				cases++
				t.Run(fmt.Sprint(i, " ", kind), func(t *testing.T) {
					full, hubs := cases%2 == 0, inEqualParts([]uint64{0, uint64(vertices) / 8, uint64(vertices) / 2}[r.IntN(3)], len(devices))
					limits := capacity{log: 1 + r.Uint64N(uint64(vertices)), queue: 1 + r.Uint64N(uint64(vertices)), kept: device.MaxBlocks * 16 * (1 + r.Uint64N(3))}
					c := newTeamCase(t, devices, vertices, engine.Tuples{Edges: edges, Weights: weights}, r.IntN(2) > 0, func(own uint64) capacity {
						c := capacities(uint64(vertices), own, len(devices))
						if full {
							c = limits
						}
						c.hubs = hubs
						return c
					})
					defer c.close(t)
					for range 2 {
						if root := engine.Label(r.IntN(vertices)); c.hasRow(root) && slices.Contains(c.check(t, root), "no lists") {
							withoutLists++
						}
					}
				})
			}
		}
		if withoutLists == 0 {
			t.Error("no list ran full")
		}
	})
}

func TestTeamOfficialGraphs(t *testing.T) { searchOfficialByTeam(t, false) }

// Searches of split rows make the same steps as those of other rows.
func TestTeamOfSplitRowsOnOfficialGraphs(t *testing.T) { searchOfficialByTeam(t, true) }

func searchOfficialByTeam(t *testing.T, split bool) {
	t.Helper()
	eachTeam(t, func(t *testing.T, devices []*device.Device) {
		for _, scale := range devicetest.Sized([]int{12, 13, 14, 16}, []int{12}) {
			tuples := devicetest.OfficialWeighted(scale)
			withHubs := func(own uint64) capacity {
				c := capacities(1<<scale, own, len(devices))
				c.hubs = hubsOf(1<<scale, len(devices))
				return c
			}
			c := newTeamCase(t, devices, 1<<scale, tuples, split, withHubs)
			steps := map[string]bool{}
			for root := engine.Label(3); root < 1<<scale; root += 1 << scale / 5 {
				if c.hasRow(root) {
					for _, step := range c.check(t, root) {
						steps[step] = true
					}
				}
			}
			for _, step := range []string{"near", "push", "hubs", "pull", "tail"} {
				if !steps[step] {
					t.Errorf("scale %d: no search has a step %q", scale, step)
				}
			}
			if steps["no lists"] {
				t.Errorf("scale %d: a list ran full", scale)
			}
			c.close(t)
		}
	})
}

func TestTeamStopWithTheirContext(t *testing.T) {
	devices := devicetest.OpenPeers(t, 2)
	const vertices = 2048
	edges, weights := make([]engine.Edge, 60), make([]float32, 60) // a path: many rounds
	for i := range edges {
		edges[i], weights[i] = engine.Edge{U: engine.Label(i), V: engine.Label(i + 1)}, 1
	}
	c := newTeamCase(t, devices, vertices, engine.Tuples{Edges: devicetest.Spread(edges, vertices), Weights: weights}, false, nil)
	defer c.close(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := c.searcher.Search(ctx, 0); !errors.Is(err, stop) {
		t.Fatalf("err = %v", err)
	}
	if err := c.searcher.kernel.Run(ctx, 0); !errors.Is(err, stop) {
		t.Fatalf("err = %v", err)
	}
	c.searcher.dirty = true
	c.check(t, 0)
}
