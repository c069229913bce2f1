//go:build cuda

package hostrows

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/construct/constructtest"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
)

// searchCase is a graph without neighbours on the device, and the same in host memory.
type searchCase struct {
	device     *device.Device
	tuples     *generate.Tuples
	graph      *construct.Graph
	tails      *device.HostArray[engine.Label]
	managed    bool // tails are in managed memory
	parents    device.Array[engine.Label]
	held       *device.Held
	neighbours [][]engine.Label // in the order of Graph.Neighbors
	sector     []uint64         // with which the neighbours of a vertex begin
}

func newSearchCase(t *testing.T, d *device.Device, vertices int, tuples []engine.Edge) *searchCase {
	t.Helper()
	return newSearchCaseIn(t, d, vertices, tuples, device.Uncleared[engine.Label])
}

// newSearchCaseIn is newSearchCase with neighbours in memory that allocate gives.
func newSearchCaseIn(t *testing.T, d *device.Device, vertices int, tuples []engine.Edge, allocate func(*device.Device, int) (*device.HostArray[engine.Label], error)) *searchCase {
	t.Helper()
	c := &searchCase{device: d, neighbours: make([][]engine.Label, vertices)}
	rows, sectors, tuplesAt := uint64(0), uint64(0), make([]int, vertices)
	for _, e := range tuples {
		if e.U != e.V {
			tuplesAt[e.U]++
			tuplesAt[e.V]++
			c.neighbours[e.U] = append(c.neighbours[e.U], e.V)
			c.neighbours[e.V] = append(c.neighbours[e.V], e.U)
		}
	}
	for v := range c.neighbours {
		slices.Sort(c.neighbours[v])
		c.neighbours[v] = slices.Compact(c.neighbours[v])
		slices.SortStableFunc(c.neighbours[v], func(a, b engine.Label) int { return tuplesAt[b] - tuplesAt[a] })
		rows += uint64(min(1, len(c.neighbours[v])))
		c.sector = append(c.sector, sectors)
		sectors += uint64(len(c.neighbours[v])+7) / 8
	}
	var errs [3]error
	c.tuples = generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: tuples})
	c.tails, errs[0] = allocate(d, int(construct.MostWithoutPrefix(rows, uint64(len(tuples)))))
	for i := range c.tails.Host() {
		c.tails.Host()[i] = engine.None
	}
	c.graph, errs[1] = constructtest.OnOne(t, d, vertices, c.tuples, construct.Form{Split: construct.Split{Words: max(1, rows), NoPrefix: true}},
		construct.Input{Tails: []*device.HostArray[engine.Label]{c.tails}})
	c.held, errs[2] = d.Take(device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&c.parents, "parents", uint64(vertices))}})
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *searchCase) close(t *testing.T) {
	t.Helper()
	if err := errors.Join(c.held.Free(), c.graph.Close(), c.tuples.Close(), c.tails.Free()); err != nil {
		t.Error(err)
	}
}

// forms lists searches with buffers for all neighbours and for some.
func (c *searchCase) forms() []Form {
	if c.managed {
		return []Form{{Residency: engine.Managed}}
	}
	list := []Form{{Residency: engine.ZeroCopy}}
	for _, r := range []engine.Residency{engine.Subgraph, engine.Partition} {
		for _, buffer := range []uint64{MostBuffer, 1 << 10, LeastBuffer} {
			if uint64(c.graph.Info.Arcs)/buffer < 1<<10 { // a part takes the emulation long
				list = append(list, Form{r, buffer})
			}
		}
	}
	return list
}

// piece is a part of a row: count neighbours, from one on.
type piece struct {
	v            engine.Label
	first, count uint64
}

func sectorsOf(list []piece) (sectors uint64) {
	for _, p := range list {
		sectors += (p.count + 7) / 8
	}
	return sectors
}

