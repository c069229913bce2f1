//go:build cuda

package gpu

import (
	"testing"

	"graph500/engine"
	"graph500/kernels/construct"
)

// Ranges of loaded graphs on several GPUs are balanced if a GPU with nearly all labels has the memory;
// else, and in generated graphs, they have equally many labels.
func TestBalancedLayouts(t *testing.T) {
	for _, distributed := range []bool{false, true} {
		p := planner{part: regeneratedPart, l2: defaultL2, devices: 4, distributed: distributed, alone: true, limit: 1 << 40}
		for _, strategies := range [][]engine.Strategy{{named("default")}, {shortestPaths()}, {named("default"), shortestPaths()}} {
			job := engine.Job{Vertices: 1 << 24, Tuples: 1 << 28, Strategies: strategies, Searches: 8}
			if l := p.layoutOf(job); l.balanced {
				t.Errorf("distributed %v, %v: ranges of a generated graph are balanced", distributed, kernelsOf(job))
			}
			job.Loaded = true
			if l := p.layoutOf(job); !l.balanced {
				t.Errorf("distributed %v, %v: ranges of a loaded graph are not balanced", distributed, kernelsOf(job))
			}
			tight := p
			tight.limit = engine.Peak(p.required(job, layout{capacity: p.share(job), groups: construct.MostGroups, batch: 1, balanced: true}), engine.DeviceMemory) - 1
			if l := tight.layoutOf(job); l.balanced || !tight.fits(job, l) {
				t.Errorf("distributed %v, %v: with little memory %+v, fits: %v", distributed, kernelsOf(job), l, tight.fits(job, l))
			}
			large := job
			large.Vertices, large.Tuples = 1<<29, 1<<29
			if l := p.layoutOf(large); l.balanced != (distributed || !large.Weighted()) {
				t.Errorf("distributed %v, %v, 2^29 vertices: balanced %v", distributed, kernelsOf(job), l.balanced)
			}
			alone := p
			alone.devices = 1
			if l := alone.layoutOf(job); l.balanced {
				t.Errorf("%v: the range of one GPU is balanced", kernelsOf(job))
			}
		}
	}
}
