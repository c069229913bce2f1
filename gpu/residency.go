//go:build cuda

package gpu

import (
	"context"
	"slices"
	"sort"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/hostrows"
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

// residency returns where a layout has the neighbours.
func (l layout) residency() engine.Residency {
	switch {
	case !l.splits():
		return engine.Resident
	case l.hasPrefix():
		return engine.Prefix
	}
	return l.form.Residency
}

// canSplit reports whether the strategies of the jobs can search split rows. In SSSP each device reads host memory of all.
func (p planner) canSplit(jobs []engine.Job) bool {
	if p.distributed || !p.reachesHost() && jobs[0].Weighted() {
		return false
	}
	return !slices.ContainsFunc(jobs, func(job engine.Job) bool {
		return slices.ContainsFunc(kernelsOf(job), func(k engine.Kernel) bool { return job.Strategy(k).Name != defaultStrategy })
	})
}

// splitLayout returns a layout with split rows for jobs that search one graph, and whether
// it fits. If the jobs have two kernels, the rows of SSSP have room for as many arcs as those of BFS
// have words. Of the layouts with at least 9/10 of the largest possible number of words, it has the
// fewest groups. Ranges have equally many labels. BFS is by the depths of hubs, unless only another search has enough
// memory: for its lists, all neighbours are in that of the host during kernel 1.
func (p planner) splitLayout(jobs []engine.Job) (layout, bool) {
	split := func(byHubs bool) (layout, bool) {
		l := layout{capacity: p.splitCapacity(jobs[0]), batch: 1, byHubs: byHubs}
		return p.splitRoom(jobs[0], l).layout(l, func(l layout) bool { return p.allFit(jobs, l) })
	}
	l, fits := split(p.canSplitByHubs(jobs))
	if l.byHubs && (!fits || !p.hostHolds(jobs[0], l)) {
		if other, otherFits := split(false); otherFits && (!fits || p.hostNeeded(jobs[0], other) < p.hostNeeded(jobs[0], l)) {
			return other, true
		}
	}
	return l, fits
}

// hostNeeded returns the memory that a job needs of the host in a layout, for all ranks and Job.Others.
func (p planner) hostNeeded(job engine.Job, l layout) uint64 {
	plan, ranks := p.tailsPlan(job, l, p.count()), max(1, p.ranks)
	job.Tuples = (job.Tuples + uint64(ranks) - 1) / uint64(ranks)
	for range ranks {
		plan = append(plan, onHost(job, true)...)
	}
	plan = append(plan, job.Others...)
	return engine.Peak(plan, engine.HostMemory)
}

// hostHolds reports whether the host has that memory, with a sixteenth to spare, because others may take some meanwhile, or
// whether its memory is unknown.
func (p planner) hostHolds(job engine.Job, l layout) bool {
	return p.host == 0 || p.hostNeeded(job, l) <= p.host/16*15
}

// preferSplit returns l, a layout that fits with whole rows, or one with split rows, if only so BFS on an official graph is by the
// depths of hubs, with all lists on the devices, and the host surely has the memory: that is twice as fast, although kernel 1 takes
// five times as long (docs/notebook.md). The lists of an official graph take two thirds of their bound.
func (p planner) preferSplit(l layout, jobs []engine.Job) layout {
	job := jobs[0]
	if l.byHubs || p.host == 0 || job.Loaded || job.Weighted() || job.Vertices < p.hubsFrom || !p.canSplitByHubs(jobs) {
		return l
	}
	other, fits := p.splitLayout(jobs)
	if !fits || !other.byHubs || other.words < p.splitRoom(job, other).most/4*3 || !p.hostHolds(job, other) {
		return l
	}
	return other
}

// needed returns the memory of a device that a job needs in a layout. The page tables of neighbours in host memory, of
// all devices, take memory of each.
func (p planner) needed(job engine.Job, l layout) uint64 {
	return engine.Peak(p.required(job, l), engine.DeviceMemory) + p.pageTables(job, l)
}

// pageTables returns the memory for these on a device.
func (p planner) pageTables(job engine.Job, l layout) uint64 {
	tables := tableBytes(engine.Peak(p.tailsPlan(job, l, p.count()), engine.HostMemory))
	return (tables + device.Alignment - 1) / device.Alignment * device.Alignment
}

// splitRoom returns the words that split rows of a layout may take.
func (p planner) splitRoom(job engine.Job, l layout) (room wordRoom) {
	if l.byHubs {
		l.words = 1
		room.least, room.most, _ = p.splitByHubs(job, l)
	}
	if !l.byHubs || job.Weighted() {
		arcs := construct.MostRangeArcs(job.Vertices, p.labels(job, l), job.Tuples)
		room.least = max(1, room.least, construct.LeastWords(p.ownRows(job, l), (arcs+1)/2))
		room.most = max(1, room.most, arcs)
	}
	return room
}

// canSplitByHubs reports whether split rows of BFS are those of the search by depths of hubs. While kernel 1 builds them,
// a device reads host memory of all.
func (p planner) canSplitByHubs(jobs []engine.Job) bool {
	return p.reachesHost() && slices.Contains(kernelsOf(jobs[0]), engine.BFS) && p.canBeByHubs(jobs, false, true)
}

// splitByHubs returns construct.SplitByHubs for a device.
func (p planner) splitByHubs(job engine.Job, l layout) (least, most, host uint64) {
	return construct.SplitByHubs(p.constructed(job, l, engine.BFS), p.form(engine.BFS, job, l), p.labels(job, l))
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
	if p.mustBeWhole(job) {
		return p.share(job)
	}
	return min(p.share(job), p.part, splitPart)
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
			if p.allFit(jobs, l) {
				return l
			}
		}
	}
	return l
}

