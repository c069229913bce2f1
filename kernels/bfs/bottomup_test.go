//go:build cuda

package bfs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// graphMaker numbers the vertices of a graph as it is made.
type graphMaker struct {
	tuples []engine.Edge
	next   engine.Local
}

// vertices returns n new ones.
func (m *graphMaker) vertices(n int) []engine.Local {
	all := make([]engine.Local, n)
	for i := range all {
		all[i] = m.next
		m.next++
	}
	return all
}

func (m *graphMaker) join(u, v engine.Local) {
	m.tuples = append(m.tuples, engine.Edge{U: u, V: v})
}

// leaves joins n new vertices to v.
func (m *graphMaker) leaves(v engine.Local, n int) []engine.Local {
	all := m.vertices(n)
	for _, w := range all {
		m.join(v, w)
	}
	return all
}

// ring joins each of them to the one that comes by places later.
func (m *graphMaker) ring(all []engine.Local, by int) {
	for i, v := range all {
		m.join(v, all[(i+by)%len(all)])
	}
}

// shuffle gives the vertices other labels and returns that of each.
func (m *graphMaker) shuffle(seed uint64) []engine.Local {
	labels := make([]engine.Local, m.next)
	for i, v := range rand.New(rand.NewPCG(seed, seed)).Perm(len(labels)) {
		labels[i] = engine.Local(v)
	}
	for i, e := range m.tuples {
		m.tuples[i] = engine.Edge{U: labels[e.U], V: labels[e.V]}
	}
	return labels
}

// directions returns the direction of each level of the last search.
func (c *searchCase) directions(t *testing.T) (all []engine.Direction) {
	t.Helper()
	profile, err := c.searcher.Profile()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range profile.Levels {
		all = append(all, l.Direction)
	}
	return all
}

// Where there are 65534 vertices of higher degree, neighbours are no hubs and
// are looked up one by one; here in more tasks than warps take at a time, the
// last one of which is not full.
func TestSearchOfFirstNeighborsThatAreNoHubs(t *testing.T) {
	const found, others = 17000, 66000
	m := &graphMaker{}
	root := m.vertices(1)[0]
	middle := m.leaves(root, found)
	var ends []engine.Local
	for _, v := range middle {
		ends = append(ends, m.leaves(v, 1)...)
	}
	all := m.vertices(others) // of degree 4, out of reach
	m.ring(all, 1)
	m.ring(all, 2)
	labels := m.shuffle(1)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.search(t, labels[root])
	// The middle vertices are found first, and then their ends, both by dense
	// passes that leave the parents to a later one.
	slots, byFirst := devicetest.Host(t, c.packed.Slots), devicetest.Host(t, c.searcher.state.ByFirst)
	for _, v := range ends {
		if l := labels[v]; slots[l] != noHub || byFirst[l/32]>>(l%32)&1 == 0 {
			t.Fatalf("vertex %d has hub %d first, and was found by it or not: %#x", l, slots[l], byFirst[l/32])
		}
	}
	c.search(t, labels[ends[0]])
}

// A small frontier of vertices that are no hubs is looked up in the filter first:
// as a first neighbour, as one of the next four, and as one behind those. What the
// filter lets through by mistake, many for so short a one, is no neighbour.
func TestSearchWithAFilter(t *testing.T) {
	const others, bits = 66000, 1 << 15
	m := &graphMaker{}
	root := m.vertices(1)[0]
	all := m.vertices(others)
	for _, by := range []int{1, 37, 1009, 5003, 17011} {
		m.ring(all, by)
	}
	var frontier []engine.Local
	for _, v := range m.leaves(root, 10) {
		frontier = append(frontier, m.leaves(v, 500)...)
	}
	for i, v := range frontier {
		for j, end := range m.leaves(v, 8) { // of neighbours with more than the 9 of v
			for k := range []int{0, 2, 7}[j%3] {
				m.join(end, all[(11*i+7*k)%others])
			}
		}
	}
	labels := m.shuffle(3)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: "bfs", filterBits: bits})
	for range 2 { // the second one finds the filter full
		c.searchOnce(t, labels[root])
		const up, down = engine.BottomUp, engine.TopDown
		if got := c.directions(t)[:3]; !slices.Equal(got, []engine.Direction{down, down, up}) {
			t.Fatalf("directions %v at first, want top-down twice, and then bottom-up", got)
		}
	}
	want, member := make([]uint32, bits/32), make(map[engine.Local]bool)
	for _, v := range frontier {
		l := labels[v]
		want[l%bits/32] |= 1 << (l % 32)
		member[l] = true
	}
	if got := devicetest.Host(t, c.searcher.state.Filter); !slices.Equal(got, want) {
		t.Error("the filter is not the frontier")
	}
	slots, looked := devicetest.Host(t, c.packed.Slots), 0
	for l, first := range devicetest.Host(t, c.packed.First) {
		if member[first] && slots[l] == noHub {
			looked++
		}
	}
	if looked < len(frontier) {
		t.Errorf("%d vertices are no neighbours of a hub first, too few", looked)
	}
}

