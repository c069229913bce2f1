//go:build cuda

package hubs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
	"unsafe"

	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/hubs/reference"
)

// upload copies a part to the device, but for the last of the lists' pieces, which stay in host
// memory. free frees it.
func upload(t testing.TB, d *device.Device, p *reference.Part, prefix uint32, onHost ListSizes) (g *Graph, free func()) {
	t.Helper()
	g = &Graph{ChunkLabels: p.ChunkLabels, FirstLabel: p.FirstLabel, FirstRow: p.FirstRow, RowPrefix: prefix, PrefixWrap: NoWrap, TailWrap: NoWrap}
	prefixAt, prefixes, tails := p.SplitRows(prefix)
	onHost.RowLists = uint64(len(tails))
	g.Sizes = Sizes{
		Labels: uint64(len(p.Vertices)), Chunks: p.Chunks(), Hubs: p.Hubs,
		HubRows: p.HubRows, SingleRows: p.SingleRows, OtherRows: p.OtherRows,
		Leaves: uint64(len(p.Leaves)), Firsts: uint64(len(p.Firsts)), ListSizes: listSizes(p), OnHost: onHost,
	}
	group := g.Group(g.Sizes)
	if prefix != WholeRows {
		group.Arrays = append(group.Arrays, g.PrefixGroup(g.Sizes).Arrays...)
	}
	held, err := d.Take(group)
	if err != nil {
		t.Fatal(err)
	}
	write(t, g.ChunkRows, p.ChunkRows)
	write(t, g.FirstAt, p.FirstAt)
	write(t, g.FirstPlaces, p.FirstPlaces)
	write(t, g.Firsts, local(p.Firsts))
	write(t, g.Heads, p.Heads)
	write(t, g.Seconds, p.Seconds)
	write(t, g.FurtherAt, p.FurtherAt)
	host, err := device.Pinned[[4]uint32](d, int(1+onHost.Sum()))
	if err != nil {
		t.Fatal(err)
	}
	writeLists(t, &g.Further, p.Further, host, 0, onHost.Further)
	write(t, g.SingleHub, p.SingleHub)
	write(t, g.RowListAt, p.RowListAt)
	writeLists(t, &g.RowLists, slices.Concat(prefixes, tails), host, onHost.Further, onHost.RowLists)
	write(t, g.FirstRows, p.FirstRows)
	write(t, g.HubListAt, p.HubListAt)
	writeLists(t, &g.HubLists, p.HubLists, host, onHost.Further+onHost.RowLists, onHost.HubLists)
	write(t, g.HubRowAt, p.HubRowAt)
	write(t, g.HubRangeAt, p.HubRangeAt)
	writeLists(t, &g.HubRowList, p.HubRowList, host, onHost.Sum()-onHost.HubRowList, onHost.HubRowList)
	write(t, g.HubLabels, local(p.HubLabels))
	write(t, g.RowLabels, local(p.RowLabels))
	write(t, g.LeavesAt, p.LeavesAt)
	write(t, g.Leaves, local(p.Leaves))
	write(t, g.Vertices, p.Vertices)
	switch {
	case prefix == WholeRows:
	case len(p.RowLists)%2 == 0:
		write(t, g.RowPrefixAt, prefixAt)
	default:
		pass32Bits(t, g, p.RowListAt, prefixAt)
	}
	return g, func() {
		if err := errors.Join(held.Free(), host.Free()); err != nil {
			t.Error(err)
		}
	}
}

