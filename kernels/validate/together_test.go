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
	rules "graph500/validate"
)

// group has a batch and a share of the tuples for each of several devices, which are all
// the same one.
type group struct {
	team   *device.Team
	trees  []*Trees
	shares []*generate.Tuples
}

// withGroup calls f with a batch of that capacity for each share. The shares begin at the
// given tuples.
func withGroup(t *testing.T, d *device.Device, b *bench, capacity int, firsts []int, f func(g *group)) {
	t.Helper()
	g := &group{team: devicetest.Team(t, slices.Repeat([]*device.Device{d}, len(firsts)))}
	for k, first := range firsts {
		end := len(b.g.tuples)
		if k+1 < len(firsts) {
			end = firsts[k+1]
		}
		g.shares = append(g.shares, b.load(t, d, engine.Tuples{Edges: b.g.tuples[first:end]}, uint64(first)))
		g.trees = append(g.trees, newTrees(t, d, b, capacity))
	}
	f(g)
	g.close(t)
}

// close closes batches and shares, which were made in turn.
func (g *group) close(t *testing.T) {
	t.Helper()
	for k := range slices.Backward(g.trees) {
		devicetest.Close(t, g.shares[k], g.trees[k])
	}
}

// cuts returns the first tuples of random shares of a list.
func cuts(r *rand.Rand, tuples, shares int) []int {
	firsts := make([]int, shares)
	for k := 1; k < shares; k++ {
		firsts[k] = r.IntN(tuples + 1)
	}
	slices.Sort(firsts)
	return firsts
}

// judge compares the results for a batch with those of the host for each tree, up to the
// first wrong one. It returns the error of the check.
func (g *group) judge(t *testing.T, b *bench, claims []keptClaim) (broken error) {
	t.Helper()
	ctx := t.Context()
	for _, check := range []struct {
		name     string
		together func(context.Context, *device.Team, []*Trees, []*generate.Tuples) ([]engine.Tree, error)
		alone    func(c keptClaim) (engine.Tree, error)
	}{
		{"CountEdges", CountEdgesTogether, func(c keptClaim) (engine.Tree, error) { return b.count(ctx, c.parents) }},
		{"Check", CheckTogether, func(c keptClaim) (engine.Tree, error) { return b.check(ctx, c.parents, c.root) }},
	} {
		var want []engine.Tree
		var wantErr error
		for _, c := range claims {
			if err := b.live.Write(0, c.parents); err != nil {
				t.Fatal(err)
			}
			for _, k := range g.trees {
				if err := k.Keep(engine.Vertex(c.root)); err != nil {
					t.Fatal(err)
				}
			}
			if wantErr != nil {
				continue
			}
			var tree engine.Tree
			if tree, wantErr = check.alone(c); wantErr == nil {
				want = append(want, tree)
			}
		}
		for _, k := range g.trees {
			k.poison(t)
		}
		got, err := check.together(ctx, g.team, g.trees, g.shares)
		if !slices.Equal(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s of %d trees, %d vertices, %d shares:\n%+v, %v\nwant %+v, %v", check.name, len(claims), b.g.n, len(g.shares), got, err, want, wantErr)
		}
		for _, k := range g.trees {
			k.Drop()
		}
		broken = err
	}
	return broken
}

// TestTogetherRandom compares the results of one to four shares with those of the host
// on small graphs, for right and corrupted trees in all forms of the table.
func TestTogetherRandom(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(9, 0))
	verdicts := make(map[string]int)
	for range devicetest.Sized(600, 80) {
		graph := randomGraph(r)
		near := graph.neighbours()
		withBench(t, d, graph, func(b *bench) {
			b.wide = r.IntN(2) == 0
			withGroup(t, d, b, 1, cuts(r, len(graph.tuples), 1+r.IntN(4)), func(g *group) {
				for changes := range 5 {
					root := engine.Local(r.IntN(graph.n))
					parents, _ := graph.search(root)
					for range changes {
						corrupt(r, parents, near)
					}
					var broken *rules.Error
					if errors.As(g.judge(t, b, []keptClaim{{root, parents}}), &broken) {
						verdicts[broken.Rule.String()]++
					} else {
						verdicts["right"]++
					}
				}
			})
		})
	}
	t.Log(verdicts)
	for _, verdict := range []string{"right", "root", "entry", "path", "edge", "level"} {
		if verdicts[verdict] == 0 {
			t.Errorf("no tree with verdict %q", verdict)
		}
	}
}

