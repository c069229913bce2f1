//go:build cuda

package gpu

import (
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
)

// regeneratedPart is the number of tuples per part if tuples are regenerated part by
// part: enough work to fill the device.
const regeneratedPart = 1 << 26

// maxBatch is the largest number of searches that are validated together. With eight,
// the regeneration of the tuples is a small part of the validation time.
const maxBatch = 8

// layout determines the use of the device's memory.
type layout struct {
	capacity uint64 // tuples in memory: all, or one part
	groups   int    // groups of rows that kernel 1 builds one after the other
	batch    int    // searches that are validated together
}

// planner plans the memory of jobs on a device.
type planner struct {
	limit uint64 // bytes of device memory that may be allocated
	part  uint64 // tuples per part, if they are regenerated
	l2    int    // bytes of the device's second-level cache
}

// layoutOf returns the preferred layout in which each job fits, of jobs that search one
// graph. Preferences, in this order: all tuples in memory (the only choice for loaded
// tuples) over regeneration, then few groups, then, with regeneration, a large
// validation batch of the first job. If none fits, layoutOf returns the layout that
// needs the least memory.
func (p planner) layoutOf(jobs ...engine.Job) layout {
	first := jobs[0]
	capacities := []uint64{first.Tuples}
	if !first.Loaded && p.part < first.Tuples {
		capacities = append(capacities, p.part)
	}
	l := layout{batch: 1}
	for _, l.capacity = range capacities {
		for l.groups = construct.LeastGroups; l.groups <= construct.MostGroups; l.groups++ {
			if !slices.ContainsFunc(jobs, func(job engine.Job) bool { return !p.fits(job, l) }) {
				return p.withBatch(first, l)
			}
		}
	}
	l.groups = construct.MostGroups
	return l
}

// withBatch returns the layout with the largest validation batch that fits. The batch
// is unchanged if all tuples are in memory, because a batch then saves nothing.
func (p planner) withBatch(job engine.Job, l layout) layout {
	if l.capacity >= job.Tuples {
		return l
	}
	for l.batch = max(1, min(maxBatch, job.Searches)); l.batch > 1 && !p.fits(job, l); l.batch-- {
	}
	return l
}

func (p planner) fits(job engine.Job, l layout) bool {
	return engine.Peak(p.required(job, l), engine.DeviceMemory) <= p.limit
}

// required lists the allocations that a job needs in a layout. The bandwidth
// measurement is excluded, because it uses whatever is free.
func (p planner) required(job engine.Job, l layout) []engine.Allocation {
	vertices, tuples := job.Vertices, job.Tuples
	plan := generate.Plan(tuples, l.capacity, job.Loaded, job.Weighted())
	plan = append(plan, construct.Plan(vertices, tuples, l.groups, bfs.MostHubs)...)
	plan = append(plan, new(results).group(vertices).Plan()...)
	plan = append(plan, validate.Plan(engine.BFS, vertices, l.batch)...)
	if job.Loaded { // trees of generated graphs are shallow
		plan = append(plan, validate.DeepPlan(vertices)...)
	}
	if s, ok := lookUp(job.Strategy(engine.BFS).Name); ok {
		plan = append(plan, s.plan(vertices, maxRows(job), 2*tuples, p.l2)...)
	}
	return plan
}

// maxRows returns an upper bound on the number of rows of the graph: one per vertex,
// and two per tuple.
func maxRows(job engine.Job) uint64 { return min(job.Vertices, 2*job.Tuples) }

// plan lists all device allocations of a job in its layout: the required ones, then
// those that are made only if they fit.
func (p planner) plan(job engine.Job, l layout) []engine.Allocation {
	plan := p.required(job, l)
	if !job.Loaded { // no official graph needs it
		plan = p.addIfFits(plan, validate.DeepPlan(job.Vertices))
	}
	if s, ok := lookUp(job.Strategy(engine.BFS).Name); ok {
		plan = p.addIfFits(plan, p.truncated(plan, s.optional(job.Vertices, maxRows(job), 2*job.Tuples, p.l2)))
	}
	return append(plan, stream.BandwidthPlan(p.limit)...)
}

// addIfFits adds optional allocations to a plan if all of them fit.
func (p planner) addIfFits(plan, optional []engine.Allocation) []engine.Allocation {
	if combined := append(plan, optional...); engine.PeakIn(combined, engine.DeviceMemory, engine.Searching) <= p.limit {
		return combined
	}
	return plan
}

// truncated shortens optional allocations, whose size is free, to the memory that a
// plan leaves.
func (p planner) truncated(plan, optional []engine.Allocation) []engine.Allocation {
	used := min(p.limit, engine.PeakIn(plan, engine.DeviceMemory, engine.Searching))
	left := (p.limit - used) / device.Alignment * device.Alignment
	for i := range optional {
		optional[i].Bytes = min(optional[i].Bytes, left)
		left -= optional[i].Bytes
	}
	return optional
}

// onHost lists the allocations of a job in host memory.
func onHost(job engine.Job) []engine.Allocation {
	plan := []engine.Allocation{{Name: "parents, copied", Bytes: 4 * job.Vertices, Phase: engine.Searching}}
	if job.Loaded {
		plan = append(plan, engine.Allocation{Name: "tuples, as read", Bytes: 8 * job.Tuples, Phase: engine.Loading})
		if job.Weighted() {
			plan = append(plan, engine.Allocation{Name: "weights, as read", Bytes: 4 * job.Tuples, Phase: engine.Loading})
		}
	}
	return plan
}