// mostRows returns an upper bound on the number of rows of a job's graph. With a bound on the
// vertices that have an edge it is tighter than maxRows: more than half of the vertices of
// large generated graphs have none.
func mostRows(job engine.Job) uint64 {
	if job.Connected == 0 {
		return maxRows(job)
	}
	return min(maxRows(job), job.Connected)
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

// tails returns the length of a device's array of neighbours, or arcs, in host memory, if rows
// of a kernel's graph are split: of the search by depths of hubs, in words of 4 bytes. Other searches
// have the prefix of the device that it fits worst. In generated graphs devices hardly differ. In
// loaded ones the rows of another may be so long that it has nearly all neighbours in their tails.
func (p planner) tails(job engine.Job, l layout, k engine.Kernel) uint64 {
	switch {
	case k == engine.BFS && l.byHubs:
		_, _, host := p.splitByHubs(job, l)
		return max(1, host)
	case !l.hasPrefix():
		return max(1, construct.MostWithoutPrefix(mostRows(job), job.Tuples))
	}
	arcs, words := construct.MostRangeArcs(job.Vertices, p.labels(job, l), job.Tuples), l.words
	if job.Loaded && p.count() > 1 {
		words = 0
	}
	return max(1, construct.MostTails(p.ownRows(job, l), (arcs+1)/2, words))
}

// tailsPlan lists the neighbours in host memory of that many devices.
func (p planner) tailsPlan(job engine.Job, l layout, devices int) (plan []engine.Allocation) {
	if !l.splits() {
		return nil
	}
	for _, k := range kernelsOf(job) {
		entries := p.tails(job, l, k) * uint64(devices)
		a := engine.Allocation{Name: "neighbours beyond the prefix", Bytes: 4 * entries, Phase: engine.Construction | engine.Searching}
		switch {
		case !l.hasPrefix():
			a.Name = "neighbours"
		case k == engine.BFS && l.byHubs:
			a.Name = "neighbours in construction, and lists beyond those on the GPU"
		case k == engine.SSSP:
			a.Name, a.Bytes = "arcs beyond the prefix", 8*entries
		}
		plan = append(plan, a)
	}
	return plan
}

// allocateTails allocates the host memory of split rows, and of a search of them, one GPU after
// the other: each takes all processors. It calls progress, unless nil, with the page-locked and all bytes.
func (e *Engine) allocateTails(ctx context.Context, progress func(done, total int64)) error {
	if !e.layout.splits() {
		return nil
	}
	total, done := int64(e.lockedTails()), int64(0)
	advance := func(bytes int) {
		if done += int64(bytes); progress != nil {
			progress(done, total)
		}
	}
	for _, m := range e.members {
		if err := e.allocateTailsOf(ctx, m, advance); err != nil {
			return err
		}
	}
	return e.shareTails(ctx, advance)
}

// tails returns the number of neighbours or arcs of each GPU in host memory, for a kernel.
func (e *Engine) tails(k engine.Kernel) int { return int(e.planner.tails(e.jobs[0].Job, e.layout, k)) }

// sharesTails reports whether the GPUs of all ranks reach those.
func (e *Engine) sharesTails(k engine.Kernel) bool {
	return e.planner.sharesHost && (k == engine.SSSP || e.layout.byHubs)
}

// lockedTails returns the bytes of host memory that allocateTails page-locks in this process.
func (e *Engine) lockedTails() (bytes int) {
	for _, k := range kernelsOf(e.jobs[0].Job) {
		devices, each := len(e.members), 4*e.tails(k)
		if e.sharesTails(k) {
			devices = e.team.Count()
		}
		if k == engine.SSSP {
			each *= 2
		}
		bytes += devices * each
	}
	return bytes
}

// shareTails lets the devices of all ranks reach the tails of SSSP, and those of which kernel 1 makes lists by hubs.
func (e *Engine) shareTails(ctx context.Context, advance func(bytes int)) error {
	var tails []*device.HostArray[engine.Label]
	var arcs []*device.HostArray[construct.Arc]
	for _, m := range e.members {
		tails, arcs = append(tails, m.tails), append(arcs, m.arcTails)
	}
	if e.has(engine.SSSP) {
		if err := device.Share(ctx, e.team, arcs, advance); err != nil {
			return err
		}
	}
	if e.layout.byHubs {
		return device.Share(ctx, e.team, tails, advance)
	}
	return nil
}

// allocateTailsOf is allocateTails for one GPU.
func (e *Engine) allocateTailsOf(ctx context.Context, m *member, advance func(bytes int)) (err error) {
	if e.has(engine.SSSP) {
		if m.arcTails, err = device.Locked[construct.Arc](ctx, m.device, e.tails(engine.SSSP), device.Locking{Near: true, Shared: e.sharesTails(engine.SSSP), Advance: advance}); err != nil {
			return err
		}
	}
	if !e.has(engine.BFS) {
		return nil
	}
	n := e.tails(engine.BFS)
	if e.layout.form.Residency == engine.Managed {
		return m.allocateManaged(n)
	}
	read := e.layout.form.Residency != engine.Subgraph // else threads on all nodes gather from there
	if m.tails, err = device.Locked[engine.Label](ctx, m.device, n, device.Locking{Near: read, Shared: e.sharesTails(engine.BFS), Advance: advance}); err != nil || e.layout.hasPrefix() {
		return err
	}
	e.host, err = e.layout.form.Allocate(m.device, mostRows(e.jobs[0].Job), uint64(n))
	return err
}

// allocateManaged allocates managed memory for n neighbours. Their pages may take what the
// memory limit leaves, and no more: ballast takes the rest of the device's memory.
func (m *member) allocateManaged(n int) (err error) {
	free, _, err := m.device.Memory()
	if err != nil {
		return err
	}
	if left := m.limit.Bytes - m.device.Reserved() + driverBytes; free > left {
		if err := m.device.Ballast(free - left); err != nil {
			return err
		}
	}
	m.tails, err = device.Managed[engine.Label](m.device, n)
	return err
}

// hostResidencies lists the residencies with all neighbours in host memory.
func hostResidencies() []engine.Residency {
	return []engine.Residency{engine.ZeroCopy, engine.Subgraph, engine.Partition, engine.Managed}
}