// pass32Bits numbers the pieces of lists of split rows as if so many were before them that those of half the rows have
// passed 2^32, on the device and in host memory. One list is on both sides if it is long enough.
func pass32Bits(t testing.TB, g *Graph, listAt, prefixAt []uint32) {
	t.Helper()
	half, tailAt := len(prefixAt)/2, make([]uint32, len(listAt))
	for i := range tailAt {
		tailAt[i] = listAt[i] - prefixAt[i]
	}
	before, tailsBefore := 1<<32-1-uint64(prefixAt[half]), 1<<32-1-uint64(tailAt[half])
	low, wrap := moved(prefixAt, before)
	lowTails, tailWrap := moved(tailAt, tailsBefore)
	g.PrefixWrap, g.TailWrap = wrap, tailWrap
	write(t, g.RowPrefixAt, low)
	for i := range low {
		low[i] += lowTails[i]
	}
	write(t, g.RowListAt, low)
	g.RowLists.OnDevice, g.RowLists.OnHost = g.RowLists.OnDevice.Based(before), g.RowLists.OnHost.Based(tailsBefore)
}

// moved returns the low bits of starts that so many pieces are before, and their wrap.
func moved(starts []uint32, before uint64) (low []uint32, wrap Wrap) {
	for _, at := range starts {
		low = append(low, uint32(before+uint64(at)))
	}
	wrap = NoWrap
	if i := slices.IndexFunc(starts, func(at uint32) bool { return before+uint64(at) >= 1<<32 }); i >= 0 {
		wrap = Wrap(i)
	}
	return low, wrap
}

func listSizes(p *reference.Part) ListSizes {
	return ListSizes{uint64(len(p.Further)), uint64(len(p.RowLists)), uint64(len(p.HubLists)), uint64(len(p.HubRowList))}
}

// writeLists writes lists to the device, but for the last pieces, which go to host memory.
func writeLists[T any](t testing.TB, l *Lists[T], pieces []T, host *device.HostArray[[4]uint32], at, onHost uint64) {
	t.Helper()
	onDevice := len(pieces) - int(onHost)
	write(t, l.OnDevice, pieces[:onDevice])
	for i, x := range pieces[onDevice:] {
		host.Host()[int(at)+i] = *(*[4]uint32)(unsafe.Pointer(&x))
	}
	part, err := host.Mapped().Slice(int(at), int(onHost))
	if err != nil {
		t.Fatal(err)
	}
	l.OnHost = device.As[T](part)
}

func write[T any](t testing.TB, a device.Array[T], elements []T) {
	t.Helper()
	if a.Len() != len(elements) {
		t.Fatalf("an array has %d elements, not %d", a.Len(), len(elements))
	}
	if err := a.Write(0, elements); err != nil {
		t.Fatal(err)
	}
}

func local(labels []uint32) []engine.Label {
	all := make([]engine.Label, len(labels))
	for i, v := range labels {
		all[i] = engine.Label(v)
	}
	return all
}

// eachCount runs a test on one device, on 2 and on 3.
func eachCount(t *testing.T, test func(t *testing.T, team *device.Team)) {
	t.Run("one", func(t *testing.T) { test(t, devicetest.Team(t, []*device.Device{devicetest.Open(t)})) })
	devicetest.EachPeers(t, []int{2, 3}, func(t *testing.T, devices []*device.Device) { test(t, devicetest.Team(t, devices)) })
}

// searchCase is a graph on the devices of a team and in host memory, with searches of it.
type searchCase struct {
	team     *device.Team
	name     string
	vertices int
	tuples   []engine.Edge
	ends     []uint64 // of the devices' labels
	graphs   []*Graph
	frees    []func()
	parents  []Parents // of 64 bits in some cases
	held     []*device.Held
	steps    map[string]bool // that have occurred
}

// endsOf returns the ends of random ranges of labels, one for each device, which begin at multiples of 4.
func endsOf(r *rand.Rand, vertices, devices int) []uint64 {
	ends := []uint64{uint64(vertices)}
	for range devices - 1 {
		ends = append(ends, uint64(r.IntN(vertices+1)/4*4))
	}
	slices.Sort(ends)
	return ends
}