// TestTogetherBatches validates batches of an official graph with regenerated shares, and
// with any of the trees wrong.
func TestTogetherBatches(t *testing.T) {
	d := devicetest.Open(t)
	const capacity = 3
	for _, c := range []struct {
		scale, shares int
		room          uint64
	}{{5, 4, 7}, {8, 2, 1001}, {9, 3, 1 << 20}} {
		graph := officialGraph(c.scale)
		near := graph.neighbours()
		r := rand.New(rand.NewPCG(c.room, 2))
		withBench(t, d, graph, func(b *bench) {
			g := &group{team: devicetest.Team(t, slices.Repeat([]*device.Device{d}, c.shares))}
			for k := range c.shares {
				first, count := generate.ShareOf(uint64(len(graph.tuples)), c.shares, k)
				g.shares = append(g.shares, generatetest.Generate(t, d, devicetest.Official(c.scale), generate.Config{First: first, Count: count, Capacity: c.room}))
				g.trees = append(g.trees, newTrees(t, d, b, capacity))
			}
			for i := range 12 {
				var claims []keptClaim
				for j := range i % (capacity + 1) {
					root := graph.tuples[r.IntN(len(graph.tuples))].U
					parents, _ := graph.search(root)
					for range r.IntN(3) * min(i/4, j+1) {
						corrupt(r, parents, near)
					}
					claims = append(claims, keptClaim{root, parents})
				}
				g.judge(t, b, claims)
			}
			g.close(t)
		})
	}
}

// TestTogetherNastyGraphs validates trees of nasty graphs, with shares without tuples and
// with deep trees.
func TestTogetherNastyGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, graph := range append(nastyGraphs(), pathGraph(1301)) {
		m := len(graph.tuples)
		withBench(t, d, graph, func(b *bench) {
			b.wide = m%2 == 0
			for _, firsts := range [][]int{{0, m}, {0, 0}, {0, m / 3, m / 2, m / 2}, slices.Repeat([]int{0}, device.MostTogether)} {
				withGroup(t, d, b, 1, firsts, func(g *group) {
					parents, _ := graph.search(0)
					g.judge(t, b, []keptClaim{{0, parents}})
					for _, v := range []int{0, graph.n / 2, graph.n - 1} {
						wrong := slices.Clone(parents)
						wrong[v] = engine.Local(graph.n / 3)
						g.judge(t, b, []keptClaim{{0, wrong}})
						wrong[v] = engine.None
						g.judge(t, b, []keptClaim{{0, wrong}})
					}
				})
			}
		})
	}
}

// TestTogetherOutside has labels out of range in several shares, and broken rules in
// others: the first tuple or vertex counts.
func TestTogetherOutside(t *testing.T) {
	d := devicetest.Open(t)
	outside := testGraph{3, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(7, 0)}}
	levels := testGraph{5, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(0, 3), joined(0, 2), joined(0, 4)}}
	for _, c := range []struct {
		graph   testGraph
		parents []engine.Local
	}{{outside, []engine.Local{0, 0, 1}}, {levels, []engine.Local{0, 0, 1, 2, 0}}, {levels, []engine.Local{0, 0, 1, 2, 3}}, {levels, []engine.Local{0, 4, 4, 4, 0}}} {
		withBench(t, d, c.graph, func(b *bench) {
			for _, firsts := range [][]int{{0, 3}, {0, 4}, {0, 2, 3, 3}} {
				withGroup(t, d, b, 1, firsts, func(g *group) {
					if g.judge(t, b, []keptClaim{{0, c.parents}}) == nil {
						t.Error("no error")
					}
				})
			}
		})
	}
}

