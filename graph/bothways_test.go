package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
)

// plainBothWays is bothWays without sampling.
func plainBothWays(edges []engine.Edge) float64 {
	set := make(map[engine.Edge]bool)
	for _, e := range edges {
		if e.U != e.V {
			set[e] = true
		}
	}
	both := 0
	for e := range set {
		if set[engine.Edge{U: e.V, V: e.U}] {
			both++
		}
	}
	return float64(both) / float64(max(len(set), 1))
}

func TestBothWaysOfSmallLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.OneOf(rapid.Uint32Range(0, 6), rapid.Just(maxVertex))
		edges := rapid.SliceOf(rapid.Custom(func(t *rapid.T) engine.Edge {
			return engine.Edge{U: label.Draw(t, "u"), V: label.Draw(t, "v")}
		})).Draw(t, "edges")
		got, err := bothWays(context.Background(), edges)
		if want := plainBothWays(edges); err != nil || got != want {
			t.Fatalf("%v: %v, %v, want %v", edges, got, err, want)
		}
	})
}

// TestBothWaysOfLargeLists tests lists whose share is estimated from a sample.
func TestBothWaysOfLargeLists(t *testing.T) {
	const n = 2*samplePairs + 12345
	random := rand.New(rand.NewPCG(1, 2))
	for _, share := range []float64{0, 0.45, 0.55, 1} {
		for name, next := range map[string]func(i int) engine.Edge{
			"random":   func(int) engine.Edge { return engine.Edge{U: random.Uint32N(1 << 24), V: random.Uint32N(1 << 24)} },
			"star":     func(i int) engine.Edge { return engine.Edge{U: engine.Label(i) + 1} },
			"path":     func(i int) engine.Edge { return engine.Edge{U: engine.Label(i), V: engine.Label(i) + 1} },
			"grid":     func(i int) engine.Edge { return engine.Edge{U: engine.Label(i), V: engine.Label(i) + 1024} },
			"repeated": func(i int) engine.Edge { return engine.Edge{U: engine.Label(i / 5), V: engine.Label(i/5) + 7} },
		} {
			if testing.Short() && name != "random" && name != "repeated" {
				continue
			}
			var edges []engine.Edge
			for i := 0; len(edges) < n; i++ {
				e := next(i)
				edges = append(edges, e)
				// An edge in both directions counts twice.
				if pair := uint64(min(e.U, e.V))<<32 | uint64(max(e.U, e.V)); float64(pair*0xd6e8feb86659fd93) < share/(2-share)*math.MaxUint64 {
					edges = append(edges, engine.Edge{U: e.V, V: e.U})
				}
			}
			got, err := bothWays(t.Context(), edges)
			if want := plainBothWays(edges); err != nil || math.Abs(got-want) > 0.03 || math.Abs(want-share) > 0.02 {
				t.Errorf("%s: %v, %v, want %v, about %v", name, got, err, want, share)
			}
		}
	}
}

// TestFullSample checks that a full sample ignores new pairs.
func TestFullSample(t *testing.T) {
	const capacity = 100
	s := newSample(capacity, capacity)
	var edges, reverse []engine.Edge
	for i := range engine.Label(10 * capacity) {
		edges = append(edges, engine.Edge{U: i, V: i + 1})
		if i < capacity/2 || i >= capacity {
			reverse = append(reverse, engine.Edge{U: i + 1, V: i})
		}
	}
	s.add(edges)
	s.add(reverse)
	if got, want := s.share(), float64(capacity)/(capacity+capacity/2); got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestBothWaysCancelled(t *testing.T) {
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := bothWays(ctx, four); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkBothWays(b *testing.B) {
	for _, n := range []int{samplePairs, 64 * samplePairs} {
		edges := make([]engine.Edge, n)
		for i := range edges {
			edges[i] = engine.Edge{U: rand.Uint32N(1 << 24), V: rand.Uint32N(1 << 24)}
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := bothWays(b.Context(), edges); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(n), "ns/edge")
		})
	}
}
