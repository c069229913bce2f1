//go:build cuda

package validate

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	cores "graph500/validate"
)

// TestRandomGraphs compares the results with those of the host on small graphs, for right and
// corrupted searches.
func TestRandomGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, f := range forms(both...) {
		t.Run(f.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, uint64(f.devices)))
			verdicts := make(map[string]int)
			for range devicetest.Sized(300, 4) {
				withBench(t, d, f, randomGraph(r), func(b *bench) {
					rows := b.g.rows()
					for changes := range 5 {
						var searches []cores.Search
						for range 1 + r.IntN(b.searches) {
							searches = append(searches, b.g.search(engine.Label(r.IntN(b.g.n))))
						}
						for range changes {
							b.g.corrupt(r, searches[r.IntN(len(searches))], rows)
						}
						var broken *cores.Error
						if errors.As(b.judge(t, searches...), &broken) {
							verdicts[broken.Rule.String()]++
						} else {
							verdicts["right"]++
						}
					}
				})
			}
			t.Log(verdicts)
			want := []string{"right", "root", "entry", "path", "edge", "level"}
			if f.kernel == engine.SSSP {
				want = []string{"right", "root", "entry", "path", "distance", "tight", "relaxed"}
			}
			for _, verdict := range want {
				if verdicts[verdict] == 0 && !testing.Short() {
					t.Errorf("no search with verdict %q", verdict)
				}
			}
		})
	}
}

// TestOfficialGraphs validates batches with any of the searches wrong, with tuples in memory and
// regenerated.
func TestOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for turn, c := range []struct {
		scale int
		room  uint64
	}{{3, 1}, {7, 255}, {8, 0}, {10, 1001}, {14, 0}} {
		if testing.Short() && c.scale > 7 {
			continue
		}
		for _, f := range inTurn(forms(both...), turn) {
			t.Run(fmt.Sprintf("scale=%d/room=%d/%s", c.scale, c.room, f), func(t *testing.T) {
				g := officialGraph(c.scale).of(f.kernel)
				withShares(t, d, f, g, func() (shares []*generate.Tuples) {
					for k := range f.devices {
						first, n := generate.ShareOf(uint64(len(g.Edges)), f.devices, k)
						shares = append(shares, generatetest.Generate(t, d, devicetest.Official(c.scale),
							generate.Config{First: first, Count: n, Capacity: c.room, Weighted: f.kernel == engine.SSSP, Wide: f.wide}))
					}
					return shares
				}, func(b *bench) { judgeBatches(t, b, rand.New(rand.NewPCG(c.room, 2))) })
			})
		}
	}
}

