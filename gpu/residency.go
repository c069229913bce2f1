//go:build cuda

package gpu

import (
	"context"
	"math/bits"
	"slices"
	"sort"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/hostrows"
	"graph500/kernels/sssp"
	"graph500/kronecker"
)

// splitGroups are the numbers of groups of rows that splitLayout considers. Each group
// takes a pass over the tuples, but the memory of its sort is free for neighbours later.
var splitGroups = []int{construct.LeastGroups, 6, 8, 12, 16, 24, 32, 48, construct.MostGroups}

// splitPart is the number of tuples per part if rows are split: less memory than
// regeneratedPart, for more neighbours.
const splitPart = 1 << 24

// splits reports whether a layout has neighbours in host memory.
func (l layout) splits() bool { return l.words > 0 }

// hasPrefix reports whether the residency of a layout is engine.Prefix.
func (l layout) hasPrefix() bool { return l.splits() && l.form.Residency == "" }

// canSplit reports whether the strategies of the jobs can search split rows.
func canSplit(jobs []engine.Job) bool {
	return !slices.ContainsFunc(jobs, func(job engine.Job) bool {
		return slices.ContainsFunc(kernelsOf(job), func(k engine.Kernel) bool { return job.Strategy(k).Name != defaultStrategy })
	})
}

// splitLayout returns a layout with split rows for jobs that search one graph, and whether
// it fits. If the jobs have two kernels, the rows of both have about the same prefix: room
// for as many arcs of SSSP as words of BFS. Of the layouts with at least 9/10 of the largest possible prefix, it has the
// fewest groups.
func (p planner) splitLayout(jobs []engine.Job) (layout, bool) {
	job := jobs[0]
	room := wordRoom{max(1, construct.LeastWords(mostRows(job), job.Tuples)), max(1, 2*job.Tuples)}
	return room.layout(layout{capacity: p.splitCapacity(job), batch: 1}, func(l layout) bool {
		return !slices.ContainsFunc(jobs, func(job engine.Job) bool { return !p.fits(job, l) })
	})
}

// wordRoom is the least and the most words of device memory that split rows may take.
type wordRoom struct{ least, most uint64 }

// layout gives a layout groups and words, as splitLayout says, and returns whether it fits.
func (r wordRoom) layout(l layout, fits func(l layout) bool) (layout, bool) {
	words := make([]uint64, len(splitGroups))
	for i := range words {
		l.groups = splitGroups[i]
		words[i] = r.fitting(l, fits)
	}
	if most := slices.Max(words); most > 0 {
		i := slices.IndexFunc(words, func(w uint64) bool { return w >= most/10*9 })
		l.groups, l.words = splitGroups[i], words[i]
		return l, true
	}
	l.words = r.least
	return l, false
}

// fitting returns the most words with which a layout fits, or 0 if the least do not fit.
func (r wordRoom) fitting(l layout, fits func(l layout) bool) uint64 {
	const unit = device.Alignment / 4
	with := func(words uint64) bool {
		l.words = words
		return fits(l)
	}
	if !with(r.least) {
		return 0
	}
	if r.least >= r.most {
		return r.least
	}
	units := sort.Search(int((r.most-r.least)/unit), func(i int) bool { return !with(r.least + uint64(i+1)*unit) })
	return r.least + uint64(units)*unit
}

// splitCapacity returns the number of tuples in memory if rows are split.
func (p planner) splitCapacity(job engine.Job) uint64 {
	if mustBeWhole(job) {
		return job.Tuples
	}
	return min(job.Tuples, p.part, splitPart)
}

// leastHostBuffer is the least number of neighbours per buffer of a layout without
// neighbours on the device: with smaller ones, the list of partitions grows.
const leastHostBuffer = 1 << 12

// hostLayout returns a layout with all neighbours in host memory for jobs that search one
// graph: with the largest buffers that fit, and then with the fewest groups.
func (p planner) hostLayout(jobs []engine.Job) layout {
	job := jobs[0]
	l := layout{capacity: p.splitCapacity(job), batch: 1, words: max(1, mostRows(job)), form: hostrows.Form{Residency: p.residency}}
	for buffer := hostrows.MostBufferOf(p.residency); buffer >= leastHostBuffer; buffer /= 2 {
		l.form.Buffer = buffer
		for _, l.groups = range splitGroups {
			if !slices.ContainsFunc(jobs, func(job engine.Job) bool { return !p.fits(job, l) }) {
				return l
			}
		}
	}
	return l
}

// mostRows returns an upper bound on the number of rows of a job's graph. For generated
// graphs it is tighter than maxRows: more than half of the vertices of large ones have no
// edges. For loaded ones it is their number, if that is known.
func mostRows(job engine.Job) uint64 {
	switch {
	case job.Loaded && job.Connected > 0:
		return min(maxRows(job), job.Connected)
	case job.Loaded || job.Vertices == 0:
		return maxRows(job)
	}
	spec := kronecker.Spec{Scale: bits.Len64(job.Vertices) - 1, EdgeFactor: int(job.Tuples / job.Vertices)}
	return min(maxRows(job), spec.MaxConnected())
}

// splitExceptions returns an upper bound on the number of vertices of a job's graph whose
// first neighbour is not a hub of the search. They are the most at scale 26, about 0.28 of
// the rows: with as many hubs per row at scale 20 and 21, 0.28 were counted.
func splitExceptions(job engine.Job) uint64 {
	if job.Loaded || job.Vertices == 0 {
		return mostRows(job)
	}
	return max(mostRows(job)/2, min(mostRows(job), 1<<16))
}