// The filter holds one frontier: the second of two dense passes in a row does
// without.
func TestSearchUsesTheFilterOnce(t *testing.T) {
	m := &graphMaker{}
	root := m.vertices(1)[0]
	for _, v := range m.leaves(root, 17000) {
		for _, w := range m.leaves(v, 1) {
			m.leaves(w, 1)
		}
	}
	others := m.vertices(66000) // of degree 4, out of reach
	m.ring(others, 1)
	m.ring(others, 2)
	labels := m.shuffle(4)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: "bfs", filterBits: 1 << 17})
	c.searchOnce(t, labels[root])
	const up = engine.BottomUp
	if got := c.directions(t); !slices.Equal(got[:2], []engine.Direction{up, up}) {
		t.Errorf("directions %v at first, want bottom-up twice", got[:2])
	}
}

// Root's neighbours stand in no queue, so a search that goes bottom-up from them
// does without the filter.
func TestSearchFromNeighborsWithoutAFilter(t *testing.T) {
	m := &graphMaker{}
	root := m.vertices(1)[0]
	for i, v := range m.leaves(root, 500) {
		if i < 10 {
			m.leaves(v, 3000)
		} else {
			m.leaves(v, 8) // no hub: there are 66000 vertices of degree 10
		}
	}
	others := m.vertices(66000)
	for _, by := range []int{1, 37, 1009, 5003, 17011} {
		m.ring(others, by)
	}
	for range 3000 {
		pair := m.vertices(2)
		m.join(pair[0], pair[1])
	}
	labels := m.shuffle(5)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: "bfs", filterBits: 1 << 15})
	c.searchOnce(t, labels[root])
	const up, down = engine.BottomUp, engine.TopDown
	if got := c.directions(t); !slices.Equal(got[:2], []engine.Direction{down, up}) {
		t.Errorf("directions %v at first, want top-down, and then bottom-up", got[:2])
	}
}

// The kernel clears the filter 128 bits at a time, and takes labels for places in
// it by a mask. It has room for so many bins, and orders so many labels at a time.
func TestPlanSearch(t *testing.T) {
	d := devicetest.Open(t)
	m, err := d.Load("bfs", images, "search")
	if err != nil {
		t.Fatal(err)
	}
	kernels := make(map[string]bool)
	for _, l2 := range []int{6 << 20, 40 << 20, 50 << 20, 60 << 20, 126 << 20} {
		for scale := range 31 {
			for _, vertices := range []uint64{1 << scale, 1<<scale + 1} {
				plan := planSearch(vertices, l2)
				if bits := plan.filterBits; bits != 0 && (bits < 128 || bits&(bits-1) != 0) {
					t.Errorf("%d vertices: a filter of %d bits", vertices, bits)
				}
				if shift := plan.binShift; shift != 0 && (shift < leastBinShift || plan.bins(vertices) > maxBins) {
					t.Errorf("%d vertices: bins of 2^%d labels", vertices, shift)
				}
				kernels[plan.kernel] = true
			}
		}
	}
	for name := range kernels {
		if _, err := m.Kernel(name); err != nil {
			t.Error(err)
		}
	}
	// An H200 and an H100.
	for _, l2 := range []int{60 << 20, 50 << 20} {
		for _, c := range []struct {
			scale     int
			kernel    string
			filter    bool
			minorHubs int
		}{{22, "bfsFew", false, 0}, {23, "bfs", false, 0}, {24, "bfs", true, 0}, {26, "bfs", true, 0}, {27, "bfsMany", true, maxMinors}} {
			if p := planSearch(1<<c.scale, l2); p.kernel != c.kernel || p.filterBits > 0 != c.filter || p.hubs.minorHubs != c.minorHubs {
				t.Errorf("scale %d, %d bytes of cache: %+v", c.scale, l2, p)
			}
		}
	}
}

