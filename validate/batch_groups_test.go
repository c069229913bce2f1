package validate

import (
	"fmt"
	"math"
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
	c.groups.edges = make([]engine.Edge, 4*piece*(1+len(c.batch.workers)*most))
	c.groups.weights = nil
	if c.kernel == engine.SSSP {
		c.groups.weights = make([]float32, len(c.groups.edges))
	}
	c.groups.took[0] = math.MaxInt64
}

// TestGroups puts random tuples of the lowest and of all labels. Each must be in the group of its windows,
// with its weight, exactly once.
func TestGroups(t *testing.T) {
	for round := range 60 {
		workers, vertices := 1+round%3, []int{1, 2, 63, 64, 1000, 70000}[round%6]
		t.Run(fmt.Sprintf("%d vertices, %d workers, round %d", vertices, workers, round), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(round), 1))
			g := groups{window: 1 << r.IntN(8), edges: make([]engine.Edge, piece*(8+r.IntN(9000)))}
			g.weights = make([]float32, len(g.edges))
			room := g.divide(vertices, 8, workers)
			if room == 0 {
				if vertices > 1 && 8*vertices/g.window >= 2 && len(g.edges)/piece >= 4*(1+3*workers) {
					t.Fatalf("no groups in %d tuples", len(g.edges))
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
	c.groups.edges = make([]engine.Edge, len(g.tuples)/2)
	var searches []Search
	for i := range MinBatch {
		parents, _ := g.search(g.tuples[i].U)
		searches = append(searches, Search{Root: engine.Vertex(g.tuples[i].U), Parents: parents})
	}
	judgeAll(t, c, g, searches)
	if c.groups.took[0] == 0 || c.groups.took[1] == 0 {
		t.Fatalf("took %v", c.groups.took)
	}
}
