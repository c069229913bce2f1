package cpu

import (
	"errors"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/parallel"
)

// A rank takes its own part only.
func TestRanksRefuseOtherParts(t *testing.T) {
	w := cluster.InProcess(2)[1]
	e := &Engine{world: w, team: parallel.NewTeam(1)}
	defer e.Close()
	job := defaultJob(engine.BFS)
	job.Vertices, job.Tuples, job.Loaded = 4, 5, true // 2 and 3 tuples
	three := engine.Tuples{Edges: make([]engine.Edge, 3)}
	if err := e.Load(t.Context(), 4, three); err == nil {
		t.Error("loads without a job")
	}
	weighted := job
	weighted.Strategies = defaults()[1:]
	for want, c := range map[string]struct {
		job      engine.Job
		vertices uint64
		tuples   engine.Tuples
	}{
		"2 tuples for a part of 3": {job, 4, engine.Tuples{Edges: three.Edges[:2]}},
		"0 weights for 3 tuples":   {weighted, 4, three},
		"vertices need labels":     {job, 1 << 40, three},
	} {
		err := errors.Join(e.Prepare(t.Context(), []engine.Plan{{Job: c.job}}, nil), e.Load(t.Context(), c.vertices, c.tuples))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %s", err, want)
		}
	}
}
