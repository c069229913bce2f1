//go:build cuda

package bfs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// teamCase is a graph on several devices, with a search of it, and the same graph in host
// memory.
type teamCase struct {
	searchCase // team, searcher, vertices and edges only
	devices    []*device.Device
	shares     []*generate.Tuples
	graphs     []*construct.Graph
	results    *devicetest.Results
	tails      []*device.HostArray[engine.Label]
}

// eachCount runs a test on 2 and on 3 devices.
func eachCount(t *testing.T, test func(t *testing.T, devices []*device.Device)) {
	devicetest.EachPeers(t, []int{2, 3}, test)
}

// split is how much of the rows of a test is in the memory of a device.
type split int

const (
	whole       split = iota
	leastPrefix       // as little as split rows can have there
	twiceThat
)

// newTeamCase constructs the graph, and a search of it by the plan of New.
func newTeamCase(t *testing.T, devices []*device.Device, vertices int, tuples []engine.Edge, rows split) *teamCase {
	t.Helper()
	c := &teamCase{devices: devices, searchCase: searchCase{vertices: vertices, edges: tuples}}
	c.team = devicetest.Team(t, devices)
	c.shares = generatetest.LoadShares(t, devices, generate.Config{}, engine.Tuples{Edges: tuples})
	form := construct.Form{Devices: len(devices), Groups: 1, Hubs: MostHubs}
	if rows != whole {
		form.Split.Words = c.splitRows(t, vertices, rows)
	}
	in := construct.Input{Vertices: uint64(vertices), Tuples: c.shares, Tails: c.tails}
	var err error
	if c.graphs, err = construct.Build(t.Context(), c.team, in, form); err != nil {
		t.Fatal(err)
	}
	c.results = devicetest.NewResults(t, devices, vertices, engine.BFS)
	if c.searcher, err = New(t.Context(), c.team, c.graphs, c.results.Parents, Options{L2: devices[0].Properties().L2}); err != nil {
		t.Fatal(err)
	}
	return c
}

// splitRows makes c.tails and returns the words of a device's memory for split rows: those of the
// device that needs most.
func (c *teamCase) splitRows(t *testing.T, vertices int, rows split) (most uint64) {
	t.Helper()
	start, _ := adjacency(c.vertices, c.edges)
	for k, labels := range construct.Ranges(uint64(vertices), len(c.devices)) {
		words, arcs := uint64(1), uint64(0)
		for v := labels.First; v < labels.End; v++ {
			degree := start[v+1] - start[v]
			words, arcs = words+uint64(min(degree, construct.LeastPrefix+1)), arcs+uint64(degree)
		}
		most = max(most, words)
		tails, err := device.Uncleared[engine.Label](c.devices[k], int(max(1, construct.MostTails(labels.End-labels.First, (arcs+1)/2, 0))))
		if err != nil {
			t.Fatal(err)
		}
		c.tails = append(c.tails, tails)
	}
	if rows == twiceThat {
		most = 2*most + 100
	}
	return most
}

