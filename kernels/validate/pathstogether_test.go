//go:build cuda

package validate

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/generate"
	rules "graph500/validate"
)

// judgeTogether compares the results for a batch of searches on several shares of the tuples,
// all on the same device, with those of the host. It returns the error of the validation.
func (b *pathBench) judgeTogether(t *testing.T, d *device.Device, firsts []int, capacity int, searches []rules.Search) (verdict error) {
	t.Helper()
	ctx, team := t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, len(firsts)))
	apart, closeApart := newApart(t, d, len(firsts), 4*len(firsts)*(1+len(b.g.Edges)%9))
	var shares []*generate.Tuples
	var trees []*Trees
	for k, first := range firsts {
		end := len(b.g.Edges)
		if k+1 < len(firsts) {
			end = firsts[k+1]
		}
		share := b.load(t, d, engine.Tuples{Edges: b.g.Edges[first:end], Weights: b.g.Weights[first:end:end]}, uint64(first))
		shares, trees = append(shares, share), append(trees, b.newPaths(t, d, capacity))
	}
	for _, check := range []struct {
		name   string
		device func(context.Context, *device.Team, []*Trees, []*generate.Tuples) ([]engine.Tree, error)
		host   func() ([]engine.Tree, error)
	}{
		{"CountEdges", CountEdgesTogether, func() ([]engine.Tree, error) { return b.checker.CountEdges(ctx, b.g.Tuples, searches) }},
		{"Check", CheckTogether, func() ([]engine.Tree, error) { return b.checker.Check(ctx, b.g.Tuples, searches) }},
		{"CountEdges apart", apart.count, func() ([]engine.Tree, error) { return b.checker.CountEdges(ctx, b.g.Tuples, searches) }},
		{"Check apart", apart.check, func() ([]engine.Tree, error) { return b.checker.Check(ctx, b.g.Tuples, searches) }},
	} {
		for _, s := range searches {
			for _, k := range trees {
				b.keep(t, k, s)
			}
		}
		for _, k := range trees {
			k.poison(t)
			if err := k.columns.joined.Fill(devicetest.Poison); err != nil {
				t.Fatal(err)
			}
		}
		want, wantErr := check.host()
		got, err := check.device(ctx, team, trees, shares)
		if !slices.Equal(got, want) || !reflect.DeepEqual(err, wantErr) {
			t.Fatalf("%s of %d of %d searches, %d vertices, shares from %v of %d tuples:\n%+v, %v\nwant %+v, %v", check.name, len(searches), capacity, b.g.n, firsts, len(b.g.Edges), got, err, want, wantErr)
		}
		verdict = err
		for _, k := range trees {
			k.Drop()
		}
	}
	for k := range slices.Backward(trees) {
		devicetest.Close(t, shares[k], trees[k])
	}
	closeApart()
	return verdict
}

// apart checks batches as on devices that cannot access each other's memory.
type apart struct {
	team     *device.Team
	exchange exchange.Exchange
	buffers  []device.Array[byte]
}

// newApart returns the checks on count devices, all the same one, with buffers of that many
// bytes, and a function that frees them.
func newApart(t *testing.T, d *device.Device, count, bytes int) (apart, func()) {
	t.Helper()
	a := apart{team: device.NewTeamApart(t.Context(), cluster.Alone(), slices.Repeat([]*device.Device{d}, count))}
	var err error
	if a.exchange, err = exchange.OverHost(t.Context(), cluster.Alone(), a.team); err != nil {
		t.Fatal(err)
	}
	var frees []func()
	for range count {
		buffer, free := devicetest.Borrowed[byte](t, d, bytes)
		a.buffers, frees = append(a.buffers, buffer), append(frees, free)
	}
	return a, func() {
		for _, free := range slices.Backward(frees) {
			free()
		}
		devicetest.Close(t, a.exchange)
	}
}

func (a apart) check(ctx context.Context, _ *device.Team, trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	return CheckDistributed(ctx, a.team, a.exchange, a.buffers, trees, shares)
}

func (a apart) count(ctx context.Context, _ *device.Team, trees []*Trees, shares []*generate.Tuples) ([]engine.Tree, error) {
	return CountEdgesDistributed(ctx, a.team, a.exchange, a.buffers, trees, shares)
}

// TestPathsTogether compares the results of one to four shares with those of the host, for
// right and corrupted searches and for tuples that are invalid.
func TestPathsTogether(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(8, 0))
	verdicts := make(map[string]int)
	for range devicetest.Sized(120, 80) {
		g := randomWeighted(r)
		arcs := g.arcs()
		searches := make([]rules.Search, 1+r.IntN(3))
		changed := r.IntN(2 * len(searches)) // none in half of the batches
		for i := range searches {
			searches[i] = g.shortest(engine.Local(r.IntN(g.n)))
			if i == changed {
				for range 1 + r.IntN(3) {
					g.corruptPaths(r, searches[i], arcs)
				}
			}
		}
		if n := len(g.Edges); n > 0 && r.IntN(8) == 0 {
			g.Weights[r.IntN(n)], g.Weights[r.IntN(n)] = -2, -3
		}
		withPaths(t, d, g, func(b *pathBench) {
			b.wide = r.IntN(2) == 0
			capacity := len(searches) + r.IntN(mostSearches+1-len(searches))
			var broken *rules.Error
			if errors.As(b.judgeTogether(t, d, cuts(r, len(g.Edges), 1+r.IntN(4)), capacity, searches), &broken) {
				verdicts[broken.Rule.String()]++
			} else {
				verdicts["right"]++
			}
		})
	}
	t.Log(verdicts)
	for _, verdict := range []string{"right", "root", "entry", "path", "distance", "tight", "relaxed"} {
		if verdicts[verdict] == 0 && !testing.Short() {
			t.Errorf("no search with verdict %q", verdict)
		}
	}
}