// judgeBatches validates full batches: right ones, those with one wrong search, and those with
// wrong searches after it.
func judgeBatches(t *testing.T, b *bench, r *rand.Rand) {
	t.Helper()
	rows := b.g.rows()
	for wrong := -1; wrong < b.searches; wrong++ {
		for _, others := range []bool{false, true} {
			var searches []cores.Search
			for i := range b.searches {
				s := b.g.search(b.g.Edges[r.IntN(len(b.g.Edges))].U)
				if i == wrong {
					s.Parents[s.Root] = engine.None
				} else if others && wrong >= 0 {
					b.g.corrupt(r, s, rows)
				}
				searches = append(searches, s)
			}
			if err := b.judge(t, searches...); wrong < 0 && err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestTraps makes every trap, at each place of a batch.
func TestTraps(t *testing.T) {
	for turn, k := range both {
		g := trapGraph().of(k)
		right := []cores.Search{g.search(0), g.search(9), g.search(3)}
		eachForm(t, inTurn(forms(k), turn), g, func(t *testing.T, b *bench) {
			for i, trap := range conformance.Traps(k, conformance.TrapGraph()) {
				if testing.Short() && (i+b.devices/2)%2 != 0 {
					continue // of one device; those of several have it
				}
				wrong := with(right[0])
				trap.Change(conformance.Results{Parents: wrong.Parents, Distances: wrong.Distances})
				b.judgeRule(t, ruleNamed(trap.Rule), wrong)
				for at := range min(len(right), b.searches) {
					searches := slices.Clone(right)
					searches[at] = wrong
					b.judge(t, searches...)
				}
			}
			if err := b.judge(t, right...); err != nil {
				t.Errorf("after wrong searches: %v", err)
			}
		})
	}
}

// ruleNamed returns the rule of that name.
func ruleNamed(name string) (r cores.Rule) {
	for r.String() != name {
		r++
	}
	return r
}

// TestNastyGraphs validates right and wrong searches of graphs that expose typical errors, with
// all forms of the table in one batch.
func TestNastyGraphs(t *testing.T) {
	turn := 0
	for name, g := range nastyGraphs() {
		turn++
		t.Run(name, func(t *testing.T) {
			eachForm(t, inTurn(forms(both...), turn), g, func(t *testing.T, b *bench) {
				n := engine.Label(b.g.n)
				var right []cores.Search
				for _, root := range []engine.Label{0, n / 2, n - 1, 7 % n} { // of a path: deep, less deep, deep
					right = append(right, b.g.search(root))
				}
				if err := b.judge(t, right...); err != nil {
					t.Fatal(err)
				}
				for i, s := range right[:devicetest.Sized(len(right), 1)] {
					other := right[(i+1)%len(right)]
					other.Root = s.Root
					for _, wrong := range []cores.Search{
						b.g.unsearched(engine.Label(s.Root)), other,
						with(s, (engine.Label(s.Root)+1)%n, (engine.Label(s.Root)+1)%n), // a cycle
						with(s, n/2, n/3), with(s, n-1, engine.None),
					} {
						searches := slices.Clone(right)
						searches[i] = wrong
						b.judge(t, searches[min(i, len(right)-b.searches):][:b.searches]...)
					}
				}
			})
		})
	}
}

// TestMoreSharesThanTuples validates with the most devices that read each other's memory.
func TestMoreSharesThanTuples(t *testing.T) {
	for _, k := range both {
		eachForm(t, []form{{kernel: k, devices: device.MostTogether, searches: 1}}, trapGraph(), func(t *testing.T, b *bench) {
			s := b.g.search(0)
			if err := b.judge(t, s); err != nil {
				t.Error(err)
			}
			b.judge(t, with(s, 3, 0))
		})
	}
}

// TestDepthLimits validates paths with depths near the limits of each form of
// the table, right and broken, one after the other.
func TestDepthLimits(t *testing.T) {
	const n = 300
	path := pathGraph(n)
	for turn, last := range devicetest.Sized([]int{13, 14, 15, 16, 125, 126, 127, 128, 254, 255, 256, n - 1, 3}, []int{14, 15, 126, 127, 254, 255, 3}) {
		g := unweighted(n, path.Edges[:last]...)
		right, end := g.search(0), engine.Label(last)
		list := inTurn(forms(engine.BFS), turn)
		eachForm(t, list, g, func(t *testing.T, b *bench) {
			if err := b.judge(t, right); err != nil {
				t.Fatal(err)
			}
			b.judgeRule(t, cores.Level, with(right, end, engine.None))
			b.judgeRule(t, cores.Edge, with(right, end, end-2))
			b.judgeRule(t, cores.Path, with(right, 1, engine.None))
			b.judgeRule(t, cores.Path, with(right, 1, end))
			b.judgeRule(t, cores.Path, with(right, end-1, end))
			if err := b.judge(t, right); err != nil {
				t.Fatal(err)
			}
		})
		// A graph with a shortcut, for which the tree is a detour.
		g.Edges = append(slices.Clone(g.Edges), engine.Edge{U: end, V: end - 2})
		eachForm(t, list, g, func(t *testing.T, b *bench) { b.judgeRule(t, cores.Level, right) })
	}
}

// TestSmallestPlace breaks each rule at many vertices or tuples.
func TestSmallestPlace(t *testing.T) {
	g := testGraph{n: devicetest.Sized(1<<18, 1<<12)}
	for v := 1; v < g.n; v++ {
		g.Edges = append(g.Edges, joined(v, v/2))
	}
	tree := g.search(0)
	eachForm(t, inTurn(forms(engine.BFS), 2), g, func(t *testing.T, b *bench) {
		for rule, change := range map[cores.Rule]func(parents []engine.Label, v int){
			cores.Entry: func(parents []engine.Label, v int) { parents[v] = engine.Label(v + v%2*g.n) },
			cores.Path: func(parents []engine.Label, v int) {
				parents[v], parents[v^1] = engine.Label(v^1), engine.Label(v)
			},
			cores.Edge:  func(parents []engine.Label, v int) { parents[v] = tree.Parents[v] - 1 },
			cores.Level: func(parents []engine.Label, v int) { parents[v] = engine.None },
		} {
			s := with(tree)
			for v := g.n * 5 / 8; v < g.n; v += 997 {
				change(s.Parents, v)
			}
			b.judgeRule(t, rule, s)
		}
	})
}

// TestTuplesOutside has tuples with labels out of range, and broken rules at others.
func TestTuplesOutside(t *testing.T) {
	g := unweighted(3, joined(0, 1), joined(1, 2), joined(2, 3), joined(7, 0), engine.Edge{U: engine.None, V: 0})
	eachForm(t, forms(both...), g, func(t *testing.T, b *bench) {
		s := cores.Search{Parents: []engine.Label{0, 0, 1}}
		if b.kernel == engine.SSSP {
			s.Distances = []float32{0, 0, 0.125}
		}
		for _, wrong := range []cores.Search{s, with(s, 2, engine.None), with(s, 2, 0)} {
			if b.kernel == engine.SSSP && wrong.Parents[2] == engine.None {
				wrong.Distances[2] = engine.Unreached
			}
			if err := b.judge(t, wrong); err == nil || !strings.Contains(err.Error(), "tuple 2 joins 2 and 3") {
				t.Errorf("error %v", err)
			}
		}
	})
}

// TestLabelsOutOfRange has labels of more than 32 bits whose low 32 bits are those of a vertex, in
// the last one of an odd number of tuples, too.
func TestLabelsOutOfRange(t *testing.T) {
	list := slices.DeleteFunc(forms(both...), func(f form) bool { return !f.wide || f.parts })
	eachForm(t, list, pathGraph(4), func(t *testing.T, b *bench) {
		right := b.g.search(0)
		for _, high := range []uint32{0, 1, 1 << 15, 1 << 16, 1 << 31} {
			for at, e := range b.g.Edges {
				set := func(high uint32) {
					for _, share := range b.Shares {
						if err := share.Each(t.Context(), func(part generate.Part) error {
							if i := at - int(part.First); i >= 0 && i < part.Count {
								return device.As[engine.Edge48](part.Edges).Write(i, []engine.Edge48{{ULow: e.U, VLow: e.V, High: high}})
							}
							return nil
						}); err != nil {
							t.Fatal(err)
						}
					}
				}
				set(high)
				for _, k := range b.Trees {
					b.keep(t, k, right)
				}
				for _, check := range []func() ([]engine.Tree, error){
					func() ([]engine.Tree, error) { return b.Check(t.Context()) },
					func() ([]engine.Tree, error) { return b.CountEdges(t.Context()) },
				} {
					_, err := check()
					if outside := err != nil && strings.HasPrefix(err.Error(), fmt.Sprintf("validate: tuple %d joins ", at)); outside != (high != 0) {
						t.Errorf("high bits %#x of tuple %d: %v", high, at, err)
					}
				}
				b.drop()
				set(0)
			}
		}
	})
}

// TestInvalidWeights has tuples with invalid weights.
func TestInvalidWeights(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, bad := range []engine.Tuples{
		{Edges: []engine.Edge{joined(0, 1), joined(2, 3), joined(7, 0)}, Weights: []float32{1, 1, 1}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 2), joined(1, 0)}, Weights: []float32{1, -1, inf}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 1), joined(1, 0)}, Weights: []float32{1, 1, inf}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 1), joined(1, 0)}, Weights: []float32{1, 1, float32(math.NaN())}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 1), joined(1, 0)}, Weights: []float32{-2, -3, 1}},
		{Edges: []engine.Edge{joined(0, 1), joined(2, 1), joined(1, 0)}, Weights: []float32{1, float32(math.Copysign(0, -1)), 1}},
	} {
		eachForm(t, forms(engine.SSSP), testGraph{3, bad}, func(t *testing.T, b *bench) {
			s := cores.Search{Root: 0, Parents: []engine.Label{0, 0, 1}, Distances: []float32{0, 1, 1}}
			b.judge(t, s, s)
			s.Distances = []float32{0, 5, 5}
			b.judge(t, s, s)
		})
	}
}

