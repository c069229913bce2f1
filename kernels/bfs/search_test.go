//go:build cuda

package bfs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/construct/constructtest"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// searchCase is a graph on the device, with a search of it, and the same graph in
// host memory.
type searchCase struct {
	device *device.Device
	team   *device.Team // of the device
	tuples *generate.Tuples
	graph  *construct.Graph
	// takeBack frees the graph if the host has built it.
	takeBack func() error
	tails    *device.HostArray[engine.Label] // of split rows
	free     uint64                          // bytes of the arena before the graph is packed
	packing  *packing
	packed   packed
	hubs     hubPlan // of the packed graph
	// withoutHubRows: pack has no memory for HubRows and HubArcs.
	withoutHubRows bool
	parents        device.Array[engine.Label]
	held           *device.Held // parents
	searcher       *Search
	turn           int // of the kernels in a short test
	vertices       int
	edges          []engine.Edge
	answer         conformance.Answer // of the last root
}

// newSearchCase constructs the graph and a search of it. In short tests the host builds large
// graphs.
func newSearchCase(t testing.TB, d *device.Device, vertices int, tuples []engine.Edge) *searchCase {
	t.Helper()
	if testing.Short() && len(tuples) > mostConstructed {
		return newSearchCaseOf(t, d, vertices, tuples, func(c *searchCase) (*construct.Graph, error) {
			return c.give(t, vertices, tuples)
		})
	}
	return newConstructedCase(t, d, vertices, tuples)
}

// newConstructedCase constructs the graph on the device, and a search of it.
func newConstructedCase(t testing.TB, d *device.Device, vertices int, tuples []engine.Edge) *searchCase {
	t.Helper()
	return newSearchCaseOf(t, d, vertices, tuples, func(c *searchCase) (*construct.Graph, error) {
		return constructtest.OnOne(t, d, vertices, c.tuples, construct.Form{Hubs: MostHubs}, construct.Input{})
	})
}

// newSplitCase is newSearchCase with rows that are split, with that many words in the
// device's memory.
func newSplitCase(t testing.TB, d *device.Device, vertices int, tuples []engine.Edge, words uint64) *searchCase {
	t.Helper()
	return newSearchCaseOf(t, d, vertices, tuples, func(c *searchCase) (g *construct.Graph, err error) {
		most := construct.MostTails(uint64(vertices), uint64(len(tuples)), words)
		if c.tails, err = device.Uncleared[engine.Label](d, int(max(1, most))); err != nil {
			return nil, err
		}
		form := construct.Form{Hubs: MostHubs, Split: construct.Split{Words: words}}
		return constructtest.OnOne(t, d, vertices, c.tuples, form, construct.Input{Tails: []*device.HostArray[engine.Label]{c.tails}})
	})
}

// newSearchCaseOf makes a search of the graph that build constructs from c.tuples.
func newSearchCaseOf(t testing.TB, d *device.Device, vertices int, tuples []engine.Edge, build func(c *searchCase) (*construct.Graph, error)) *searchCase {
	t.Helper()
	c := &searchCase{device: d, team: devicetest.Team(t, []*device.Device{d}), turn: vertices, vertices: vertices, edges: tuples}
	var err error
	c.tuples = generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: tuples})
	if c.graph, err = build(c); err != nil {
		t.Fatal(err)
	}
	c.held, err = d.Take(device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&c.parents, "parents", uint64(vertices))}})
	if err != nil {
		t.Fatal(err)
	}
	c.free = d.Free()
	plan := planSearch(uint64(vertices), d.Properties().L2)
	plan.hubs = hubPlan{usedHubs, 1 << 18, true}
	c.pack(t, plan.hubs, 0)
	c.newSearcher(t, plan)
	return c
}

// pack packs the graph again. The case has no search afterwards.
func (c *searchCase) pack(t testing.TB, plan hubPlan, reserve uint64) {
	t.Helper()
	c.closeSearcher(t)
	if err := c.packing.close(); err != nil {
		t.Fatal(err)
	}
	devicetest.Dirty(t, c.device, 1<<16)
	var err error
	if c.packing, err = pack(c.device, c.graph, plan, &c.packed, reserve); err != nil {
		t.Fatal(err)
	}
	c.hubs = plan
	if t, ok := t.(*testing.T); ok {
		c.checkPacked(t)
	}
}