// use replaces the search by one of another plan and of a list of unvisited vertices of at
// most listCapacity entries. It poisons all memory that the search writes.
func (c *teamCase) use(t *testing.T, change func(*searchPlan), listCapacity uint32) {
	t.Helper()
	if err := c.searcher.Close(); err != nil {
		t.Fatal(err)
	}
	c.searcher = &Search{team: c.team}
	for i, d := range c.devices {
		devicetest.Dirty(t, d, 1<<16)
		plan := planFor(uint64(c.graphs[i].Info.Vertices), d.Properties().L2, len(c.devices), c.graphs[i].IsSplit())
		change(&plan)
		m := &member{device: d, graph: c.graphs[i], plan: plan}
		c.searcher.members = append(c.searcher.members, m)
		if err := m.packAndPrepare(c.searcher, c.results.Parents[i], 0); err != nil {
			t.Fatal(err)
		}
		st := &m.state
		st.ListCapacity = min(st.ListCapacity, listCapacity)
		for _, a := range []interface{ Fill(byte) error }{st.Visited[0], st.Visited[1], st.Deferred, st.Queue[0], st.Queue[1],
			st.Scratch, st.SliceArcs, st.HubBits, st.MinorBits, st.Filter, st.List, st.LongRows, st.LongParents, m.self.Found, m.self.FoundParents} {
			if err := a.Fill(devicetest.Poison); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.searcher.introduce(); err != nil {
		t.Fatal(err)
	}
}

// useAny is use with random few hubs, so that a small graph has other vertices, too, and
// with steps that the plan of a small graph does not have.
func (c *teamCase) useAny(t *testing.T, r *rand.Rand) {
	t.Helper()
	hubs := hubPlan{r.IntN(50), r.IntN(200), r.IntN(4) > 0}
	share, capacity, kernel := r.IntN(5), uint32(r.IntN(64)), []string{"bfsPeers", "bfsPeersFew"}[r.IntN(2)]
	filter := []int{0, 1 << 10, 1 << 17}[r.IntN(3)]
	if r.IntN(2) > 0 {
		capacity = math.MaxUint32
	}
	c.use(t, func(p *searchPlan) { *p = searchPlan{kernel, hubs, filter, 0, share, share%2 > 0, false} }, capacity)
}

func (c *teamCase) close(t *testing.T) {
	t.Helper()
	errs := []error{c.searcher.Close(), c.results.Close()}
	for k := range c.devices {
		errs = append(errs, c.graphs[k].Close(), c.shares[k].Close())
	}
	for _, tails := range c.tails {
		errs = append(errs, tails.Free())
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// search searches from root, and checks the parents of each device's range, and the levels.
func (c *teamCase) search(t *testing.T, root engine.Label) {
	t.Helper()
	for _, p := range c.results.Parents {
		if err := p.Fill(0xFF); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range c.devices {
		if err := d.Synchronize(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(c.searcher.Ready(), c.searcher.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	var parents []engine.Label
	for k, g := range c.graphs {
		parents = append(parents, devicetest.Host(t, c.results.Parents[k])[g.Labels.First:g.Labels.End]...)
	}
	if err := c.answerOf(root).Judge(engine.BFS, parents, nil); err != nil {
		t.Fatal(err)
	}
	c.checkProfile(t, root)
	if profile, err := c.searcher.Profile(); err != nil || profile.Examined <= 0 {
		t.Fatalf("root %d: %d neighbours examined, %v", root, profile.Examined, err)
	}
}

// hasStep reports whether the last search had a level of that step.
func (c *teamCase) hasStep(t *testing.T, step step) bool {
	t.Helper()
	profile, err := c.searcher.Profile()
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(profile.Levels, func(l engine.Level) bool { return l.Step == stepNames[step] })
}

// anyRoots returns count random vertices that have a neighbour.
func (c *teamCase) anyRoots(t *testing.T, r *rand.Rand, count int) (roots []engine.Label) {
	t.Helper()
	var rows []construct.Row
	for _, g := range c.graphs {
		rows = append(rows, devicetest.Host(t, g.ByDegree.Rows)...)
	}
	for range count {
		roots = append(roots, rows[r.IntN(len(rows))].Label)
	}
	return roots
}

func TestTeamOnRandomGraphs(t *testing.T) {
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		r := rand.New(rand.NewPCG(3, 4))
		for i := range devicetest.Sized(70, 4) {
			vertices := 1024*len(devices) + r.IntN(1<<(1+r.IntN(13)))
			c := newTeamCase(t, devices, vertices, devicetest.RandomTuples(r, vertices), []split{whole, leastPrefix, whole, twiceThat}[i%4])
			for i, root := range c.anyRoots(t, r, 4) {
				if i > 0 {
					c.useAny(t, r)
				}
				c.search(t, root)
			}
			c.close(t)
			if t.Failed() {
				t.Fatalf("graph %d, of %d vertices", i, vertices)
			}
		}
	})
}

// scattered returns the labels 0 to n-1 in an order that changes the range often.
func scattered(n int) []engine.Label {
	order := make([]engine.Label, n)
	for i := range order {
		order[i] = engine.Label(i * 2741 % n)
	}
	return order
}

// along returns the path through the vertices in that order.
func along(vertices []engine.Label) (tuples []engine.Edge) {
	for i, v := range vertices[1:] {
		tuples = append(tuples, engine.Edge{U: vertices[i], V: v})
	}
	return tuples
}

// longRows returns a graph with long rows that a bottom-up level finds: root is joined to
// most vertices, and of those a few are joined to vertices with more neighbours than that.
func longRows(vertices int) (tuples []engine.Edge) {
	const root, leaves, rows = 0, 6000, 5
	for v := engine.Label(1); v <= leaves; v++ {
		tuples = append(tuples, engine.Edge{U: root, V: v})
	}
	at := engine.Label(leaves + rows + 1)
	for i := range engine.Label(rows) {
		long := leaves + 1 + i
		tuples = append(tuples, engine.Edge{U: long, V: 1 + 1000*i})
		for j := range engine.Label(5000) {
			w := at + (5000*i+j)%(engine.Label(vertices)-at)
			tuples = append(tuples, engine.Edge{U: long, V: w}, engine.Edge{U: w, V: at + (w-at+1)%(engine.Label(vertices)-at)})
		}
	}
	// The labels change their range often.
	label := scattered(vertices)
	for i, e := range tuples {
		tuples[i] = engine.Edge{U: label[e.U], V: label[e.V]}
	}
	return tuples
}

// Graphs whose ranges differ are searched with several plans. Small graphs of other forms are in
// package conformance.
func TestTeamOnNastyGraphs(t *testing.T) {
	plans := devicetest.Sized(2, 1)
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		r := rand.New(rand.NewPCG(5, 6))
		each := devicetest.Sized(4096, 2048) // labels of a range
		vertices := each * len(devices)
		last, end := engine.Label(vertices-1), engine.Label(vertices)
		short := devicetest.Sized(vertices, 60)
		// Nearly all rows are in range 0, so the lists of the others are short.
		skewed := star(each, 0)
		for v := engine.Label(1); v < engine.Label(each/2); v++ {
			skewed = append(skewed, engine.Edge{U: v, V: (v*7 + 1) % engine.Label(each)})
		}
		skewed = append(skewed, along([]engine.Label{0, last, last - 1, engine.Label(each + 1)})...)
		// A path leads to the centre of a star, whose leaves are paths of two.
		order := scattered(vertices)
		comb := along(order[:30])
		for i := 30; i+1 < vertices-30; i += 2 {
			comb = append(comb, engine.Edge{U: order[29], V: order[i]}, engine.Edge{U: order[i], V: order[i+1]})
		}
		comb = append(comb, along(order[vertices-31:])...)
		type graph struct {
			name     string
			vertices int
			tuples   []engine.Edge
			roots    []engine.Label
		}
		graphs := []graph{
			{"path through the ranges", vertices, path(vertices)[each-short/2 : each+short/2], []engine.Label{engine.Label(each - short/4), engine.Label(each + short/4)}},
			{"scattered path", vertices, along(order[:short]), []engine.Label{order[0]}},
			{"star between paths", vertices, comb, []engine.Label{order[0], order[29], order[vertices-1]}},
			{"long rows", vertices + 8192, longRows(vertices + 8192), []engine.Label{0}},
			{"dense and sparse ranges", vertices, skewed, []engine.Label{0, last}},
			{"star with a last tile of one label", vertices + 1, star(vertices+1, end), []engine.Label{end, 3}},
		}
		for empty := range devices { // a range without any row
			var tuples []engine.Edge
			for _, e := range devicetest.RandomTuples(r, vertices) {
				if int(e.U)/each != empty && int(e.V)/each != empty {
					tuples = append(tuples, e)
				}
			}
			in := engine.Label((empty + 1) % len(devices) * each)
			tuples = append(tuples, engine.Edge{U: in, V: in + 1})
			centre := star(each, 0) // in one range, with more neighbours than a block has threads
			for i := range centre {
				centre[i].U, centre[i].V = centre[i].U+in, centre[i].V+in
			}
			graphs = append(graphs, graph{fmt.Sprintf("no rows in range %d", empty), vertices, tuples, []engine.Label{in}},
				graph{fmt.Sprintf("star beside range %d", empty), vertices, centre, []engine.Label{in}})
		}
		for number, g := range graphs {
			for _, rows := range []split{whole, leastPrefix} {
				if testing.Short() && (rows == whole) != (number%2 == 0) { // each graph in one form
					continue
				}
				t.Run(fmt.Sprintf("%s, split %d", g.name, rows), func(t *testing.T) {
					c := newTeamCase(t, devices, g.vertices, g.tuples, rows)
					defer c.close(t)
					for i := range plans * len(g.roots) {
						if i > 0 && i%len(g.roots) == 0 || testing.Short() && i > 0 {
							c.useAny(t, r)
						}
						c.search(t, g.roots[i%len(g.roots)])
					}
				})
			}
		}
	})
}

// A path leads to the centre of a star, from which other paths go on. Without a list of
// unvisited vertices, a search goes back top-down behind the star.
func TestTeamReturnTopDown(t *testing.T) {
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		vertices := 4096 * len(devices)
		order := scattered(vertices)
		tuples := along(order[:20])
		for _, v := range order[20 : vertices-200] {
			tuples = append(tuples, engine.Edge{U: order[19], V: v})
		}
		for i := vertices - 200; i < vertices; i += 20 {
			tuples = append(append(tuples, along(order[i:i+20])...), engine.Edge{U: order[i], V: order[30+i%7]})
		}
		c := newTeamCase(t, devices, vertices, tuples, whole)
		defer c.close(t)
		for _, capacity := range []uint32{0, math.MaxUint32} {
			c.use(t, func(*searchPlan) {}, capacity)
			c.search(t, order[0])
			profile, err := c.searcher.Profile()
			if err != nil {
				t.Fatal(err)
			}
			again := false
			for i, l := range profile.Levels[1:] {
				again = again || l.Direction == engine.TopDown && profile.Levels[i].Direction == engine.BottomUp
			}
			if listed := c.hasStep(t, stepTail); again != (capacity == 0) || listed == again {
				t.Errorf("capacity %d: %+v", capacity, profile.Levels)
			}
		}
	})
}

// A small frontier of vertices that are hubs, except for few arcs, makes a level look for
// hubs only.
func TestTeamLookForHubsOnly(t *testing.T) {
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		vertices := 4096 * len(devices)
		order := scattered(vertices)
		// A path leads to the centre of a star of nearly all, whose leaves have another
		// neighbour each.
		tuples := along(order[:20])
		for i, v := range order[20:] {
			tuples = append(tuples, engine.Edge{U: order[19], V: v})
			if i%2 == 0 {
				tuples = append(tuples, engine.Edge{U: v, V: order[20+(i+1)%(vertices-20)]})
			}
		}
		c := newTeamCase(t, devices, vertices, tuples, whole)
		defer c.close(t)
		for _, hubs := range []int{1, 50, usedHubs} {
			c.use(t, func(p *searchPlan) { p.hubs, p.nonHubShare = hubPlan{hubs, 10, true}, 1 }, math.MaxUint32)
			c.search(t, order[0])
			if !c.hasStep(t, stepDenseHubs) {
				profile, _ := c.searcher.Profile()
				t.Errorf("%d hubs: no level looks for hubs only: %+v", hubs, profile.Levels)
			}
		}
	})
}

