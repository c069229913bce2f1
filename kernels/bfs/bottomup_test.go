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

// graphMaker makes a graph and numbers its vertices.
type graphMaker struct {
	tuples []engine.Edge
	next   engine.Label
}

// vertices returns n new vertices.
func (m *graphMaker) vertices(n int) []engine.Label {
	all := make([]engine.Label, n)
	for i := range all {
		all[i] = m.next
		m.next++
	}
	return all
}

func (m *graphMaker) join(u, v engine.Label) {
	m.tuples = append(m.tuples, engine.Edge{U: u, V: v})
}

// leaves connects n new vertices to v and returns them.
func (m *graphMaker) leaves(v engine.Label, n int) []engine.Label {
	all := m.vertices(n)
	for _, w := range all {
		m.join(v, w)
	}
	return all
}

// ring connects each of these vertices to the one by places after it.
func (m *graphMaker) ring(all []engine.Label, places int) {
	for i, v := range all {
		m.join(v, all[(i+places)%len(all)])
	}
}

// shuffle relabels the vertices and returns the new labels.
func (m *graphMaker) shuffle(seed uint64) []engine.Label {
	labels := make([]engine.Label, m.next)
	for i, v := range rand.New(rand.NewPCG(seed, seed)).Perm(len(labels)) {
		labels[i] = engine.Label(v)
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

// With 65,534 vertices of higher degree, the first neighbours are not hubs and are
// looked up one by one. The graph has more tasks than the first pieces of all warps,
// and the last task is not full.
func TestSearchOfFirstNeighborsThatAreNoHubs(t *testing.T) {
	const found, others = 17000, 66000
	m := &graphMaker{}
	root := m.vertices(1)[0]
	middle := m.leaves(root, found)
	var ends []engine.Label
	for _, v := range middle {
		ends = append(ends, m.leaves(v, 1)...)
	}
	all := m.vertices(others) // degree 4, not reachable
	m.ring(all, 1)
	m.ring(all, 2)
	labels := m.shuffle(1)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.search(t, labels[root])
	// One marking pass finds the vertices of middle, and another one finds ends.
	firstHub, deferred := devicetest.Host(t, c.packed.FirstHub), devicetest.Host(t, c.member().state.Deferred)
	for _, v := range ends {
		if l := labels[v]; firstHub[l] != noHub || deferred[l/32]>>(l%32)&1 == 0 {
			t.Fatalf("vertex %d: the hub number of its first neighbour is %d, and its word of deferred parents %#x", l, firstHub[l], deferred[l/32])
		}
	}
	c.search(t, labels[ends[0]])
}

// The frontier is small and has no hubs, so the search tests neighbours in the filter
// first: first neighbours, neighbours two to five, and later ones. The filter is
// short, so it often passes a vertex that is not in the frontier.
func TestSearchWithAFilter(t *testing.T) {
	const others, bits = 66000, 1 << 15
	m := &graphMaker{}
	root := m.vertices(1)[0]
	all := m.vertices(others)
	for _, by := range []int{1, 37, 1009, 5003, 17011} {
		m.ring(all, by)
	}
	var frontier []engine.Label
	for _, v := range m.leaves(root, 10) {
		frontier = append(frontier, m.leaves(v, 500)...)
	}
	for i, v := range frontier {
		for j, end := range m.leaves(v, 8) { // the end's other neighbours have a higher degree than v, which is 9
			for k := range []int{0, 2, 7}[j%3] {
				m.join(end, all[(11*i+7*k)%others])
			}
		}
	}
	labels := m.shuffle(3)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: "bfs", filterBits: bits})
	for range 2 { // the second search starts with a full filter
		c.searchOnce(t, labels[root])
		const up, down = engine.BottomUp, engine.TopDown
		if got := c.directions(t)[:3]; !slices.Equal(got, []engine.Direction{down, down, up}) {
			t.Fatalf("first directions %v, want top-down, top-down, bottom-up", got)
		}
	}
	want, member := make([]uint32, bits/32), make(map[engine.Label]bool)
	for _, v := range frontier {
		l := labels[v]
		want[l%bits/32] |= 1 << (l % 32)
		member[l] = true
	}
	if got := devicetest.Host(t, c.member().state.Filter); !slices.Equal(got, want) {
		t.Error("the bits of the filter are not those of the frontier")
	}
	firstHub, inFrontier := devicetest.Host(t, c.packed.FirstHub), 0
	for l, first := range devicetest.Host(t, c.packed.First) {
		if member[first] && firstHub[l] == noHub {
			inFrontier++
		}
	}
	if inFrontier < len(frontier) {
		t.Errorf("only %d vertices have a first neighbour in the frontier that is not a hub", inFrontier)
	}
}