// somePieces returns random numbers of pieces of a part's lists, often none or all of a kind, and
// none of lists of rows.
func somePieces(r *rand.Rand, p *reference.Part) (z ListSizes) {
	all := listSizes(p)
	for _, of := range []struct{ to, all *uint64 }{{&z.Further, &all.Further}, {&z.HubLists, &all.HubLists}, {&z.HubRowList, &all.HubRowList}} {
		*of.to = min(*of.all, r.Uint64N(2**of.all+1))
		if r.IntN(4) == 0 {
			*of.to = 0
		}
	}
	return z
}

// placement says what of the lists lies in host memory.
type placement int

const (
	wholeRows  placement = iota // nothing, the rows are not split
	noneOnHost                  // nothing
	someOnHost                  // random parts
	allOnHost
)

// of returns the prefix of the lists of a part's rows, and the numbers of the other pieces in host memory.
func (l placement) of(r *rand.Rand, p *reference.Part) (prefix uint32, onHost ListSizes) {
	switch l {
	case wholeRows:
		return WholeRows, onHost
	case noneOnHost:
		return WholeRows - 1, onHost
	case allOnHost:
		onHost = listSizes(p)
		onHost.RowLists = 0
		return 0, onHost
	}
	onHost = somePieces(r, p)
	return uint32(r.IntN(5)), onHost
}

// newSearchCase has lists in host memory in half of the cases.
func newSearchCase(t testing.TB, team *device.Team, r *rand.Rand, name string, vertices int, tuples []engine.Edge, hubs int, chunkLabels uint64) *searchCase {
	t.Helper()
	return newSearchCaseOf(t, team, r, name, vertices, tuples, hubs, chunkLabels, func(places *rand.Rand) placement { return someOnHost * placement(places.IntN(2)) })
}

func newSearchCaseOf(t testing.TB, team *device.Team, r *rand.Rand, name string, vertices int, tuples []engine.Edge, hubs int, chunkLabels uint64, placed func(places *rand.Rand) placement) *searchCase {
	t.Helper()
	c := &searchCase{team: team, steps: map[string]bool{}, ends: endsOf(r, vertices, team.Count())}
	c.name = fmt.Sprintf("%s, %d vertices, %d tuples, %d hubs, chunks of %d, devices to %v", name, vertices, len(tuples), hubs, chunkLabels, c.ends)
	c.vertices, c.tuples = vertices, tuples
	c.parents = make([]Parents, team.Count())
	places := rand.New(rand.NewPCG(uint64(vertices), uint64(len(tuples))))
	wide, place := r.IntN(2) == 0, placed(places)
	c.name += fmt.Sprintf(", 64 bits: %t, placement %d", wide, place)
	for i, part := range reference.Build(uint64(vertices), tuples, hubs, chunkLabels, c.ends) {
		d := team.Devices()[i]
		prefix, onHost := place.of(places, part)
		g, free := upload(t, d, part, prefix, onHost)
		c.graphs, c.frees = append(c.graphs, g), append(c.frees, free)
		declared := device.Of(&c.parents[i].Narrow, "parents", uint64(vertices))
		if wide {
			declared = device.Of(&c.parents[i].Wide, "parents of 64 bits", part.EndLabel-part.FirstLabel)
		}
		held, err := d.Take(device.Group{Alive: engine.Searching, Arrays: []device.Declared{declared}})
		if err != nil {
			t.Fatal(err)
		}
		c.held = append(c.held, held)
	}
	return c
}

func (c *searchCase) close(t testing.TB) {
	t.Helper()
	for i, held := range slices.Backward(c.held) {
		if err := held.Free(); err != nil {
			t.Error(err)
		}
		c.frees[i]()
	}
}

