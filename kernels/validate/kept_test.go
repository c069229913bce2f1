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
)

// keptClaim is a tree of the batch, right or wrong.
type keptClaim struct {
	root    engine.Local
	parents []engine.Local
}

// newTrees returns an empty batch with that capacity.
func newTrees(t *testing.T, d *device.Device, b *bench, trees int) *Trees {
	t.Helper()
	k, err := NewTrees(d, engine.BFS, Results{Parents: b.live}, trees)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// judgeKept compares the results for a batch of trees with those of the host for each
// tree, up to the first wrong one.
func judgeKept(t *testing.T, b *bench, k *Trees, tuples *generate.Tuples, claims []keptClaim) {
	t.Helper()
	ctx := t.Context()
	for _, check := range []struct {
		name     string
		together func(context.Context, *generate.Tuples) ([]engine.Tree, error)
		alone    func(c keptClaim) (engine.Tree, error)
	}{
		{"Check", k.Check, func(c keptClaim) (engine.Tree, error) { return b.check(ctx, c.parents, c.root) }},
		{"CountEdges", k.CountEdges, func(c keptClaim) (engine.Tree, error) { return b.count(ctx, c.parents) }},
	} {
		var want []engine.Tree
		var wantErr error
		for _, c := range claims {
			if err := errors.Join(b.live.Write(0, c.parents), k.Keep(engine.Vertex(c.root))); err != nil {
				t.Fatal(err)
			}
			if wantErr != nil {
				continue
			}
			var tree engine.Tree
			if tree, wantErr = check.alone(c); wantErr == nil {
				want = append(want, tree)
			}
		}
		k.poison(t)
		if k.Capacity() > 1 { // live is no longer needed
			if err := b.live.Fill(devicetest.Poison); err != nil {
				t.Fatal(err)
			}
		}
		got, err := check.together(ctx, tuples)
		if !slices.Equal(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s of %d trees, %d vertices:\n%+v, %v\nwant %+v, %v", check.name, len(claims), b.g.n, got, err, want, wantErr)
		}
		for i, c := range claims {
			kept, err := k.Results(i)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(devicetest.Host(t, kept.Parents), c.parents) {
				t.Fatalf("%s changed the parents of tree %d", check.name, i)
			}
		}
		k.Drop()
		if again, err := check.together(ctx, tuples); len(again) > 0 || err != nil {
			t.Fatalf("%s of none: %+v, %v", check.name, again, err)
		}
	}
}

// TestKeptTreesOfOfficialGraphs validates small and large batches in turn, with and
// without wrong trees, with tuples in memory and regenerated.
func TestKeptTreesOfOfficialGraphs(t *testing.T) {
	d := devicetest.Open(t)
	for _, c := range []struct {
		scale int
		room  uint64
	}{{4, 7}, {7, 1 << 20}, {8, 1001}} {
		g := officialGraph(c.scale)
		near := g.neighbours()
		tuples := generatetest.Generate(t, d, devicetest.Official(c.scale), generate.Config{Capacity: c.room})
		withBench(t, d, g, func(b *bench) {
			const room = 5
			k := newTrees(t, d, b, room)
			r := rand.New(rand.NewPCG(c.room, 1))
			for _, trees := range []int{3, 1, room, 4} {
				for wrong := -1; wrong < trees; wrong++ {
					var claims []keptClaim
					for i := range trees {
						root := g.tuples[r.IntN(len(g.tuples))].U
						parents, _ := g.search(root)
						// Tree number wrong is wrong; those after it may be.
						if i == wrong {
							wrongs := [][2]engine.Local{{root, engine.None}, {(root + 1) % engine.Local(g.n), engine.Local(g.n)}}
							parents[wrongs[i%2][0]] = wrongs[i%2][1]
						} else if wrong >= 0 && i > wrong {
							corrupt(r, parents, near)
						}
						claims = append(claims, keptClaim{root, parents})
					}
					judgeKept(t, b, k, tuples, claims)
				}
				for range 4 { // any tree may be wrong in any way
					var claims []keptClaim
					for range trees {
						root := g.tuples[r.IntN(len(g.tuples))].U
						parents, _ := g.search(root)
						if r.IntN(trees) == 0 {
							corrupt(r, parents, near)
						}
						claims = append(claims, keptClaim{root, parents})
					}
					judgeKept(t, b, k, tuples, claims)
				}
			}
			devicetest.Close(t, k)
		})
		devicetest.Close(t, tuples)
	}
}

// TestKeptTreesOfNastyGraphs validates batches with all forms of the table.
func TestKeptTreesOfNastyGraphs(t *testing.T) {
	d := devicetest.Open(t)
	loops := testGraph{70, []engine.Edge{joined(3, 3), joined(69, 69), joined(3, 3)}}
	path := pathGraph(301)
	path.tuples = append(path.tuples, joined(299, 299))
	for _, g := range append(nastyGraphs(), loops, path) {
		withBench(t, d, g, func(b *bench) {
			k := newTrees(t, d, b, 4)
			var right []keptClaim
			for _, root := range []int{0, g.n / 2, g.n - 1, 0} { // of the path: deep, less deep, deep
				parents, _ := g.search(engine.Local(root))
				right = append(right, keptClaim{engine.Local(root), parents})
			}
			judgeKept(t, b, k, b.tuples, nil)
			judgeKept(t, b, k, b.tuples, right)
			for i := range right {
				// Wrong trees: only the root, a cycle, and the tree of another root.
				alone := slices.Repeat([]engine.Local{engine.None}, g.n)
				alone[right[i].root] = right[i].root
				cycle := slices.Clone(right[i].parents)
				cycle[(int(right[i].root)+1)%g.n] = engine.Local((int(right[i].root) + 1) % g.n)
				for _, parents := range [][]engine.Local{alone, cycle, right[(i+1)%3].parents} {
					claims := slices.Clone(right)
					claims[i].parents = parents
					judgeKept(t, b, k, b.tuples, claims)
				}
			}
			judgeKept(t, b, k, b.tuples, right[1:2])
			devicetest.Close(t, k)
		})
	}
}

// TestKeptTreesTuplesOutside has tuples with labels out of range.
func TestKeptTreesTuplesOutside(t *testing.T) {
	d := devicetest.Open(t)
	g := testGraph{3, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(7, 0)}}
	withBench(t, d, g, func(b *bench) {
		k := newTrees(t, d, b, 2)
		judgeKept(t, b, k, b.tuples, []keptClaim{{0, []engine.Local{0, 0, 1}}, {2, []engine.Local{1, 2, 2}}})
		devicetest.Close(t, k)
	})
}

