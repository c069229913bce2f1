package validate

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/parallel"
)

// smallWindow is the size in bytes of a window with which small graphs have groups.
const smallWindow = 64

// useGroups makes a checker of a small graph examine all tuples in groups of up to 4 windows.
func useGroups(c *Checker) {
	const most = 4 * (4 + 1) / 2
	c.groups.window = smallWindow
	c.groups.allocate(4*(1+len(c.batch.workers)*most), c.kernel == engine.SSSP)
	for i := range c.groups.trials {
		c.groups.trials[i] = trials{inOrder: {fewestTrials, 1}, inGroups: {fewestTrials, 0}}
	}
}

// allocate allocates pages, for tables of any size.
func (g *groups) allocate(pages int, weighted bool) {
	g.least, g.next, g.edges, g.weights = 0, make([]uint32, pages), make([]engine.Edge, pages*piece), nil
	if weighted {
		g.weights = make([]float32, pages*piece)
	}
}

// TestGroups puts random tuples of the lowest and of all labels. Each must be in the group of its windows,
// with its weight, exactly once.
func TestGroups(t *testing.T) {
	rounds := 60
	if testing.Short() {
		rounds = 18 // three of each size
	}
	for round := range rounds {
		workers, vertices := 1+round%3, []int{1, 2, 63, 64, 1000, 70000}[round%6]
		t.Run(fmt.Sprintf("%d vertices, %d workers, round %d", vertices, workers, round), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(round), 1))
			g := groups{window: 1 << r.IntN(8)}
			g.allocate(8+r.IntN(9000), true)
			room := g.divide(vertices, 8, workers)
			if room == 0 {
				if vertices > 1 && 8*vertices/g.window >= 2 && len(g.next) >= 4*(1+3*workers) {
					t.Fatalf("no groups in %d pages", len(g.next))
				}
				return
			}
			for range 2 {
				g.reset()
				tuples := engine.Tuples{Edges: make([]engine.Edge, room), Weights: make([]float32, room)}
				low := 1 + r.IntN(vertices)
				for i := range tuples.Edges {
					tuples.Edges[i] = edge(r.IntN(vertices), r.IntN(low))
					tuples.Weights[i] = float32(i)
				}
				for worker := range workers {
					lo, hi := parallel.Split(room, workers, worker)
					if !g.put(worker, tuples.Slice(lo, hi), uint64(vertices)) {
						t.Fatal("a tuple is out of range")
					}
				}
				seen := make([]bool, room)
				for group := range g.count {
					windows := [2]engine.Label{engine.None, engine.None}
					for some, next := range g.pieces(group) {
						if len(next) != some.Len() || some.Len() == 0 || some.Len() > piece {
							t.Fatalf("%d tuples, %d to prefetch", some.Len(), len(next))
						}
						for i, e := range some.Edges {
							of := [2]engine.Label{min(e.U, e.V) >> g.shift, max(e.U, e.V) >> g.shift}
							if windows[0] == engine.None {
								windows = of
							}
							index := int(some.Weights[i])
							if of != windows || seen[index] || tuples.Edges[index] != e {
								t.Fatalf("tuple %d, %v, in a group of windows %v", index, e, windows)
							}
							seen[index] = true
						}
					}
				}
				if slices.Contains(seen, false) {
					t.Fatal("a tuple is missing")
				}
			}
			g.reset()
			for _, e := range []engine.Edge{edge(vertices, 0), edge(0, vertices), {U: engine.None, V: 0}} {
				if g.put(0, engine.Tuples{Edges: []engine.Edge{e}}, uint64(vertices)) {
					t.Fatalf("tuple %v is in range", e)
				}
			}
		})
	}
}

// TestGroupsFillTheirPages leaves one tuple in the last page of every list, the worst case for the number of pages.
func TestGroupsFillTheirPages(t *testing.T) {
	const vertices, workers = 64, 2
	g := groups{window: 64}
	g.allocate(400, false)
	room := g.divide(vertices, 8, workers)
	g.reset()
	lists := workers * g.count
	put := func(worker, group, n int) {
		for u := range engine.Label(vertices) {
			for v := range u + 1 {
				if int(g.of[u>>g.shift*mostWindows+v>>g.shift]) == group {
					g.put(worker, engine.Tuples{Edges: slices.Repeat([]engine.Edge{{U: u, V: v}}, n)}, vertices)
					return
				}
			}
		}
		t.Fatalf("no tuple is in group %d", group)
	}
	for i := range lists {
		n := 1
		if i == lists-1 {
			n = room - lists + 1
		}
		put(i/g.count, i%g.count, n)
	}
	if used := int(g.used.Load()); lists < 12 || used > len(g.next) || used < len(g.next)-2 {
		t.Fatalf("%d lists use %d of %d pages", lists, used, len(g.next))
	}
}

// TestGroupsPlan requires memory for the groups of large tables of several searches alone.
func TestGroupsPlan(t *testing.T) {
	for _, c := range []struct {
		kernel   engine.Kernel
		vertices uint64
		batch    int
		integers bool
		want     uint64
	}{
		{engine.BFS, 1 << 23, MaxBatch, false, 1<<23*64 + 1<<22*8 + 1<<22/piece*4},
		{engine.BFS, 1<<23 - 1, MaxBatch, false, (1<<23 - 1) * 64},
		{engine.BFS, 1 << 26, MinBatch, false, 1<<26*8 + 1<<25*8 + 1<<25/piece*4},
		{engine.BFS, 1 << 26, 1, false, 1 << 26 * 8},
		{engine.SSSP, 1 << 23, MinBatch, false, 1<<23*64 + 1<<22*(8+4) + 1<<22/piece*4},
		{engine.SSSP, 1 << 23, MinBatch, true, 1 << 23 * 64},
	} {
		of := Alone(c.vertices, c.kernel)
		of.Batch, of.Integers = c.batch, c.integers
		if got := engine.Peak(of.Plan(), engine.HostMemory); got != c.want {
			t.Errorf("%+v: %d bytes", c, got)
		}
	}
}

// TestTrials requires both ways in turn, then the one with the least time.
func TestTrials(t *testing.T) {
	for faster := range 2 {
		var tr trials
		for i := range 10 {
			want := way(i % 2)
			if i >= 2*fewestTrials {
				want = way(faster)
			}
			got := tr.choose()
			if got != want {
				t.Fatalf("part %d is taken in way %d, want %d", i, got, want)
			}
			seconds := 1.5
			switch {
			case got != way(faster):
			case i < 2*(fewestTrials-1):
				seconds = 1
			default:
				seconds = 2 // interrupted
			}
			tr[got].add(seconds)
		}
	}
}

// TestPassTakesBothWays lets a pass choose the way, with more tuples in a group than the counts of a scanner
// hold. It must try both.
func TestPassTakesBothWays(t *testing.T) {
	g := kroneckerGraph(16)
	team := parallel.NewTeam(2)
	defer team.Close()
	c, err := New(team, Alone(uint64(g.n), engine.BFS))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.groups.window = 8 * g.n / 2
	c.groups.allocate(len(g.tuples)/piece/2, false)
	var searches []Search
	for i := range MinBatch {
		parents, _ := g.search(g.tuples[i].U)
		searches = append(searches, Search{Root: engine.Vertex(g.tuples[i].U), Parents: parents})
	}
	judgeAll(t, c, g, searches)
	if took := c.groups.trials[bits.Len(8)]; took[inOrder].parts == 0 || took[inGroups].parts == 0 {
		t.Fatalf("took %+v", took)
	}
}