// The numbers of the barriers wrap in the course of many searches.
func TestTeamManySearches(t *testing.T) {
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		r := rand.New(rand.NewPCG(9, 10))
		vertices := 1024 * len(devices)
		c := newTeamCase(t, devices, vertices, devicetest.RandomTuples(r, vertices), whole)
		defer c.close(t)
		for _, root := range c.anyRoots(t, r, devicetest.Sized(300, 40)) {
			c.search(t, root)
		}
	})
}

func TestTeamOfMoreLevelsThanAreRecorded(t *testing.T) {
	if testing.Short() {
		t.Skip("many levels")
	}
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		const vertices = 100_000
		c := newTeamCase(t, devices, vertices, path(vertices), whole)
		defer c.close(t)
		c.search(t, 0)
		p, err := c.searcher.Profile()
		if err != nil || len(p.Levels) != engine.MaxLevels || p.LevelCount < vertices-1 || p.Examined < vertices-1 {
			t.Errorf("%d levels of %d, %d neighbours examined, %v", len(p.Levels), p.LevelCount, p.Examined, err)
		}
	})
}

func TestTeamStopWithTheirContext(t *testing.T) {
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		vertices := devicetest.Sized(50000, 3072)
		last := engine.Label(vertices - 1)
		tuples := path(devicetest.Sized(vertices-2, 400)) // the kernel looks for the end every 256 levels
		c := newTeamCase(t, devices, vertices, append(tuples, engine.Edge{U: last - 1, V: last}), whole)
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
			c.search(t, last)
		}
	})
}

