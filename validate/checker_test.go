package validate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
	"graph500/parallel"
	"graph500/vector"
)

var workerCounts = []int{1, 2, 5}

// fataler is implemented by *testing.T and *rapid.T.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// withCheckers calls f with a checker of BFS for each form of the code that the processor has
// and each length of a row of the table, and several numbers of workers.
func withCheckers(t fataler, n int, f func(workers int, c *Checker)) {
	t.Helper()
	withKernel(t, n, engine.BFS, f)
}

// withKernel is withCheckers for any kernel.
func withKernel(t fataler, n int, kernel engine.Kernel, f func(workers int, c *Checker)) {
	t.Helper()
	number := 0
	for i, workers := range workerCounts {
		team := parallel.NewTeam(workers)
		for _, form := range vector.Forms() {
			for batch := MinBatch; batch <= Most(kernel); batch *= 2 {
				number++
				for _, grouped := range []bool{false, true} {
					if Most(kernel) > MinBatch && (number%len(workerCounts) != i || grouped != (number/len(workerCounts)%2 == 1)) {
						continue // another team, or the other way
					}
					of := Alone(uint64(n), kernel)
					of.Batch = batch
					c, err := New(team, of)
					if err != nil {
						t.Fatalf("%v", err)
					}
					c.batch.use(form)
					if grouped {
						useGroups(c)
					}
					f(workers, c)
					if err := c.Close(); err != nil {
						t.Fatalf("%v", err)
					}
				}
			}
		}
		team.Close()
	}
}

// checkOne checks one search.
func checkOne(ctx context.Context, c *Checker, tuples []engine.Edge, parents []engine.Label, root engine.Label) (engine.Tree, error) {
	return first(c.Check(ctx, engine.Tuples{Edges: tuples}, []Search{{Root: engine.Vertex(root), Parents: parents}}))
}

// countOne counts the edges of one search.
func countOne(ctx context.Context, c *Checker, tuples []engine.Edge, parents []engine.Label) (engine.Tree, error) {
	return first(c.CountEdges(ctx, engine.Tuples{Edges: tuples}, []Search{{Parents: parents}}))
}

// first returns the facts of the first tree, if there is one.
func first(trees []engine.Tree, err error) (engine.Tree, error) {
	if len(trees) == 0 {
		return engine.Tree{}, err
	}
	return trees[0], err
}

// place returns the vertex or the tuple index of an error.
func (e *Error) place() int {
	if e.Rule == Level {
		return int(e.Tuple)
	}
	return int(e.Vertex)
}

// judge compares the result of the checker with those of the two references,
// Judge of package conformance and firstBroken.
func judge(t fataler, c *Checker, g testGraph, parents []engine.Label, root engine.Label) error {
	t.Helper()
	tree, err := checkOne(context.Background(), c, g.tuples, parents, root)
	rule, place, ok := g.firstBroken(parents, root)
	if ok {
		if want := g.answer(root).Tree; err != nil || tree != want {
			t.Fatalf("%+v, %v; want %+v", tree, err, want)
		}
		return nil
	}
	var broken *Error
	if !errors.As(err, &broken) {
		t.Fatalf("error %v, want rule %v at %d", err, rule, place)
	}
	if broken.Rule != rule || rule != Size && broken.place() != place || broken.Root != engine.Vertex(root) {
		t.Fatalf("%+v, want rule %v at %d", broken, rule, place)
	}
	if tree != (engine.Tree{}) {
		t.Fatalf("facts %+v of a broken tree", tree)
	}
	line := err.Error()
	if strings.Contains(line, "\n") || !strings.Contains(line, fmt.Sprintf("root %d breaks rule %q", root, rule)) || !strings.Contains(line, rule.Sentence()) {
		t.Fatalf("message %q", line)
	}
	if rule != Size && !strings.Contains(line, fmt.Sprint(place)) {
		t.Fatalf("message %q does not name %d", line, place)
	}
	return err
}