// moved returns what a search must move over the bus for a list.
func (c *searchCase) moved(f Form, list []piece) (m moved) {
	var lines uint64
	parts := map[uint64]bool{}
	for _, p := range list {
		first := 8*c.sector[p.v] + p.first
		lines += (first+p.count-1)/32 - first/32 + 1
		for at := first; f.Buffer > 0 && at < first+p.count; at += 8 {
			parts[at/f.Buffer] = true
		}
	}
	switch sectors := sectorsOf(list); f.Residency {
	case engine.ZeroCopy:
		return moved{32 * sectors, lines}
	case engine.Subgraph:
		return moved{32*sectors + 8*uint64(len(list)+1), 1 + (8*sectors+f.Buffer-1)/f.Buffer}
	case engine.Partition:
		for p := range parts {
			m.bytes += min(4*f.Buffer, uint64(c.graph.Info.HostBytes)-4*f.Buffer*p)
			m.requests++
		}
	}
	return m
}

// depths is a serial search. It returns the depth of each vertex, -1 of an unreached one,
// and by depth the records of levels in that form.
func (c *searchCase) depths(f Form, r rule, root engine.Label) (depth []int32, levels []engine.Level) {
	depth = slices.Repeat([]int32{-1}, len(c.neighbours))
	depth[root] = 0
	for frontier, d := []engine.Label{root}, int32(0); len(frontier) > 0; d++ {
		direction, lists := c.lists(r, depth, d)
		if len(lists) == 0 {
			break
		}
		level := engine.Level{Direction: direction, Frontier: int64(len(frontier))}
		for _, list := range lists {
			over := c.moved(f, list)
			level.HostBytes += int64(over.bytes)
			level.HostRequests += int64(over.requests)
			for _, p := range list {
				level.Examined += int64(p.count)
			}
		}
		level.Bytes = level.HostBytes
		var next []engine.Label
		for _, v := range frontier {
			for _, w := range c.neighbours[v] {
				if depth[w] < 0 {
					depth[w] = d + 1
					next = append(next, w)
				}
			}
		}
		level.Found = int64(len(next))
		levels, frontier = append(levels, level), next
	}
	return depth, levels
}

// lists returns the direction of a level from the vertices of depth d, and what it examines
// list by list: nothing if no vertex is unvisited.
func (c *searchCase) lists(r rule, depth []int32, d int32) (engine.Direction, [][]piece) {
	var frontier, unvisited, heads, rests []piece
	for i, neighbours := range c.neighbours {
		v, n := engine.Label(i), uint64(len(neighbours))
		switch {
		case n == 0:
		case depth[v] == d:
			frontier = append(frontier, piece{v, 0, n})
		case depth[v] < 0:
			unvisited = append(unvisited, piece{v, 0, n})
			heads = append(heads, piece{v, 0, min(8, n)})
			if n > 8 && !slices.ContainsFunc(neighbours[:8], func(w engine.Label) bool { return depth[w] == d }) {
				rests = append(rests, piece{v, 8, n - 8})
			}
		}
	}
	sectors := sectorsOf(frontier)
	switch {
	case len(unvisited) == 0:
		return "", nil
	case uint64(len(unvisited)) >= r.heads*sectors || sectorsOf(unvisited) >= r.rows*sectors:
		return engine.TopDown, [][]piece{frontier}
	case len(rests) == 0:
		return engine.BottomUp, [][]piece{heads}
	}
	return engine.BottomUp, [][]piece{heads, rests}
}

// open opens a search with poisoned memory.
func (c *searchCase) open(t *testing.T, f Form, counted bool) (*Search, *Buffers) {
	t.Helper()
	host, err := f.Allocate(c.device, uint64(c.graph.ByDegree.Rows.Len()), uint64(c.graph.Info.HostBytes)/4)
	if err != nil {
		t.Fatal(err)
	}
	devicetest.Dirty(t, c.device, 1<<20)
	s, err := New(t.Context(), c.device, c.graph, c.parents, f, host, counted)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []interface{ Fill(byte) error }{s.active, s.unvisited, s.rows, s.places, s.sums, s.visited, s.totals} {
		if err := a.Fill(devicetest.Poison); err != nil {
			t.Fatal(err)
		}
	}
	return s, host
}