// packWithFewHubs packs the graph with few hubs and minor hubs, mostly with HubRows
// and HubArcs, so that a small graph has other vertices, too. Then it makes a search.
func (c *searchCase) packWithFewHubs(t *testing.T, r *rand.Rand) {
	t.Helper()
	plan := c.member().plan
	c.pack(t, hubPlan{r.IntN(50), r.IntN(200), r.IntN(4) > 0}, 0)
	c.newSearcher(t, plan)
}

// closeSearcher closes the search, if there is one, but keeps the packed graph.
func (c *searchCase) closeSearcher(t testing.TB) {
	t.Helper()
	if c.searcher == nil {
		return
	}
	if err := c.searcher.Close(); err != nil {
		t.Fatal(err)
	}
	c.searcher = nil
}

// newSearcher makes a search by a plan, except for its hubs, and closes the one
// before. It poisons all memory that a search writes.
func (c *searchCase) newSearcher(t testing.TB, plan searchPlan) {
	t.Helper()
	c.closeSearcher(t)
	plan.hubs, plan.split = c.hubs, c.graph.IsSplit()
	c.startSearcher(t, plan, false)
	st := &c.member().state
	for _, a := range []interface{ Fill(byte) error }{st.Visited[0], st.Visited[1], st.Deferred, st.Queue[0], st.Queue[1],
		st.Scratch, st.SliceArcs, st.HubBits, st.MinorBits, st.Filter, st.BinEnds, st.OrderedStart, st.HasOrdered, st.List, st.LongRows, st.LongParents, c.parents} {
		if err := a.Fill(devicetest.Poison); err != nil {
			t.Fatal(err)
		}
	}
}

// startSearcher makes a search of the packed graph by a plan, or a counted one.
func (c *searchCase) startSearcher(t testing.TB, plan searchPlan, counted bool) {
	t.Helper()
	m := &member{device: c.device, graph: c.graph, plan: plan}
	m.state.packed = c.packed
	c.searcher = &Search{team: c.team, members: []*member{m}, counted: counted}
	if err := m.prepare(c.searcher, c.packing, c.parents); err != nil {
		t.Fatal(err)
	}
	if err := c.searcher.introduce(); err != nil {
		t.Fatal(err)
	}
}

// member returns the search on the only device, or on the first one.
func (c *searchCase) member() *member { return c.searcher.members[0] }

func (c *searchCase) close(t testing.TB) {
	t.Helper()
	c.closeSearcher(t)
	closeGraph := c.graph.Close
	if c.takeBack != nil {
		closeGraph = c.takeBack
	}
	if err := errors.Join(c.packing.close(), c.held.Free(), closeGraph(), c.tuples.Close(), c.tails.Free()); err != nil {
		t.Error(err)
	}
}

// adjacency lists the neighbours of every vertex v, with repeated ones, from start[v]
// to start[v+1]-1.
func adjacency(vertices int, tuples []engine.Edge) (start []int, neighbors []engine.Label) {
	start = make([]int, vertices+2)
	for _, e := range tuples {
		start[e.U+2]++
		start[e.V+2]++
	}
	for v := 2; v < len(start); v++ {
		start[v] += start[v-1]
	}
	neighbors = make([]engine.Label, 2*len(tuples))
	for _, e := range tuples {
		neighbors[start[e.U+1]] = e.V
		start[e.U+1]++
		neighbors[start[e.V+1]] = e.U
		start[e.V+1]++
	}
	return start, neighbors
}

// answerOf is what a search from root must find. It is kept for the next search from there.
func (c *searchCase) answerOf(root engine.Label) conformance.Answer {
	if c.answer.Depths == nil || c.answer.Root != root {
		c.answer = conformance.AnswerOf(c.vertices, engine.Tuples{Edges: c.edges}, root)
	}
	return c.answer
}

