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
	"graph500/validate"
)

// TestValidateRandomGraphs compares the validator with the checker on small
// graphs with loops, repeated tuples and several components, some of them too
// deep for bytes, for right trees and for corrupted ones.
func TestValidateRandomGraphs(t *testing.T) {
	d := testDevice(t)
	r := rand.New(rand.NewPCG(5, 0))
	verdicts := make(map[string]int)
	for range sized(1000, 50) {
		g := randomGraph(r)
		start, list := g.neighbours()
		withBench(t, d, g, func(b *validateBench) {
			for changes := range 5 {
				root := engine.Local(r.IntN(g.n))
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
		if verdicts[verdict] == 0 && !testing.Short() {
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
	for _, scale := range sized([]int{3, 10, 16}, []int{3, 10}) {
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
					for i := range sized(60, 20) {
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
	find := func(what string, is func(v engine.Local) bool) engine.Local {
		t.Helper()
		for v := range engine.Local(g.n) {
			if is(v) {
				return v
			}
		}
		t.Fatalf("no %s in this graph", what)
		return 0
	}
	inner := make([]bool, g.n)
	for v, p := range tree {
		if p != engine.None && engine.Local(v) != root {
			inner[p] = true
		}
	}
	isolated := find("isolated vertex", func(v engine.Local) bool { return start[v] == start[v+1] })
	second := find("second isolated vertex", func(v engine.Local) bool { return v > isolated && start[v] == start[v+1] })
	leaf := find("leaf", func(v engine.Local) bool { return depths[v] > 0 && !inner[v] })
	branch := find("inner vertex", func(v engine.Local) bool { return depths[v] > 0 && inner[v] })
	child := find("its child", func(v engine.Local) bool { return tree[v] == branch })
	stranger := find("leaf far from the root", func(v engine.Local) bool { return depths[v] > 1 && !inner[v] })
	var sibling engine.Local
	late := find("leaf with a neighbour on its level", func(v engine.Local) bool {
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
			set  []engine.Local // vertex, parent, ...
		}{
			{"root without parent", validate.Root, []engine.Local{root, engine.None}},
			{"root with a parent", validate.Root, []engine.Local{root, leaf}},
			{"root out of range", validate.Root, []engine.Local{root, engine.Local(g.n), leaf, leaf}},
			{"out of range", validate.Entry, []engine.Local{leaf, engine.Local(g.n)}},
			{"far out of range", validate.Entry, []engine.Local{branch, engine.None - 1}},
			{"own parent", validate.Entry, []engine.Local{leaf, leaf}},
			{"own parent above others", validate.Entry, []engine.Local{branch, branch}},
			{"isolated vertex its own parent", validate.Entry, []engine.Local{isolated, isolated}},
			{"two-cycle outside", validate.Path, []engine.Local{isolated, second, second, isolated}},
			{"chain outside", validate.Path, []engine.Local{isolated, second}},
			{"two-cycle in the component", validate.Path, []engine.Local{branch, child}},
			{"cut off from the root", validate.Path, []engine.Local{branch, engine.None}},
			{"isolated vertex claimed", validate.Edge, []engine.Local{isolated, root}},
			{"level skipped without an edge", validate.Edge, []engine.Local{stranger, root}},
			{"unreached leaf", validate.Level, []engine.Local{leaf, engine.None}},
			{"parent on the same level", validate.Level, []engine.Local{late, sibling}},
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
		alone := make([]engine.Local, g.n)
		for v := range alone {
			alone[v] = engine.None
		}
		alone[root] = root
		b.judgeRule(t, alone, root, validate.Level)
	})
}

func TestValidateNastyGraphs(t *testing.T) {
	d := testDevice(t)
	star, path, shuffled := validateGraph{n: sized(int(1e5), 3000) + 1}, validateGraph{n: sized(int(1e6), 3000)}, validateGraph{n: sized(int(2e5), 2000) + 3}
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
		root engine.Local
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
		{"path from its end", path, engine.Local(path.n - 1)},
		{"path from the middle", path, engine.Local(path.n / 2)},
		{"shuffled path", shuffled, engine.Local(order[0])},
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
		end := engine.Local(last)
		withBench(t, d, g, func(b *validateBench) {
			if err := b.judge(t, parents, 0); err != nil {
				t.Fatal(err)
			}
			change := func(rule validate.Rule, set ...engine.Local) {
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
		for _, root := range []engine.Local{0, n / 2, n - 1} {
			parents, _ := path.search(root)
			if err := b.judge(t, parents, root); err != nil {
				t.Fatal(err)
			}
			shallow := make([]engine.Local, n)
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
	g := validateGraph{n: sized(1<<18, 1<<14)}
	for v := 1; v < g.n; v++ {
		g.tuples = append(g.tuples, joined(v, v/2))
	}
	tree, _ := g.search(0)
	withBench(t, d, g, func(b *validateBench) {
		for rule, change := range map[validate.Rule]func(parents []engine.Local, v int){
			validate.Entry: func(parents []engine.Local, v int) { parents[v] = engine.Local(v + v%2*g.n) },
			validate.Path: func(parents []engine.Local, v int) {
				parents[v], parents[v^1] = engine.Local(v^1), engine.Local(v)
			},
			validate.Edge:  func(parents []engine.Local, v int) { parents[v] = tree[v] - 1 },
			validate.Level: func(parents []engine.Local, v int) { parents[v] = engine.None },
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
		for _, parents := range [][]engine.Local{{0, 0, 1}, {0, 0, engine.None}} {
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
		if err := b.parents.Write(0, []engine.Local{0, 0, 1, engine.None}); err != nil {
			t.Fatal(err)
		}
		if err := b.v.Begin(ctx, b.parents, engine.Vertex(0)); err != nil {
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

// TestValidateRegenerated gives tuples that are made again a part at a time,
// for right trees and for corrupted ones.
func TestValidateRegenerated(t *testing.T) {
	d := testDevice(t)
	ctx := context.Background()
	for _, c := range []struct {
		scale int
		room  uint64
	}{{4, 1}, {4, 255}, {10, 1001}, {12, 1 << 15}} {
		g := officialGraph(t, c.scale)
		start, list := g.neighbours()
		tuples, err := NewTuples(d, officialSpec(c.scale), c.room)
		if err != nil {
			t.Fatal(err)
		}
		withBench(t, d, g, func(b *validateBench) {
			r := rand.New(rand.NewPCG(c.room, 0))
			for changes := range 4 {
				root := g.tuples[r.IntN(len(g.tuples))].U
				parents, _ := g.search(root)
				for range changes {
					corrupt(r, parents, start, list)
				}
				if err := b.parents.Write(0, parents); err != nil {
					t.Fatal(err)
				}
				b.poison(t)
				want, wantErr := b.check(ctx, g.tuples, parents, root)
				if got, err := b.v.Tree(ctx, tuples, b.parents, engine.Vertex(root)); got != want || !reflect.DeepEqual(err, wantErr) {
					t.Errorf("scale %d by %d, %d changes: %+v, %v; want %+v, %v", c.scale, c.room, changes, got, err, want, wantErr)
				}
				b.poison(t)
				want, wantErr = b.count(ctx, g.tuples, parents)
				if got, err := b.v.Count(ctx, tuples, b.parents); got != want || !reflect.DeepEqual(err, wantErr) {
					t.Errorf("scale %d by %d, %d changes: counted %+v, %v; want %+v, %v", c.scale, c.room, changes, got, err, want, wantErr)
				}
			}
		})
		if err := tuples.Close(); err != nil {
			t.Error(err)
		}
	}
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
		b.judgeRule(t, []engine.Local{0, 0, 1}, 3, validate.Root)
		for _, n := range []int{0, 2, 4} {
			parents, err := Alloc[engine.Local](d, "parents", n)
			if err != nil {
				t.Fatal(err)
			}
			host := make([]engine.Local, n)
			_, want := b.check(ctx, g.tuples, host, 0)
			if _, err := b.v.Tree(ctx, HoldTuples(b.tuples), parents, 0); !reflect.DeepEqual(err, want) {
				t.Errorf("%v; want %v", err, want)
			}
			_, want = b.count(ctx, g.tuples, host)
			if _, err := b.v.Count(ctx, HoldTuples(b.tuples), parents); !reflect.DeepEqual(err, want) {
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
		if err := b.parents.Write(0, []engine.Local{0, 0, 1}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.v.Tree(ctx, HoldTuples(b.tuples), b.parents, engine.Vertex(0)); !errors.Is(err, stop) {
			t.Errorf("Tree: %v", err)
		}
		if _, err := b.v.Count(ctx, HoldTuples(b.tuples), b.parents); !errors.Is(err, stop) {
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
					if _, err := bench.v.Tree(context.Background(), HoldTuples(bench.tuples), bench.parents, engine.Vertex(root)); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