// Rules by which levels are never or always bottom-up: sectors have 32 bits.
var (
	never  = rule{}
	always = rule{1 << 32, 1 << 32}
)

// checkAll searches from the roots in every form, by the rule and in one direction only.
func (c *searchCase) checkAll(t *testing.T, roots ...engine.Label) {
	t.Helper()
	for turn, f := range c.forms() {
		free := c.device.Free()
		s, host := c.open(t, f, false)
		if g, ok := s.feeder.(*subgraph); ok && f.Buffer == MostBuffer {
			g.gather.few = 0 // all threads gather
		} else if ok {
			g.gather.long = 0 // parts of one row are not gathered
		}
		for _, root := range roots {
			if len(c.neighbours[root]) == 0 {
				continue
			}
			rules := []rule{never, sectorRule, always}
			if turn++; testing.Short() { // one of them in turn
				rules = rules[turn%3:][:1]
			}
			for _, s.rule = range rules {
				c.check(t, s, f, root)
			}
		}
		if err := errors.Join(s.Close(), host.Free()); err != nil {
			t.Error(err)
		}
		if c.device.Free() != free {
			t.Errorf("%+v: %d bytes are free after %d", f, c.device.Free(), free)
		}
	}
}

// check searches from root and checks parents and levels.
func (c *searchCase) check(t *testing.T, s *Search, f Form, root engine.Label) {
	t.Helper()
	if err := c.parents.Fill(0xFF); err != nil {
		t.Fatal(err)
	}
	if err := s.Search(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	depth, levels := c.depths(f, s.rule, root)
	for v, parent := range devicetest.Host(t, c.parents) {
		switch {
		case depth[v] <= 0:
			if want := map[int32]engine.Label{0: root, -1: engine.None}[depth[v]]; parent != want {
				t.Fatalf("%+v: the parent of %d is %d, want %d", f, v, parent, want)
			}
		case int(parent) >= len(depth) || depth[parent] != depth[v]-1 || !slices.Contains(c.neighbours[v], parent):
			t.Fatalf("%+v: the parent of %d is %d", f, v, parent)
		}
	}
	p, err := s.Profile()
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Levels {
		p.Levels[i].Seconds = 0
	}
	if recorded := levels[:min(len(levels), engine.MaxLevels)]; int(p.LevelCount) != len(levels) || !slices.Equal(p.Levels, recorded) {
		t.Errorf("%+v, %+v: %d levels, want %d:\n%+v\nwant\n%+v", f, s.rule, p.LevelCount, len(levels), p.Levels, recorded)
	}
}

func TestOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{8, 12}, []int{8}) {
		c := newSearchCase(t, d, 1<<scale, devicetest.OfficialTuples(scale))
		c.checkAll(t, 0, 17, 1<<scale-1)
		c.close(t)
	}
}

func TestManaged(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{8, 12}, []int{8}) {
		c := newSearchCaseIn(t, d, 1<<scale, devicetest.OfficialTuples(scale), device.Managed[engine.Label])
		c.managed = true
		c.checkAll(t, 0, 17, 1<<scale-1)
		c.close(t)
	}
}

func TestRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(41, 1))
	for range devicetest.Sized(100, 4) {
		vertices := 2 + r.IntN(1<<(1+r.IntN(13)))
		c := newSearchCase(t, d, vertices, devicetest.RandomTuples(r, vertices))
		c.checkAll(t, 0, engine.Label(r.IntN(vertices)))
		c.close(t)
		if t.Failed() {
			t.Fatalf("graph of %d vertices", vertices)
		}
	}
}

// Rows have less than one line to several pieces.
func TestRowsOfManyLengths(t *testing.T) {
	c := newSearchCase(t, devicetest.Open(t), 9000, rowsOf(8, 31, 32, 33, 1023, 1024, 1056, 2049))
	defer c.close(t)
	c.checkAll(t, 0, 8, 100)
}