// search searches from root by each kernel, last by that of the plan, and checks
// parents and levels. Short tests take one of the other kernels in turn.
func (c *searchCase) search(t *testing.T, root engine.Label) {
	t.Helper()
	plan := c.member().plan
	others := []searchPlan{
		{"bfsMany", c.hubs, plan.filterBits, 17, 16, false, plan.split}, {"bfs", c.hubs, plan.filterBits, 0, 0, true, plan.split},
		{"bfs", c.hubs, 0, 0, 1, false, plan.split}, {"bfsFew", c.hubs, plan.filterBits, 0, 0, false, plan.split},
	}
	if testing.Short() {
		c.turn++
		others = others[c.turn%len(others):][:1]
	}
	for _, other := range others {
		if other != plan {
			c.newSearcher(t, other)
			c.searchOnce(t, root)
			c.newSearcher(t, plan)
		}
	}
	c.searchOnce(t, root)
}

func (c *searchCase) searchOnce(t *testing.T, root engine.Label) {
	t.Helper()
	if err := c.parents.Fill(0xFF); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(c.searcher.Ready(), c.searcher.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	if err := c.answerOf(root).Judge(engine.BFS, devicetest.Host(t, c.parents), nil); err != nil {
		t.Fatal(err)
	}
	c.checkRecords(t, c.answerOf(root).Depths)
	c.checkProfile(t, root)
}

// checkProfile compares the levels of the last search with the numbers of vertices by depth.
func (c *searchCase) checkProfile(t *testing.T, root engine.Label) {
	t.Helper()
	profile, err := c.searcher.Profile()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.answerOf(root).JudgeLevels(profile); err != nil {
		t.Fatal(err)
	}
	var examined int64
	for i, l := range profile.Levels {
		if l.Bytes < 0 || l.Seconds < 0 {
			t.Fatalf("root %d: level %d is %+v", root, i, l)
		}
		examined += l.Examined
	}
	if n := profile.LevelCount; int64(len(profile.Levels)) != min(n, engine.MaxLevels) || n <= engine.MaxLevels && profile.Examined != examined {
		t.Fatalf("root %d: %d of %d levels, %d neighbours examined, %d by level", root, len(profile.Levels), n, profile.Examined, examined)
	}
	if profile.DeviceSeconds <= 0 {
		t.Fatalf("root %d: %v s by the device's clock", root, profile.DeviceSeconds)
	}
}

func star(vertices int, centre engine.Label) (tuples []engine.Edge) {
	for v := range engine.Label(vertices) {
		tuples = append(tuples, engine.Edge{U: centre, V: v})
	}
	return tuples
}

func path(vertices int) (tuples []engine.Edge) {
	for v := range engine.Label(vertices - 1) {
		tuples = append(tuples, engine.Edge{U: v + 1, V: v})
	}
	return tuples
}

// anyRoots returns count random vertices that have a neighbour.
func (c *searchCase) anyRoots(t *testing.T, r *rand.Rand, count int) []engine.Label {
	rows := devicetest.Host(t, c.graph.ByDegree.Rows)
	roots := make([]engine.Label, count)
	for i := range roots {
		roots[i] = rows[r.IntN(len(rows))].Label
	}
	return roots
}

func TestSearchOnRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range devicetest.Sized(100, 12) {
		vertices := 2 + r.IntN(1<<(1+r.IntN(14)))
		c := newSearchCase(t, d, vertices, devicetest.RandomTuples(r, vertices))
		for i, root := range c.anyRoots(t, r, 3) {
			if i > 0 {
				c.packWithFewHubs(t, r)
			}
			c.search(t, root)
		}
		c.close(t)
		if t.Failed() {
			t.Fatalf("graph %d, of %d vertices", i, vertices)
		}
	}
}

