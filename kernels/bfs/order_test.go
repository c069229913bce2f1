//go:build cuda

package bfs

import (
	"math/bits"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// manyPlan is a plan by which parents are put in order, in bins of 2^shift labels.
func manyPlan(shift int) searchPlan { return searchPlan{kernel: "bfsMany", binShift: shift} }

// crowd joins size * 2,000 vertices at distance 2 to root, and 16 new ones to each of
// them, which are returned: a level of many arcs.
func (m *graphMaker) crowd(root engine.Local, size int) (third []engine.Local) {
	for _, v := range m.leaves(root, 20) {
		for _, w := range m.leaves(v, size*100) {
			third = append(third, m.leaves(w, 16)...)
		}
	}
	return third
}

// leavesOfSome joins none to three leaves to each.
func (m *graphMaker) leavesOfSome(all []engine.Local) {
	for i, v := range all {
		m.leaves(v, i%4)
	}
}

// outOfReach adds n vertices with so many arcs that a crowd is little beside them.
func (m *graphMaker) outOfReach(n int, by ...int) {
	all := m.vertices(n)
	for _, by := range by {
		m.ring(all, by)
	}
}

// ordered returns how many parents of the last search were put in order.
func (c *searchCase) ordered(t *testing.T) (n int) {
	for _, w := range devicetest.Host(t, c.searcher.state.Fresh) {
		n += bits.OnesCount32(w)
	}
	return n
}

// The parents of the level are put in order: more than a block orders at a time, in
// bins of one part and of two.
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
	for _, shift := range []int{17, 18} {
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

// Two such levels in one search, with others between them that use the same memory.
func TestSearchOrdersParentsTwice(t *testing.T) {
	d := devicetest.Open(t)
	m := &graphMaker{}
	root := m.vertices(1)[0]
	// The list of unvisited vertices has no room for so many, so the search goes
	// top-down again.
	out := max(600000, listRoom(t, d, "bfsMany")+60000)
	size := (out + 599999) / 600000 // so that a crowd's arcs are many beside them
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
		t.Errorf("%d parents in order at last, want %d", got, len(second))
	}
}

// After the level that kept parents beside the queue come another one top-down, a
// bottom-up one after few finds, and nothing at all: they are written as they are.
// A second search begins with what the first one left.
func TestSearchDoesNotOrderParents(t *testing.T) {
	d := devicetest.Open(t)
	const up, down = engine.BottomUp, engine.TopDown
	search := func(name string, want []engine.Direction, make func(m *graphMaker, root engine.Local)) {
		t.Run(name, func(t *testing.T) {
			m := &graphMaker{}
			root := m.vertices(1)[0]
			make(m, root)
			labels := m.shuffle(7)
			c := newSearchCase(t, d, int(m.next), m.tuples)
			defer c.close(t)
			c.newSearcher(t, manyPlan(17))
			poison := c.ordered(t) // of what no search wrote
			for range 2 {
				c.searchOnce(t, labels[root])
			}
			if got := c.directions(t)[2:]; !slices.Equal(got[:len(want)], want) {
				t.Errorf("directions %v from level 2 on, want %v at first", got, want)
			}
			if got := c.ordered(t); got != poison {
				t.Errorf("%d parents in order, want none", got)
			}
			if items := devicetest.Host(t, c.searcher.state.Scratch); items[len(items)*3/4+1][3] == 0xA5A5A5A5 {
				t.Error("no parents stood beside the queue")
			}
		})
	}
	search("top-down", []engine.Direction{down, down}, func(m *graphMaker, root engine.Local) {
		m.leaves(m.leaves(m.crowd(root, 1)[5], 1)[0], 3)
		m.outOfReach(120000, 1, 37, 1009, 5003, 17011, 30011, 41999, 59999)
	})
	search("bottom-up", []engine.Direction{down, up}, func(m *graphMaker, root engine.Local) {
		// More vertices than a level of the top-down kind looks at in full, and
		// fewer than one of 256 labels, of which most are of no vertex.
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
	search("end", []engine.Direction{down}, func(m *graphMaker, root engine.Local) {
		third := m.crowd(root, 1)
		for by := range 30 {
			m.ring(third, 1+37*by)
		}
	})
}

// A frontier of three hubs and of vertices that are none, whose neighbours have no
// hub or have them at any place of their rows: the hubs are looked for, and the
// others followed.
func TestSearchLooksForHubsOnly(t *testing.T) {
	m := &graphMaker{}
	root := m.vertices(1)[0]
	middle := m.leaves(root, 10)
	hubs, others := m.leaves(middle[0], 3), []engine.Local{}
	for _, v := range middle {
		others = append(others, m.leaves(v, 20)...)
	}
	all := m.vertices(66000)
	for _, by := range []int{1, 37, 1009, 5003, 17011} {
		m.ring(all, by)
	}
	for i, h := range hubs {
		for j, v := range m.leaves(h, 20000) {
			// More of the hubs, of hubs out of reach and of no hubs.
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
	c.newSearcher(t, searchPlan{kernel: "bfsMany", binShift: 17, hubsShare: 16})
	for range 2 {
		c.searchOnce(t, labels[root])
	}
	const up, down = engine.BottomUp, engine.TopDown
	if got := c.directions(t)[1:3]; !slices.Equal(got, []engine.Direction{down, up}) {
		t.Fatalf("directions %v of levels 1 and 2, want top-down and bottom-up", got)
	}
	// A pass by all neighbours would have found some whose first one is no hub.
	byFirst, slots := devicetest.Host(t, c.searcher.state.ByFirst), devicetest.Host(t, c.packed.Slots)
	for v, slot := range slots {
		if slot == noHub && byFirst[v/32]>>(v%32)&1 != 0 {
			t.Fatalf("vertex %d was found at its first neighbour, which is no hub", v)
		}
	}
	left, arcs := 0, uint32(0)
	for _, row := range devicetest.Host(t, c.searcher.state.Scratch)[:len(hubs)+len(others)] {
		if arcs += row[2]; row[2] == 0 {
			left++
		}
	}
	if want := uint32(len(others) + len(others)/4*6); left != len(hubs) || arcs != want {
		t.Errorf("%d vertices of the frontier are left to the others, with %d arcs to follow, want %d and %d", left, arcs, len(hubs), want)
	}
}