// TestRandomTrees compares the checker with the references on small graphs, for
// correct trees and for trees with a few random changes.
func TestRandomTrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		root := engine.Label(rapid.IntRange(0, g.n-1).Draw(t, "root"))
		parents, depths := g.search(root)
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			change(t, g, parents, depths)
		}
		_, _, ok := g.firstBroken(parents, root)
		if ok != (g.answer(root).Judge(engine.BFS, parents, nil) == nil) {
			t.Fatalf("rules and definition disagree")
		}
		withCheckers(t, g.n, func(_ int, c *Checker) {
			judge(t, c, g, parents, root)
			checkCount(t, c, g, parents)
		})
	})
}

// change changes one entry of a tree, which may remain valid.
func change(t *rapid.T, g testGraph, parents []engine.Label, depths []int) {
	v := rapid.IntRange(0, g.n-1).Draw(t, "v")
	near := g.rows()[v]
	switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
	case kind == 0:
		parents[v] = engine.None
	case kind == 1:
		parents[v] = engine.Label(rapid.IntRange(0, g.n+1).Draw(t, "p"))
	case kind == 2: // another neighbour of the previous level, if any: the tree remains valid
		for _, a := range near {
			if depths[a.To] == depths[v]-1 {
				parents[v] = a.To
			}
		}
	case len(near) > 0: // any neighbour
		parents[v] = rapid.SampledFrom(near).Draw(t, "p").To
	}
}

// drawGraph draws a graph with loops, duplicates and several components. A third
// of the graphs are paths with some chords, deeper than maxNarrow.
func drawGraph(t *rapid.T) testGraph {
	var g testGraph
	if rapid.IntRange(0, 2).Draw(t, "deep") == 0 {
		g.n = rapid.IntRange(250, 700).Draw(t, "n")
		for v := 1; v < g.n; v++ {
			g.tuples = append(g.tuples, edge(v-1, v))
		}
		for range rapid.IntRange(0, 4).Draw(t, "chords") {
			u := rapid.IntRange(0, g.n-1).Draw(t, "u")
			v := min(g.n-1, u+rapid.IntRange(0, 5).Draw(t, "span"))
			g.tuples = append(g.tuples, edge(v, u))
		}
		return g
	}
	g.n = rapid.IntRange(1, 40).Draw(t, "n")
	vertex := rapid.IntRange(0, g.n-1)
	for range rapid.IntRange(0, 60).Draw(t, "tuples") {
		g.tuples = append(g.tuples, edge(vertex.Draw(t, "u"), vertex.Draw(t, "v")))
	}
	return g
}

// checkCount compares CountEdges with a simple count for any parents.
func checkCount(t fataler, c *Checker, g testGraph, parents []engine.Label) {
	t.Helper()
	var want engine.Tree
	for _, p := range parents {
		if p != engine.None {
			want.Visited++
		}
	}
	for _, e := range g.tuples {
		if parents[e.U] == engine.None || parents[e.V] == engine.None {
			continue
		}
		if e.U == e.V {
			want.SelfLoops++
		} else {
			want.Edges++
		}
	}
	if got, err := countOne(context.Background(), c, g.tuples, parents); err != nil || got != want {
		t.Fatalf("Count %+v, %v; want %+v", got, err, want)
	}
}

