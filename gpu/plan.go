//go:build cuda

package gpu

import (
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/hostrows"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
)

// regeneratedPart is the number of tuples per part if tuples are regenerated, or copied
// from the host, part by part: enough work to fill the device.
const regeneratedPart = 1 << 26

// maxBatch is the largest number of searches that are validated together. With eight,
// the regeneration of the tuples is a small part of the validation time.
const maxBatch = 8

// layout determines the use of the device's memory.
type layout struct {
	capacity uint64 // tuples in memory: all, or one part
	groups   int    // groups of rows that kernel 1 builds one after the other
	batch    int    // searches that are validated together, see together
	words    uint64 // that rows may take of the device, and arcs those of SSSP, if others are in host memory; else 0

	form hostrows.Form // of the search if all neighbours are in host memory
}

// together returns the number of searches of a kernel that are validated together in a
// job. Of BFS it is one if all tuples are in memory, because each tree of a batch takes a
// pass of its own over them. One pass serves all searches of a batch of SSSP.
func (l layout) together(k engine.Kernel, job engine.Job) int {
	if k == engine.BFS && l.capacity >= job.Tuples {
		return 1
	}
	return l.batch
}

// ofOne returns the layout of one search that is validated at a time.
func (l layout) ofOne() layout {
	l.batch = 1
	return l
}

// planner plans the memory of jobs on a device.
type planner struct {
	limit uint64 // bytes of device memory that may be allocated
	part  uint64 // tuples per part, if not all are in memory
	l2    int    // bytes of the device's second-level cache

	residency engine.Residency // "": engine.Resident
}

// layoutOf returns the preferred layout in which each job fits, of jobs that search one
// graph. Preferences, in this order: all tuples in memory over parts of them, then few
// groups, then, with parts or SSSP, a large validation batch of the first job. Rows are split
// if the residency says so. With engine.AutoResidency they are if nothing else fits, and if
// that does not fit either, all neighbours of BFS are in host memory. If none fits, layoutOf
// returns the layout that needs the least memory.
func (p planner) layoutOf(jobs ...engine.Job) layout {
	switch {
	case !canSplit(jobs):
	case p.residency == engine.Prefix:
		l, _ := p.splitLayout(jobs)
		return l
	case slices.Contains(hostResidencies(), p.residency) && !jobs[0].Weighted():
		return p.hostLayout(jobs)
	}
	l, fits := p.residentLayout(jobs)
	if fits || p.residency != engine.AutoResidency || !canSplit(jobs) {
		return l
	}
	if l, fits = p.splitLayout(jobs); fits || jobs[0].Weighted() {
		return l
	}
	p.residency = engine.ZeroCopy // the fastest of hostResidencies
	return p.hostLayout(jobs)
}

// mustBeWhole reports whether all tuples of a job must be in the device's memory: loaded ones
// with labels of 48 bits, of which the host's memory has only 32.
func mustBeWhole(job engine.Job) bool { return job.Wide && job.Loaded }

// residentLayout is layoutOf without split rows. It also returns whether the layout fits.
func (p planner) residentLayout(jobs []engine.Job) (layout, bool) {
	first := jobs[0]
	capacities := []uint64{first.Tuples}
	if p.part < first.Tuples && !mustBeWhole(first) {
		capacities = append(capacities, p.part)
	}
	l := layout{batch: 1}
	for _, l.capacity = range capacities {
		for l.groups = construct.LeastGroups; l.groups <= construct.MostGroups; l.groups++ {
			if !slices.ContainsFunc(jobs, func(job engine.Job) bool { return !p.fits(job, l) }) {
				return p.withBatch(first, l), true
			}
		}
	}
	l.groups = construct.MostGroups
	return l, false
}

// withBatch returns the layout with the largest validation batch that fits. The batch is
// unchanged if no kernel of the job uses it (together), or if rows are split: then more
// neighbours take the memory.
func (p planner) withBatch(job engine.Job, l layout) layout {
	if l.capacity >= job.Tuples && !job.Weighted() || l.splits() {
		return l
	}
	for l.batch = max(1, min(maxBatch, job.Searches)); l.batch > 1 && !p.fits(job, l); l.batch-- {
	}
	return l
}

func (p planner) fits(job engine.Job, l layout) bool {
	return engine.Peak(p.required(job, l), engine.DeviceMemory) <= p.limit
}

// kernelsOf lists the kernels of a job in the order of a run: BFS if the job names none.
func kernelsOf(job engine.Job) (kernels []engine.Kernel) {
	if !job.Weighted() || job.Strategy(engine.BFS).Name != "" {
		kernels = append(kernels, engine.BFS)
	}
	if job.Weighted() {
		kernels = append(kernels, engine.SSSP)
	}
	return kernels
}

// required lists the allocations that a job needs in a layout. The bandwidth
// measurement is excluded, because it uses whatever is free.
func (p planner) required(job engine.Job, l layout) []engine.Allocation {
	plan := tuplesOf(job, 0, job.Tuples, l.capacity).Plan()
	plan = append(plan, graphs(job, l)...)
	for _, k := range kernelsOf(job) {
		plan = append(plan, p.searcher(job, l, k)...)
	}
	return plan
}