// The filter holds one frontier per search: the second of two dense passes does not
// use it.
func TestSearchUsesTheFilterOnce(t *testing.T) {
	m := &graphMaker{}
	root := m.vertices(1)[0]
	for _, v := range m.leaves(root, 17000) {
		for _, w := range m.leaves(v, 1) {
			m.leaves(w, 1)
		}
	}
	others := m.vertices(66000) // degree 4, not reachable
	m.ring(others, 1)
	m.ring(others, 2)
	labels := m.shuffle(4)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: "bfs", filterBits: 1 << 17})
	c.searchOnce(t, labels[root])
	const up = engine.BottomUp
	if got := c.directions(t); !slices.Equal(got[:2], []engine.Direction{up, up}) {
		t.Errorf("first directions %v, want bottom-up twice", got[:2])
	}
}

// Root's neighbours are not in a queue, so a search that goes bottom-up from them
// does not use the filter.
func TestSearchFromNeighborsWithoutAFilter(t *testing.T) {
	m := &graphMaker{}
	root := m.vertices(1)[0]
	for i, v := range m.leaves(root, 500) {
		if i < 10 {
			m.leaves(v, 3000)
		} else {
			m.leaves(v, 8) // not a hub: 66,000 vertices have degree 10
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
		t.Errorf("first directions %v, want top-down, bottom-up", got[:2])
	}
}

// The kernel clears the filter 128 bits at a time, and masks labels to get their
// bits. It handles maxBins bins, and orders 2^leastBinShift labels at a time.
func TestPlanSearch(t *testing.T) {
	d := devicetest.Open(t)
	type of struct {
		kernel  string
		devices int
		split   bool
	}
	kernels := make(map[of]bool)
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
				for _, devices := range []int{1, 2} {
					for _, split := range []bool{false, true} {
						kernels[of{planFor(vertices, l2, devices, split).kernel, devices, split}] = true
					}
				}
			}
		}
	}
	for k := range kernels {
		name := moduleOf(k.kernel, k.devices, k.split)
		if !slices.Contains(modules(k.devices, k.split), name) {
			t.Errorf("%+v: module %s is not loaded before", k, name)
		}
		m, err := d.Load("bfs", images, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Kernel(k.kernel); err != nil {
			t.Errorf("%+v: %v", k, err)
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

// listCapacity returns the capacity of a kernel's list in a graph of many rows.
func listCapacity(t *testing.T, d *device.Device, kernel string) int {
	t.Helper()
	c := newSearchCase(t, d, 2, path(2))
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: kernel})
	return c.member().listCapacity()
}

// More vertices stay unvisited than the list holds. One search then uses dense passes
// until the list holds them. The other has a small frontier after a few dense passes,
// so it goes on top-down, and then uses dense passes again.
func TestSearchWhoseListHasNoRoom(t *testing.T) {
	const up, down = engine.BottomUp, engine.TopDown
	d := devicetest.Open(t)
	capacity := listCapacity(t, d, "bfsFew")
	// Both searches begin alike: root has capacity neighbours, and each of them has
	// one more.
	begin := func() (m *graphMaker, root engine.Label, second []engine.Label) {
		m = &graphMaker{}
		root = m.vertices(1)[0]
		for _, v := range m.leaves(root, capacity) {
			second = append(second, m.leaves(v, 1)...)
		}
		return m, root, second
	}
	search := func(m *graphMaker, root engine.Label, want []engine.Direction, others ...engine.Label) {
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
	var far []engine.Label
	for i := range 40 {
		third := m.leaves(second[i*capacity/40], 1)[0]
		far = append(far, m.leaves(third, 1)...)
	}
	const leaves = 2000 // fewer neighbours than a long row
	centre := m.leaves(far[7], 1)[0]
	for _, v := range m.leaves(centre, capacity*3/10/leaves+1) {
		m.leaves(v, leaves)
	}
	for range capacity * 11 / 20 {
		m.leaves(m.vertices(1)[0], 1) // not reachable
	}
	search(m, root, []engine.Direction{up, up, up, down, down, down, up, up}, second[0], centre)

	m, root, second = begin()
	for _, v := range second[:capacity*9/10] {
		m.leaves(v, 1)
	}
	end := m.next - 1
	for range 8 {
		end = m.leaves(end, 1)[0]
	}
	for range capacity * 3 / 20 {
		m.leaves(m.vertices(1)[0], 1)
	}
	search(m, root, slices.Repeat([]engine.Direction{up}, 11), end)
}

// More vertices stay unvisited than fit into registers, but not more than the list of
// bfsMany holds. One level uses the list in memory, with first neighbours and with
// rows, and the later levels use registers.
func TestSearchGoesThroughTheList(t *testing.T) {
	d := devicetest.Open(t)
	capacity := listCapacity(t, d, "bfsMany") // four times what registers hold
	m := &graphMaker{}
	root := m.vertices(1)[0]
	late := make(map[engine.Label]bool) // unvisited after the level that uses the list
	for i, v := range m.leaves(root, capacity/3) {
		third := m.leaves(m.leaves(v, 1)[0], 1)[0]
		if i%3 == 0 {
			for _, w := range m.leaves(third, 1) {
				late[w] = true
			}
		}
		if i%5000 == 7 { // the first neighbour of third is found after third
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
	listed := make(map[engine.Label]bool)
	for v := range late {
		listed[labels[v]] = true
	}
	for range 2 {
		c.searchOnce(t, labels[root])
		if got, want := c.directions(t), slices.Repeat([]engine.Direction{engine.BottomUp}, 5); !slices.Equal(got, want) {
			t.Errorf("directions %v, want %v", got, want)
		}
		// No level wrote rows to the scratch memory, so it still holds the list after
		// listLevel.
		for i, row := range devicetest.First(t, c.member().state.Scratch, len(late)/2) {
			if v := engine.Label(row[0]); !listed[v] {
				t.Fatalf("entry %d of the list after listLevel is vertex %d", i, v)
			}
		}
	}
}

// Rows of many lengths whose only visited neighbour is the last one. Four lanes, a
// warp or all blocks walk them.
func TestSearchOfLongRowsBottomUp(t *testing.T) {
	d := devicetest.Open(t)
	// With few leaves a marking pass finds the rows, with many leaves a writing pass.
	for _, leaves := range []int{3000, 8000} {
		m := &graphMaker{}
		root := m.vertices(1)[0]
		visited := m.leaves(root, leaves)
		type long struct{ vertex, parent engine.Label }
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
		want := make(map[engine.Label]engine.Label)
		for _, r := range rows[len(rows)-2:] { // walked by all blocks
			want[labels[r.vertex]] = labels[r.parent]
		}
		walked, parents := devicetest.Host(t, c.member().state.LongRows), devicetest.Host(t, c.member().state.LongParents)
		for i := range walked[:len(want)] {
			if p, ok := want[walked[i].Vertex]; !ok || p != parents[i] {
				t.Errorf("%d leaves: the blocks walked the row of %d and found %d, want one of %v", leaves, walked[i].Vertex, parents[i], want)
			}
		}
		c.search(t, labels[rows[18].vertex])
		c.close(t)
	}
}

// Graphs that end at, before and after the end of a task.
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
		for _, root := range []engine.Label{0, engine.Label(vertices - 1)} {
			c.search(t, root)
			if !slices.Contains(c.directions(t), engine.BottomUp) {
				t.Errorf("%d vertices: no level was bottom-up", vertices)
			}
		}
		c.close(t)
	}
}

// The stop flag in host memory ends a search, also in the last levels, which are
// searched from registers.
func TestSearchStopsAtTheFlag(t *testing.T) {
	d := devicetest.Open(t)
	for _, leaves := range []int{0, 3000} {
		m := &graphMaker{}
		way := m.vertices(300)
		m.tuples = path(len(way))
		m.leaves(way[0], leaves)
		c := newSearchCase(t, d, int(m.next), m.tuples)
		c.member().state.Stop.Host()[0] = 1
		if err := c.searcher.Search(t.Context(), way[0]); err != nil {
			t.Fatal(err)
		}
		c.member().state.Stop.Host()[0] = 0
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
		c.searchOnce(t, way[0])
		c.close(t)
	}
}
