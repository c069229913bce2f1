package cpu

import (
	"context"
	"errors"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/kronecker"
)

// defaultJob is a job of the default strategy of a kernel.
func defaultJob(k engine.Kernel) engine.Job {
	return engine.Job{Strategies: []engine.Strategy{{Kernel: k, Name: "default"}}}
}

func TestRanksRefuse(t *testing.T) {
	e := New(cluster.InProcess(2)[0], 1)
	defer e.Close()
	if err := e.Generate(t.Context(), kronecker.Spec{Scale: 32, EdgeFactor: 1}, nil); err == nil {
		t.Error("generates scale 32")
	}
	for _, s := range []engine.Strategy{{Kernel: engine.BFS, Name: "push"}, {Kernel: engine.SSSP, Name: "obim"}} {
		if _, err := e.NewSearcher(t.Context(), s); err == nil {
			t.Errorf("has a searcher for %v", s)
		}
	}
}

// Construction ends with its context, although another rank never takes part.
func TestRanksEndWithContext(t *testing.T) {
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	e := New(cluster.InProcess(2)[0], 1)
	defer e.Close()
	err := errors.Join(e.Prepare(ctx, []engine.Plan{{Job: defaultJob(engine.BFS)}}, nil), e.Generate(ctx, kronecker.Spec{Scale: 10, EdgeFactor: 16, Seed1: 2, Seed2: 3}, nil))
	if err != nil {
		t.Fatal(err)
	}
	go cancel(cause)
	if _, err := e.Construct(ctx); !errors.Is(err, cause) {
		t.Error(err)
	}
}
