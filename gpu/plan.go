//go:build cuda

package gpu

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"graph500/device"
	"graph500/engine"
	"graph500/graph"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/hostrows"
	"graph500/kernels/hubs"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
)

// regeneratedPart is the number of tuples per part if tuples are regenerated, or copied
// from the host, part by part: enough work to fill the device.
const regeneratedPart = 1 << 26

// maxBatch is the largest number of searches that are validated together. With eight,
// the regeneration of the tuples is a small part of the validation time.
const maxBatch = 8

// exchangeBytes is the memory of a GPU for what it exchanges piece by piece: lists of found
// vertices and marks of validation, of all GPUs.
const exchangeBytes = 64 << 20

// layout determines the use of a device's memory.
type layout struct {
	capacity uint64 // tuples in memory: all of the device's share, or one part
	groups   int    // groups of rows that kernel 1 builds one after the other
	batch    int    // searches that are validated together, see together
	words    uint64 // that rows may take of the device, and arcs those of SSSP, if others are in host memory; else 0

	byHubs   bool // BFS is by the depths of hubs
	balanced bool // the ranges of several devices have equally many arcs, and not labels

	form hostrows.Form // of the search if all neighbours are in host memory
}

// ofOne returns the layout of one search that is validated at a time.
func (l layout) ofOne() layout {
	l.batch = 1
	return l
}

// jobPlan is a job with its layout and the memory of a device: what is required, and all that
// is allocated.
type jobPlan struct {
	engine.Job
	layout layout
	plan   []engine.Allocation
}

// planner plans the memory of jobs on each device of a team: that of the largest share of the
// tuples and the longest range of labels.
type planner struct {
	limit uint64 // bytes of a device's memory that may be allocated
	host  uint64 // bytes of host memory for all ranks, the least that one of them has available; 0: unknown
	part  uint64 // tuples per part, if not all are in memory
	l2    int    // bytes of the device's second-level cache

	residency engine.Residency // "": engine.Resident

	// hubsFrom is the least number of vertices of a graph whose default search of BFS is by the
	// depths of hubs if no rows are split; 0: never, split or not.
	hubsFrom uint64
	hubForm  hubs.Form // of such graphs; zero: hubs.FormOf

	devices     int  // of the team; 0: 1
	distributed bool // they do not access each other's memory
	ranks       int  // that have them; 0: 1
	sharesHost  bool // several ranks read the host memory of each other
}

// count returns the number of devices.
func (p planner) count() int { return max(1, p.devices) }

// reachesHost reports whether each device reads the host memory of all.
func (p planner) reachesHost() bool { return p.ranks <= 1 || p.sharesHost }

// share returns the length of the largest share of the tuples.
func (p planner) share(job engine.Job) uint64 {
	_, n := generate.ShareOf(job.Tuples, p.count(), p.count()-1)
	return n
}

// labels returns the longest range of labels. A balanced one can have nearly all.
func (p planner) labels(job engine.Job, l layout) (longest construct.Range) {
	if l.balanced {
		return construct.All(job.Vertices)
	}
	for _, r := range construct.Ranges(job.Vertices, p.count()) {
		if r.End-r.First > longest.End-longest.First {
			longest = r
		}
	}
	return longest
}

// mustBeWhole reports whether all tuples of a device's share must be in its memory: loaded ones
// that other devices read, or whose labels have another width in the host's memory.
func (p planner) mustBeWhole(job engine.Job) bool {
	return job.Loaded && (job.Wide != job.LoadedWide || p.count() > 1)
}

// together returns the number of searches of a kernel that are validated together in a
// job. Of BFS it is one if all tuples are in memory, because each tree of a batch takes a
// pass of its own over them. One pass serves all searches of a batch of SSSP.
func (p planner) together(k engine.Kernel, job engine.Job, l layout) int {
	if k == engine.BFS && p.keepsAll(job, l) {
		return 1
	}
	return l.batch
}

// keepsAll reports whether all tuples of a device's share stay in its memory. Devices that
// cannot read the tuples of others generate all again in each pass.
func (p planner) keepsAll(job engine.Job, l layout) bool {
	return l.capacity >= p.share(job) && (job.Loaded || !p.distributed)
}