// tuplesOf returns the configuration of count tuples of a job, from number first on, of which a
// device has at most capacity in memory at a time.
func tuplesOf(job engine.Job, first, count, capacity uint64) generate.Config {
	return generate.Config{First: first, Count: count, Capacity: capacity, Weighted: job.Weighted(), Wide: job.Wide, Loaded: job.Loaded}
}

// graphs lists the allocations of the graphs of a job. That of SSSP is built last. Its
// construction takes at least as much memory at a time as that of BFS.
func graphs(job engine.Job, l layout) (plan []engine.Allocation) {
	if slices.Contains(kernelsOf(job), engine.BFS) {
		plan = l.graph(job, engine.BFS)
	}
	if !job.Weighted() {
		return plan
	}
	plan = slices.DeleteFunc(plan, func(a engine.Allocation) bool { return a.Phase == engine.Construction })
	return append(plan, l.graph(job, engine.SSSP)...)
}

// searcher lists the allocations that the searcher of a kernel needs.
func (p planner) searcher(job engine.Job, l layout, k engine.Kernel) []engine.Allocation {
	plan := new(results).group(k, job.Vertices).Plan()
	if job.Wide {
		plan = append(plan, new(wideParents).group(k, job.Vertices).Plan()...)
	}
	plan = append(plan, validate.Plan(k, job.Vertices, l.together(k, job))...)
	if job.Loaded { // trees of generated graphs are shallow
		plan = append(plan, validate.DeepPlan(job.Vertices)...)
	}
	if l.splits() && k == engine.BFS {
		return append(plan, l.searchPlan(job, p.l2)...)
	}
	if s, ok := lookUp(job.Strategy(k)); ok {
		plan = append(plan, s.plan(job.Vertices, l.rows(job), 2*job.Tuples, p.l2)...)
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
	for _, k := range kernelsOf(job) {
		if !job.Loaded { // no official graph needs it
			plan = p.addIfFits(plan, validate.DeepPlan(job.Vertices))
		}
		if s, ok := lookUp(job.Strategy(k)); ok && s.optional != nil && (!l.splits() || l.hasPrefix()) {
			plan = p.addIfFits(plan, p.truncated(plan, s.optional(job.Vertices, l.rows(job), 2*job.Tuples, p.l2)))
		}
	}
	return append(plan, stream.BandwidthPlan(p.limit)...)
}

// reserve returns the bytes of the arena that the optional allocations of a search of a
// kernel must leave free: for the tables of deep trees that are part of the plan, and for
// the searchers of the job's other kernels.
func (p planner) reserve(job engine.Job, l layout, k engine.Kernel) (bytes uint64) {
	isDeep := func(a engine.Allocation) bool { return slices.Contains(validate.DeepPlan(job.Vertices), a) }
	for _, a := range p.plan(job, l) {
		if isDeep(a) {
			bytes += a.Bytes
		}
	}
	for _, other := range kernelsOf(job) {
		if other != k {
			bytes += engine.Peak(slices.DeleteFunc(p.searcher(job, l, other), isDeep), engine.DeviceMemory)
		}
	}
	return bytes
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

// onHost lists the allocations of a job in host memory, without those of split rows. Loaded
// tuples are there until the device has them, or always.
func onHost(job engine.Job, always bool) (plan []engine.Allocation) {
	for _, k := range kernelsOf(job) {
		plan = append(plan, engine.Allocation{Name: parentsName(k) + ", copied", Bytes: 4 * job.Vertices, Phase: engine.Searching})
		if k == engine.SSSP {
			plan = append(plan, engine.Allocation{Name: "distances, copied", Bytes: 4 * job.Vertices, Phase: engine.Searching})
		}
	}
	if !job.Loaded {
		return plan
	}
	suffix, alive := ", as read", engine.Loading
	if always {
		suffix, alive = " on the host", engine.Always
	}
	plan = append(plan, engine.Allocation{Name: "tuples" + suffix, Bytes: 8 * job.Tuples, Phase: alive})
	if job.Weighted() {
		plan = append(plan, engine.Allocation{Name: "weights" + suffix, Bytes: 4 * job.Tuples, Phase: alive})
	}
	return plan
}

// loadGenerate returns the function that loads the generator of a job.
func loadGenerate(job engine.Job) func(*device.Device) error {
	return func(d *device.Device) error { return generate.Load(d, job.Wide) }
}

// loadValidation returns the functions that load the validation of the kernels of a job. apart
// says whether the GPUs cannot access each other's memory.
func loadValidation(job engine.Job, apart bool) (list []func(*device.Device) error) {
	for _, k := range kernelsOf(job) {
		list = append(list, func(d *device.Device) error { return validate.Load(d, k, job.Wide, apart) })
	}
	return list
}
