//go:build cuda

package gpu

import (
	"context"
	"errors"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/device/devicetest"
	"graph500/device/nccl"
	"graph500/engine"
)

func startHost(ctx context.Context, w *cluster.World, ordinals []int, maxBytes uint64) (ranked, error) {
	return NewDistributed(ctx, w, ordinals, maxBytes, engine.HostExchange)
}

// needNCCL skips the test without NCCL.
func needNCCL(t *testing.T) {
	t.Helper()
	if err := nccl.Load(); err != nil {
		t.Skip(err)
	}
}

func startNCCL(ctx context.Context, w *cluster.World, ordinals []int, maxBytes uint64) (ranked, error) {
	return NewDistributed(ctx, w, ordinals, maxBytes, engine.NCCLExchange)
}

// GPUs that do not access each other's memory find what the CPU engine finds, on all ranks the
// same.
func TestDistributed(t *testing.T) {
	for name, start := range map[string]starter{"host": startHost, "nccl": startNCCL} {
		t.Run(name, func(t *testing.T) {
			if name == "nccl" {
				needNCCL(t)
			}
			searchGenerated(t, start, minimalMemory, true, false)
		})
	}
}

func TestDistributedOnLoadedGraphs(t *testing.T) {
	needNCCL(t)
	searchLoaded(t, startNCCL, false)
}

func TestDistributedRefuseWrongTrees(t *testing.T) { refuseWrong(t, startHost, true, false) }

// The GPUs of one process search without ranks, nasty graphs too.
func TestDistributedInOneProcess(t *testing.T) {
	const vertices = 2*leastLabels + 5
	var path, star []engine.Edge
	for v := range engine.Local(vertices - 1) {
		star = append(star, engine.Edge{U: 1030, V: v}, engine.Edge{U: v, V: v})
	}
	order := func(i int) engine.Local { return engine.Local(i * 1009 % vertices) }
	for i := range 300 {
		path = append(path, engine.Edge{U: order(i), V: order(i + 1)}, engine.Edge{U: order(i + 1), V: order(i)})
	}
	for name, tuples := range map[string][]engine.Edge{
		"path of more levels than a byte has": path, "star": star, "one edge": {{U: 3, V: vertices - 1}}, "no edge": {{U: 7, V: 7}}, "no tuple": {},
	} {
		t.Run(name, func(t *testing.T) {
			_, c, want := onCPU(t, vertices, tuples)
			r := startRanks(t, startHost, 1, 2, 0, regeneratedPart)
			job := engine.Job{Vertices: vertices, Tuples: uint64(len(tuples)), Loaded: true, Strategies: []engine.Strategy{named("default")}, Searches: 1}
			r.do(t, func(rank int) error {
				e := r.engines[rank]
				return errors.Join(e.Prepare(t.Context(), []engine.Job{job}), e.Load(t.Context(), vertices, inMemory(t, tuples)))
			})
			r.construct(t, want, tuples)
			if want.Connected == 0 {
				return
			}
			for _, e := range tuples[:1] {
				r.compare(t, c, engine.Vertex(e.U))
				r.compare(t, c, engine.Vertex(e.V))
			}
		})
	}
}

// The plan contains all that a run allocates.
func TestDistributedPlan(t *testing.T) { planDistributed(t, false) }

func planDistributed(t *testing.T, wide bool) {
	t.Helper()
	spec := devicetest.Official(13)
	tuples := devicetest.OfficialTuples(spec.Scale)
	_, c, want := onCPU(t, int(spec.Vertices()), tuples)
	want.Regenerated = true
	r := startRanks(t, startHost, 1, 2, 0, regeneratedPart)
	r.wide = wide
	r.build(t, spec, want, tuples)
	r.compare(t, c, engine.Vertex(tuples[0].U))
	e := r.engines[0].(*Distributed)
	plan := e.Plan(e.job)
	searching := engine.PeakIn(plan, engine.DeviceMemory, engine.Searching)
	for i, m := range e.members {
		if used := m.device.Reserved() - m.device.Free(); used > searching || m.device.Peak() > e.Memory().Bytes {
			t.Errorf("GPU %d: %d bytes, planned %d of %d", i, used, searching, e.Memory().Bytes)
		}
	}
	if !slices.ContainsFunc(plan, func(a engine.Allocation) bool {
		return a.Place != engine.DeviceMemory && a.Name == "exchange of the GPUs"
	}) {
		t.Errorf("no memory of the host in %+v", plan)
	}
}