// TestKeptTreesMemory compares the memory in use with the plan, without and with deep
// trees. It fills the batch and then adds one tree more.
func TestKeptTreesMemory(t *testing.T) {
	d := devicetest.Open(t)
	path := pathGraph(1301)
	deep, _ := path.search(0)
	vertices := uint64(path.n)
	for trees := 1; trees < 4; trees++ {
		withBench(t, d, path, func(b *bench) {
			free := d.Free()
			k := newTrees(t, d, b, trees)
			plan := Plan(engine.BFS, vertices, trees)
			for deepTrees := 0; ; deepTrees++ {
				if taken, want := free-d.Free(), engine.Peak(plan, engine.DeviceMemory); taken != want {
					t.Errorf("%d trees, %d of them deep, use %d bytes, %d planned", trees, deepTrees, taken, want)
				}
				if deepTrees == trees {
					break
				}
				judgeKept(t, b, k, b.tuples, slices.Repeat([]keptClaim{{0, deep}}, deepTrees+1))
				plan = append(plan, DeepPlan(vertices)...)
			}
			if k.Capacity() != trees {
				t.Errorf("capacity %d, not %d", k.Capacity(), trees)
			}
			for i := range trees + 1 {
				if err := k.Keep(0); (err == nil) != (i < trees) {
					t.Errorf("tree %d of %d: %v", i, trees, err)
				}
			}
			if err := errors.Join(k.Close(), k.Close(), (*Trees)(nil).Close()); err != nil {
				t.Error(err)
			}
			if d.Free() != free {
				t.Errorf("%d bytes are free after %d", d.Free(), free)
			}
		})
	}
}

// TestKeptTreesOutOfMemory runs out of memory for a batch, for a part of it, and for the
// table of a deep tree, after which other trees are still validated.
func TestKeptTreesOutOfMemory(t *testing.T) {
	path := pathGraph(1301)
	deep, _ := path.search(0)
	shallow := testGraph{n: path.n}
	for v := 1; v < path.n; v++ {
		shallow.tuples = append(shallow.tuples, joined(v, 0))
	}
	flat, _ := shallow.search(0)
	d := devicetest.OpenWith(t, device.Options{})
	if err := d.Reserve(1 << 20); err != nil {
		t.Fatal(err)
	}
	withBench(t, d, shallow, func(b *bench) {
		two := engine.Peak(Plan(engine.BFS, uint64(path.n), 2), engine.DeviceMemory)
		for _, room := range []uint64{0, two / 2 / device.Alignment * device.Alignment, two - device.Alignment} {
			_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-room))
			var full *device.MemoryError
			if _, err := NewTrees(d, engine.BFS, Results{Parents: b.live}, 2); !errors.As(err, &full) {
				t.Errorf("%d bytes are free: %v", room, err)
			}
			if d.Free() != room {
				t.Errorf("%d bytes are free after %d", d.Free(), room)
			}
			free()
		}
		_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-two))
		k := newTrees(t, d, b, 2)
		if err := errors.Join(b.live.Write(0, deep), k.Keep(0)); err != nil {
			t.Fatal(err)
		}
		var full *device.MemoryError
		if _, err := k.Check(t.Context(), b.tuples); !errors.As(err, &full) {
			t.Error(err)
		}
		k.Drop()
		judgeKept(t, b, k, b.tuples, []keptClaim{{0, flat}, {0, flat}})
		devicetest.Close(t, k)
		free()
	})
}

// TestKeptTreesCancelled validates with an ended context, and then another batch.
func TestKeptTreesCancelled(t *testing.T) {
	d := devicetest.Open(t)
	stop := errors.New("stop")
	g := officialGraph(7)
	tuples := generatetest.Generate(t, d, devicetest.Official(7), generate.Config{Capacity: 100})
	defer devicetest.Close(t, tuples)
	withBench(t, d, g, func(b *bench) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		root := g.tuples[0].U
		parents, _ := g.search(root)
		k := newTrees(t, d, b, 3)
		for _, work := range []func(context.Context, *generate.Tuples) ([]engine.Tree, error){k.Check, k.CountEdges} {
			for range 3 {
				if err := errors.Join(b.live.Write(0, parents), k.Keep(engine.Vertex(root))); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := work(ctx, tuples); !errors.Is(err, stop) {
				t.Error(err)
			}
			k.Drop()
		}
		judgeKept(t, b, k, tuples, []keptClaim{{root, parents}})
		devicetest.Close(t, k)
	})
}
