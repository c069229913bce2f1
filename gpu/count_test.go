//go:build cuda

package gpu

import (
	"context"
	"errors"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// Every strategy counts its work in a valid search, and searches as before
// afterwards. A stopped counted search leaves no state behind.
func TestCountWork(t *testing.T) {
	eachStrategy(t, func(t *testing.T, strategy string) {
		e := start(t, strategy)
		spec := devicetest.Official(devicetest.Sized(10, 8))
		if err := e.Generate(t.Context(), spec, nil); err != nil {
			t.Fatal(err)
		}
		info, err := e.Construct(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		root := e.keys(t, spec, 1, info)[0]
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		if _, err := e.searcher.CountWork(ctx, engine.Vertex(root)); !errors.Is(err, stop) {
			t.Errorf("a stopped search: %v", err)
		}
		for range 2 {
			counts, err := e.searcher.CountWork(t.Context(), engine.Vertex(root))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := e.check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if counts.Examined < tree.Visited-1 || counts.Examined > 1000*info.Arcs || counts.Atomics < 0 || counts.SharedAtomics < 0 || counts.Launches < 1 {
				t.Errorf("%+v for %+v", counts, tree)
			}
			if strategy == "default" && (counts.Atomics == 0 || counts.Launches != 1) {
				t.Errorf("%+v", counts)
			}
			if err := errors.Join(e.Clear(), e.Search(t.Context(), root)); err != nil {
				t.Fatal(err)
			}
			if again, err := e.check(t.Context()); err != nil || again != tree {
				t.Errorf("%+v, want %+v (%v)", again, tree, err)
			}
		}
	})
}

// The search by depths of hubs has no counted form.
func TestNoCountsByHubs(t *testing.T) {
	e := start(t, byHubs)
	if err := e.Generate(t.Context(), kronecker.Spec{Scale: 6, EdgeFactor: 16, Seed1: 2, Seed2: 3}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Construct(t.Context()); err != nil {
		t.Fatal(err)
	}
	if counts, err := e.searcher.CountWork(t.Context(), 0); counts != nil || err != nil {
		t.Errorf("%+v, %v", counts, err)
	}
}
