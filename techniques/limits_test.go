//go:build cuda

package techniques

import (
	"fmt"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// named returns the technique of that name.
func named(name string) Technique {
	return All()[slices.IndexFunc(All(), func(t Technique) bool { return t.Name == name })]
}

// with returns the technique of that name with another constructor.
func with(name string, newSearch func() search) Technique {
	t := named(name)
	t.newSearch = newSearch
	return t
}

// counts searches from root with the normal and the instrumented form, and returns the
// work counts.
func (c *testCase) counts(t *testing.T, technique Technique, root engine.Label) engine.Counts {
	t.Helper()
	c.search(t, c.new(t, technique, false), root)
	s := c.new(t, technique, true)
	c.search(t, s, root)
	n, err := s.Counts()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// directions returns the directions of a search's levels from root.
func (c *testCase) directions(t *testing.T, technique Technique, root engine.Label) (list []engine.Direction) {
	t.Helper()
	s := c.new(t, technique, false)
	c.search(t, s, root)
	profile, err := s.Profile()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range profile.Levels {
		list = append(list, l.Direction)
	}
	return list
}

// tree returns a tree of three levels, its number of vertices and its edges: the root 0,
// middle children, and leaves distributed evenly over these.
func tree(middle, leaves int) (vertices int, tuples []engine.Edge) {
	for i := range middle {
		tuples = append(tuples, engine.Edge{U: 0, V: engine.Label(1 + i)})
	}
	for i := range leaves {
		tuples = append(tuples, engine.Edge{U: engine.Label(1 + i%middle), V: engine.Label(1 + middle + i)})
	}
	return 1 + middle + leaves, tuples
}

// blocks returns the number of blocks for that many threads.
func blocks(threads int) int64 { return int64(threads+device.BlockThreads-1) / device.BlockThreads }

// A plain queue has one claim and one reservation per vertex.
func TestFrontierCounts(t *testing.T) {
	vertices, tuples := tree(3, 700)
	got := newTestCase(t, devicetest.Open(t), vertices, tuples).counts(t, named("frontier"), 0)
	if want := (engine.Counts{Examined: 2 * 703, Atomics: 2 * 703, Launches: 1 + 3}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// A block, by one or all of its threads, finds fewer vertices than its queue holds, the
// same number, one more, and many more.
func TestPrivateQueueOverflow(t *testing.T) {
	d := devicetest.Open(t)
	for _, capacity := range []int{1, 64, privateCapacity} {
		privatized := with("privatized", func() search { return &privatizedSearch{capacity: uint64(capacity)} })
		for _, leaves := range []int{capacity - 1, capacity, capacity + 1, 3*capacity + 1} {
			for _, middle := range []int{1, device.BlockThreads} {
				t.Run(fmt.Sprint(capacity, leaves, middle), func(t *testing.T) {
					vertices, tuples := tree(middle, leaves)
					got := newTestCase(t, d, vertices, tuples).counts(t, privatized, 0)
					found := int64(middle + leaves)
					over := int64(max(0, middle-capacity) + max(0, leaves-capacity))
					want := engine.Counts{
						Examined:      2 * found,
						SharedAtomics: found, // one on the counter of the block's queue per vertex
						// One claim per vertex, one reservation per overflowing vertex, and one
						// reservation per block.
						Atomics:  found + over + 1 + blocks(middle) + blocks(leaves),
						Launches: 1 + 2 + min(1, int64(leaves)),
					}
					if got != want {
						t.Errorf("%+v, want %+v", got, want)
					}
				})
			}
		}
	}
}

// The single block processes small levels and returns to the host at a large one. It runs
// again when the frontier is small.
func TestSingleBlockHandsOver(t *testing.T) {
	d := devicetest.Open(t)
	for _, capacity := range []int{1, 64, blockCapacity} {
		singleBlock := with("single-block", func() search { return &singleBlockSearch{capacity: uint64(capacity), levels: blockLevels} })
		for _, leaves := range []int{capacity - 1, capacity, capacity + 1, 3 * capacity} {
			for _, middle := range []int{1, min(capacity, 7), capacity + 2} {
				if leaves == 0 {
					continue
				}
				t.Run(fmt.Sprint(capacity, leaves, middle), func(t *testing.T) {
					vertices, tuples := tree(middle, leaves)
					// All leaves have a common neighbour, from which a path starts.
					for i := range leaves {
						tuples = append(tuples, engine.Edge{U: engine.Label(1 + middle + i), V: engine.Label(vertices)})
					}
					for range 5 {
						tuples = append(tuples, engine.Edge{U: engine.Label(vertices), V: engine.Label(vertices + 1)})
						vertices++
					}
					got := newTestCase(t, d, vertices+1, tuples).counts(t, singleBlock, 0).Launches
					want := int64(1) // the start
					block := false   // the single block is running
					for _, size := range []int{1, middle, leaves, 1, 1, 1, 1, 1, 1} {
						switch {
						case size > capacity:
							want++
							block = false
						case !block:
							want++
							block = true
						}
					}
					if got != want {
						t.Errorf("%d launches, want %d", got, want)
					}
				})
			}
		}
	}
}

// The single block returns to the host after its maximum number of levels.
func TestSingleBlockReturns(t *testing.T) {
	d := devicetest.Open(t)
	const levels = 8
	singleBlock := with("single-block", func() search { return &singleBlockSearch{capacity: blockCapacity, levels: levels} })
	for _, length := range []int{2, levels - 1, levels, levels + 1, 2 * levels, 2*levels + 1, 100} {
		t.Run(fmt.Sprint(length), func(t *testing.T) {
			got := newTestCase(t, d, length, path(length)).counts(t, singleBlock, 0).Launches
			if want := int64(1 + (length+levels-1)/levels); got != want {
				t.Errorf("%d launches, want %d", got, want)
			}
		})
	}
}

// hubs returns a root, 0, with one child of each degree.
func hubs(degrees []int) (vertices int, tuples []engine.Edge) {
	vertices = 1 + len(degrees)
	for i, degree := range degrees {
		tuples = append(tuples, engine.Edge{U: 0, V: engine.Label(1 + i)})
		for range degree - 1 {
			tuples = append(tuples, engine.Edge{U: engine.Label(1 + i), V: engine.Label(vertices)})
			vertices++
		}
	}
	return vertices, tuples
}

// A vertex goes to the bucket of its degree, and only non-empty buckets are expanded.
func TestBucketLimits(t *testing.T) {
	d := devicetest.Open(t)
	technique := named("degree-buckets")
	for _, c := range []struct {
		degrees []int
		buckets int64
	}{
		{[]int{2, warpDegree - 1}, 1},
		{[]int{2, warpDegree}, 2},
		{[]int{warpDegree, blockDegree - 1}, 1},
		{[]int{warpDegree, blockDegree}, 2},
		{[]int{blockDegree, blockDegree + 1, 5 * blockDegree}, 1},
		{[]int{warpDegree - 1, warpDegree, warpDegree + 1, blockDegree - 1, blockDegree, blockDegree + 1}, 3},
	} {
		t.Run(fmt.Sprint(c.degrees), func(t *testing.T) {
			vertices, tuples := hubs(c.degrees)
			got := newTestCase(t, d, vertices, tuples).counts(t, technique, 0)
			found := int64(vertices - 1)
			want := engine.Counts{
				Examined: 2 * found,
				Atomics:  2*found + 1,           // a claim and a place each, and the root's place
				Launches: 1 + 1 + c.buckets + 1, // the start, the root, its children, the leaves
			}
			if got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// A bucket holds the largest possible number of vertices of its degrees: here all vertices
// but the root.
func TestFullBuckets(t *testing.T) {
	d := devicetest.Open(t)
	for _, vertices := range []int{warpDegree + 1, blockDegree + 1} {
		var complete []engine.Edge
		for u := range engine.Label(vertices) {
			for v := range u {
				complete = append(complete, engine.Edge{U: u, V: v})
			}
		}
		t.Run(fmt.Sprint(vertices), func(t *testing.T) {
			newTestCase(t, d, vertices, complete).counts(t, named("degree-buckets"), 0)
		})
	}
	if got, want := bucketCapacity(100, 3200), [3]uint64{100, 100, 12}; got != want {
		t.Errorf("%d, want %d", got, want)
	}
}

// gatheringWith returns a gathering technique that distributes short queues over that many
// blocks.
func gatheringWith(name string, blocks uint64) Technique {
	return with(name, func() search { return &fixedGrid{named(name).newSearch().(*gathering), blocks} })
}

// fixedGrid is a gathering with a given number of blocks instead of the resident ones.
type fixedGrid struct {
	*gathering
	gridBlocks uint64
}

func (s *fixedGrid) prepare(h *host) error {
	err := s.gathering.prepare(h)
	s.blocks = s.gridBlocks
	return err
}

// The row length selects the gathering method, and there is one reservation per round.
// One block gathers the rows of nine vertices, whose neighbours are the root and leaves.
// One of its warps has two of the rows.
func TestGatheringLimits(t *testing.T) {
	d := devicetest.Open(t)
	const rows = 9
	byWarp := func(degree int) int { return 2 * ((degree + 31) / 32) }
	byBlock := func(degree int) int { return rows * ((degree + device.BlockThreads - 1) / device.BlockThreads) }
	byScan := func(degree int) int { return (rows*degree + device.BlockThreads - 1) / device.BlockThreads }
	rounds := map[string]func(degree int) int{
		"gather-serial": func(degree int) int { return rows + degree - 2 }, // rows-1 more for the root, degree-1 for its children
		"gather-warp":   byWarp,
		"gather-scan":   byScan,
		"gather-cta":    byBlock,
		"scan-warp-cta": func(degree int) int {
			switch {
			case degree < 32:
				return byScan(degree)
			case degree < device.BlockThreads:
				return byWarp(degree)
			}
			return byBlock(degree)
		},
	}
	for _, degree := range []int{2, 16, 31, 32, 33, device.BlockThreads - 1, device.BlockThreads, device.BlockThreads + 1, 2*device.BlockThreads + 32} {
		t.Run(fmt.Sprint(degree), func(t *testing.T) {
			vertices, tuples := hubs(slices.Repeat([]int{degree}, rows))
			c := newTestCase(t, d, vertices, tuples)
			for name, rounds := range rounds {
				got := c.counts(t, gatheringWith(name, 1), 0)
				got.SharedAtomics = 0 // depend on the order of the competition for the block
				found := int64(vertices - 1)
				want := engine.Counts{Examined: 2 * found, Atomics: found + 1 + int64(rounds(degree)), Launches: 4}
				if got != want {
					t.Errorf("%s: %+v, want %+v", name, got, want)
				}
			}
		})
	}
}

// Rows with lengths around the limits, mixed, in one and in several blocks.
func TestMixedRows(t *testing.T) {
	d := devicetest.Open(t)
	for _, copies := range devicetest.Sized([]int{1, 20, 40}, []int{1, 3}) {
		var degrees []int
		for range copies {
			degrees = append(degrees, 2, 31, 32, 3, 33, 1, 255, 256, 1, 257, 64, 63, 65)
		}
		t.Run(fmt.Sprint(copies), func(t *testing.T) {
			vertices, tuples := hubs(degrees)
			c := newTestCase(t, d, vertices, tuples)
			list := []Technique{named("degree-buckets"), named("direction")}
			for _, name := range []string{"gather-serial", "gather-warp", "gather-scan", "gather-cta", "scan-warp-cta"} {
				list = append(list, named(name), gatheringWith(name, 1), gatheringWith(name, 7))
			}
			for _, technique := range list {
				s := c.new(t, technique, false)
				c.search(t, s, 0)
				c.search(t, s, engine.Label(vertices-1))
			}
		})
	}
}

// A level is pulled if its queue has at least half of the vertices.
func TestDirectionHalf(t *testing.T) {
	d := devicetest.Open(t)
	technique := named("direction-half")
	const middle = 50
	for leaves, want := range map[int]engine.Direction{
		middle - 2: engine.BottomUp, // 50 of 99
		middle - 1: engine.BottomUp, // 50 of 100
		middle:     engine.TopDown,  // 50 of 101
	} {
		t.Run(fmt.Sprint(leaves), func(t *testing.T) {
			vertices, tuples := tree(middle, leaves)
			got := newTestCase(t, d, vertices+7, tuples).directions(t, technique, 0) // 7 have no edge
			if want := []engine.Direction{engine.TopDown, want, engine.TopDown}; !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
		})
	}
}

func TestDirectionRule(t *testing.T) {
	for _, c := range []struct {
		state directionState
		pull  bool
	}{
		{directionState{arcs: 100, unexplored: 1400, frontier: 9, previous: 1}, false},
		{directionState{arcs: 101, unexplored: 1400, frontier: 9, previous: 1}, true},
		{directionState{arcs: 101, unexplored: 1400, frontier: 9, previous: 9}, false},
		{directionState{pulled: true, vertices: 2400, frontier: 100, previous: 101}, false},
		{directionState{pulled: true, vertices: 2400, frontier: 101, previous: 102}, true},
		{directionState{pulled: true, vertices: 2400, frontier: 1, previous: 1}, true},
	} {
		if got := c.state.pull(); got != c.pull {
			t.Errorf("%+v: pull %v", c.state, got)
		}
	}
}

// A dense core is pulled, the following band of paths is pushed, and a second core at its
// end is pulled.
func TestDirectionTurnsBothWays(t *testing.T) {
	const core, width, length = 300, 40, 40 // a row of the band takes more than a word of a bitmap
	const second = core + width*length      // its first vertex
	var tuples []engine.Edge
	for _, first := range []engine.Label{0, second} {
		for u := range engine.Label(core) {
			for v := range u {
				tuples = append(tuples, engine.Edge{U: first + u, V: first + v})
			}
		}
	}
	for i := range engine.Label(width) {
		tuples = append(tuples, engine.Edge{U: core - 1, V: core + i}, engine.Edge{U: second - 1 - i, V: second})
	}
	for v := engine.Label(core); v < second-width; v++ {
		tuples = append(tuples, engine.Edge{U: v, V: v + width})
	}
	got := newTestCase(t, devicetest.Open(t), second+core, tuples).directions(t, named("direction"), 0)
	want := slices.Repeat([]engine.Direction{engine.TopDown}, length+4)
	want[1], want[len(want)-1] = engine.BottomUp, engine.BottomUp
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A search has more levels than counters.
func TestLevelsBeyondTheCounters(t *testing.T) {
	const length = 2*counterLevels + 2
	c := newTestCase(t, devicetest.Open(t), length, path(length))
	for _, name := range []string{"frontier", "degree-buckets", "direction"} {
		c.search(t, c.new(t, named(name), false), 0)
	}
}

func TestGridFor(t *testing.T) {
	for _, c := range []struct{ count, blocks, want uint64 }{
		{1, 100, 1}, {99, 100, 99}, {100, 100, 100}, {101, 100, 100},
		{100 * device.BlockThreads, 100, 100}, {100*device.BlockThreads + 1, 100, 101}, {1, 1, 1}, {device.BlockThreads + 1, 1, 2},
	} {
		if got := gridFor(c.count, c.blocks); got != c.want {
			t.Errorf("%d vertices to %d blocks: %d, want %d", c.count, c.blocks, got, c.want)
		}
	}
}
