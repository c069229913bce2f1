//go:build cuda

package kernels

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
)

// keptClaim is a tree that someone claims to be right.
type keptClaim struct {
	root    engine.Local
	parents []engine.Local
}

// judgeKept keeps the trees and compares what is said of them together with
// what the checker says of each, up to the first wrong one.
func judgeKept(t *testing.T, b *validateBench, k *KeptTrees, tuples *Tuples, claims []keptClaim) {
	t.Helper()
	ctx := context.Background()
	for _, check := range []struct {
		name     string
		together func(context.Context, *Tuples) ([]engine.Tree, error)
		alone    func(c keptClaim) (engine.Tree, error)
	}{
		{"Validate", k.Validate, func(c keptClaim) (engine.Tree, error) { return b.check(ctx, b.g.tuples, c.parents, c.root) }},
		{"Count", k.Count, func(c keptClaim) (engine.Tree, error) { return b.count(ctx, b.g.tuples, c.parents) }},
	} {
		var want []engine.Tree
		var wantErr error
		for _, c := range claims {
			if err := errors.Join(b.parents.Write(0, c.parents), k.Keep(b.parents, engine.Vertex(c.root))); err != nil {
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
		for _, p := range k.places {
			err := errors.Join(p.validator.table.Fill(stale), p.validator.facts.Fill(stale))
			if p.validator.wide != nil {
				err = errors.Join(err, p.validator.wide.Fill(stale))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := b.parents.Fill(stale); err != nil { // it is no longer needed
			t.Fatal(err)
		}
		got, err := check.together(ctx, tuples)
		if !slices.Equal(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s of %d trees, %d vertices:\n%+v, %v\nwant %+v, %v", check.name, len(claims), b.g.n, got, err, want, wantErr)
		}
		k.Drop()
		if again, err := check.together(ctx, tuples); len(again) > 0 || err != nil {
			t.Fatalf("%s of none: %+v, %v", check.name, again, err)
		}
	}
}

// TestKeptTreesOfOfficialGraphs keeps few and many trees in turn, all right or
// some of them wrong, with tuples that are in memory and made again.
func TestKeptTreesOfOfficialGraphs(t *testing.T) {
	d := testDevice(t)
	for _, c := range []struct {
		scale int
		room  uint64
	}{{4, 7}, {7, 1 << 20}, {8, 1001}} {
		g := officialGraph(t, c.scale)
		start, list := g.neighbours()
		tuples, err := NewTuples(d, officialSpec(c.scale), c.room)
		if err != nil {
			t.Fatal(err)
		}
		if err := tuples.Make(t.Context(), func(uint64) {}); err != nil {
			t.Fatal(err)
		}
		withBench(t, d, g, func(b *validateBench) {
			k := NewKeptTrees(d, uint64(g.n))
			r := rand.New(rand.NewPCG(c.room, 1))
			for _, trees := range []int{3, 1, 5, 4} {
				for wrong := -1; wrong < trees; wrong++ {
					var claims []keptClaim
					for i := range trees {
						root := g.tuples[r.IntN(len(g.tuples))].U
						parents, _ := g.search(root)
						// One is surely wrong, those after it perhaps.
						if i == wrong {
							wrongs := [][2]engine.Local{{root, engine.None}, {(root + 1) % engine.Local(g.n), engine.Local(g.n)}}
							parents[wrongs[i%2][0]] = wrongs[i%2][1]
						} else if wrong >= 0 && i > wrong {
							corrupt(r, parents, start, list)
						}
						claims = append(claims, keptClaim{root, parents})
					}
					judgeKept(t, b, k, tuples, claims)
				}
				for range 4 { // any may be wrong in any way
					var claims []keptClaim
					for range trees {
						root := g.tuples[r.IntN(len(g.tuples))].U
						parents, _ := g.search(root)
						if r.IntN(trees) == 0 {
							corrupt(r, parents, start, list)
						}
						claims = append(claims, keptClaim{root, parents})
					}
					judgeKept(t, b, k, tuples, claims)
				}
			}
			if len(k.places) != 5 {
				t.Errorf("%d places", len(k.places))
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := tuples.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestKeptTreesOfNastyGraphs keeps trees of all forms of the table together.
func TestKeptTreesOfNastyGraphs(t *testing.T) {
	d := testDevice(t)
	star, path := validateGraph{n: 1001}, validateGraph{n: 301}
	for v := 1; v < star.n; v++ {
		star.tuples = append(star.tuples, joined(v, 0), joined(0, v))
	}
	for v := 1; v < path.n; v++ {
		path.tuples = append(path.tuples, joined(v, v-1))
	}
	path.tuples = append(path.tuples, joined(299, 299))
	for _, g := range []validateGraph{
		{n: 1},
		{n: 33},
		{1, []engine.Edge{joined(0, 0), joined(0, 0)}},
		{70, []engine.Edge{joined(3, 3), joined(69, 69), joined(3, 3)}},
		{65, []engine.Edge{joined(0, 64), joined(64, 0), joined(0, 64), joined(64, 64)}},
		{6, []engine.Edge{joined(0, 1), joined(1, 2), joined(3, 4), joined(4, 4)}},
		star,
		path,
	} {
		withBench(t, d, g, func(b *validateBench) {
			tuples, k := HoldTuples(b.tuples), NewKeptTrees(d, uint64(g.n))
			var right []keptClaim
			for _, root := range []int{0, g.n / 2, g.n - 1, 0} { // of the path: deep, less deep, deep
				parents, _ := g.search(engine.Local(root))
				right = append(right, keptClaim{engine.Local(root), parents})
			}
			judgeKept(t, b, k, tuples, nil)
			judgeKept(t, b, k, tuples, right)
			for i := range right {
				// The tree is its root alone, or in a circle, or another root's.
				alone := slices.Repeat([]engine.Local{engine.None}, g.n)
				alone[right[i].root] = right[i].root
				circle := slices.Clone(right[i].parents)
				circle[(int(right[i].root)+1)%g.n] = engine.Local((int(right[i].root) + 1) % g.n)
				for _, parents := range [][]engine.Local{alone, circle, right[(i+1)%3].parents} {
					claims := slices.Clone(right)
					claims[i].parents = parents
					judgeKept(t, b, k, tuples, claims)
				}
			}
			judgeKept(t, b, k, tuples, right[1:2])
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestKeptTreesTuplesOutside has tuples that name no vertex.
func TestKeptTreesTuplesOutside(t *testing.T) {
	d := testDevice(t)
	g := validateGraph{3, []engine.Edge{joined(0, 1), joined(1, 2), joined(2, 3), joined(7, 0)}}
	withBench(t, d, g, func(b *validateBench) {
		k := NewKeptTrees(d, 3)
		judgeKept(t, b, k, HoldTuples(b.tuples), []keptClaim{{0, []engine.Local{0, 0, 1}}, {2, []engine.Local{1, 2, 2}}})
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestKeptTreesMemory compares what is taken with what is said.
func TestKeptTreesMemory(t *testing.T) {
	d := testDevice(t)
	withBench(t, d, validateGraph{3, []engine.Edge{joined(0, 1)}}, func(b *validateBench) {
		if err := b.parents.Fill(0); err != nil {
			t.Fatal(err)
		}
		k := NewKeptTrees(d, 3)
		if KeptTreesMemory(3, 0) != 0 || len(k.places) > 0 {
			t.Error("memory for nothing")
		}
		for trees := 1; trees < 4; trees++ {
			if err := k.Keep(b.parents, engine.Vertex(0)); err != nil {
				t.Fatal(err)
			}
			taken := uint64(0)
			for _, p := range k.places {
				taken += p.parents.Bytes() + p.validator.table.Bytes() + p.validator.facts.Bytes()
			}
			if want := KeptTreesMemory(3, trees); taken != want {
				t.Errorf("%d trees take %d bytes, KeptTreesMemory says %d", trees, taken, want)
			}
		}
		short, err := Alloc[engine.Local](d, "parents", 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Keep(short, 0); err == nil || !strings.Contains(err.Error(), "2 parents for 3 vertices") {
			t.Error(err)
		}
		if err := errors.Join(short.Free(), k.Close(), k.Close(), (*KeptTrees)(nil).Close()); err != nil {
			t.Error(err)
		}
	})
}

// A context that has ended ends the validation; the trees are forgotten then.
func TestKeptTreesCancelled(t *testing.T) {
	d := testDevice(t)
	stop := errors.New("stop")
	g := officialGraph(t, 7)
	tuples, err := NewTuples(d, officialSpec(7), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer tuples.Close()
	withBench(t, d, g, func(b *validateBench) {
		ctx, cancel := context.WithCancelCause(context.Background())
		cancel(stop)
		root := g.tuples[0].U
		parents, _ := g.search(root)
		k := NewKeptTrees(d, uint64(g.n))
		for _, work := range []func(context.Context, *Tuples) ([]engine.Tree, error){k.Validate, k.Count} {
			for range 3 {
				if err := errors.Join(b.parents.Write(0, parents), k.Keep(b.parents, engine.Vertex(root))); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := work(ctx, tuples); !errors.Is(err, stop) {
				t.Error(err)
			}
			k.Drop()
		}
		judgeKept(t, b, k, tuples, []keptClaim{{root, parents}})
		if err := k.Close(); err != nil {
			t.Error(err)
		}
	})
}
