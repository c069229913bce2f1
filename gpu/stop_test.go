//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"graph500/conformance"
	"graph500/engine"
)

// The end of a context ends every phase with its cause, with all tuples in memory and with generated ones
// that are generated again, and the phase succeeds afterwards.
func TestContextEndsEveryPhase(t *testing.T) {
	var runs [][]engine.Strategy
	for _, s := range strategiesOf(engine.BFS) {
		runs = append(runs, []engine.Strategy{s})
	}
	runs = append(runs, bothKernels()[1:], bothKernels())
	for i, strategies := range runs {
		for _, limit := range []uint64{0, 1} { // 1: the smallest layout
			if limit > 0 && i > 0 && len(strategies) == 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s %s and %d more, limit %d", strategies[0].Kernel, strategies[0].Name, len(strategies)-1, limit), func(t *testing.T) {
				endPhases(t, Options{MaxBytes: limit, part: 1000}, strategies...)
			})
		}
	}
}

// endPhases ends the phases of searches by the strategies.
func endPhases(t *testing.T, o Options, strategies ...engine.Strategy) {
	cause, refusal, g := errors.New("stop"), errors.New("refusal"), conformance.Official(8)
	stopped, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	job, r := one.job(g, maxBatch, strategies...), startTeam(t, one, o)
	e := r.engines[0]
	if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}, nil); err != nil {
		t.Fatal(err)
	}
	if err := e.Generate(stopped, g.Spec, nil); o.MaxBytes == 0 && !errors.Is(err, cause) {
		t.Errorf("generation: %v", err)
	}
	r = startTeam(t, one, o)
	e = r.engines[0]
	r.provide(t, g, job)
	if err := e.Tuples(t.Context(), func(engine.Tuples) error { return refusal }); err != refusal {
		t.Errorf("tuples: %v", err)
	}
	phase := func(name string, work func(ctx context.Context) error) {
		t.Helper()
		if err := work(stopped); !errors.Is(err, cause) {
			t.Errorf("%s: %v", name, err)
		}
		if err := work(t.Context()); err != nil {
			t.Fatalf("%s after a stopped one: %v", name, err)
		}
	}
	phase("tuples", func(ctx context.Context) error {
		return e.Tuples(ctx, func(engine.Tuples) error { return nil })
	})
	phase("construction", func(ctx context.Context) error {
		_, err := e.Construct(ctx)
		return err
	})
	if err := r.open(t.Context(), 0, job); err != nil {
		t.Fatal(err)
	}
	for _, s := range r.searchers[0] {
		phase("search", func(ctx context.Context) error {
			return errors.Join(s.Clear(), s.Search(ctx, engine.Vertex(g.Roots[0])))
		})
		if err := s.Keep(); err != nil {
			t.Fatal(err)
		}
		for name, work := range map[string]func(context.Context) error{
			"validation": func(ctx context.Context) error { _, err := s.Check(ctx); return err },
			"counting":   func(ctx context.Context) error { _, err := s.CountEdges(ctx); return err },
			"results":    func(ctx context.Context) error { _, err := s.Results(ctx, 0); return err },
		} {
			phase(name, work)
		}
		s.Drop()
		if len(strategies) > 1 { // only the last searcher can take more memory
			continue
		}
		phase("counted search", func(ctx context.Context) error {
			_, err := s.CountWork(ctx, engine.Vertex(g.Roots[0]))
			return err
		})
	}
}