// listRoom returns the room of a kernel's list in a graph of many rows.
func listRoom(t *testing.T, d *device.Device, kernel string) int {
	t.Helper()
	c := newSearchCase(t, d, 2, path(2))
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: kernel})
	return c.searcher.mostListed()
}

// More vertices stay unvisited than the list has room for, so that dense passes
// follow each other until there is room, or, after a small frontier, top-down
// levels and then dense passes again.
func TestSearchWhoseListHasNoRoom(t *testing.T) {
	const up, down = engine.BottomUp, engine.TopDown
	d := devicetest.Open(t)
	room := listRoom(t, d, "bfsFew")
	// Each of as many vertices has a neighbour further away, and both searches
	// begin alike.
	begin := func() (m *graphMaker, root engine.Local, second []engine.Local) {
		m = &graphMaker{}
		root = m.vertices(1)[0]
		for _, v := range m.leaves(root, room) {
			second = append(second, m.leaves(v, 1)...)
		}
		return m, root, second
	}
	search := func(m *graphMaker, root engine.Local, want []engine.Direction, others ...engine.Local) {
		labels := m.shuffle(2)
		c := newSearchCase(t, d, int(m.next), m.tuples)
		defer c.close(t)
		c.search(t, labels[root])
		if got := c.directions(t); !slices.Equal(got, want) {
			t.Errorf("directions %v, want %v", got, want)
		}
		for _, v := range others {
			c.search(t, labels[v])
		}
	}

	m, root, second := begin()
	var far []engine.Local
	for i := range 40 {
		third := m.leaves(second[i*room/40], 1)[0]
		far = append(far, m.leaves(third, 1)...)
	}
	const leaves = 2000 // a row is not long with that
	centre := m.leaves(far[7], 1)[0]
	for _, v := range m.leaves(centre, room*3/10/leaves+1) {
		m.leaves(v, leaves)
	}
	for range room * 11 / 20 {
		m.leaves(m.vertices(1)[0], 1) // out of reach
	}
	search(m, root, []engine.Direction{up, up, up, down, down, down, up, up}, second[0], centre)

	m, root, second = begin()
	for _, v := range second[:room*9/10] {
		m.leaves(v, 1)
	}
	end := m.next - 1
	for range 8 {
		end = m.leaves(end, 1)[0]
	}
	for range room * 3 / 20 {
		m.leaves(m.vertices(1)[0], 1)
	}
	search(m, root, slices.Repeat([]engine.Direction{up}, 11), end)
}

// More vertices stay unvisited than threads keep, but no more than the list of the
// kernel for many has room for: one level goes through the list, at first neighbours and
// at rows, and the others through what that leaves.
func TestSearchGoesThroughTheList(t *testing.T) {
	d := devicetest.Open(t)
	room := listRoom(t, d, "bfsMany") // four times what threads keep
	m := &graphMaker{}
	root := m.vertices(1)[0]
	late := make(map[engine.Local]bool) // what stays after that level
	for i, v := range m.leaves(root, room/3) {
		third := m.leaves(m.leaves(v, 1)[0], 1)[0]
		if i%3 == 0 {
			for _, w := range m.leaves(third, 1) {
				late[w] = true
			}
		}
		if i%5000 == 7 { // third has a first neighbour that is found after it
			w := m.leaves(third, 1)[0]
			late[w] = true
			for _, w := range m.leaves(w, 40) {
				late[w] = true
			}
		}
	}
	for range 50 {
		pair := m.vertices(2)
		m.join(pair[0], pair[1])
		late[pair[0]], late[pair[1]] = true, true
	}
	labels := m.shuffle(12)
	c := newSearchCase(t, d, int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: "bfsMany"})
	listed := make(map[engine.Local]bool)
	for v := range late {
		listed[labels[v]] = true
	}
	for range 2 {
		c.searchOnce(t, labels[root])
		if got, want := c.directions(t), slices.Repeat([]engine.Direction{engine.BottomUp}, 5); !slices.Equal(got, want) {
			t.Errorf("directions %v, want %v", got, want)
		}
		// No level measured rows, so what stands in their place is what was listed again.
		for i, row := range devicetest.Host(t, c.searcher.state.Scratch)[:len(late)/2] {
			if v := engine.Local(row[0]); !listed[v] {
				t.Fatalf("entry %d of what was listed again is vertex %d", i, v)
			}
		}
	}
}

