//go:build cuda

package kernels

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
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

func joined(u, v int) engine.Edge { return engine.Edge{U: engine.Vertex(u), V: engine.Vertex(v)} }

// officialGraph is the Kronecker graph of edge factor 16.
func officialGraph(t testing.TB, scale int) validateGraph {
	t.Helper()
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 16, Seed1: 2, Seed2: 3}
	g := validateGraph{int(spec.Vertices()), make([]engine.Edge, spec.Tuples())}
	team := parallel.NewTeam(0)
	defer team.Close()
	if err := kronecker.New(spec).Fill(context.Background(), team, g.tuples, nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// neighbours lists the neighbours of every vertex v in list[start[v]:start[v+1]].
func (g validateGraph) neighbours() (start []int, list []engine.Vertex) {
	start = make([]int, g.n+2)
	for _, e := range g.tuples {
		start[e.U+2]++
		start[e.V+2]++
	}
	for i := 2; i < len(start); i++ {
		start[i] += start[i-1]
	}
	list = make([]engine.Vertex, 2*len(g.tuples))
	for _, e := range g.tuples {
		list[start[e.U+1]] = e.V
		start[e.U+1]++
		list[start[e.V+1]] = e.U
		start[e.V+1]++
	}
	return start[:g.n+1], list
}

// search is a plain breadth-first search; unreached vertices have depth -1.
func (g validateGraph) search(root engine.Vertex) (parents []engine.Vertex, depths []int) {
	start, list := g.neighbours()
	parents = make([]engine.Vertex, g.n)
	depths = make([]int, g.n)
	for v := range parents {
		parents[v], depths[v] = engine.None, -1
	}
	parents[root], depths[root] = root, 0
	queue := []engine.Vertex{root}
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
	parents *Array[engine.Vertex]
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
	b.parents, errs[3] = Alloc[engine.Vertex](d, "parents", g.n)
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
func (b *validateBench) inParts(root engine.Vertex) (engine.Tree, error) {
	ctx := context.Background()
	if err := b.v.Begin(ctx, b.parents, root); err != nil {
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
func (b *validateBench) judge(t testing.TB, parents []engine.Vertex, root engine.Vertex) error {
	t.Helper()
	ctx := context.Background()
	if err := b.parents.Write(0, parents); err != nil {
		t.Fatal(err)
	}
	want, wantErr := b.checker.Tree(ctx, b.g.tuples, parents, root)
	for _, form := range []struct {
		name string
		tree func() (engine.Tree, error)
	}{
		{"whole", func() (engine.Tree, error) { return b.v.Tree(ctx, b.tuples, b.parents, root) }},
		{"in parts", func() (engine.Tree, error) { return b.inParts(root) }},
	} {
		b.poison(t)
		got, err := form.tree()
		if got != want || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s, root %d of %d vertices, %d tuples:\n%+v, %v\nwant %+v, %v", form.name, root, b.g.n, len(b.g.tuples), got, err, want, wantErr)
		}
	}
	want, countErr := b.checker.Count(ctx, b.g.tuples, parents)
	b.poison(t)
	if got, err := b.v.Count(ctx, b.tuples, b.parents); got != want || !reflect.DeepEqual(err, countErr) {
		t.Fatalf("Count: %+v, %v; want %+v, %v", got, err, want, countErr)
	}
	back := make([]engine.Vertex, len(parents))
	if err := b.parents.Read(0, back); err != nil || !slices.Equal(back, parents) {
		t.Fatalf("the parents were changed, %v", err)
	}
	return wantErr
}

// judgeRule demands that a certain rule is broken.
func (b *validateBench) judgeRule(t testing.TB, parents []engine.Vertex, root engine.Vertex, rule validate.Rule) {
	t.Helper()
	var broken *validate.Error
	if err := b.judge(t, parents, root); !errors.As(err, &broken) || broken.Rule != rule {
		t.Fatalf("error %v, want rule %v", err, rule)
	}
}

// corrupt changes the parent of a random vertex: to another neighbour (often
// right), any vertex, itself, none, or a number of no vertex.
func corrupt(r *rand.Rand, parents []engine.Vertex, start []int, list []engine.Vertex) {
	n := len(parents)
	v := r.IntN(n)
	near := list[start[v]:start[v+1]]
	switch kind := r.IntN(8); {
	case kind < 4 && len(near) > 0:
		parents[v] = near[r.IntN(len(near))]
	case kind < 5:
		parents[v] = engine.Vertex(r.IntN(n))
	case kind < 6:
		parents[v] = engine.None
	case kind < 7 && r.IntN(4) == 0:
		parents[v] = engine.Vertex(n + r.IntN(3))
	case r.IntN(4) == 0:
		parents[v] = engine.Vertex(v)
	}
}

// TestValidateRandomGraphs compares the validator with the checker on small
// graphs with loops, repeated tuples and several components, some of them too
// deep for bytes, for right trees and for corrupted ones.
func TestValidateRandomGraphs(t *testing.T) {
	d := testDevice(t)
	r := rand.New(rand.NewPCG(5, 0))
	verdicts := make(map[string]int)
	for range 1000 {
		g := randomGraph(r)
		start, list := g.neighbours()
		withBench(t, d, g, func(b *validateBench) {
			for changes := range 5 {
				root := engine.Vertex(r.IntN(g.n))
				parents, _ := g.search(root)
				for range changes {
					corrupt(r, parents, start, list)
				}
				var broken *validate.Error
				if errors.As(b.judge(t, parents, root), &broken) {
					verdicts[broken.Rule.String()]++
				} else {
					verdicts["right"]++
				}
			}
		})
	}
	t.Log(verdicts)
	for _, verdict := range []string{"right", "root", "entry", "path", "edge", "level"} {
		if verdicts[verdict] == 0 {
			t.Errorf("no tree with verdict %q", verdict)
		}
	}
}

func randomGraph(r *rand.Rand) validateGraph {
	if r.IntN(4) == 0 { // a path with chords, of a depth around the limits of the tables
		g := validateGraph{n: 2 + r.IntN(300)}
		for v := 1; v < g.n; v++ {
			g.tuples = append(g.tuples, joined(v-1, v))
		}
		for range r.IntN(5) {
			u := r.IntN(g.n)
			g.tuples = append(g.tuples, joined(u, min(g.n-1, u+r.IntN(6))))
		}
		return g
	}
	g := validateGraph{n: 1 + r.IntN(100)}
	for range r.IntN(200) {
		g.tuples = append(g.tuples, joined(r.IntN(g.n), r.IntN(g.n)))
	}
	return g
}

// TestValidateOfficialGraphs compares the validator with the checker on
// official graphs, for right trees and for corrupted ones.
func TestValidateOfficialGraphs(t *testing.T) {
	d := testDevice(t)
	for _, scale := range []int{3, 10, 16} {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(scale), 0))
			g := officialGraph(t, scale)
			start, list := g.neighbours()
			withBench(t, d, g, func(b *validateBench) {
				for range 3 {
					root := g.tuples[r.IntN(len(g.tuples))].U
					tree, _ := g.search(root)
					if err := b.judge(t, tree, root); err != nil {
						t.Fatal(err)
					}
					for i := range 60 {
						parents := slices.Clone(tree)
						for range 1 + i%3 {
							corrupt(r, parents, start, list)
						}
						b.judge(t, parents, root)
					}
				}
			})
		})
	}
}

