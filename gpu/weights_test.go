//go:build cuda

package gpu

import (
	"math"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kronecker"
)

// weightedJob adds shortest paths, whose strategy needs no memory here, to a job.
func weightedJob(job engine.Job) engine.Job {
	job.Strategies = append(job.Strategies, engine.Strategy{Kernel: engine.SSSP, Name: "any"})
	return job
}

// readBack returns the tuples that the engine holds.
func readBack(t *testing.T, e *Engine) (all engine.Tuples) {
	t.Helper()
	if err := e.Tuples(t.Context(), func(piece engine.Tuples) error {
		all.Edges, all.Weights = append(all.Edges, piece.Edges...), append(all.Weights, piece.Weights...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

// TestGeneratedWeights compares the tuples and weights of an engine with those of the
// host, with all tuples in memory and with regenerated ones.
func TestGeneratedWeights(t *testing.T) {
	const scale = 10
	spec := devicetest.Official(scale)
	weights := make([]float32, spec.Tuples())
	kronecker.New(spec).Weights(weights, 0)
	for _, weighted := range []bool{false, true} {
		for _, regenerated := range []bool{false, true} {
			e := start(t, "default")
			if regenerated {
				e = startWith(t, named("default"), minimalMemory, 1001)
			}
			job, want := officialJob(scale, false), []float32(nil)
			if weighted {
				job, want = weightedJob(job), weights
			}
			if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
				t.Fatal(err)
			}
			if err := e.Engine.Generate(t.Context(), spec, nil); err != nil {
				t.Fatal(err)
			}
			if e.tuples.Whole() == regenerated {
				t.Fatalf("regenerated %v: %d tuples in memory", regenerated, e.layout.capacity)
			}
			if got := readBack(t, e.Engine); !slices.Equal(got.Edges, devicetest.OfficialTuples(scale)) || !sameBits(got.Weights, want) {
				t.Errorf("weighted %v, regenerated %v: other tuples", weighted, regenerated)
			}
		}
	}
}

// TestLoadedWeights loads tuples with weights for jobs with and without shortest paths.
func TestLoadedWeights(t *testing.T) {
	edges, weights := []engine.Edge{{U: 0, V: 1}, {U: 2, V: 2}, {U: 2, V: 1}}, []float32{0.5, 0, 8e37}
	load := func(e *Engine, weighted, withWeights bool) error {
		job := engine.Job{Vertices: 3, Tuples: 3, Loaded: true, Strategies: []engine.Strategy{named("default")}, Searches: 1}
		if weighted {
			job = weightedJob(job)
		}
		if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
			t.Fatal(err)
		}
		tuples := engine.Tuples{Edges: edges}
		if withWeights {
			tuples.Weights = weights
		}
		return e.Load(t.Context(), 3, owned(t, tuples))
	}
	for _, weighted := range []bool{false, true} {
		e := start(t, "default")
		if err := load(e.Engine, weighted, true); err != nil {
			t.Fatal(err)
		}
		want := weights
		if !weighted {
			want = nil
		}
		if got := readBack(t, e.Engine); !slices.Equal(got.Edges, edges) || !sameBits(got.Weights, want) {
			t.Errorf("weighted %v: %v", weighted, got)
		}
	}
	if err := load(start(t, "default").Engine, true, false); err == nil {
		t.Error("tuples without weights were loaded for shortest paths")
	}
}