// TestLargeNumbers checks tuples with numbers above 2^32.
func TestLargeNumbers(t *testing.T) {
	d := devicetest.Open(t)
	const first = 5 << 32
	for _, f := range forms(both...) {
		if f.devices > 1 || f.parts {
			continue
		}
		g := pathGraph(4).of(f.kernel)
		withShares(t, d, f, g, func() []*generate.Tuples {
			return []*generate.Tuples{generatetest.Load(t, d, generate.Config{First: first, Wide: f.wide}, g.Tuples)}
		}, func(b *bench) {
			s := with(g.search(0), 3, engine.None)
			want := cores.LevelError(0, first+2, joined(2, 3), [2]int64{2, -1})
			if f.kernel == engine.SSSP {
				s.Distances[3] = engine.Unreached
				want = cores.RelaxedError(0, first+2, joined(2, 3), g.Weights[2], [2]float32{s.Distances[2], engine.Unreached})
			}
			b.keep(t, b.Trees[0], s)
			b.poison(t)
			if _, err := b.Check(t.Context()); !reflect.DeepEqual(err, error(want)) {
				t.Errorf("%s: %v; want %v", f, err, want)
			}
		})
	}
}

// TestRootOutside checks a root out of range, also of an empty graph.
func TestRootOutside(t *testing.T) {
	eachForm(t, forms(both...), testGraph{}, func(t *testing.T, b *bench) {
		b.judgeRule(t, cores.Root, cores.Search{})
	})
	eachForm(t, forms(both...), pathGraph(3), func(t *testing.T, b *bench) {
		s := b.g.search(0)
		s.Root = 3
		b.judgeRule(t, cores.Root, s)
	})
}