// TestTogetherMemory compares the memory in use with the plan of each device, without and
// with deep trees.
func TestTogetherMemory(t *testing.T) {
	d := devicetest.Open(t)
	path := pathGraph(1301)
	parents, _ := path.search(0)
	withBench(t, d, path, func(b *bench) {
		free := d.Free()
		withGroup(t, d, b, 2, []int{0, 7, 700}, func(g *group) {
			plan := Plan(engine.BFS, uint64(path.n), 2)
			for range 2 {
				want := 3 * engine.Peak(plan, engine.DeviceMemory)
				for _, s := range g.shares {
					want += engine.Peak(generate.Config{Count: s.Len(), Loaded: true}.Plan(), engine.DeviceMemory)
				}
				if used := free - d.Free(); used != want {
					t.Errorf("%d bytes are used, %d planned", used, want)
				}
				g.judge(t, b, []keptClaim{{0, parents}})
				plan = append(plan, DeepPlan(uint64(path.n))...)
			}
		})
		if d.Free() != free {
			t.Errorf("%d bytes are free after %d", d.Free(), free)
		}
	})
}

// TestTogetherRefused validates batches that do not fit together, trees that differ
// between the devices, and with an ended context.
func TestTogetherRefused(t *testing.T) {
	d := devicetest.Open(t)
	graph := officialGraph(6)
	root := graph.tuples[0].U
	parents, _ := graph.search(root)
	withBench(t, d, graph, func(b *bench) {
		withGroup(t, d, b, 2, []int{0, 100, 500}, func(g *group) {
			keep := func(k *Trees, parents []engine.Local) {
				if err := errors.Join(b.live.Write(0, parents), k.Keep(engine.Vertex(root))); err != nil {
					t.Fatal(err)
				}
			}
			refuse := func(why string, ctx context.Context, trees []*Trees, shares []*generate.Tuples) {
				t.Helper()
				for _, check := range []func(context.Context, *device.Team, []*Trees, []*generate.Tuples) ([]engine.Tree, error){CheckTogether, CountEdgesTogether} {
					if facts, err := check(ctx, g.team, trees, shares); err == nil || len(facts) > 0 {
						t.Errorf("%s: %v, %v", why, facts, err)
					}
				}
			}
			for _, k := range g.trees {
				keep(k, parents)
			}
			refuse("no device", t.Context(), nil, nil)
			refuse("too few shares", t.Context(), g.trees, g.shares[:2])
			refuse("too many devices", t.Context(), slices.Repeat(g.trees[:1], 17), slices.Repeat(g.shares[:1], 17))
			stop := errors.New("stop")
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(stop)
			refuse("ended context", ctx, g.trees, g.shares)
			if _, err := CheckTogether(ctx, g.team, g.trees, g.shares); !errors.Is(err, stop) {
				t.Error(err)
			}
			keep(g.trees[1], parents)
			refuse("another batch", t.Context(), g.trees, g.shares)

			alone := slices.Repeat([]engine.Local{engine.None}, graph.n)
			alone[root] = root
			for _, k := range g.trees {
				k.Drop()
			}
			keep(g.trees[0], parents)
			keep(g.trees[1], parents)
			keep(g.trees[2], alone)
			refuse("another tree", t.Context(), g.trees, g.shares)
			alone[root] = engine.None
			keep(g.trees[0], parents)
			keep(g.trees[1], parents)
			keep(g.trees[2], alone)
			if facts, err := CheckTogether(t.Context(), g.team, g.trees, g.shares); err == nil || len(facts) > 0 {
				t.Errorf("another tree: %v, %v", facts, err)
			}
		})
	})
}