// One device may have no memory for HubRows, or no rows. All devices then take the same way.
func TestTeamOneWithoutHubRows(t *testing.T) {
	eachCount(t, func(t *testing.T, devices []*device.Device) {
		r := rand.New(rand.NewPCG(13, 14))
		const scale = 12
		c := newTeamCase(t, devices, 1<<scale, devicetest.OfficialTuples(scale), whole)
		defer c.close(t)
		c.use(t, func(p *searchPlan) {
			p.hubs, p.nonHubShare = hubPlan{50, 10, len(c.searcher.members) > 0}, 1
		}, math.MaxUint32)
		for _, root := range c.anyRoots(t, r, 4) {
			c.search(t, root)
			if c.hasStep(t, stepDenseHubs) {
				t.Errorf("root %d: a level looks for hubs only", root)
			}
		}
	})
}

// A fault of one device ends the search soon with an error, and the others do not wait for
// it. The devices are lost, so the search runs in a process of its own.
func TestTeamEndAfterAFault(t *testing.T) {
	const variable = "BFS_TEST_FAULT"
	if os.Getenv(variable) == "" {
		devicetest.OpenPeers(t, 2)
		process := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=2m")
		process.Env = append(os.Environ(), variable+"=1")
		if out, err := process.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	var devices []*device.Device
	for ordinal := range 2 {
		d, err := device.Open(ordinal, device.Options{})
		if err == nil {
			err = d.Reserve(64 << 20)
		}
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d)
	}
	const vertices = 4096
	c := newTeamCase(t, devices, vertices, path(vertices)[vertices/2-10:vertices/2+10], whole)
	m := c.searcher.members[1]
	m.state.Rows = m.state.Rows.Based(1 << 40) // far from any memory
	if err := m.module.SetConstant("g", m.state); err != nil {
		t.Fatal(err)
	}
	var fault *device.Error
	if err := c.searcher.Search(t.Context(), vertices/2-5); !errors.As(err, &fault) || !fault.Lost() {
		t.Errorf("a fault on one device: %v", err)
	}
	if err := c.searcher.Search(t.Context(), vertices/2-5); err == nil {
		t.Error("a search on lost devices")
	}
}
