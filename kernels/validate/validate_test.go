//go:build cuda

package validate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	rules "graph500/validate"
)

// TestValidateRandomGraphs compares the results with those of the host on small graphs
// with loops, duplicate tuples and several components, some too deep for a table of
// bytes, for right and corrupted trees.
func TestValidateRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(5, 0))
	verdicts := make(map[string]int)
	for range devicetest.Sized(1000, 50) {
		g := randomGraph(r)
		near := g.neighbours()
		withBench(t, d, g, func(b *bench) {
			for changes := range 5 {
				root := engine.Local(r.IntN(g.n))
				parents, _ := g.search(root)
				for range changes {
					corrupt(r, parents, near)
				}
				var broken *rules.Error
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

func randomGraph(r *rand.Rand) testGraph {
	if r.IntN(4) == 0 { // a path with chords, with a depth near the limits of the tables
		g := testGraph{n: 2 + r.IntN(300)}
		for v := 1; v < g.n; v++ {
			g.tuples = append(g.tuples, joined(v-1, v))
		}
		for range r.IntN(5) {
			u := r.IntN(g.n)
			g.tuples = append(g.tuples, joined(u, min(g.n-1, u+r.IntN(6))))
		}
		return g
	}
	g := testGraph{n: 1 + r.IntN(100)}
	for range r.IntN(200) {
		g.tuples = append(g.tuples, joined(r.IntN(g.n), r.IntN(g.n)))
	}
	return g
}

// TestValidateOfficialGraphs compares the results with those of the host on official
// graphs, for right and corrupted trees.
func TestValidateOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{3, 10, 16}, []int{3, 10}) {
		t.Run(fmt.Sprint(scale), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(scale), 0))
			g := officialGraph(scale)
			near := g.neighbours()
			withBench(t, d, g, func(b *bench) {
				for range 3 {
					root := g.tuples[r.IntN(len(g.tuples))].U
					tree, _ := g.search(root)
					if err := b.judge(t, tree, root); err != nil {
						t.Fatal(err)
					}
					for i := range devicetest.Sized(60, 20) {
						parents := slices.Clone(tree)
						for range 1 + i%3 {
							corrupt(r, parents, near)
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
	d := devicetest.Open(t)
	g := officialGraph(12)
	root := g.tuples[0].U
	tree, depths := g.search(root)
	near := g.neighbours()
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
	isolated := find("isolated vertex", func(v engine.Local) bool { return len(near[v]) == 0 })
	second := find("second isolated vertex", func(v engine.Local) bool { return v > isolated && len(near[v]) == 0 })
	leaf := find("leaf", func(v engine.Local) bool { return depths[v] > 0 && !inner[v] })
	branch := find("inner vertex", func(v engine.Local) bool { return depths[v] > 0 && inner[v] })
	child := find("its child", func(v engine.Local) bool { return tree[v] == branch })
	stranger := find("leaf far from the root", func(v engine.Local) bool { return depths[v] > 1 && !inner[v] })
	var sibling engine.Local
	late := find("leaf with a neighbour on its level", func(v engine.Local) bool {
		for _, u := range near[v] {
			if depths[v] > 0 && !inner[v] && u != v && depths[u] == depths[v] {
				sibling = u
				return true
			}
		}
		return false
	})
	withBench(t, d, g, func(b *bench) {
		for _, m := range []struct {
			name string
			rule rules.Rule
			set  []engine.Local // vertex, parent, ...
		}{
			{"root without parent", rules.Root, []engine.Local{root, engine.None}},
			{"root with a parent", rules.Root, []engine.Local{root, leaf}},
			{"root out of range", rules.Root, []engine.Local{root, engine.Local(g.n), leaf, leaf}},
			{"out of range", rules.Entry, []engine.Local{leaf, engine.Local(g.n)}},
			{"far out of range", rules.Entry, []engine.Local{branch, engine.None - 1}},
			{"own parent", rules.Entry, []engine.Local{leaf, leaf}},
			{"own parent above others", rules.Entry, []engine.Local{branch, branch}},
			{"isolated vertex its own parent", rules.Entry, []engine.Local{isolated, isolated}},
			{"two-cycle outside", rules.Path, []engine.Local{isolated, second, second, isolated}},
			{"chain outside", rules.Path, []engine.Local{isolated, second}},
			{"two-cycle in the component", rules.Path, []engine.Local{branch, child}},
			{"cut off from the root", rules.Path, []engine.Local{branch, engine.None}},
			{"isolated vertex claimed", rules.Edge, []engine.Local{isolated, root}},
			{"level skipped without an edge", rules.Edge, []engine.Local{stranger, root}},
			{"unreached leaf", rules.Level, []engine.Local{leaf, engine.None}},
			{"parent on the same level", rules.Level, []engine.Local{late, sibling}},
		} {
			t.Run(m.name, func(t *testing.T) {
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
		b.judgeRule(t, alone, root, rules.Level)
	})
}

func TestValidateNastyGraphs(t *testing.T) {
	d := devicetest.Open(t)
	star, path, shuffled := starGraph(devicetest.Sized(int(1e5), 3000)+1), pathGraph(devicetest.Sized(int(1e6), 3000)), testGraph{n: devicetest.Sized(int(2e5), 2000) + 3}
	order := rand.New(rand.NewPCG(1, 2)).Perm(shuffled.n)
	for i := 1; i < shuffled.n; i++ {
		shuffled.tuples = append(shuffled.tuples, joined(order[i], order[i-1]))
	}
	for _, test := range []struct {
		name string
		g    testGraph
		root engine.Local
	}{
		{"one vertex", testGraph{n: 1}, 0},
		{"one vertex with loops", testGraph{1, []engine.Edge{joined(0, 0), joined(0, 0), joined(0, 0)}}, 0},
		{"no tuples", testGraph{n: 33}, 32},
		{"isolated root", testGraph{3, []engine.Edge{joined(0, 1)}}, 2},
		{"loops only", testGraph{70, []engine.Edge{joined(3, 3), joined(69, 69), joined(3, 3)}}, 3},
		{"duplicates", testGraph{65, []engine.Edge{joined(0, 64), joined(64, 0), joined(0, 64), joined(64, 64)}}, 64},
		{"two components", testGraph{6, []engine.Edge{joined(0, 1), joined(1, 2), joined(3, 4), joined(4, 4)}}, 1},
		{"star from its hub", star, 0},
		{"star from a leaf", star, 77},
		{"path from its start", path, 0},
		{"path from its end", path, engine.Local(path.n - 1)},
		{"path from the middle", path, engine.Local(path.n / 2)},
		{"shuffled path", shuffled, engine.Local(order[0])},
	} {
		t.Run(test.name, func(t *testing.T) {
			parents, _ := test.g.search(test.root)
			withBench(t, d, test.g, func(b *bench) {
				if err := b.judge(t, parents, test.root); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestValidateDepthLimits validates paths with depths near the limits of each form of
// the table, right and broken, one after the other.
func TestValidateDepthLimits(t *testing.T) {
	d := devicetest.Open(t)
	const n = 300
	var path testGraph
	path.n = n
	for v := 1; v < n; v++ {
		path.tuples = append(path.tuples, joined(v-1, v))
	}
	line, _ := path.search(0)
	for _, last := range []int{13, 14, 15, 16, 126, 125, 127, 128, 254, 255, 256, 14, n - 1, 3} {
		g := testGraph{n, path.tuples[:last]}
		parents := slices.Clone(line)
		for v := last + 1; v < n; v++ {
			parents[v] = engine.None
		}
		end := engine.Local(last)
		withBench(t, d, g, func(b *bench) {
			if err := b.judge(t, parents, 0); err != nil {
				t.Fatal(err)
			}
			change := func(rule rules.Rule, set ...engine.Local) {
				t.Helper()
				broken := slices.Clone(parents)
				for i := 0; i < len(set); i += 2 {
					broken[set[i]] = set[i+1]
				}
				b.judgeRule(t, broken, 0, rule)
			}
			change(rules.Level, end, engine.None)
			change(rules.Edge, end, end-2)
			change(rules.Path, 1, engine.None)
			change(rules.Path, 1, end)
			change(rules.Path, end-1, end)
			if err := b.judge(t, parents, 0); err != nil {
				t.Fatal(err)
			}
			// A graph with a shortcut, for which the tree is a detour.
			b.g.tuples = append(slices.Clone(g.tuples), engine.Edge{U: end, V: end - 2})
			withBench(t, d, b.g, func(b *bench) { b.judgeRule(t, parents, 0, rules.Level) })
		})
	}
	withBench(t, d, path, func(b *bench) {
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
			b.judgeRule(t, shallow, root, rules.Level)
		}
	})
}

// TestValidateSmallestPlace breaks each rule at many vertices or tuples.
func TestValidateSmallestPlace(t *testing.T) {
	d := devicetest.Open(t)
	g := testGraph{n: devicetest.Sized(1<<18, 1<<14)}
	for v := 1; v < g.n; v++ {
		g.tuples = append(g.tuples, joined(v, v/2))
	}
	tree, _ := g.search(0)
	withBench(t, d, g, func(b *bench) {
		for rule, change := range map[rules.Rule]func(parents []engine.Local, v int){
			rules.Entry: func(parents []engine.Local, v int) { parents[v] = engine.Local(v + v%2*g.n) },
			rules.Path: func(parents []engine.Local, v int) {
				parents[v], parents[v^1] = engine.Local(v^1), engine.Local(v)
			},
			rules.Edge:  func(parents []engine.Local, v int) { parents[v] = tree[v] - 1 },
			rules.Level: func(parents []engine.Local, v int) { parents[v] = engine.None },
		} {
			parents := slices.Clone(tree)
			for v := g.n * 5 / 8; v < g.n; v += 997 {
				change(parents, v)
			}
			b.judgeRule(t, parents, 0, rule)
		}
	})
}

// TestValidateTuplesOutside checks the message for tuples with labels out of range.
func TestValidateTuplesOutside(t *testing.T) {
	d := devicetest.Open(t)
	g := testGraph{3, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(7, 0), {U: engine.None, V: 0}}}
	withBench(t, d, g, func(b *bench) {
		for _, parents := range [][]engine.Local{{0, 0, 1}, {0, 0, engine.None}} {
			if err := b.judge(t, parents, 0); err == nil || !strings.Contains(err.Error(), "tuple 2 joins 2 and 3") {
				t.Errorf("error %v", err)
			}
		}
	})
}

// TestValidateLargeIndex checks tuples with indices above 2^32.
func TestValidateLargeIndex(t *testing.T) {
	d := devicetest.Open(t)
	ctx := t.Context()
	g := testGraph{4, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(2, 3)}}
	tuples := devicetest.From(t, d, g.tuples)
	withBench(t, d, g, func(b *bench) {
		if err := b.live.Write(0, []engine.Local{0, 0, 1, engine.None}); err != nil {
			t.Fatal(err)
		}
		b.alone.poison(t)
		c := b.alone.checkers[0]
		if err := c.begin(ctx, b.live, 0); err != nil {
			t.Fatal(err)
		}
		for _, index := range []uint64{1 << 33, 5 << 32} {
			if err := c.look(generate.Part{Edges: device.As[uint32](tuples), Count: len(g.tuples), First: index}); err != nil {
				t.Fatal(err)
			}
		}
		want := rules.LevelError(0, 1<<33+2, joined(2, 3), [2]int64{2, -1})
		if _, err := c.end(ctx); !reflect.DeepEqual(err, error(want)) {
			t.Errorf("%v; want %v", err, want)
		}
	})
}

// TestValidateRegenerated validates right and corrupted trees with regenerated tuples.
func TestValidateRegenerated(t *testing.T) {
	d := devicetest.Open(t)
	ctx := t.Context()
	for _, c := range []struct {
		scale int
		room  uint64
	}{{4, 1}, {4, 255}, {10, 1001}, {12, 1 << 15}} {
		g := officialGraph(c.scale)
		near := g.neighbours()
		tuples := generatetest.Generate(t, d, devicetest.Official(c.scale), generate.Config{Capacity: c.room})
		withBench(t, d, g, func(b *bench) {
			r := rand.New(rand.NewPCG(c.room, 0))
			for changes := range 4 {
				root := g.tuples[r.IntN(len(g.tuples))].U
				parents, _ := g.search(root)
				for range changes {
					corrupt(r, parents, near)
				}
				if err := b.live.Write(0, parents); err != nil {
					t.Fatal(err)
				}
				b.alone.poison(t)
				want, wantErr := b.check(ctx, parents, root)
				if got, err := b.whole(ctx, root, tuples); got != want || !reflect.DeepEqual(err, wantErr) {
					t.Errorf("scale %d by %d, %d changes: %+v, %v; want %+v, %v", c.scale, c.room, changes, got, err, want, wantErr)
				}
				b.alone.poison(t)
				want, wantErr = b.count(ctx, parents)
				if got, err := b.counted(ctx, tuples); got != want || !reflect.DeepEqual(err, wantErr) {
					t.Errorf("scale %d by %d, %d changes: counted %+v, %v; want %+v, %v", c.scale, c.room, changes, got, err, want, wantErr)
				}
			}
		})
		devicetest.Close(t, tuples)
	}
}

// TestValidateRootOutside checks a root out of range, also of an empty graph.
func TestValidateRootOutside(t *testing.T) {
	d := devicetest.Open(t)
	withBench(t, d, testGraph{}, func(b *bench) {
		b.judgeRule(t, nil, 0, rules.Root)
	})
	g := testGraph{3, []engine.Edge{joined(0, 1), joined(1, 2)}}
	withBench(t, d, g, func(b *bench) {
		b.judgeRule(t, []engine.Local{0, 0, 1}, 3, rules.Root)
	})
}

// TestValidateTooManyVertices uses more vertices than a GPU can check.
func TestValidateTooManyVertices(t *testing.T) {
	d := devicetest.Open(t)
	var live device.Array[engine.Local]
	group := device.Group{Alive: engine.Searching, Arrays: []device.Declared{device.Of(&live, "parents", maxVertices+1)}}
	if d.Free() < group.Bytes() {
		t.Skipf("%d bytes of device memory are free", d.Free())
	}
	held, err := d.Borrow(group)
	if err != nil {
		t.Fatal(err)
	}
	free := d.Free()
	if _, err := NewTrees(d, engine.BFS, Results{Parents: live}, 1); err == nil || !strings.Contains(err.Error(), "2147483649 vertices") {
		t.Errorf("trees of too many vertices: %v", err)
	}
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
	if err := held.Free(); err != nil {
		t.Error(err)
	}
}

func TestValidateCancelled(t *testing.T) {
	d := devicetest.Open(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	g := testGraph{3, []engine.Edge{joined(0, 1), joined(1, 2)}}
	withBench(t, d, g, func(b *bench) {
		parents := []engine.Local{0, 0, 1}
		if err := b.live.Write(0, parents); err != nil {
			t.Fatal(err)
		}
		if _, err := b.whole(ctx, 0, b.tuples); !errors.Is(err, stop) {
			t.Errorf("Check: %v", err)
		}
		if _, err := b.counted(ctx, b.tuples); !errors.Is(err, stop) {
			t.Errorf("CountEdges: %v", err)
		}
		c := b.alone.checkers[0]
		if err := c.begin(t.Context(), b.live, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := c.end(ctx); !errors.Is(err, stop) {
			t.Errorf("end: %v", err)
		}
		if err := b.judge(t, parents, 0); err != nil {
			t.Errorf("after the end of a context: %v", err)
		}
	})
}

// BenchmarkValidateTree measures the validation of one tree of an official graph.
func BenchmarkValidateTree(b *testing.B) {
	d := devicetest.Open(b)
	for _, scale := range []int{16, 20, 22} {
		b.Run(fmt.Sprintf("scale=%d", scale), func(b *testing.B) {
			g := officialGraph(scale)
			root := g.tuples[0].U
			parents, _ := g.search(root)
			withBench(b, d, g, func(bench *bench) {
				if err := bench.live.Write(0, parents); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := bench.whole(b.Context(), root, bench.tuples); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}
