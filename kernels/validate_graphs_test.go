//go:build cuda

package kernels

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/kronecker"
	"graph500/parallel"
	"graph500/validate"
)

// validateGraph is a list of tuples over n vertices.
type validateGraph struct {
	n      int
	tuples []engine.Edge
}

func joined(u, v int) engine.Edge { return engine.Edge{U: engine.Local(u), V: engine.Local(v)} }

// officialGraph is the Kronecker graph of edge factor 16.
func officialGraph(t testing.TB, scale int) validateGraph {
	t.Helper()
	spec := officialSpec(scale)
	g := validateGraph{int(spec.Vertices()), make([]engine.Edge, spec.Tuples())}
	team := parallel.NewTeam(0)
	defer team.Close()
	if err := kronecker.New(spec).Fill(context.Background(), team, g.tuples, nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// neighbours lists the neighbours of every vertex v in list[start[v]:start[v+1]].
func (g validateGraph) neighbours() (start []int, list []engine.Local) {
	start, list = adjacency(g.n, g.tuples)
	return start[:g.n+1], list
}

// search is a plain breadth-first search; unreached vertices have depth -1.
func (g validateGraph) search(root engine.Local) (parents []engine.Local, depths []int) {
	start, list := g.neighbours()
	parents = make([]engine.Local, g.n)
	depths = make([]int, g.n)
	for v := range parents {
		parents[v], depths[v] = engine.None, -1
	}
	parents[root], depths[root] = root, 0
	queue := []engine.Local{root}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range list[start[u]:start[u+1]] {
			if depths[v] < 0 {
				parents[v], depths[v] = u, depths[u]+1
				queue = append(queue, v)
			}
		}
	}
	return parents, depths
}

// validateBench has one graph on the device, and the checker that tells what
// is right.
type validateBench struct {
	g       validateGraph
	checker *validate.Checker
	v       *Validator
	tuples  *Array[engine.Edge]
	parents *Array[engine.Local]
	chunk   *Array[engine.Edge] // room for part of the tuples
	close   func() error
}

func newValidateBench(t testing.TB, d *Device, g validateGraph) *validateBench {
	t.Helper()
	team := parallel.NewTeam(2)
	b := &validateBench{g: g}
	var errs [5]error
	b.checker, errs[0] = validate.New(team, uint64(g.n))
	b.v, errs[1] = NewValidator(d, uint64(g.n))
	b.tuples, errs[2] = Alloc[engine.Edge](d, "tuples", len(g.tuples))
	b.parents, errs[3] = Alloc[engine.Local](d, "parents", g.n)
	b.chunk, errs[4] = Alloc[engine.Edge](d, "part of the tuples", len(g.tuples)/3+1)
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	if err := b.tuples.Write(0, g.tuples); err != nil {
		t.Fatal(err)
	}
	b.close = func() error {
		err := errors.Join(b.checker.Close(), b.v.Close(), b.tuples.Free(), b.parents.Free(), b.chunk.Free())
		team.Close()
		return err
	}
	return b
}

// check is what the host's checker says of a search.
func (b *validateBench) check(ctx context.Context, tuples []engine.Edge, parents []engine.Local, root engine.Local) (engine.Tree, error) {
	return only(b.checker.Check(ctx, tuples, []validate.Search{{Root: engine.Vertex(root), Parents: parents}}))
}

// count is what it counts.
func (b *validateBench) count(ctx context.Context, tuples []engine.Edge, parents []engine.Local) (engine.Tree, error) {
	return only(b.checker.CountEdges(ctx, tuples, []validate.Search{{Parents: parents}}))
}

// only returns the facts of the only tree, unless there is an error.
func only(trees []engine.Tree, err error) (engine.Tree, error) {
	if err != nil {
		return engine.Tree{}, err
	}
	return trees[0], nil
}

// use ties a subtest, which has a goroutine of its own, to the device.
func use(t testing.TB, d *Device) (release func()) {
	t.Helper()
	release, err := d.Use()
	if err != nil {
		t.Fatal(err)
	}
	return release
}

// withBench calls f with the graph on the device.
func withBench(t testing.TB, d *Device, g validateGraph, f func(b *validateBench)) {
	t.Helper()
	defer use(t, d)()
	b := newValidateBench(t, d, g)
	f(b)
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
}

// stale is every byte of what a check must set before it reads it.
const stale = 0xA5

// poison fills everything that a check must set before it reads it.
func (b *validateBench) poison(t testing.TB) {
	t.Helper()
	err := errors.Join(b.v.table.Fill(stale), b.v.facts.Fill(stale))
	if b.v.wide != nil {
		err = errors.Join(err, b.v.wide.Fill(stale))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// inParts is Tree with tuples that are there a part at a time.
func (b *validateBench) inParts(root engine.Local) (engine.Tree, error) {
	ctx := context.Background()
	if err := b.v.Begin(ctx, b.parents, engine.Vertex(root)); err != nil {
		return engine.Tree{}, err
	}
	for first := 0; first < len(b.g.tuples); first += b.chunk.Len() {
		part := b.g.tuples[first:min(first+b.chunk.Len(), len(b.g.tuples))]
		if err := b.chunk.Write(0, part); err != nil {
			return engine.Tree{}, err
		}
		if err := b.v.Tuples(b.chunk, len(part), uint64(first)); err != nil {
			return engine.Tree{}, err
		}
	}
	return b.v.End(ctx)
}

// judge compares the validator with the checker on a tree, right or wrong, and
// returns what both say.
func (b *validateBench) judge(t testing.TB, parents []engine.Local, root engine.Local) error {
	t.Helper()
	ctx := context.Background()
	if err := b.parents.Write(0, parents); err != nil {
		t.Fatal(err)
	}
	want, wantErr := b.check(ctx, b.g.tuples, parents, root)
	for _, form := range []struct {
		name string
		tree func() (engine.Tree, error)
	}{
		{"whole", func() (engine.Tree, error) {
			return b.v.Tree(ctx, HoldTuples(b.tuples), b.parents, engine.Vertex(root))
		}},
		{"in parts", func() (engine.Tree, error) { return b.inParts(root) }},
	} {
		b.poison(t)
		got, err := form.tree()
		if got != want || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s, root %d of %d vertices, %d tuples:\n%+v, %v\nwant %+v, %v", form.name, root, b.g.n, len(b.g.tuples), got, err, want, wantErr)
		}
	}
	want, countErr := b.count(ctx, b.g.tuples, parents)
	b.poison(t)
	if got, err := b.v.Count(ctx, HoldTuples(b.tuples), b.parents); got != want || !reflect.DeepEqual(err, countErr) {
		t.Fatalf("Count: %+v, %v; want %+v, %v", got, err, want, countErr)
	}
	back := make([]engine.Local, len(parents))
	if err := b.parents.Read(0, back); err != nil || !slices.Equal(back, parents) {
		t.Fatalf("the parents were changed, %v", err)
	}
	return wantErr
}

// judgeRule demands that a certain rule is broken.
func (b *validateBench) judgeRule(t testing.TB, parents []engine.Local, root engine.Local, rule validate.Rule) {
	t.Helper()
	var broken *validate.Error
	if err := b.judge(t, parents, root); !errors.As(err, &broken) || broken.Rule != rule {
		t.Fatalf("error %v, want rule %v", err, rule)
	}
}

// corrupt changes the parent of a random vertex: to another neighbour (often
// right), any vertex, itself, none, or a number of no vertex.
func corrupt(r *rand.Rand, parents []engine.Local, start []int, list []engine.Local) {
	n := len(parents)
	v := r.IntN(n)
	near := list[start[v]:start[v+1]]
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
