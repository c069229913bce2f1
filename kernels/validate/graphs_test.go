//go:build cuda

package validate

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/parallel"
	rules "graph500/validate"
)

// testGraph is a list of tuples over n vertices.
type testGraph struct {
	n      int
	tuples []engine.Edge
}

func joined(u, v int) engine.Edge { return engine.Edge{U: engine.Local(u), V: engine.Local(v)} }

// officialGraph is the Kronecker graph of edge factor 16.
func officialGraph(scale int) testGraph {
	return testGraph{1 << scale, devicetest.OfficialTuples(scale)}
}

// starGraph joins vertex 0 twice with each of the others.
func starGraph(n int) testGraph {
	g := testGraph{n: n}
	for v := 1; v < n; v++ {
		g.tuples = append(g.tuples, joined(v, 0), joined(0, v))
	}
	return g
}

// pathGraph joins each vertex with the one before it.
func pathGraph(n int) testGraph {
	g := testGraph{n: n}
	for v := 1; v < n; v++ {
		g.tuples = append(g.tuples, joined(v, v-1))
	}
	return g
}

// nastyGraphs lists graphs without edges, of self loops, of equal tuples, of several
// components, and a star.
func nastyGraphs() []testGraph {
	return []testGraph{
		{n: 1},
		{n: 33},
		{1, []engine.Edge{joined(0, 0), joined(0, 0)}},
		{65, []engine.Edge{joined(0, 64), joined(64, 0), joined(0, 64), joined(64, 64)}},
		{6, []engine.Edge{joined(0, 1), joined(1, 2), joined(3, 4), joined(4, 4)}},
		starGraph(1001),
	}
}

// neighbours returns the adjacency list of every vertex. A self loop lists the vertex
// itself.
func (g testGraph) neighbours() [][]engine.Local {
	of := make([][]engine.Local, g.n)
	for _, e := range g.tuples {
		of[e.U] = append(of[e.U], e.V)
		of[e.V] = append(of[e.V], e.U)
	}
	return of
}

// search is a serial breadth-first search. Unreached vertices have depth -1.
func (g testGraph) search(root engine.Local) (parents []engine.Local, depths []int) {
	of := g.neighbours()
	parents, depths = slices.Repeat([]engine.Local{engine.None}, g.n), slices.Repeat([]int{-1}, g.n)
	parents[root], depths[root] = root, 0
	for queue := []engine.Local{root}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		for _, v := range of[u] {
			if depths[v] < 0 {
				parents[v], depths[v] = u, depths[u]+1
				queue = append(queue, v)
			}
		}
	}
	return parents, depths
}

// bench has one graph on the device, and the host's checker as the reference.
type bench struct {
	g       testGraph
	checker *rules.Checker
	live    device.Array[engine.Local] // parents
	chunk   device.Array[engine.Edge]  // buffer for a part of the tuples
	tuples  *generate.Tuples
	alone   *Trees // capacity 1
	width
}

// withBench calls f with the graph on the device.
func withBench(t testing.TB, d *device.Device, g testGraph, f func(b *bench)) {
	t.Helper()
	team := parallel.NewTeam(2)
	defer team.Close()
	b := &bench{g: g}
	var errs [2]error
	b.checker, errs[0] = rules.New(team, uint64(g.n), engine.BFS)
	live, freeLive := devicetest.Borrowed[engine.Local](t, d, g.n)
	chunk, freeChunk := devicetest.Borrowed[engine.Edge](t, d, len(g.tuples)/3+1)
	b.live, b.chunk = live, chunk
	b.tuples = generatetest.Load(t, d, generate.Config{}, engine.Tuples{Edges: g.tuples})
	b.alone, errs[1] = NewTrees(d, engine.BFS, Results{Parents: live}, 1)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	f(b)
	devicetest.Close(t, b.checker, b.tuples, b.alone)
	freeChunk()
	freeLive()
}

// check validates a tree on the host.
func (b *bench) check(ctx context.Context, parents []engine.Local, root engine.Local) (engine.Tree, error) {
	return only(b.checker.Check(ctx, engine.Tuples{Edges: b.g.tuples}, []rules.Search{{Root: engine.Vertex(root), Parents: parents}}))
}

// count counts the edges of a tree on the host.
func (b *bench) count(ctx context.Context, parents []engine.Local) (engine.Tree, error) {
	return only(b.checker.CountEdges(ctx, engine.Tuples{Edges: b.g.tuples}, []rules.Search{{Parents: parents}}))
}

// only returns the facts of the only tree, unless there is an error.
func only(trees []engine.Tree, err error) (engine.Tree, error) {
	if err != nil {
		return engine.Tree{}, err
	}
	return trees[0], nil
}