// TestValidateBrokenRules breaks every rule on purpose on an official graph.
func TestValidateBrokenRules(t *testing.T) {
	d := testDevice(t)
	g := officialGraph(t, 12)
	root := g.tuples[0].U
	tree, depths := g.search(root)
	start, list := g.neighbours()
	find := func(what string, is func(v engine.Vertex) bool) engine.Vertex {
		t.Helper()
		for v := range engine.Vertex(g.n) {
			if is(v) {
				return v
			}
		}
		t.Fatalf("no %s in this graph", what)
		return 0
	}
	inner := make([]bool, g.n)
	for v, p := range tree {
		if p != engine.None && engine.Vertex(v) != root {
			inner[p] = true
		}
	}
	isolated := find("isolated vertex", func(v engine.Vertex) bool { return start[v] == start[v+1] })
	second := find("second isolated vertex", func(v engine.Vertex) bool { return v > isolated && start[v] == start[v+1] })
	leaf := find("leaf", func(v engine.Vertex) bool { return depths[v] > 0 && !inner[v] })
	branch := find("inner vertex", func(v engine.Vertex) bool { return depths[v] > 0 && inner[v] })
	child := find("its child", func(v engine.Vertex) bool { return tree[v] == branch })
	stranger := find("leaf far from the root", func(v engine.Vertex) bool { return depths[v] > 1 && !inner[v] })
	var sibling engine.Vertex
	late := find("leaf with a neighbour on its level", func(v engine.Vertex) bool {
		for _, u := range list[start[v]:start[v+1]] {
			if depths[v] > 0 && !inner[v] && u != v && depths[u] == depths[v] {
				sibling = u
				return true
			}
		}
		return false
	})
	withBench(t, d, g, func(b *validateBench) {
		for _, m := range []struct {
			name string
			rule validate.Rule
			set  []engine.Vertex // vertex, parent, ...
		}{
			{"root without parent", validate.Root, []engine.Vertex{root, engine.None}},
			{"root with a parent", validate.Root, []engine.Vertex{root, leaf}},
			{"root out of range", validate.Root, []engine.Vertex{root, engine.Vertex(g.n), leaf, leaf}},
			{"out of range", validate.Entry, []engine.Vertex{leaf, engine.Vertex(g.n)}},
			{"far out of range", validate.Entry, []engine.Vertex{branch, engine.None - 1}},
			{"own parent", validate.Entry, []engine.Vertex{leaf, leaf}},
			{"own parent above others", validate.Entry, []engine.Vertex{branch, branch}},
			{"isolated vertex its own parent", validate.Entry, []engine.Vertex{isolated, isolated}},
			{"two-cycle outside", validate.Path, []engine.Vertex{isolated, second, second, isolated}},
			{"chain outside", validate.Path, []engine.Vertex{isolated, second}},
			{"two-cycle in the component", validate.Path, []engine.Vertex{branch, child}},
			{"cut off from the root", validate.Path, []engine.Vertex{branch, engine.None}},
			{"isolated vertex claimed", validate.Edge, []engine.Vertex{isolated, root}},
			{"level skipped without an edge", validate.Edge, []engine.Vertex{stranger, root}},
			{"unreached leaf", validate.Level, []engine.Vertex{leaf, engine.None}},
			{"parent on the same level", validate.Level, []engine.Vertex{late, sibling}},
		} {
			t.Run(m.name, func(t *testing.T) {
				defer use(t, d)()
				parents := slices.Clone(tree)
				for i := 0; i < len(m.set); i += 2 {
					parents[m.set[i]] = m.set[i+1]
				}
				b.judgeRule(t, parents, root, m.rule)
			})
		}
		if err := b.judge(t, tree, root); err != nil {
			t.Fatalf("after broken trees: %v", err)
		}
		alone := make([]engine.Vertex, g.n)
		for v := range alone {
			alone[v] = engine.None
		}
		alone[root] = root
		b.judgeRule(t, alone, root, validate.Level)
	})
}