// rowsOf returns a graph in which vertex 0 has the others as neighbours and vertex i, from
// 1 on, as many as degrees[i-1].
func rowsOf(degrees ...engine.Label) (tuples []engine.Edge) {
	for i := range degrees {
		tuples = append(tuples, engine.Edge{U: 0, V: engine.Label(i + 1)})
	}
	next := engine.Label(len(degrees) + 1)
	for i, degree := range degrees {
		for range degree - 1 {
			tuples = append(tuples, engine.Edge{U: engine.Label(i + 1), V: next})
			next += 3
			if next >= 9000 {
				next = engine.Label(len(degrees)+1) + next%3
			}
		}
	}
	return tuples
}

// A counted search examines the neighbours of the rows that it lists.
func TestCounts(t *testing.T) {
	c := newSearchCase(t, devicetest.Open(t), 1<<8, devicetest.OfficialTuples(8))
	defer c.close(t)
	for _, f := range []Form{{Residency: engine.ZeroCopy}, {engine.Subgraph, 64}, {engine.Partition, 64}} {
		s, host := c.open(t, f, true)
		c.check(t, s, f, 17)
		counts, err := s.Counts()
		if err != nil {
			t.Fatal(err)
		}
		if p, _ := s.Profile(); counts.Examined != p.Examined || counts.Launches == 0 {
			t.Errorf("%+v: %+v, %d examined", f, counts, p.Examined)
		}
		if err := errors.Join(s.Close(), host.Free()); err != nil {
			t.Error(err)
		}
	}
}

// endsAfter is a context that ends when its error is asked for the n-th time.
type endsAfter struct {
	context.Context
	n      int
	cancel context.CancelCauseFunc
}

func (c *endsAfter) Err() error {
	if c.n--; c.n <= 0 {
		c.cancel(errStopped)
	}
	return c.Context.Err()
}

var errStopped = errors.New("stopped")

// A search ends with the cause of its context, wherever it ends, and the next one is right.
func TestContextEnds(t *testing.T) {
	c := newSearchCase(t, devicetest.Open(t), 1<<8, devicetest.OfficialTuples(8))
	defer c.close(t)
	for _, f := range []Form{{Residency: engine.ZeroCopy}, {engine.Subgraph, 256}, {engine.Partition, 256}} {
		s, host := c.open(t, f, false)
		s.rule = never // as many neighbours as possible
		for _, checks := range []int{1, 2, 5, 20} {
			if f.Residency == engine.ZeroCopy && checks > 2 {
				continue
			}
			if err := c.parents.Fill(0xFF); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			if err := s.Search(&endsAfter{ctx, checks, cancel}, 17); !errors.Is(err, errStopped) {
				t.Errorf("%+v, %d checks: %v", f, checks, err)
			}
			cancel(nil)
			c.check(t, s, f, 17)
		}
		if err := errors.Join(s.Close(), host.Free()); err != nil {
			t.Error(err)
		}
	}
}

func TestBadInput(t *testing.T) {
	c := newSearchCase(t, devicetest.Open(t), 2, []engine.Edge{{U: 0, V: 1}})
	defer c.close(t)
	for _, buffer := range []uint64{0, 31, 33} {
		if s, err := New(t.Context(), c.device, c.graph, c.parents, Form{engine.Partition, buffer}, nil, false); err == nil {
			t.Errorf("a buffer of %d neighbours is accepted", buffer)
			devicetest.Close(t, s)
		}
	}
	if _, err := New(t.Context(), c.device, c.graph, c.parents, Form{engine.Subgraph, 32}, nil, false); err == nil {
		t.Error("no host memory is accepted")
	}
	resident, err := constructtest.OnOne(t, c.device, 2, c.tuples, construct.Form{}, construct.Input{})
	if err != nil {
		t.Fatal(err)
	}
	defer devicetest.Close(t, resident)
	if _, err := New(t.Context(), c.device, resident, c.parents, Form{Residency: engine.ZeroCopy}, nil, false); err == nil {
		t.Error("a graph with all neighbours on the device is accepted")
	}
}
