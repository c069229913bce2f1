//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/cluster"
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
)

// Plan lists the memory allocations of a job: on each GPU, those of the largest share and range
// for all, and on the host those of this process. If the tuples do not fit in memory together
// with the graphs, construction and validation regenerate them part by part, or, if they
// were loaded, copy them part by part from the host's memory. Several searches are validated
// together if that saves passes over the tuples.
func (e *Engine) Plan(job engine.Job) engine.Plan {
	of := e.planOf(job)
	p := engine.Plan{Job: job, Chosen: of}
	p.Memory = slices.Concat(of.plan, e.planner.tailsPlan(job, of.layout, len(e.members)), e.exchangePlan(job))
	if bytes := e.planner.pageTables(job, of.layout); bytes > 0 { // which the driver allocates
		p.Memory = append(p.Memory, engine.Allocation{Name: "page tables of host memory", Bytes: bytes, Phase: engine.Construction | engine.Searching, Place: engine.DeviceMemory})
	}
	if e.exchange == nil { // else each process gathers the tuples of all
		ranks := uint64(e.world.Size())
		job.Tuples = (job.Tuples + ranks - 1) / ranks
	}
	always := e.team.Count() == 1 && of.layout.capacity < job.Tuples
	p.Memory = append(p.Memory, onHost(job, always)...)
	return p
}

// exchangePlan lists the host memory of an exchange, and of the tuples that ranks gather by it.
func (e *Engine) exchangePlan(job engine.Job) (plan []engine.Allocation) {
	if e.exchange == nil {
		return nil
	}
	if bytes := e.exchange.HostBytes(); bytes > 0 {
		plan = append(plan, engine.Allocation{Name: "exchange of the GPUs", Bytes: bytes, Phase: engine.Always})
	}
	if ranks := uint64(e.world.Size()); job.Loaded && ranks > 1 { // gatherTuples
		longest, bytes := job.Tuples/ranks+1, readBytes(job)
		way := min(cluster.GatherBytes, bytes*longest*ranks)
		if job.Weighted() {
			bytes += 4
		}
		plan = append(plan,
			engine.Allocation{Name: "tuples of a rank, twice", Bytes: 2 * bytes * longest, Phase: engine.Loading},
			engine.Allocation{Name: "tuples on the way", Bytes: way, Phase: engine.Loading})
	}
	return plan
}

// planOf returns a job with its layout and plan. Once the memory is reserved, the tuple
// capacity and the number of groups are fixed.
func (e *Engine) planOf(job engine.Job) jobPlan {
	if len(e.jobs) == 0 {
		return e.planner.planJob(job, e.planner.layoutOf(job))
	}
	return e.planner.planJob(job, e.planner.withBatch(job, e.layout.ofOne()))
}

// jobOf returns the job with the strategy. A strategy in no job has a job of its own, like
// the first one.
func (e *Engine) jobOf(of engine.Strategy) jobPlan {
	for _, job := range e.jobs {
		if job.Strategy(of.Kernel).Name == of.Name {
			return job
		}
	}
	job := e.jobs[0].Job
	job.Strategies = []engine.Strategy{of}
	return e.planOf(job)
}

// Prepare reserves the memory for jobs, which search one graph with the same kernels, and loads
// their modules. The plans are of Plan. All jobs have one tuple capacity and one number of groups.
// It calls progress, unless nil, with the page-locked and all bytes of host memory, if rows are split.
func (e *Engine) Prepare(ctx context.Context, plans []engine.Plan, progress func(done, total int64)) error {
	if err := e.checkVertices(plans[0].Vertices); err != nil {
		return err
	}
	e.jobs = e.planner.onOneGraph(plans)
	e.layout = e.jobs[0].layout
	var peak uint64
	for _, job := range e.jobs {
		peak = max(peak, engine.Peak(job.plan, engine.DeviceMemory))
	}
	loaders := e.loaders()
	return e.inPhase("preparation", func() error {
		if err := e.each(func(_ int, m *member) error {
			for _, load := range loaders {
				if err := errors.Join(context.Cause(ctx), load(m.device)); err != nil {
					return err
				}
			}
			return m.device.Reserve(peak)
		}); err != nil {
			return err
		}
		// Before the clock, like the arena: page-locking takes long.
		if err := e.allocateTails(ctx, progress); err != nil || e.exchange != nil {
			return err
		}
		return e.team.Connect()
	})
}

// checkVertices requires that each of several GPUs has a range of labels.
func (e *Engine) checkVertices(vertices uint64) error {
	count := e.team.Count()
	if count == 1 || vertices >= uint64(leastLabels*count) {
		return nil
	}
	flag := ""
	if e.team.Alone() {
		flag = "flag -gpus: "
	}
	return fmt.Errorf("%s%d GPUs search graphs of at least %d vertices together, this one has %d", flag, count, leastLabels*count, vertices)
}

// loaders lists the functions that load the modules of the jobs.
func (e *Engine) loaders() []func(*device.Device) error {
	first := e.jobs[0].Job
	list := []func(*device.Device) error{stream.LoadBandwidth}
	if first.Wide {
		list = append(list, stream.LoadLabels)
	}
	if !first.Loaded {
		list = append(list, func(d *device.Device) error { return generate.Load(d, first.Wide) })
	}
	for _, k := range kernelsOf(first) {
		form := e.planner.form(k, first, e.layout)
		list = append(list, func(d *device.Device) error {
			return errors.Join(construct.Load(d, form), validate.Load(d, k, first.Wide, e.exchange != nil))
		})
	}
	for _, job := range e.jobs {
		for _, k := range kernelsOf(job.Job) {
			if s, ok := e.planner.strategyOf(job.Strategy(k), job.Job, e.layout); ok {
				list = append(list, s.load)
			}
		}
	}
	return list
}

// has reports whether the jobs have the kernel.
func (e *Engine) has(k engine.Kernel) bool {
	return slices.ContainsFunc(e.jobs, func(job jobPlan) bool { return slices.Contains(kernelsOf(job.Job), k) })
}

// isWide reports whether the jobs need labels of 48 bits.
func (e *Engine) isWide() bool { return len(e.jobs) > 0 && e.jobs[0].Wide }