// TestEdgeCases checks correct trees of graphs that expose typical errors.
func TestEdgeCases(t *testing.T) {
	star, path, shuffled := testGraph{n: 1e5}, testGraph{n: 1e6}, testGraph{n: 2e5}
	if testing.Short() {
		star.n, path.n, shuffled.n = 1e4, 5e4, 2e4
	}
	for v := 1; v < star.n; v++ {
		star.tuples = append(star.tuples, edge(v, 0), edge(0, v))
	}
	for v := 1; v < path.n; v++ {
		path.tuples = append(path.tuples, edge(v, v-1))
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(shuffled.n)
	for i := 1; i < shuffled.n; i++ {
		shuffled.tuples = append(shuffled.tuples, edge(order[i], order[i-1]))
	}
	for _, test := range []struct {
		name string
		g    testGraph
		root engine.Label
	}{
		{"one vertex", testGraph{n: 1}, 0},
		{"one vertex with loops", testGraph{1, []engine.Edge{edge(0, 0), edge(0, 0)}}, 0},
		{"isolated root", testGraph{3, []engine.Edge{edge(0, 1)}}, 2},
		{"loops only", testGraph{70, []engine.Edge{edge(3, 3), edge(69, 69), edge(3, 3)}}, 3},
		{"duplicates", testGraph{65, []engine.Edge{edge(0, 64), edge(64, 0), edge(0, 64), edge(64, 64)}}, 64},
		{"two components", testGraph{6, []engine.Edge{edge(0, 1), edge(1, 2), edge(3, 4), edge(4, 4)}}, 1},
		{"star from its hub", star, 0},
		{"star from a leaf", star, 77},
		{"path from its start", path, 0},
		{"path from its end", path, engine.Label(path.n - 1)},
		{"path from the middle", path, engine.Label(path.n / 2)},
		{"shuffled path", shuffled, engine.Label(order[0])},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := test.g.answer(test.root)
			withCheckers(t, test.g.n, func(workers int, c *Checker) {
				got, err := checkOne(context.Background(), c, test.g.tuples, a.Parents, test.root)
				if err != nil || got != a.Tree {
					t.Errorf("%d workers: %+v, %v; want %+v", workers, got, err, a.Tree)
				}
				checkCount(t, c, test.g, a.Parents)
			})
		})
	}
}

// TestDepthLimits checks trees with depths around maxNarrow, and that a skipped
// level is detected there.
func TestDepthLimits(t *testing.T) {
	for n := maxNarrow - 3; n <= maxNarrow+4; n++ {
		g := testGraph{n: n}
		for v := 1; v < n; v++ {
			g.tuples = append(g.tuples, edge(v-1, v))
		}
		parents, _ := g.search(0)
		withCheckers(t, n, func(_ int, c *Checker) {
			judge(t, c, g, parents, 0)
			last := engine.Label(n - 1)
			unreached := slices.Clone(parents)
			unreached[last] = engine.None
			if judge(t, c, g, unreached, 0) == nil {
				t.Error("unreached end accepted")
			}
			chord := testGraph{n, append(slices.Clone(g.tuples), engine.Edge{U: last, V: last - 2})}
			if judge(t, c, chord, parents, 0) == nil {
				t.Error("a detour accepted")
			}
			loop := testGraph{n, append(slices.Clone(g.tuples), edge(0, n-1))}
			if judge(t, c, loop, parents, 0) == nil {
				t.Error("an edge from the root to the end of the tree accepted")
			}
		})
	}
}

// TestCyclesEverywhere checks parent arrays of a large graph on which a simple
// walk along the parents would not end, or would take quadratic time.
func TestCyclesEverywhere(t *testing.T) {
	n := 1 << 18
	if testing.Short() {
		n = 1 << 14
	}
	g := testGraph{n: n}
	order := rand.New(rand.NewPCG(3, 4)).Perm(n)
	at := func(i int) engine.Label { return engine.Label(order[i]) }
	for name, parent := range map[string]func(i int) engine.Label{
		"two-cycles":             func(i int) engine.Label { return at(i ^ 1) },
		"one cycle":              func(i int) engine.Label { return at((i-1)%(n-2) + 2) },
		"a path into a cycle":    func(i int) engine.Label { return at(min(i+1, n-1) - 3*(i/(n-1))) },
		"a path out of the tree": func(i int) engine.Label { return at(i - 1) },
		"a tree on a cycle": func(i int) engine.Label {
			if i < 4 {
				return at(i ^ 1)
			}
			return at(i / 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			parents := make([]engine.Label, n)
			root := at(0)
			for i := 2; i < n; i++ {
				parents[at(i)] = parent(i)
			}
			parents[root], parents[at(1)] = root, engine.None
			rule, place, _ := g.firstBroken(parents, root)
			if rule != Path {
				t.Fatalf("rule %v at %d", rule, place)
			}
			withCheckers(t, n, func(_ int, c *Checker) { judge(t, c, g, parents, root) })
		})
	}
}