// clear sets all parents to engine.None.
func (c *searchCase) clear(t testing.TB) {
	t.Helper()
	for _, p := range c.parents {
		if err := errors.Join(p.Narrow.Fill(0xFF), p.Wide.Fill(0xFF)); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range c.team.Devices() {
		if err := d.Synchronize(); err != nil {
			t.Fatal(err)
		}
	}
}

// tree returns the parents of all vertices, each from the device of the vertex.
func (c *searchCase) tree(t testing.TB) (parents []engine.Label) {
	t.Helper()
	for i, end := range c.ends {
		if c.parents[i].Narrow.Len() > 0 {
			parents = append(parents, devicetest.Host(t, c.parents[i].Narrow)[len(parents):end]...)
			continue
		}
		for _, parent := range devicetest.Host(t, c.parents[i].Wide) {
			switch {
			case parent == -1:
				parents = append(parents, engine.None)
			case parent < 0 || parent >= int64(c.vertices):
				t.Fatalf("%s: parent %#x", c.name, parent)
			default:
				parents = append(parents, engine.Label(parent))
			}
		}
	}
	return parents
}

// check searches from the roots and checks the trees.
func (c *searchCase) check(t *testing.T, p plan, roots []engine.Label) {
	t.Helper()
	for _, d := range c.team.Devices() {
		devicetest.Dirty(t, d, 1<<16)
	}
	s, err := newSearch(c.team, c.graphs, c.parents, images, p)
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	for _, m := range s.members {
		st := &m.state
		if err := st.MarkedBy.Fill(0); err != nil { // of earlier searches
			t.Fatal(err)
		}
		for _, a := range []interface{ Fill(byte) error }{st.Before, st.Visited, st.Late[0], st.Late[1], st.LeftHubs, st.HubsBefore,
			st.Frontiers, st.HubParents, st.Queue, st.LeftRows, st.List, st.LongRows, m.offers, m.peers.Frontiers, m.peers.LeftHubs, m.peers.FoundHubs, m.peers.LateRows} {
			if err := a.Fill(devicetest.Poison); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, root := range roots {
		c.clear(t)
		if err := errors.Join(s.Ready(), s.Search(t.Context(), root)); err != nil {
			t.Fatalf("%s, %+v, root %d: %v", c.name, p, root, err)
		}
		if err := c.checkTree(root, c.tree(t)); err != nil {
			t.Fatalf("%s, %+v, root %d: %v", c.name, p, root, err)
		}
		if profile, err := s.Profile(); err != nil || profile.LevelCount == 0 || profile.DeviceSeconds <= 0 {
			t.Fatalf("%s: profile %+v, %v", c.name, profile, err)
		} else {
			c.addSteps(profile)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// addSteps adds the steps of a search, among them "hubs left" and "top-down again" for a search whose dense
// level leaves hubs, or that goes on from the frontier after it, and "small component" for one without a
// dense level.
func (c *searchCase) addSteps(p engine.Profile) {
	dense, rows := false, false
	for _, l := range p.Levels {
		c.steps[l.Step] = true
		rows = rows || l.Step == stepNames[stepFirst]
		if dense && !rows && l.Step == stepNames[stepLate] {
			c.steps["hubs left"] = true
		}
		if dense && l.Step == stepNames[stepTopDown] {
			c.steps["top-down again"] = true
		}
		dense = dense || l.Step == stepNames[stepDense]
	}
	if !dense {
		c.steps["small component"] = true
	}
}

// checkTree returns an error if parents is not a tree of least depths from root.
func (c *searchCase) checkTree(root engine.Label, parents []engine.Label) error {
	return conformance.AnswerOf(c.vertices, engine.Tuples{Edges: c.tuples}, root).Judge(engine.BFS, parents, nil)
}

// connected returns the vertices with a neighbour, in random order, at most that many.
func (c *searchCase) connected(r *rand.Rand, most int) (roots []engine.Label) {
	rows := conformance.Graph{Vertices: c.vertices, Tuples: engine.Tuples{Edges: c.tuples}}.Rows()
	for _, v := range r.Perm(c.vertices) {
		if len(roots) < most && len(rows[v]) > 0 {
			roots = append(roots, engine.Label(v))
		}
	}
	return roots
}

// randomPlan returns a plan that goes to the dense pass early or late, or never.
func randomPlan(r *rand.Rand) plan {
	shares := []float64{0, 0.002, 0.02, 0.1, 0.3, 1}
	p := plan{bulk: r.IntN(4) > 0, lastShare: shares[r.IntN(len(shares))], lookShare: float64(r.IntN(1+r.IntN(10))) / 10,
		notesFar: r.IntN(2) == 0, aloneRows: uint32(r.IntN(2) * threads), lateLevels: uint32(r.IntN(3))}
	p.denseShare = max(p.lastShare, shares[r.IntN(len(shares))])
	return p
}

// The search is right on random graphs, with few hubs, so that all kinds of rows and all steps
// occur, with chunks of a few labels, and with any plan.
func TestRandom(t *testing.T) { eachCount(t, testRandom) }

func testRandom(t *testing.T, team *device.Team) {
	r := rand.New(rand.NewPCG(37, 1))
	steps := map[string]bool{}
	for range devicetest.Sized(1000, 60/team.Count()) {
		vertices := 2 + r.IntN(1<<(1+r.IntN(11)))
		tuples := devicetest.RandomTuples(r, vertices)
		c := newSearchCase(t, team, r, "random", vertices, tuples, r.IntN(1+r.IntN(60)), 4<<r.IntN(9))
		c.check(t, randomPlan(r), c.connected(r, devicetest.Sized(3, 1)))
		c.close(t)
		maps.Copy(steps, c.steps)
	}
	for _, step := range append(stepNames[:], "hubs left", "top-down again", "small component") {
		if !steps[step] {
			t.Errorf("no search had the step %q", step)
		}
	}
}

// The last top-down level is right with hubs of more than one tile, with more rows in the frontier than a block has
// threads, and with ranges of more rows than the least, of both kinds: vertex 0 is next to all other hubs and to some rows,
// which are next to three hubs each, and other rows to one.
func TestLargeLastLevel(t *testing.T) { eachCount(t, testLargeLastLevel) }

func testLargeLastLevel(t *testing.T, team *device.Team) {
	const hubs, rows, early, single = 3000, 20000, 1500, 18000
	r := rand.New(rand.NewPCG(37, 10))
	var tuples []engine.Edge
	for h := engine.Label(1); h <= hubs; h++ {
		tuples = append(tuples, edges(0, h)...)
	}
	for v := engine.Label(hubs + 1); v <= hubs+rows; v++ {
		for k := range engine.Label(3) {
			tuples = append(tuples, edges(v, 1+(v+k)%hubs)...) // some have hubs of the second tile only
		}
		if v <= hubs+early {
			tuples = append(tuples, edges(0, v)...)
		}
	}
	for v := engine.Label(hubs + rows + 1); v <= hubs+rows+single; v += 2 {
		tuples = append(tuples, edges(v, 1+v%hubs, v+1, 1+(v+1)%hubs, v, v+1)...) // else they would be leaves
	}
	c := newSearchCaseOf(t, team, r, "large last level", 1+hubs+rows+single, tuples, 1+hubs, 2048, func(*rand.Rand) placement { return wholeRows })
	c.check(t, plan{bulk: true, lastShare: 0, denseShare: 1, aloneRows: 512, lateLevels: 2}, []engine.Label{0})
	for i, g := range c.graphs {
		if ranges := g.Sizes.Ranges(); team.Count() == 1 && min(ranges.Several, ranges.Single) <= reference.RangeAlign {
			t.Errorf("device %d has the ranges %+v", i, ranges)
		}
	}
	c.close(t)
}

// edges returns tuples of pairs of vertices.
func edges(pairs ...engine.Label) (tuples []engine.Edge) {
	for i := 0; i < len(pairs); i += 2 {
		tuples = append(tuples, engine.Edge{U: pairs[i], V: pairs[i+1]})
	}
	return tuples
}

// path returns a path of that many vertices from first on, by step.
func path(first, vertices, step int) (tuples []engine.Edge) {
	for i := range vertices - 1 {
		tuples = append(tuples, edges(engine.Label(first+i*step), engine.Label(first+(i+1)*step))...)
	}
	return tuples
}

// star returns a star of that many vertices from first on, with its middle at center.
func star(first, vertices, center int) (tuples []engine.Edge) {
	for v := first; v < first+vertices; v++ {
		if v != center {
			tuples = append(tuples, edges(engine.Label(center), engine.Label(v))...)
		}
	}
	return tuples
}

func grid(width, height int) (tuples []engine.Edge) {
	for y := range height {
		tuples = append(tuples, path(y*width, width, 1)...)
	}
	for x := range width {
		tuples = append(tuples, path(x, height, width)...)
	}
	return tuples
}

func complete(first, vertices int) (tuples []engine.Edge) {
	for v := first; v < first+vertices; v++ {
		tuples = append(tuples, star(first, v-first+1, v)...)
	}
	return tuples
}

// The search is right where the root, or a leaf's neighbour, is a row next to more rows than all devices take.
func TestWideRow(t *testing.T) { eachCount(t, testWideRow) }

func testWideRow(t *testing.T, team *device.Team) {
	r := rand.New(rand.NewPCG(37, 11))
	for _, rim := range []int{mostToAll, mostToAll + 500} {
		leaf := engine.Label(rim + 1)
		wheel := slices.Concat(star(0, rim+1, 0), path(1, rim, 1), edges(0, leaf))
		c := newSearchCaseOf(t, team, r, "wheel", rim+2, wheel, 0, 512, func(*rand.Rand) placement { return wholeRows })
		c.check(t, randomPlan(r), []engine.Label{0, leaf, 7})
		c.close(t)
	}
}

// The search goes on top-down after a dense level that follows a level of all devices.
func TestGoOn(t *testing.T) { eachCount(t, testGoOn) }

func testGoOn(t *testing.T, team *device.Team) {
	r := rand.New(rand.NewPCG(37, 12))
	const vertices = 14
	c := newSearchCaseOf(t, team, r, "path", vertices, path(0, vertices, 1), 0, 4, func(*rand.Rand) placement { return wholeRows })
	c.check(t, plan{bulk: true, lastShare: 0, denseShare: 0}, []engine.Label{6, 7, 8, 9})
	c.close(t)
}

// The search is right on graphs unlike Kronecker graphs: small components, no hubs, many levels,
// stars, pairs, loops, duplicates.
func TestSpecial(t *testing.T) { eachCount(t, testSpecial) }

func testSpecial(t *testing.T, team *device.Team) {
	r := rand.New(rand.NewPCG(37, 2))
	long := 90 / team.Count() / team.Count() // vertices of a path, of which each is a level
	roots := 2
	if testing.Short() && team.Count() > 1 {
		roots = 1
	}
	for _, g := range []struct {
		name     string
		vertices int
		tuples   []engine.Edge
	}{
		{"pair", 2, edges(0, 1)},
		{"pair with loops and duplicates", 5, edges(0, 0, 3, 1, 1, 3, 3, 3, 3, 1)},
		{"pairs", 1500, slices.Concat(path(0, 2, 700), path(5, 2, 1), path(8, 2, 1), path(1498, 2, 1))},
		{"path", long, path(0, long, 1)},
		{"star", 2000, star(0, 2000, 77)},
		{"stars", 2100, slices.Concat(star(0, 1000, 77), star(1000, 1000, 1999), star(2000, 100, 2000))},
		{"star of stars", 1101, slices.Concat(path(0, 10, 101), star(0, 91, 7), path(7, 5, 3), star(500, 400, 505))},
		{"path behind a star", 699 + long, slices.Concat(star(0, 700, 0), path(699, long, 1))},
		{"grid", 900, grid(30, 30)},
		{"complete", 70, complete(0, 70)},
		{"two complete graphs", 140, slices.Concat(complete(0, 70), complete(70, 70))},
		{"two complete graphs and a path between", 110 + long, slices.Concat(complete(0, 60), complete(50+long, 60), path(50, long+1, 1))},
		{"Kronecker and a path behind", 1<<10 + long, slices.Concat(devicetest.OfficialTuples(10), path(1<<10-1, long, 1))},
	} {
		for range devicetest.Sized(8, 1) {
			c := newSearchCase(t, team, r, g.name, g.vertices, g.tuples, r.IntN(1+r.IntN(40)), 4<<r.IntN(9))
			c.check(t, randomPlan(r), c.connected(r, roots))
			c.close(t)
		}
	}
}

// The search is right on an official graph with the values of planSearch, whether chunks are
// copied by bulk copies or not.
func TestOfficial(t *testing.T) { eachCount(t, testOfficial) }

func testOfficial(t *testing.T, team *device.Team) {
	r := rand.New(rand.NewPCG(37, 3))
	scale := devicetest.Sized(14, 11)
	for _, hubs := range []int{16, 300, reference.MostHubs} {
		c := newSearchCase(t, team, r, "official", 1<<scale, devicetest.OfficialTuples(scale), hubs, 512)
		for _, bulk := range []bool{false, true} {
			p := planSearch(team)
			p.bulk = bulk && p.bulk
			c.check(t, p, c.connected(r, devicetest.Sized(8, 2)))
		}
		c.close(t)
	}
}

// On three emulated multiprocessors, the list of a block takes several tiles: of rows that look for the frontier, and of
// rows of the frontier.
func TestTiles(t *testing.T) {
	team, r := devicetest.Team(t, []*device.Device{devicetest.Open(t)}), rand.New(rand.NewPCG(37, 5))
	for _, of := range []struct {
		scale, hubs           int
		lookShare, denseShare float64
	}{{16, 300, 0, 0}, {17, 16, 2, 0.3}} {
		c := newSearchCase(t, team, r, "official", 1<<of.scale, devicetest.OfficialTuples(of.scale), of.hubs, 512)
		p := planSearch(team)
		p.lookShare, p.denseShare = of.lookShare, of.denseShare
		c.check(t, p, c.connected(r, 1))
		c.close(t)
	}
}

// A search ends when its context does, and the next one is right.
func TestStop(t *testing.T) { eachCount(t, testStop) }

func testStop(t *testing.T, team *device.Team) {
	vertices := devicetest.Sized(400, 30/team.Count())
	c := newSearchCase(t, team, rand.New(rand.NewPCG(37, 4)), "path", vertices, path(0, vertices, 1), 0, 64)
	defer c.close(t)
	s, err := newSearch(team, c.graphs, c.parents, images, planSearch(team))
	if err != nil {
		t.Fatal(err)
	}
	defer devicetest.Close(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Search(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a search whose context has ended returned %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.Search(ctx, 0); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	c.clear(t)
	done := s.members[0].kernel.Done.Host()
	done[0] = 7
	if err := s.Ready(); err != nil || done[0] != 1 {
		t.Errorf("after a stopped search a launch without a root returned %v, and the kernel told %d", err, done[0])
	}
	if err := s.Search(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	if err := c.checkTree(7, c.tree(t)); err != nil {
		t.Error(err)
	}
}

// No division of a chunk's labels takes more shared memory than Serves asks for.
func TestMostGroupBytes(t *testing.T) {
	for _, bulk := range []bool{false, true} {
		for rows := range uint32(MostChunk + 1) {
			padded := (rows + reference.RowAlign - 1) / reference.RowAlign * reference.RowAlign
			firsts := (MostChunk - rows + reference.FirstAlign - 1) / reference.FirstAlign * reference.FirstAlign
			if bytes, most := groupBytes(MostChunk, padded, firsts, bulk), mostGroupBytes(MostChunk, bulk); bytes > most {
				t.Fatalf("a group takes %d bytes with %d rows, bulk copies: %t; at most %d are expected", bytes, rows, bulk, most)
			}
		}
	}
}