// Rows of all lengths whose only visited neighbour is the last one: what four
// lanes walk, a warp, and the whole grid.
func TestSearchOfLongRowsBottomUp(t *testing.T) {
	d := devicetest.Open(t)
	// Of so many leaves of the root the neighbours of the rows are few or many,
	// and the pass that finds the rows does not write parents or does.
	for _, leaves := range []int{3000, 8000} {
		m := &graphMaker{}
		root := m.vertices(1)[0]
		visited := m.leaves(root, leaves)
		type long struct{ vertex, parent engine.Local }
		var rows []long
		for i, degree := range []int{2, 3, 4, 5, 6, 7, 8, 20, 68, 69, 70, 71, 133, 134, 197, 198, 4095, 4096, 4097, 4500} {
			v := m.vertices(1)[0]
			// Neighbours of higher degree come first.
			m.ring(m.leaves(v, degree-1), 1)
			m.join(v, visited[i])
			rows = append(rows, long{v, visited[i]})
		}
		labels := m.shuffle(uint64(leaves))
		c := newSearchCase(t, d, int(m.next), m.tuples)
		c.search(t, labels[root])
		want := make(map[engine.Local]engine.Local)
		for _, r := range rows[len(rows)-2:] { // the grid
			want[labels[r.vertex]] = labels[r.parent]
		}
		walked, parents := devicetest.Host(t, c.searcher.state.LongRows), devicetest.Host(t, c.searcher.state.LongParents)
		for i := range walked[:len(want)] {
			if p, ok := want[walked[i].Vertex]; !ok || p != parents[i] {
				t.Errorf("%d leaves: the grid walked the row of %d and found %d, want one of %v", leaves, walked[i].Vertex, parents[i], want)
			}
		}
		c.search(t, labels[rows[18].vertex])
		c.close(t)
	}
}

// Graphs that end at, before and behind the border of a task.
func TestSearchAtTheBordersOfTasks(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(5, 6))
	for _, vertices := range []int{31, 32, 33, 480, 511, 512, 513, 1024, 4095, 4096, 4097} {
		m := &graphMaker{}
		all := m.vertices(vertices)
		m.ring(all, 1)
		for range 6 * vertices {
			m.join(all[r.IntN(vertices)], all[r.IntN(vertices)])
		}
		c := newSearchCase(t, d, vertices, m.tuples)
		for _, root := range []engine.Local{0, engine.Local(vertices - 1)} {
			c.search(t, root)
			if !slices.Contains(c.directions(t), engine.BottomUp) {
				t.Errorf("%d vertices: no level was bottom-up", vertices)
			}
		}
		c.close(t)
	}
}

// The flag in the host's memory ends a search also where few vertices are left
// and each level is one look at the list.
func TestSearchStopsAtTheFlag(t *testing.T) {
	d := devicetest.Open(t)
	for _, leaves := range []int{0, 3000} {
		m := &graphMaker{}
		way := m.vertices(300)
		m.tuples = path(len(way))
		m.leaves(way[0], leaves)
		c := newSearchCase(t, d, int(m.next), m.tuples)
		c.searcher.state.Stop.Host()[0] = 1
		if err := c.searcher.Search(t.Context(), way[0]); err != nil {
			t.Fatal(err)
		}
		c.searcher.state.Stop.Host()[0] = 0
		if p, err := c.searcher.Profile(); err != nil || p.LevelCount != 256 {
			t.Errorf("%d leaves: %d levels, %v", leaves, p.LevelCount, err)
		}
		want := engine.TopDown
		if leaves > 0 {
			want = engine.BottomUp
		}
		if all := c.directions(t); all[len(all)-1] != want {
			t.Errorf("%d leaves: the last level was %v", leaves, all[len(all)-1])
		}
		c.search(t, way[0])
		c.close(t)
	}
}