func TestSizes(t *testing.T) {
	withCheckers(t, 3, func(_ int, c *Checker) {
		of := Alone(3, engine.BFS)
		of.Batch = c.together
		if got, want := uint64(8*len(c.words)), engine.Peak(of.Plan(), engine.HostMemory); got != want {
			t.Errorf("%d bytes allocated, Bytes returns %d", got, want)
		}
	})
	team := parallel.NewTeam(1)
	defer team.Close()
	if _, err := New(team, Alone(MaxVertices+1, engine.BFS)); err == nil {
		t.Error("a checker for too many vertices")
	}
}

func TestCancelled(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	const n = 4 * walkSteps
	parents := make([]engine.Label, n)
	for v := 1; v < n; v++ {
		parents[v] = engine.Label(v - 1)
	}
	withCheckers(t, n, func(_ int, c *Checker) {
		if _, err := checkOne(ctx, c, nil, parents, 0); !errors.Is(err, stop) {
			t.Errorf("Tree: %v", err)
		}
		if _, err := countOne(ctx, c, nil, parents); !errors.Is(err, stop) {
			t.Errorf("Count: %v", err)
		}
		for _, looks := range []int{0, 4} { // in the first and in the second walk to the root
			clear(c.single.depth)
			c.single.depth[0] = 1
			if d := c.single.walk(&endsAfter{ctx, looks}, parents, n-1); d != 0 {
				t.Errorf("a walk reached depth %d after the end", d)
			}
			if touched := c.single.depth[n-1] != 0; touched != (looks > 0) || c.single.depth[1] != 0 {
				t.Errorf("%d looks at the context: depths of the ends %d and %d", looks, c.single.depth[1], c.single.depth[n-1])
			}
		}
	})
}

// endsAfter is a context that ends after its Err method was called a number of
// times.
type endsAfter struct {
	context.Context
	looks int
}

func (c *endsAfter) Err() error {
	c.looks--
	if c.looks < 0 {
		return context.Canceled
	}
	return nil
}

// TestSmallestPlace breaks each rule at many vertices of a graph that is divided
// into many ranges, and checks that the smallest one is reported.
func TestSmallestPlace(t *testing.T) {
	g := testGraph{n: 1 << 16}
	if testing.Short() {
		g.n = 1 << 15
	}
	for v := 1; v < g.n; v++ {
		g.tuples = append(g.tuples, edge(v, v/2))
	}
	const root = 0
	tree, _ := g.search(root)
	for name, change := range map[string]func(parents []engine.Label, v int){
		"entry": func(parents []engine.Label, v int) { parents[v] = engine.Label(v + v%2*g.n) },
		"path":  func(parents []engine.Label, v int) { parents[v], parents[v^1] = engine.Label(v^1), engine.Label(v) },
		"edge":  func(parents []engine.Label, v int) { parents[v] = tree[v] - 1 },
		"level": func(parents []engine.Label, v int) { parents[v] = engine.None },
	} {
		t.Run(name, func(t *testing.T) {
			parents := slices.Clone(tree)
			for v := g.n * 5 / 8; v < g.n; v += 997 {
				change(parents, v)
			}
			withCheckers(t, g.n, func(_ int, c *Checker) {
				var broken *Error
				if err := judge(t, c, g, parents, root); !errors.As(err, &broken) || broken.Rule.String() != name {
					t.Fatal(err)
				}
			})
		})
	}
}
