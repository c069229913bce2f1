//go:build cuda

package bfs

import (
	"math/bits"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// manyPlan returns a plan that puts parents in order, in bins of 2^shift labels.
func manyPlan(shift int) searchPlan { return searchPlan{kernel: "bfsMany", binShift: shift} }

// crowd adds size * 2,000 vertices at distance 2 from root, and 16 new neighbours to
// each of them, which it returns. The level that finds these has many arcs.
func (m *graphMaker) crowd(root engine.Label, size int) (third []engine.Label) {
	for _, v := range m.leaves(root, 20) {
		for _, w := range m.leaves(v, size*100) {
			third = append(third, m.leaves(w, 16)...)
		}
	}
	return third
}

// leavesOfSome adds zero to three leaves to each vertex.
func (m *graphMaker) leavesOfSome(all []engine.Label) {
	for i, v := range all {
		m.leaves(v, i%4)
	}
}

// outOfReach adds n vertices that root does not reach. They have so many arcs that a
// crowd has few in comparison.
func (m *graphMaker) outOfReach(n int, by ...int) {
	all := m.vertices(n)
	for _, by := range by {
		m.ring(all, by)
	}
}

// ordered returns the number of parents of the last search that were put in order.
func (c *searchCase) ordered(t *testing.T) (n int) {
	for _, w := range devicetest.Host(t, c.member().state.HasOrdered) {
		n += bits.OnesCount32(w)
	}
	return n
}

// The parents of a level are put in order. They are more than a block orders at a
// time. The bins have the labels that a block orders at a time, or twice as many.
func TestSearchOrdersParents(t *testing.T) {
	m := &graphMaker{}
	root := m.vertices(1)[0]
	third := m.crowd(root, 1)
	m.leavesOfSome(third)
	m.outOfReach(120000, 1, 37, 1009, 5003, 17011, 30011, 41999, 59999)
	labels := m.shuffle(6)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	const up, down = engine.BottomUp, engine.TopDown
	for _, shift := range devicetest.Sized([]int{17, 18}, []int{18}) {
		c.newSearcher(t, manyPlan(shift))
		for range 2 {
			c.searchOnce(t, labels[root])
			if got := c.directions(t)[2:4]; !slices.Equal(got, []engine.Direction{down, up}) {
				t.Fatalf("directions %v of levels 2 and 3, want top-down and bottom-up", got)
			}
			if got := c.ordered(t); got != len(third) {
				t.Errorf("bins of 2^%d labels: %d parents in order, want %d", shift, got, len(third))
			}
		}
	}
}

// One search has two levels whose parents are put in order, and levels between them
// that use the same memory.
func TestSearchOrdersParentsTwice(t *testing.T) {
	d := devicetest.Open(t)
	m := &graphMaker{}
	root := m.vertices(1)[0]
	// The list of unvisited vertices does not hold all of them, so the search goes
	// top-down again.
	out := max(600000, listCapacity(t, d, "bfsMany")+60000)
	size := (out + 599999) / 600000 // so that a crowd has many arcs in comparison
	first := m.crowd(root, size)
	m.leavesOfSome(first)
	end := first[0]
	for range 8 {
		end = m.leaves(end, 1)[0]
	}
	second := m.crowd(end, size)
	m.leavesOfSome(second)
	m.outOfReach(out, 1)
	labels := m.shuffle(8)
	c := newSearchCase(t, d, int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, manyPlan(17))
	c.searchOnce(t, labels[root])
	const up, down = engine.BottomUp, engine.TopDown
	changes := slices.Compact(c.directions(t))
	if want := []engine.Direction{down, up, down, up}; !slices.Equal(changes[:min(4, len(changes))], want) {
		t.Errorf("directions %v, want top-down and bottom-up, twice", c.directions(t))
	}
	if got := c.ordered(t); got != len(second) {
		t.Errorf("%d parents in order at the end, want %d", got, len(second))
	}
}

// A level queues parents, but they are written without being put in order: because
// the next level is top-down, because a bottom-up level follows but few parents are
// queued, or because the search ends. A second search runs on the state that the
// first one left.
func TestSearchDoesNotOrderParents(t *testing.T) {
	d := devicetest.Open(t)
	const up, down = engine.BottomUp, engine.TopDown
	search := func(name string, want []engine.Direction, make func(m *graphMaker, root engine.Label)) {
		t.Run(name, func(t *testing.T) {
			m := &graphMaker{}
			root := m.vertices(1)[0]
			make(m, root)
			labels := m.shuffle(7)
			c := newSearchCase(t, d, int(m.next), m.tuples)
			defer c.close(t)
			c.newSearcher(t, manyPlan(17))
			poison := c.ordered(t) // bits of the poison: no search has run
			for range devicetest.Sized(2, 1) {
				c.searchOnce(t, labels[root])
			}
			if got := c.directions(t)[2:]; !slices.Equal(got[:len(want)], want) {
				t.Errorf("directions %v from level 2 on, want %v first", got, want)
			}
			if got := c.ordered(t); got != poison {
				t.Errorf("%d parents in order, want none", got)
			}
			if items := devicetest.Host(t, c.member().state.Scratch); items[len(items)*3/4+1][3] == 0xA5A5A5A5 {
				t.Error("no parents were queued")
			}
		})
	}
	search("top-down", []engine.Direction{down, down}, func(m *graphMaker, root engine.Label) {
		m.leaves(m.leaves(m.crowd(root, 1)[5], 1)[0], 3)
		m.outOfReach(120000, 1, 37, 1009, 5003, 17011, 30011, 41999, 59999)
	})
	search("end", []engine.Direction{down}, func(m *graphMaker, root engine.Label) {
		third := m.crowd(root, 1)
		for by := range 30 {
			m.ring(third, 1+37*by)
		}
	})
	if testing.Short() { // without the one of more than two million labels
		return
	}
	search("bottom-up", []engine.Direction{down, up}, func(m *graphMaker, root engine.Label) {
		// A frontier that is measured by a sample (more than 8,192 vertices), but has
		// fewer than one vertex per 256 labels. Most labels have no vertex.
		few := m.vertices(8500)
		for i, v := range m.leaves(root, 20) {
			for j, w := range m.leaves(v, 100) {
				for k := range 40 {
					m.join(w, few[((100*i+j)*40+k)%len(few)])
				}
			}
		}
		for _, v := range few {
			m.leaves(v, 10)
		}
		m.outOfReach(120000, 1, 37, 1009, 5003, 17011, 30011, 41999, 59999, 101, 211, 307)
		m.next = 2200000
	})
}

// The frontier has three hubs and other vertices. Their neighbours have no hub, or
// hubs at any place of their rows. The level looks for hubs, and follows the other
// vertices.
func TestSearchLooksForHubsOnly(t *testing.T) {
	m := &graphMaker{}
	root := m.vertices(1)[0]
	middle := m.leaves(root, 10)
	hubs, others := m.leaves(middle[0], 3), []engine.Label{}
	for _, v := range middle {
		others = append(others, m.leaves(v, 20)...)
	}
	all := m.vertices(66000)
	for _, by := range []int{1, 37, 1009, 5003, 17011} {
		m.ring(all, by)
	}
	for i, h := range hubs {
		for j, v := range m.leaves(h, 20000) {
			// More neighbours: hubs of the frontier, hubs that root does not reach,
			// and vertices that are not hubs.
			for k := range j % 4 {
				m.join(v, hubs[(i+k)%3])
			}
			for k := range []int{0, 1, 4, 7, 90}[j%5] * (j % 9 / 8) {
				m.join(v, all[(j+7*k)%len(all)])
			}
			m.leaves(v, j%7/6)
		}
	}
	for i, v := range others {
		for j, w := range m.leaves(v, i%4) {
			m.leaves(w, j)
			for k := range []int{0, 0, 1, 5, 30}[i%5] {
				m.join(w, all[(50*i+k)%len(all)])
			}
		}
	}
	labels := m.shuffle(9)
	c := newSearchCase(t, devicetest.Open(t), int(m.next), m.tuples)
	defer c.close(t)
	c.newSearcher(t, searchPlan{kernel: "bfsMany", binShift: 17, nonHubShare: 16})
	for range 2 {
		c.searchOnce(t, labels[root])
	}
	const up, down = engine.BottomUp, engine.TopDown
	if got := c.directions(t)[1:3]; !slices.Equal(got, []engine.Direction{down, up}) {
		t.Fatalf("directions %v of levels 1 and 2, want top-down and bottom-up", got)
	}
	// A pass over all neighbours would also have found vertices whose first neighbour
	// is not a hub.
	deferred, firstHub := devicetest.Host(t, c.member().state.Deferred), devicetest.Host(t, c.packed.FirstHub)
	for v, number := range firstHub {
		if number == noHub && deferred[v/32]>>(v%32)&1 != 0 {
			t.Fatalf("vertex %d was found at its first neighbour, which is not a hub", v)
		}
	}
	left, arcs := 0, uint32(0)
	for _, row := range devicetest.First(t, c.member().state.Scratch, len(hubs)+len(others)) {
		if arcs += row[2]; row[2] == 0 {
			left++
		}
	}
	if want := uint32(len(others) + len(others)/4*6); left != len(hubs) || arcs != want {
		t.Errorf("%d vertices of the frontier have no arcs to follow, and the others %d, want %d and %d", left, arcs, len(hubs), want)
	}
}