// poison fills all memory that a check must initialise.
func (k *Trees) poison(t testing.TB) {
	t.Helper()
	for _, c := range k.checkers {
		if err := errors.Join(c.table.Fill(devicetest.Poison), c.facts.Fill(devicetest.Poison), c.wide.Fill(devicetest.Poison)); err != nil {
			t.Fatal(err)
		}
	}
}

// whole validates the tree in live through Trees.
func (b *bench) whole(ctx context.Context, root engine.Local, tuples *generate.Tuples) (engine.Tree, error) {
	return b.withKept(root, func() ([]engine.Tree, error) { return b.alone.Check(ctx, tuples) })
}

// counted counts the edges of the tree in live through Trees.
func (b *bench) counted(ctx context.Context, tuples *generate.Tuples) (engine.Tree, error) {
	return b.withKept(0, func() ([]engine.Tree, error) { return b.alone.CountEdges(ctx, tuples) })
}

// withKept calls work with a batch of the tree in live.
func (b *bench) withKept(root engine.Local, work func() ([]engine.Tree, error)) (engine.Tree, error) {
	if err := b.alone.Keep(engine.Vertex(root)); err != nil {
		return engine.Tree{}, err
	}
	defer b.alone.Drop()
	return only(work())
}

// inParts validates the tree in live with the tuples in several parts.
func (b *bench) inParts(ctx context.Context, root engine.Local) (engine.Tree, error) {
	c := b.alone.checkers[0]
	if err := c.begin(ctx, b.live, engine.Vertex(root)); err != nil {
		return engine.Tree{}, err
	}
	for first := 0; first < len(b.g.tuples); first += b.chunk.Len() {
		part := b.g.tuples[first:min(first+b.chunk.Len(), len(b.g.tuples))]
		if err := b.chunk.Write(0, part); err != nil {
			return engine.Tree{}, err
		}
		if err := c.look(generate.Part{Edges: device.As[uint32](b.chunk), Count: len(part), First: uint64(first)}); err != nil {
			return engine.Tree{}, err
		}
	}
	return c.end(ctx)
}

// judge compares the results for a tree, right or wrong, with those of the host, and
// returns the error of the validation.
func (b *bench) judge(t testing.TB, parents []engine.Local, root engine.Local) error {
	t.Helper()
	ctx := t.Context()
	if err := b.live.Write(0, parents); err != nil {
		t.Fatal(err)
	}
	want, wantErr := b.check(ctx, parents, root)
	for _, form := range []struct {
		name string
		tree func() (engine.Tree, error)
	}{
		{"whole", func() (engine.Tree, error) { return b.whole(ctx, root, b.tuples) }},
		{"in parts", func() (engine.Tree, error) { return b.inParts(ctx, root) }},
	} {
		b.alone.poison(t)
		got, err := form.tree()
		if got != want || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s, root %d of %d vertices, %d tuples:\n%+v, %v\nwant %+v, %v", form.name, root, b.g.n, len(b.g.tuples), got, err, want, wantErr)
		}
	}
	want, countErr := b.count(ctx, parents)
	b.alone.poison(t)
	if got, err := b.counted(ctx, b.tuples); got != want || !reflect.DeepEqual(err, countErr) {
		t.Fatalf("CountEdges: %+v, %v; want %+v, %v", got, err, want, countErr)
	}
	if !slices.Equal(devicetest.Host(t, b.live), parents) {
		t.Fatal("the parents were changed")
	}
	return wantErr
}

// judgeRule requires that the tree breaks the given rule.
func (b *bench) judgeRule(t testing.TB, parents []engine.Local, root engine.Local, rule rules.Rule) {
	t.Helper()
	var broken *rules.Error
	if err := b.judge(t, parents, root); !errors.As(err, &broken) || broken.Rule != rule {
		t.Fatalf("error %v, want rule %v", err, rule)
	}
}

// corrupt changes the parent of a random vertex: to another neighbour (often still a
// right tree), any vertex, itself, none, or a label out of range.
func corrupt(r *rand.Rand, parents []engine.Local, neighbours [][]engine.Local) {
	n := len(parents)
	v := r.IntN(n)
	near := neighbours[v]
	switch kind := r.IntN(8); {
	case kind < 4 && len(near) > 0:
		parents[v] = near[r.IntN(len(near))]
	case kind < 5:
		parents[v] = engine.Local(r.IntN(n))
	case kind < 6:
		parents[v] = engine.None
	case kind < 7 && r.IntN(4) == 0:
		parents[v] = engine.Local(n + r.IntN(3))
	case r.IntN(4) == 0:
		parents[v] = engine.Local(v)
	}
}
