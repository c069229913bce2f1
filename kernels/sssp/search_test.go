//go:build cuda

package sssp

import (
	"context"
	"errors"
	"fmt"
	"math"
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

// searchCase is a graph on devices with a search of it, and its tuples in host memory.
type searchCase struct {
	devices  []*device.Device
	several  bool // by the kernels for several devices
	team     *device.Team
	vertices int
	tuples   engine.Tuples
	shares   []*generate.Tuples
	graphs   []*construct.Graph
	results  *devicetest.Results
	tails    []*device.HostArray[construct.Arc]
	searcher *Search
}

// eachDevices runs a test by the kernels for one device, and by those for several on 1, 2 and 3 devices.
func eachDevices(t *testing.T, test func(t *testing.T, devices []*device.Device, several bool)) {
	t.Run("one device", func(t *testing.T) { test(t, devicetest.OpenPeers(t, 1), false) })
	devicetest.EachPeers(t, []int{1, 2, 3}, func(t *testing.T, devices []*device.Device) { test(t, devices, true) })
}

// rowsWhole is the arcs of newSearchCase for rows that are not split.
const rowsWhole = 0

// newSearchCase constructs the graph, with split rows that take that many times the least arcs of a
// device's memory or with whole ones, and a search of it with the given capacities of each device.
func newSearchCase(t *testing.T, devices []*device.Device, several bool, vertices int, tuples engine.Tuples, split uint64, lengths func(own uint64) capacity) *searchCase {
	t.Helper()
	if several && len(devices) == 1 {
		vertices, tuples = padded(vertices, tuples)
	}
	c := &searchCase{devices: devices, several: several, team: devicetest.Team(t, devices), vertices: vertices, tuples: tuples}
	c.shares = generatetest.LoadShares(t, devices, generate.Config{}, tuples)
	in := construct.Input{Vertices: uint64(vertices), Tuples: c.shares}
	rows := construct.Form{Order: construct.ByWeight, Devices: len(devices), Groups: construct.LeastGroups + len(tuples.Edges)%5}
	if split != rowsWhole {
		rows.Split.Words = split * c.splitRows(t)
		in.ArcTails = c.tails
	}
	var err error
	if c.graphs, err = construct.Build(t.Context(), c.team, in, rows); err != nil {
		t.Fatal(err)
	}
	c.results = devicetest.NewResults(t, devices, vertices, engine.SSSP)
	for _, d := range devices {
		devicetest.Dirty(t, d, 1<<16)
	}
	c.start(t, lengths, false)
	return c
}

// start makes a search of the graph, or a counted one.
func (c *searchCase) start(t *testing.T, lengths func(own uint64) capacity, counted bool) {
	t.Helper()
	var err error
	f := form{counted: counted, several: c.several, policy: policyOfTest(len(c.devices), c.several, len(c.tuples.Edges)), capacities: lengths}
	if c.searcher, err = newSearch(t.Context(), c.team, c.graphs, c.results.Parents, c.results.Distances, f); err != nil {
		t.Fatal(err)
	}
}

// policyOfTest returns the policy of a small graph for every third number of edges, and else that of a large one. One device may
// push from all hubs, from most, or from none.
func policyOfTest(devices int, several bool, edges int) policy {
	rows := uint64(1 << 30)
	if edges%3 == 0 {
		rows = 1
	}
	if several {
		devices = max(devices, 2)
	}
	p := policyOf(rows, devices, true)
	p.looksTwo = edges%2 == 0
	if !several {
		p.leastPushed = [...]uint32{math.MaxUint32, 64, 0, 0, 0}[edges%7%5]
	}
	return p
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

// splitRows makes c.tails and returns the least arcs of device memory for split rows, on the device that
// needs most.
func (c *searchCase) splitRows(t *testing.T) (most uint64) {
	t.Helper()
	degrees := make([]int, c.vertices)
	for _, e := range c.tuples.Edges {
		if e.U != e.V {
			degrees[e.U]++
			degrees[e.V]++
		}
	}
	for k, labels := range construct.Ranges(uint64(c.vertices), len(c.devices)) {
		arcs := uint64(1)
		for _, d := range degrees[labels.First:labels.End] {
			arcs += uint64(min(d, construct.LeastPrefix+1))
		}
		most = max(most, arcs)
		tails, err := device.Uncleared[construct.Arc](c.devices[k], int(1+construct.MostTails(labels.End-labels.First, uint64(len(c.tuples.Edges)), 0)))
		if err != nil {
			t.Fatal(err)
		}
		c.tails = append(c.tails, tails)
	}
	return most
}

func (c *searchCase) close(t *testing.T) {
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

// hasRow reports whether a vertex has an edge to another one.
func (c *searchCase) hasRow(v engine.Label) bool { return devicetest.HasEdge(c.tuples.Edges, v) }

// check searches from root and checks distances, parents and the profile. It returns the
// steps of the search.
func (c *searchCase) check(t *testing.T, root engine.Label) (steps []string) {
	t.Helper()
	parents, distances := make([]engine.Label, c.vertices), make([]float32, c.vertices)
	for v := range parents {
		parents[v], distances[v] = engine.None, engine.Unreached
	}
	for k := range c.devices {
		if err := errors.Join(c.results.Parents[k].Write(0, parents), c.results.Distances[k].Write(0, distances)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(c.searcher.Ready(), c.searcher.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	for k, g := range c.graphs {
		first, end := g.Labels.First, g.Labels.End
		if err := errors.Join(c.results.Parents[k].Read(int(first), parents[first:end]), c.results.Distances[k].Read(int(first), distances[first:end])); err != nil {
			t.Fatal(err)
		}
	}
	if err := conformance.AnswerOf(c.vertices, c.tuples, root).Judge(engine.SSSP, parents, distances); err != nil {
		t.Fatal(err)
	}
	profile, err := c.searcher.Profile()
	if err != nil || profile.LevelCount == 0 || c.several && profile.Examined == 0 || !c.searcher.fellBack && profile.DeviceSeconds <= 0 {
		t.Fatalf("root %d: profile %+v, %v", root, profile, err)
	}
	for _, l := range profile.Levels {
		steps = append(steps, l.Step)
	}
	return steps
}

// usual returns the capacities of a search of a graph with that many rows, with that many hubs.
func usual(rows int, hubs uint64, devices int) func(own uint64) capacity {
	return func(own uint64) capacity {
		c := capacities(uint64(rows), own, devices, policy{})
		c.hubs = hubs
		return c
	}
}

// The mean weight is taken of the first 2^16 arcs, which weigh 0 here.
func TestSearchIfTheSampleIsZero(t *testing.T) {
	const leaves, tail = 1 << 16, 20
	var tuples engine.Tuples
	for v := engine.Label(1); v <= leaves+tail; v++ {
		from, w := engine.Label(0), float32(0)
		if v > leaves {
			from, w = v-1, 1/float32(v-leaves)
		}
		tuples.Edges, tuples.Weights = append(tuples.Edges, engine.Edge{U: from, V: v}), append(tuples.Weights, w)
	}
	c := newSearchCase(t, devicetest.OpenPeers(t, 1), false, leaves+tail+1, tuples, rowsWhole, usual(leaves+tail+1, 0, 1))
	defer c.close(t)
	if c.graphs[0].ByWeight.MeanWeight != 0 {
		t.Fatalf("mean weight %v", c.graphs[0].ByWeight.MeanWeight)
	}
	c.check(t, 0)
}

// TestRandomGraphs also searches with lists that run full.
func TestRandomGraphs(t *testing.T) {
	eachDevices(t, func(t *testing.T, devices []*device.Device, several bool) {
		r := rand.New(rand.NewPCG(3, 4))
		withoutLists, cases := 0, 0
		for i := range devicetest.Sized(50, 3) {
			vertices := 2 + r.IntN(1<<(4+r.IntN(8)))
			if several {
				vertices += 1024 * len(devices)
			}
			edges := devicetest.HubTuples(r, vertices, 1+r.IntN(16*vertices))
			if i%2 == 0 && several {
				edges = devicetest.Spread(edges, vertices)
			}
			for kind, weights := range devicetest.Weightings(len(edges), r) {
				if testing.Short() && several && r.IntN(3) > 0 {
					continue
				}
				cases++
				t.Run(fmt.Sprint(i, " ", kind), func(t *testing.T) {
					full, hubs := cases%2 == 0, []uint64{0, uint64(vertices) / 8, uint64(vertices) / 2, uint64(vertices)}[r.IntN(4)]
					if several {
						hubs = inEqualParts(min(hubs, uint64(vertices)/2), len(devices))
					} else {
						hubs = hubs / 32 * 32
					}
					limits := capacity{log: 1 + r.Uint64N(uint64(vertices)), queue: 1 + r.Uint64N(uint64(vertices)), kept: device.MaxBlocks * 16 * (1 + r.Uint64N(3)), hubs: hubs}
					lengths := usual(vertices, hubs, len(devices))
					if full {
						lengths = func(uint64) capacity { return limits }
					}
					c := newSearchCase(t, devices, several, vertices, engine.Tuples{Edges: edges, Weights: weights}, uint64(r.IntN(3)), lengths)
					defer c.close(t)
					for range 2 {
						e := edges[r.IntN(len(edges))]
						root := []engine.Label{e.U, e.V}[r.IntN(2)] // of a star the centre or a leaf
						if c.hasRow(root) && (slices.Contains(c.check(t, root), "no lists") || c.searcher.fellBack) {
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

// Searches of split rows make the same steps as those of other rows: all.
func TestOfficialGraphs(t *testing.T) {
	eachDevices(t, func(t *testing.T, devices []*device.Device, several bool) {
		for _, scale := range devicetest.Sized([]int{10, 12, 13, 14, 16}, []int{12}) {
			for _, split := range []uint64{rowsWhole, 1, 2} {
				if several && scale < 12 || testing.Short() && several && split == 2 {
					continue
				}
				tuples := devicetest.OfficialWeighted(scale)
				hubs := policyOfTest(len(devices), several, len(tuples.Edges)).hubs(1<<scale, len(devices))
				c := newSearchCase(t, devices, several, 1<<scale, tuples, split, usual(1<<scale, hubs, len(devices)))
				steps := map[string]bool{}
				for root := engine.Label(3); root < 1<<scale; root += 1 << scale / 5 {
					if c.hasRow(root) {
						for _, step := range c.check(t, root) {
							steps[step] = true
						}
					}
				}
				for _, step := range stepNames[:stepDense] {
					if !steps[step] {
						t.Errorf("scale %d, split %d: no search has a step %q", scale, split, step)
					}
				}
				if steps["no lists"] {
					t.Errorf("scale %d, split %d: a list ran full", scale, split)
				}
				c.close(t)
			}
		}
	})
}

// A search is made again without lists if what the pushes or the hubs change does not fit into the queues,
// or the requests of the devices to each other.
func TestExchangeRunsFull(t *testing.T) {
	const scale = 12
	devices := devicetest.OpenPeers(t, 2)
	lengths := func(own uint64) capacity {
		c := usual(1<<scale, policyOf(1<<30, len(devices), true).hubs(1<<scale, len(devices)), len(devices))(own)
		c.queue = 128
		return c
	}
	c := newSearchCase(t, devices, true, 1<<scale, devicetest.OfficialWeighted(scale), rowsWhole, lengths)
	defer c.close(t)
	before := map[string]int{} // by the last step with lists
	for root := engine.Label(3); root < 1<<scale; root += 1 << scale / 16 {
		if !c.hasRow(root) {
			continue
		}
		if steps := c.check(t, root); steps[len(steps)-1] == "no lists" {
			before[steps[len(steps)-2]]++
		}
	}
	if before["push"] == 0 || before["hubs"] == 0 {
		t.Errorf("lists ran full after %v", before)
	}
}

// The near step from this root leaves one row with arcs to push. Its block may push them when
// the other blocks have ended their first sweeps of light arcs without any change.
func TestSearchAfterOneItem(t *testing.T) {
	const scale, root = 10, 395
	c := newSearchCase(t, devicetest.OpenPeers(t, 1), false, 1<<scale, devicetest.OfficialWeighted(scale), rowsWhole, usual(1<<scale, 0, 1))
	defer c.close(t)
	for range devicetest.Sized(1000, 30) { // in the emulation, one in 30 had such an order
		c.check(t, root)
	}
}

// A search ends with its context, and the next one is right.
func TestSearchStopsWithItsContext(t *testing.T) {
	eachDevices(t, func(t *testing.T, devices []*device.Device, several bool) {
		const vertices = 3 * 1024
		edges, weights := make([]engine.Edge, 60), make([]float32, 60) // a path: many rounds
		for i := range edges {
			edges[i], weights[i] = engine.Edge{U: engine.Label(i), V: engine.Label(i + 1)}, 1
		}
		c := newSearchCase(t, devices, several, vertices, engine.Tuples{Edges: devicetest.Spread(edges, vertices), Weights: weights}, rowsWhole, usual(61, 0, len(devices)))
		defer c.close(t)
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		if err := c.searcher.Search(ctx, 0); !errors.Is(err, stop) {
			t.Fatalf("err = %v", err)
		}
		if several {
			// A GPU may end this search before the host asks it to stop. It must be complete then.
			err := c.searcher.kernel.Run(ctx, 0)
			isIncomplete := func(m *member) bool { return m.state.Done.Host()[0] != doneComplete }
			if !errors.Is(err, stop) && (err != nil || slices.ContainsFunc(c.searcher.members, isIncomplete)) {
				t.Fatalf("err = %v", err)
			}
			c.searcher.dirty = true
		}
		c.check(t, c.tuples.Edges[30].U)
	})
}

// A counted search of split rows gives the same results, and counts.
func TestCountedSearchOfSplitRows(t *testing.T) {
	const scale = 10
	lengths := usual(1<<scale, 0, 1)
	c := newSearchCase(t, devicetest.OpenPeers(t, 1), false, 1<<scale, devicetest.OfficialWeighted(scale), 1, lengths)
	defer c.close(t)
	devicetest.Close(t, c.searcher)
	c.start(t, lengths, true)
	c.check(t, 3)
	counts, err := c.searcher.Counts()
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
	devices := devicetest.OpenPeers(t, 1)
	edges, n := rowsOfManyLengths()
	weights := devicetest.Weightings(len(edges), rand.New(rand.NewPCG(19, 20)))
	for _, kind := range []string{"zero", "equal", "uniform"} {
		t.Run(kind, func(t *testing.T) {
			c := newSearchCase(t, devices, false, n, engine.Tuples{Edges: edges, Weights: weights[kind]}, 1, usual(n, 0, 1))
			defer c.close(t)
			c.check(t, 1)
			c.check(t, engine.Label(n-1))
		})
	}
}