// The graphs are large, or change between the directions; the small ones are in package conformance.
func TestSearchOnNastyGraphs(t *testing.T) {
	d := devicetest.Open(t)
	many, leaves, steps, side := devicetest.Sized(1<<20, 1<<16), devicetest.Sized(1<<20, 3000), devicetest.Sized(20000, 50), devicetest.Sized(1000, 10)
	var grid []engine.Edge
	for y := range side {
		for x := range side - 1 {
			grid = append(grid,
				engine.Edge{U: engine.Label(y*side + x), V: engine.Label(y*side + x + 1)},
				engine.Edge{U: engine.Label(x*side + y), V: engine.Label((x+1)*side + y)})
		}
	}
	// A long path leads to the centre of a star, whose leaves are paths: the search
	// goes top-down, bottom-up, and top-down again.
	handle, teeth := devicetest.Sized(3000, 60), devicetest.Sized(100000, 3000)
	combs := path(handle)
	for v := range engine.Label(teeth) {
		at := engine.Label(handle) + 3*v
		combs = append(combs, engine.Edge{U: engine.Label(handle - 1), V: at}, engine.Edge{U: at, V: at + 1}, engine.Edge{U: at + 1, V: at + 2})
	}
	last := engine.Label(handle + 3*teeth)
	for v := range engine.Label(handle) {
		combs = append(combs, engine.Edge{U: last + v - 1, V: last + v})
	}

	for _, c := range []struct {
		name     string
		vertices int
		tuples   []engine.Edge
		roots    []engine.Label
	}{
		{"one edge among many vertices", many + 7, []engine.Edge{{U: engine.Label(many + 6), V: 31}, {U: 5, V: 5}}, []engine.Label{31, engine.Label(many + 6)}},
		{"star", leaves + 1, star(leaves+1, 77), []engine.Label{77, 0, engine.Label(leaves)}},
		{"path", steps, path(steps), []engine.Label{0, engine.Label(steps / 2)}},
		{"grid", side * side, grid, []engine.Label{0, engine.Label(side*side/2 + side/2)}},
		{"star between paths", handle + 3*teeth + handle, combs, []engine.Label{0, engine.Label(handle - 1), last}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSearchCase(t, d, c.vertices, c.tuples)
			defer s.close(t)
			for _, root := range c.roots {
				s.search(t, root)
			}
		})
	}
}

func TestSearchOfMoreLevelsThanAreRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("a million levels")
	}
	const vertices = 1e6
	c := newSearchCase(t, devicetest.Open(t), vertices, path(vertices))
	c.search(t, 0)
	p, err := c.searcher.Profile()
	if err != nil || len(p.Levels) != engine.MaxLevels || p.LevelCount < vertices-1 {
		t.Errorf("%d levels of %d, %v", len(p.Levels), p.LevelCount, err)
	}
	if p.Examined < vertices-1 {
		t.Errorf("%d neighbours examined for %d vertices", p.Examined, int(vertices))
	}
	c.close(t)
}

func TestSearchStopsWithItsContext(t *testing.T) {
	vertices := devicetest.Sized(20000, 300) // the kernel looks for the end every 256 levels
	c := newSearchCase(t, devicetest.Open(t), vertices, path(vertices))
	defer c.close(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := c.searcher.Search(ctx, 0); err != stop {
		t.Errorf("with a context that has ended: %v", err)
	}
	for range devicetest.Sized(3, 1) {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, stop)
		if err := c.searcher.Search(ctx, 0); err != stop {
			t.Errorf("with a context that ends: %v", err)
		}
		cancel()
		c.searchOnce(t, engine.Label(vertices-1))
	}
}

// BenchmarkSearch reports the time of a search by the host's clock and by the
// device's clock.
func BenchmarkSearch(b *testing.B) {
	d := devicetest.Open(b)
	for _, scale := range []int{4, 16, 20} {
		b.Run(fmt.Sprint(scale), func(b *testing.B) {
			c := newSearchCase(b, d, 1<<scale, devicetest.OfficialTuples(scale))
			hub := make([]engine.Label, 1)
			if err := c.graph.ByDegree.Hubs.Read(0, hub); err != nil {
				b.Fatal(err)
			}
			var wall time.Duration
			var device float64 // s
			for b.Loop() {
				if err := errors.Join(c.parents.Fill(0xFF), d.Synchronize()); err != nil {
					b.Fatal(err)
				}
				began := time.Now()
				if err := c.searcher.Search(b.Context(), hub[0]); err != nil {
					b.Fatal(err)
				}
				wall += time.Since(began)
				profile, err := c.searcher.Profile()
				if err != nil {
					b.Fatal(err)
				}
				device += profile.DeviceSeconds
			}
			b.ReportMetric(float64(wall.Microseconds())/float64(b.N), "wall-us")
			b.ReportMetric(1e6*device/float64(b.N), "device-us")
			c.close(b)
		})
	}
}