func TestValidateNastyGraphs(t *testing.T) {
	d := testDevice(t)
	star, path, shuffled := validateGraph{n: 1e5 + 1}, validateGraph{n: 1e6}, validateGraph{n: 2e5 + 3}
	for v := 1; v < star.n; v++ {
		star.tuples = append(star.tuples, joined(v, 0), joined(0, v))
	}
	for v := 1; v < path.n; v++ {
		path.tuples = append(path.tuples, joined(v, v-1))
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(shuffled.n)
	for i := 1; i < shuffled.n; i++ {
		shuffled.tuples = append(shuffled.tuples, joined(order[i], order[i-1]))
	}
	for _, test := range []struct {
		name string
		g    validateGraph
		root engine.Vertex
	}{
		{"one vertex", validateGraph{n: 1}, 0},
		{"one vertex with loops", validateGraph{1, []engine.Edge{joined(0, 0), joined(0, 0), joined(0, 0)}}, 0},
		{"no tuples", validateGraph{n: 33}, 32},
		{"isolated root", validateGraph{3, []engine.Edge{joined(0, 1)}}, 2},
		{"loops only", validateGraph{70, []engine.Edge{joined(3, 3), joined(69, 69), joined(3, 3)}}, 3},
		{"duplicates", validateGraph{65, []engine.Edge{joined(0, 64), joined(64, 0), joined(0, 64), joined(64, 64)}}, 64},
		{"two components", validateGraph{6, []engine.Edge{joined(0, 1), joined(1, 2), joined(3, 4), joined(4, 4)}}, 1},
		{"star from its hub", star, 0},
		{"star from a leaf", star, 77},
		{"path from its start", path, 0},
		{"path from its end", path, engine.Vertex(path.n - 1)},
		{"path from the middle", path, engine.Vertex(path.n / 2)},
		{"shuffled path", shuffled, engine.Vertex(order[0])},
	} {
		t.Run(test.name, func(t *testing.T) {
			parents, _ := test.g.search(test.root)
			withBench(t, d, test.g, func(b *validateBench) {
				if err := b.judge(t, parents, test.root); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestValidateDepthLimits checks paths with about as many levels as each form
// of the table can say, right and broken, one after the other on one validator.
func TestValidateDepthLimits(t *testing.T) {
	d := testDevice(t)
	const n = 300
	var path validateGraph
	path.n = n
	for v := 1; v < n; v++ {
		path.tuples = append(path.tuples, joined(v-1, v))
	}
	line, _ := path.search(0)
	for _, last := range []int{13, 14, 15, 16, 126, 125, 127, 128, 254, 255, 256, 14, n - 1, 3} {
		g := validateGraph{n, path.tuples[:last]}
		parents := slices.Clone(line)
		for v := last + 1; v < n; v++ {
			parents[v] = engine.None
		}
		end := engine.Vertex(last)
		withBench(t, d, g, func(b *validateBench) {
			if err := b.judge(t, parents, 0); err != nil {
				t.Fatal(err)
			}
			change := func(rule validate.Rule, set ...engine.Vertex) {
				t.Helper()
				broken := slices.Clone(parents)
				for i := 0; i < len(set); i += 2 {
					broken[set[i]] = set[i+1]
				}
				b.judgeRule(t, broken, 0, rule)
			}
			change(validate.Level, end, engine.None)
			change(validate.Edge, end, end-2)
			change(validate.Path, 1, engine.None)
			change(validate.Path, 1, end)
			change(validate.Path, end-1, end)
			if err := b.judge(t, parents, 0); err != nil {
				t.Fatal(err)
			}
			// On the same validator: a detour, and a shallow tree after a deep one.
			b.g.tuples = append(slices.Clone(g.tuples), engine.Edge{U: end, V: end - 2})
			withBench(t, d, b.g, func(b *validateBench) { b.judgeRule(t, parents, 0, validate.Level) })
		})
	}
	withBench(t, d, path, func(b *validateBench) {
		for _, root := range []engine.Vertex{0, n / 2, n - 1} {
			parents, _ := path.search(root)
			if err := b.judge(t, parents, root); err != nil {
				t.Fatal(err)
			}
			shallow := make([]engine.Vertex, n)
			for v := range shallow {
				shallow[v] = engine.None
			}
			shallow[root] = root
			b.judgeRule(t, shallow, root, validate.Level)
		}
	})
}

// TestValidateSmallestPlace breaks each rule in many places.
func TestValidateSmallestPlace(t *testing.T) {
	d := testDevice(t)
	g := validateGraph{n: 1 << 18}
	for v := 1; v < g.n; v++ {
		g.tuples = append(g.tuples, joined(v, v/2))
	}
	tree, _ := g.search(0)
	withBench(t, d, g, func(b *validateBench) {
		for rule, change := range map[validate.Rule]func(parents []engine.Vertex, v int){
			validate.Entry: func(parents []engine.Vertex, v int) { parents[v] = engine.Vertex(v + v%2*g.n) },
			validate.Path: func(parents []engine.Vertex, v int) {
				parents[v], parents[v^1] = engine.Vertex(v^1), engine.Vertex(v)
			},
			validate.Edge:  func(parents []engine.Vertex, v int) { parents[v] = tree[v] - 1 },
			validate.Level: func(parents []engine.Vertex, v int) { parents[v] = engine.None },
		} {
			parents := slices.Clone(tree)
			for v := g.n * 5 / 8; v < g.n; v += 997 {
				change(parents, v)
			}
			b.judgeRule(t, parents, 0, rule)
		}
	})
}

// TestValidateTuplesOutside checks the message about tuples that name no vertex.
func TestValidateTuplesOutside(t *testing.T) {
	d := testDevice(t)
	g := validateGraph{3, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(7, 0), {U: engine.None, V: 0}}}
	withBench(t, d, g, func(b *validateBench) {
		for _, parents := range [][]engine.Vertex{{0, 0, 1}, {0, 0, engine.None}} {
			if err := b.judge(t, parents, 0); err == nil || !strings.Contains(err.Error(), "tuple 2 joins 2 and 3") {
				t.Errorf("error %v", err)
			}
		}
	})
}

// TestValidateLargeIndex checks tuples of a list longer than 2^32.
func TestValidateLargeIndex(t *testing.T) {
	d := testDevice(t)
	ctx := context.Background()
	g := validateGraph{4, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(2, 3)}}
	withBench(t, d, g, func(b *validateBench) {
		if err := b.parents.Write(0, []engine.Vertex{0, 0, 1, engine.None}); err != nil {
			t.Fatal(err)
		}
		if err := b.v.Begin(ctx, b.parents, 0); err != nil {
			t.Fatal(err)
		}
		for _, index := range []uint64{1 << 33, 5 << 32} {
			if err := b.v.Tuples(b.tuples, len(g.tuples), index); err != nil {
				t.Fatal(err)
			}
		}
		want := validate.LevelError(0, 1<<33+2, joined(2, 3), [2]int64{2, -1})
		if _, err := b.v.End(ctx); !reflect.DeepEqual(err, error(want)) {
			t.Errorf("%v; want %v", err, want)
		}
		if err := b.v.Tuples(b.tuples, len(g.tuples)+1, 0); err == nil {
			t.Error("more tuples than the array has")
		}
	})
}

// TestValidateBatch has the validators of several trees look at each part of
// the tuples in turn.
func TestValidateBatch(t *testing.T) {
	d := testDevice(t)
	ctx := context.Background()
	g := officialGraph(t, 12)
	withBench(t, d, g, func(b *validateBench) {
		var validators []*Validator
		var roots []engine.Vertex
		for i := range 4 {
			root := g.tuples[i].U
			tree, _ := g.search(root)
			if i == 2 {
				tree[g.tuples[9].V] = engine.None
			}
			v, err := NewValidator(d, uint64(g.n))
			if err != nil {
				t.Fatal(err)
			}
			defer v.Close()
			parents, err := Alloc[engine.Vertex](d, "parents", g.n)
			if err != nil {
				t.Fatal(err)
			}
			defer parents.Free()
			if err := parents.Write(0, tree); err != nil {
				t.Fatal(err)
			}
			if i == 2 {
				_, want := b.checker.Tree(ctx, g.tuples, tree, root)
				if err := v.Begin(ctx, parents, root); err != nil {
					if !reflect.DeepEqual(err, want) {
						t.Fatalf("%v; want %v", err, want)
					}
					continue
				}
			} else if err := v.Begin(ctx, parents, root); err != nil {
				t.Fatal(err)
			}
			validators, roots = append(validators, v), append(roots, root)
		}
		const part = 1001
		for first := 0; first < len(g.tuples); first += part {
			tuples := g.tuples[first:min(first+part, len(g.tuples))]
			if err := b.chunk.Write(0, tuples); err != nil {
				t.Fatal(err)
			}
			for _, v := range validators {
				if err := v.Tuples(b.chunk, len(tuples), uint64(first)); err != nil {
					t.Fatal(err)
				}
			}
		}
		for i, v := range validators {
			tree := make([]engine.Vertex, g.n)
			if err := v.parents.Read(0, tree); err != nil {
				t.Fatal(err)
			}
			want, wantErr := b.checker.Tree(ctx, g.tuples, tree, roots[i])
			if got, err := v.End(ctx); got != want || !reflect.DeepEqual(err, wantErr) {
				t.Fatalf("tree %d: %+v, %v; want %+v, %v", i, got, err, want, wantErr)
			}
		}
	})
}

// TestValidateSizes checks parents of the wrong length, empty graphs and the
// memory that is said to be taken.
func TestValidateSizes(t *testing.T) {
	d := testDevice(t)
	ctx := context.Background()
	withBench(t, d, validateGraph{}, func(b *validateBench) {
		b.judgeRule(t, nil, 0, validate.Root)
	})
	g := validateGraph{3, []engine.Edge{joined(0, 1), joined(1, 2)}}
	withBench(t, d, g, func(b *validateBench) {
		b.judgeRule(t, []engine.Vertex{0, 0, 1}, 3, validate.Root)
		for _, n := range []int{0, 2, 4} {
			parents, err := Alloc[engine.Vertex](d, "parents", n)
			if err != nil {
				t.Fatal(err)
			}
			host := make([]engine.Vertex, n)
			_, want := b.checker.Tree(ctx, g.tuples, host, 0)
			if _, err := b.v.Tree(ctx, b.tuples, parents, 0); !reflect.DeepEqual(err, want) {
				t.Errorf("%v; want %v", err, want)
			}
			_, want = b.checker.Count(ctx, g.tuples, host)
			if _, err := b.v.Count(ctx, b.tuples, parents); !reflect.DeepEqual(err, want) {
				t.Errorf("%v; want %v", err, want)
			}
			if err := parents.Free(); err != nil {
				t.Error(err)
			}
		}
		if got, want := b.v.table.Bytes()+b.v.facts.Bytes(), ValidatorMemory(3); got != want || b.v.wide != nil {
			t.Errorf("%d bytes taken, ValidatorMemory says %d", got, want)
		}
	})
	if _, err := NewValidator(d, 1<<31); err == nil {
		t.Error("a validator for too many vertices")
	}
}

func TestValidateCancelled(t *testing.T) {
	d := testDevice(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	g := validateGraph{3, []engine.Edge{joined(0, 1), joined(1, 2)}}
	withBench(t, d, g, func(b *validateBench) {
		if err := b.parents.Write(0, []engine.Vertex{0, 0, 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.v.Tree(ctx, b.tuples, b.parents, 0); !errors.Is(err, stop) {
			t.Errorf("Tree: %v", err)
		}
		if _, err := b.v.Count(ctx, b.tuples, b.parents); !errors.Is(err, stop) {
			t.Errorf("Count: %v", err)
		}
		if err := b.v.Begin(context.Background(), b.parents, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := b.v.End(ctx); !errors.Is(err, stop) {
			t.Errorf("End: %v", err)
		}
	})
}

// BenchmarkValidateTree measures the check of one tree of an official graph.
func BenchmarkValidateTree(b *testing.B) {
	d := testDevice(b)
	for _, scale := range []int{16, 20, 22} {
		b.Run(fmt.Sprintf("scale=%d", scale), func(b *testing.B) {
			g := officialGraph(b, scale)
			root := g.tuples[0].U
			parents, _ := g.search(root)
			withBench(b, d, g, func(bench *validateBench) {
				if err := bench.parents.Write(0, parents); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := bench.v.Tree(context.Background(), bench.tuples, bench.parents, root); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