// layoutOf returns the preferred layout in which each job fits, of jobs that search one
// graph. Preferences, in this order: all tuples in memory over parts of them, then few
// groups, then, with parts or SSSP, a large validation batch of the first job. Rows are split
// if the residency says so. With engine.AutoResidency they are if nothing else fits, or if only so the search
// is by the depths of hubs (preferSplit). If that does not fit either, or the host has not enough memory and this needs less, all
// neighbours of BFS on one device are in host memory. If none fits, layoutOf returns the layout that needs the least memory.
func (p planner) layoutOf(jobs ...engine.Job) layout {
	canBeOnHost := p.count() == 1 && !jobs[0].Weighted()
	switch {
	case !p.canSplit(jobs):
	case p.residency == engine.Prefix:
		l, _ := p.splitLayout(jobs)
		return l
	case slices.Contains(hostResidencies(), p.residency) && canBeOnHost:
		return p.hostLayout(jobs)
	}
	l, fits := p.residentLayout(jobs)
	if p.residency != engine.AutoResidency || !p.canSplit(jobs) {
		return l
	}
	if fits {
		return p.preferSplit(l, jobs)
	}
	l, fits = p.splitLayout(jobs)
	if fits && p.hostHolds(jobs[0], l) || !canBeOnHost {
		return l
	}
	p.residency = engine.ZeroCopy // the fastest of hostResidencies
	if host := p.hostLayout(jobs); !fits || p.allFit(jobs, host) && p.hostNeeded(jobs[0], host) < p.hostNeeded(jobs[0], l) {
		return host
	}
	return l
}

// residentLayout is layoutOf without split rows. It also returns whether the layout fits. Ranges of
// loaded graphs are balanced if that fits: a device can then have most of the rows.
func (p planner) residentLayout(jobs []engine.Job) (l layout, fits bool) {
	for _, of := range []layout{{byHubs: true, balanced: true}, {byHubs: true}, {balanced: true}, {}} {
		if of.byHubs && (jobs[0].Vertices < p.hubsFrom || !p.canBeByHubs(jobs, of.balanced, false)) || of.balanced && !p.canBeBalanced(jobs[0]) {
			continue
		}
		if l, fits = p.wholeLayout(jobs, of); fits {
			break
		}
	}
	return l, fits
}

// leastByHubs returns hubsFrom for devices with a second-level cache of that many bytes: on one device the parents take more
// than a quarter of it, on several they do not fit. So it is scale 22 and 24 on an H100 or H200 (docs/notebook.md).
func leastByHubs(l2 uint64, devices int) uint64 {
	const parent = 4
	if devices > 1 {
		return l2/parent + 1
	}
	return l2/(4*parent) + 1
}

// canBeBalanced reports whether ranges of a graph are balanced if the memory suffices: those of a
// loaded one on several devices, one of which can then have most rows.
func (p planner) canBeBalanced(job engine.Job) bool {
	return p.count() > 1 && job.Loaded && !slices.ContainsFunc(kernelsOf(job), func(k engine.Kernel) bool {
		return !p.form(k, job, layout{balanced: true}).Holds(mostRows(job))
	})
}

// canBeByHubs reports whether all searches of BFS of the jobs are by the depths of hubs if the
// memory suffices: the default ones on devices that access each other's memory, of a graph that is
// not too large for whole or split rows. Of balanced ranges, one device can have most vertices.
func (p planner) canBeByHubs(jobs []engine.Job, balanced, split bool) bool {
	of := jobs[0]
	if balanced && !hubs.Holds(of.Vertices, mostRows(of), of.Tuples/uint64(p.count()), 1, false, false) {
		return false
	}
	if p.distributed || p.hubsFrom == 0 || !hubs.Holds(of.Vertices, mostRows(of), of.Tuples, p.count(), !of.Loaded, split) {
		return false
	}
	return slices.Contains(kernelsOf(of), engine.BFS) && !slices.ContainsFunc(jobs, func(job engine.Job) bool {
		return job.Strategy(engine.BFS).Name != defaultStrategy
	})
}