// rows returns the number of rows that the plan of a layout assumes.
func (l layout) rows(job engine.Job) uint64 {
	if l.splits() {
		return mostRows(job)
	}
	return maxRows(job)
}

// graphForm returns the form of the graph of a kernel on one GPU.
func (l layout) graphForm(k engine.Kernel, wide bool) construct.Form {
	f := construct.Form{Order: orderOf(k), Devices: 1, Wide: wide, Groups: l.groups, Hubs: bfs.MostHubs}
	if l.splits() {
		f.Hubs, f.Split = l.hubs(), construct.Split{Words: l.words, NoPrefix: !l.hasPrefix()}
	}
	return f
}

// orderOf returns the order of the rows that a kernel searches.
func orderOf(k engine.Kernel) construct.Order {
	if k == engine.SSSP {
		return construct.ByWeight
	}
	return construct.ByDegree
}

// loaderOf returns the function that loads the modules of a form.
func loaderOf(f construct.Form) func(*device.Device) error {
	return func(d *device.Device) error { return construct.Load(d, f) }
}

// graph lists the allocations of the graph of a kernel.
func (l layout) graph(job engine.Job, k engine.Kernel) []engine.Allocation {
	sizes := construct.Sizes{Vertices: job.Vertices, Tuples: job.Tuples, Rows: l.rows(job), OwnRows: l.rows(job)}
	return construct.Plan(sizes, l.graphForm(k, job.Wide), construct.All(job.Vertices))
}

// hubs returns the number of hubs of split rows.
func (l layout) hubs() uint64 {
	if l.hasPrefix() {
		return bfs.MostHubs
	}
	return 0 // only bottom-up levels use them
}

// tails returns the length of the array of neighbours in host memory, if rows are split.
func (l layout) tails(job engine.Job) uint64 {
	if !l.hasPrefix() {
		return max(1, construct.MostWithoutPrefix(l.rows(job), job.Tuples))
	}
	return max(1, construct.MostTails(l.rows(job), job.Tuples, l.words))
}

// tailsPlan lists the neighbours in host memory.
func (l layout) tailsPlan(job engine.Job) (plan []engine.Allocation) {
	if !l.splits() {
		return nil
	}
	add := func(name string, bytes uint64) {
		plan = append(plan, engine.Allocation{Name: name, Bytes: bytes * l.tails(job), Phase: engine.Construction | engine.Searching})
	}
	for _, k := range kernelsOf(job) {
		switch {
		case !l.hasPrefix():
			add("neighbours", 4)
		case k == engine.SSSP:
			add("arcs beyond the prefix", 8)
		default:
			add("neighbours beyond the prefix", 4)
		}
	}
	return plan
}

// allocateTails allocates the host memory of split rows, and of a search of them.
func (e *Engine) allocateTails(ctx context.Context) (err error) {
	n := int(e.layout.tails(e.jobs[0]))
	if e.has(engine.SSSP) {
		if e.arcTails, err = device.Locked[construct.Arc](ctx, e.device, n, true); err != nil {
			return err
		}
	}
	if !e.has(engine.BFS) {
		return nil
	}
	if e.layout.form.Residency == engine.Managed {
		return e.allocateManaged(n)
	}
	read := e.layout.form.Residency != engine.Subgraph // else threads on all nodes gather from there
	if e.tails, err = device.Locked[engine.Local](ctx, e.device, n, read); err != nil {
		return err
	}
	e.buffers, err = e.layout.form.Allocate(e.device, e.layout.rows(e.jobs[0]), uint64(n))
	return err
}

// allocateManaged allocates managed memory for n neighbours. Their pages may take what the
// memory limit leaves, and no more: ballast takes the rest of the device's memory.
func (e *Engine) allocateManaged(n int) (err error) {
	free, _, err := e.device.Memory()
	if err != nil {
		return err
	}
	if left := e.limit.Bytes - e.device.Reserved() + driverBytes; free > left {
		if err := e.device.Ballast(free - left); err != nil {
			return err
		}
	}
	e.tails, err = device.Managed[engine.Local](e.device, n)
	return err
}

// splitLoaders lists the functions that load the modules for split rows of a kernel.
func (l layout) splitLoaders(k engine.Kernel) []func(*device.Device) error {
	switch {
	case k == engine.SSSP:
		return []func(*device.Device) error{sssp.LoadSplit}
	case !l.hasPrefix():
		return []func(*device.Device) error{hostrows.Load}
	}
	return []func(*device.Device) error{bfs.LoadSplit}
}

// hostResidencies lists the residencies with all neighbours in host memory.
func hostResidencies() []engine.Residency {
	return []engine.Residency{engine.ZeroCopy, engine.Subgraph, engine.Partition, engine.Managed}
}

// searchOfHost returns the strategy of BFS if all neighbours are in host memory.
func (l layout) searchOfHost(host *hostrows.Buffers) strategy {
	s := defaultBFS()
	s.newSearch = func(ctx context.Context, in input) (search, error) {
		found, err := hostrows.New(ctx, in.device, in.graph, in.parents, l.form, host, in.counted)
		if err != nil {
			return nil, err
		}
		return found, nil
	}
	return s
}

// searchPlan lists the memory of the search of split rows, on the device and, for buffers,
// on the host.
func (l layout) searchPlan(job engine.Job, l2 int) []engine.Allocation {
	if l.hasPrefix() {
		return bfs.SplitPlan(job.Vertices, l.rows(job), 2*job.Tuples, splitExceptions(job), l2)
	}
	return l.form.Plan(job.Vertices, l.rows(job), l.tails(job))
}