// wholeLayout is residentLayout with BFS by the depths of hubs, or not, and balanced ranges, or not,
// as l says.
func (p planner) wholeLayout(jobs []engine.Job, l layout) (layout, bool) {
	first := jobs[0]
	share := p.share(first)
	capacities := []uint64{share}
	switch {
	case p.distributed && !first.Loaded: // each pass generates all tuples again
		capacities = []uint64{min(share, p.part)}
	case p.part < share && !p.mustBeWhole(first):
		capacities = append(capacities, p.part)
	}
	least := 1
	if p.count() == 1 {
		least = construct.LeastGroups
	}
	l.batch = 1
	for _, l.capacity = range capacities {
		for l.groups = least; l.groups <= construct.MostGroups; l.groups++ {
			if p.allFit(jobs, l) {
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
	if p.keepsAll(job, l) && !job.Weighted() || l.splits() {
		return l
	}
	for l.batch = max(1, min(maxBatch, job.Searches)); l.batch > 1 && !p.fits(job, l); l.batch-- {
	}
	return l
}

func (p planner) fits(job engine.Job, l layout) bool {
	return p.needed(job, l) <= p.limit
}

func (p planner) allFit(jobs []engine.Job, l layout) bool {
	return !slices.ContainsFunc(jobs, func(job engine.Job) bool { return !p.fits(job, l) })
}

// onOneGraph returns the plans of jobs that search one graph: that of a single job as it is, those
// of several in the layout in which each of them fits.
func (p planner) onOneGraph(plans []engine.Plan) (of []jobPlan) {
	if len(plans) == 1 {
		return []jobPlan{plans[0].Chosen.(jobPlan)}
	}
	var jobs []engine.Job
	for _, plan := range plans {
		jobs = append(jobs, plan.Job)
	}
	l := p.layoutOf(jobs...)
	for _, job := range jobs {
		of = append(of, p.planJob(job, p.withBatch(job, l.ofOne())))
	}
	return of
}

// planJob returns a job with its plan in a layout.
func (p planner) planJob(job engine.Job, l layout) jobPlan { return jobPlan{job, l, p.plan(job, l)} }

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

// required lists the allocations that a job needs on a device in a layout. The bandwidth
// measurement is excluded, because it uses whatever is free.
func (p planner) required(job engine.Job, l layout) (plan []engine.Allocation) {
	if p.distributed {
		plan = bufferGroup(new(device.Array[byte]), job.Vertices).Plan()
	}
	share := tuplesOf(job, 0, p.share(job), l.capacity)
	if p.distributed && job.Loaded {
		plan = append(plan, tuplesOf(job, 0, job.Tuples, 0).Plan()...)
		share.Capacity = 0
	}
	plan = append(append(plan, share.Plan()...), p.graphs(job, l)...)
	for _, k := range kernelsOf(job) {
		plan = append(plan, p.searcher(job, l, k)...)
	}
	return plan
}

// bufferGroup declares the buffer of a device for what it exchanges.
func bufferGroup(buffer *device.Array[byte], vertices uint64) device.Group {
	return device.Group{Alive: engine.Always, Arrays: []device.Declared{device.Of(buffer, "lists of all GPUs", min(exchangeBytes, 16*vertices))}}
}

// tuplesOf returns the configuration of count tuples of a job, from number first on, of which a
// device has at most capacity in memory at a time.
func tuplesOf(job engine.Job, first, count, capacity uint64) generate.Config {
	return generate.Config{First: first, Count: count, Capacity: capacity, Weighted: job.Weighted(), Wide: job.Wide, Loaded: job.Loaded}
}

// form returns the form of the graph of a kernel.
func (p planner) form(k engine.Kernel, job engine.Job, l layout) construct.Form {
	f := construct.Form{Devices: p.count(), Balanced: l.balanced, Distributed: p.distributed, Wide: job.Wide, Groups: l.groups}
	switch {
	case k == engine.SSSP:
		f.Order = construct.ByWeight
	case l.byHubs:
		of := p.formByHubs(job.Vertices)
		f.Order, f.Hubs, f.Chunk, f.Split.Words = construct.ByHubs, of.Hubs, of.Labels, l.words
		return f
	}
	if l.splits() {
		f.Split = construct.Split{Words: l.words, NoPrefix: !l.hasPrefix()}
	}
	if !f.Split.NoPrefix && !p.distributed { // else no search looks at hubs
		f.Hubs = bfs.MostHubs
	}
	return f
}

// formByHubs returns the form of a graph of N vertices for the search by depths of hubs.
func (p planner) formByHubs(vertices uint64) hubs.Form {
	return cmp.Or(p.hubForm, hubs.FormOf(vertices, p.count()))
}

// graphs lists the allocations of the graphs of a job. That of SSSP is built last. Its
// construction takes at least as much memory at a time as that of BFS.
func (p planner) graphs(job engine.Job, l layout) (plan []engine.Allocation) {
	for _, k := range kernelsOf(job) {
		plan = slices.DeleteFunc(plan, func(a engine.Allocation) bool { return a.Phase == engine.Construction })
		plan = append(plan, construct.Plan(p.constructed(job, l, k), p.form(k, job, l), p.labels(job, l))...)
	}
	return plan
}

// constructed returns the sizes of the graph of a kernel by which its construction is planned.
func (p planner) constructed(job engine.Job, l layout, k engine.Kernel) construct.Sizes {
	s := p.sizes(job, l, k)
	return construct.Sizes{Vertices: s.vertices, Tuples: job.Tuples, Rows: s.rows, OwnRows: s.ownRows}
}

// sizes are bounds on the sizes of a job's graph, by which the memory of a search is planned.
type sizes struct {
	vertices, rows, arcs uint64
	ownLabels, ownRows   uint64 // of a device
	exceptions           uint64 // vertices of a device whose first neighbour is not a hub
	devices, l2          int
}

// sizes returns the bounds for a kernel. Those on the rows are tight where rows are split or
// devices that access each other's memory share them.
func (p planner) sizes(job engine.Job, l layout, k engine.Kernel) sizes {
	labels := p.labels(job, l)
	s := sizes{vertices: job.Vertices, rows: maxRows(job), arcs: 2 * job.Tuples, ownLabels: labels.End - labels.First, devices: p.count(), l2: p.l2}
	s.ownRows = min(s.ownLabels, s.rows)
	if l.splits() || p.count() > 1 && !p.distributed {
		s.rows, s.ownRows = mostRows(job), p.ownRows(job, l)
	}
	if s.exceptions = s.ownRows; l.splits() && p.count() == 1 {
		s.exceptions = splitExceptions(job)
	}
	return s
}

// maxRows returns an upper bound on the number of rows of the graph: one per vertex,
// and two per tuple.
func maxRows(job engine.Job) uint64 { return min(job.Vertices, 2*job.Tuples) }

// ownRows returns an upper bound on the number of rows of a device. The labels of a generated
// graph are permuted: the device has an equal share of the rows, and hardly more than 16
// standard deviations besides, as in kronecker.Spec.MaxConnected.
func (p planner) ownRows(job engine.Job, l layout) uint64 {
	labels := p.labels(job, l)
	own := labels.End - labels.First
	rows := min(own, mostRows(job))
	if job.Loaded {
		return rows
	}
	return min(rows, mostRows(job)/uint64(p.count())+8*uint64(math.Sqrt(float64(own)))+leastLabels)
}

// searcher lists the allocations that the searcher of a kernel needs on a device.
func (p planner) searcher(job engine.Job, l layout, k engine.Kernel) []engine.Allocation {
	plan := new(results).group(k, job.Vertices).Plan()
	s := p.sizes(job, l, k)
	if job.Wide {
		plan = append(plan, new(wideParents).group(k, s.ownLabels).Plan()...)
	}
	plan = append(plan, validate.Plan(k, job.Vertices, p.together(k, job, l))...)
	if job.Loaded { // trees of generated graphs are shallow
		plan = append(plan, validate.DeepPlan(job.Vertices)...)
	}
	if search, ok := p.strategyOf(job.Strategy(k), job, l); ok {
		plan = append(plan, search.plan(s)...)
	}
	return plan
}

// plan lists all device allocations of a job in its layout: the required ones, then
// those that are made only if they fit.
func (p planner) plan(job engine.Job, l layout) []engine.Allocation {
	p.limit -= min(p.limit, p.pageTables(job, l))
	plan := p.required(job, l)
	for _, k := range kernelsOf(job) {
		if !job.Loaded { // no official graph needs it
			plan = p.addIfFits(plan, validate.DeepPlan(job.Vertices))
		}
		if search, ok := p.strategyOf(job.Strategy(k), job, l); ok && search.optional != nil {
			plan = p.addIfFits(plan, p.truncated(plan, search.optional(p.sizes(job, l, k))))
		}
	}
	return append(plan, stream.BandwidthPlan(p.limit, p.l2)...)
}

// reserve returns the bytes of the arena that the optional allocations of a search of a
// kernel must leave free: for the tables of deep trees that are part of the plan, and for
// the searchers of the job's other kernels.
func (p planner) reserve(job jobPlan, k engine.Kernel) (bytes uint64) {
	isDeep := func(a engine.Allocation) bool { return slices.Contains(validate.DeepPlan(job.Vertices), a) }
	for _, a := range job.plan {
		if isDeep(a) {
			bytes += a.Bytes
		}
	}
	for _, other := range kernelsOf(job.Job) {
		if other != k {
			bytes += engine.Peak(slices.DeleteFunc(p.searcher(job.Job, job.layout, other), isDeep), engine.DeviceMemory)
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

// readBytes returns the bytes of a loaded tuple in the host's memory, without its weight.
func readBytes(job engine.Job) uint64 {
	if job.LoadedWide {
		return uint64(unsafe.Sizeof(engine.Edge48{}))
	}
	return uint64(unsafe.Sizeof(engine.Edge{}))
}

// onHost lists the allocations of a job in host memory, without those of split rows. Loaded
// tuples are there until the device has them, or always.
func onHost(job engine.Job, always bool) (plan []engine.Allocation) {
	for _, k := range kernelsOf(job) {
		plan = append(plan, copiedGroup(new(engine.Results), k, job.Vertices).Plan()...)
	}
	if !job.Loaded {
		return plan
	}
	suffix, alive := ", as read", engine.Loading
	if always {
		suffix, alive = " on the host", engine.Always
	}
	for _, a := range graph.TupleArrays(new(engine.Tuples), job.Tuples, job.Weighted(), job.LoadedWide).Plan() {
		plan = append(plan, engine.Allocation{Name: a.Name + suffix, Bytes: a.Bytes, Phase: alive})
	}
	return plan
}
