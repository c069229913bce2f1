//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"graph500/cluster"
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/sssp"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/kronecker"
	"graph500/memory"
)

// Peers stores one graph on several GPUs of one host that can access each other's
// memory, and searches it by the default strategies. The GPUs are those of one process, or of
// several ranks. Each GPU has a share of the tuples and the rows of a range of labels.
// Its methods are called like those of Engine, on all ranks.
type Peers struct {
	team    *device.Team
	members []*Engine // one for each GPU of this process, in the order of their shares and ranges
	info    engine.Info
	limit   memory.Limit // the smallest limit of a GPU
	l2      int          // bytes of the second-level cache of the first GPU, by which all ranks plan
	job     engine.Job
	layout  layout
	seen    []*generate.Tuples // the shares of all GPUs, as the first one of this process accesses them
	ranges  []construct.Range  // of labels, of all GPUs

	// The graphs of the GPUs of this process, with the facts of the whole graph; nil without the kernel.
	graphs         []*construct.Graph // of BFS
	weightedGraphs []*construct.Graph // of SSSP
	weightedRanges []*construct.Graph // of SSSP, on GPUs apart (Distributed)
}

// leastLabels is the least number of vertices for each GPU, so that each has a range.
const leastLabels = 1024

// NewPeers returns an engine on the GPUs with these ordinals, together with those of the
// other ranks, which are on the same host and have as many. It uses at most maxBytes of the
// memory of each; 0 means all free memory. The residency is engine.Resident, engine.Prefix or
// engine.AutoResidency; over several ranks only rows of BFS can be split. It fails if one GPU cannot access the
// memory of another. ctx is that of the run.
func NewPeers(ctx context.Context, w *cluster.World, ordinals []int, maxBytes uint64, residency engine.Residency) (*Peers, error) {
	if count := w.Size() * len(ordinals); count > device.MostTogether {
		return nil, fmt.Errorf("at most %d GPUs search together", device.MostTogether)
	}
	e := &Peers{}
	var devices []*device.Device
	for _, ordinal := range ordinals {
		m, err := New(ordinal, maxBytes, residency)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.members, devices = append(e.members, m), append(devices, m.device)
	}
	err := e.inPhase("startup", func() (err error) {
		if e.team, err = device.NewTeam(ctx, w, devices); err != nil {
			return err
		}
		return errors.Join(e.agree(), e.gatherInfo(ctx, w))
	})
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// Count returns the number of GPUs that CUDA_VISIBLE_DEVICES selects.
func Count() (int, error) { return device.Count() }

// agree sets the values by which all ranks plan.
func (e *Peers) agree() error {
	type values struct{ limit, l2 uint64 }
	own := make([]values, len(e.members))
	for i, m := range e.members {
		own[i] = values{m.limit.Bytes, uint64(m.planner.l2)}
	}
	all, err := device.Gather(e.team, own)
	if err != nil {
		return err
	}
	e.limit, e.l2 = e.members[0].limit, int(all[0].l2)
	for k, v := range all {
		if i := k - e.team.First(); v.limit < e.limit.Bytes && i >= 0 && i < len(e.members) {
			e.limit.Source = e.members[i].limit.Source
		}
		e.limit.Bytes = min(e.limit.Bytes, v.limit)
	}
	e.limit.Source += ", of each GPU"
	return nil
}

// gatherInfo sets the description of all GPUs.
func (e *Peers) gatherInfo(ctx context.Context, w *cluster.World) error {
	var own []engine.Device
	for _, m := range e.members {
		own = append(own, m.describe())
	}
	all, err := cluster.Values(ctx, w, own)
	if err != nil {
		return err
	}
	e.info = e.members[0].Info()
	e.info.LabelBits, e.info.MaxVertices = togetherBits, 1<<togetherBits
	e.info.Devices, e.info.Exchange = slices.Concat(all...), engine.PeerExchange
	first := e.info.Devices[0]
	e.info.Device, e.info.Hardware = &first, fmt.Sprintf("%d x %s", e.team.Count(), first.Name)
	if slices.ContainsFunc(e.info.Devices, func(d engine.Device) bool { return d.Name != first.Name }) {
		e.info.Hardware = fmt.Sprintf("%d GPUs, the first one %s", e.team.Count(), first.Name)
	}
	return nil
}

// inPhase executes the work of a phase on all GPUs. It adds the phase to the errors of
// the devices.
func (e *Peers) inPhase(phase string, work func() error) error {
	err := earliest(work())
	var fault *device.Error
	var full *device.MemoryError
	if errors.As(err, &fault) || errors.As(err, &full) {
		return fmt.Errorf("%s on %s: %w", phase, e.names(), err)
	}
	return err
}

// names names the GPUs of this process.
func (e *Peers) names() string {
	if len(e.members) == 1 {
		return fmt.Sprintf("GPU %d", e.members[0].ordinal)
	}
	var ordinals []string
	for _, m := range e.members {
		ordinals = append(ordinals, fmt.Sprint(m.ordinal))
	}
	return "GPUs " + strings.Join(ordinals, ", ")
}

// Info describes the GPUs of all ranks.
func (e *Peers) Info() engine.Info { return e.info }

// Memory returns the smallest of the limits on the memory of each GPU.
func (e *Peers) Memory() memory.Limit { return e.limit }

// Plan lists the memory allocations of a job: on each GPU, those of the largest share and range
// for all, and on the host those of all GPUs of this process.
func (e *Peers) Plan(job engine.Job) []engine.Allocation {
	l := e.layoutOf(job)
	plan := append(e.plan(job, l), e.tailsPlan(job, l)...)
	ranks := uint64(e.team.Count() / len(e.members))
	job.Tuples = (job.Tuples + ranks - 1) / ranks // that this process reads
	return append(plan, onHost(job, false)...)
}

// largest returns the length of the largest share of the tuples, and the longest range of
// labels.
func (e *Peers) largest(job engine.Job) (share uint64, labels construct.Range) {
	count := e.team.Count()
	_, share = generate.ShareOf(job.Tuples, count, count-1)
	for _, r := range construct.Ranges(job.Vertices, count) {
		if r.End-r.First > labels.End-labels.First {
			labels = r
		}
	}
	return share, labels
}

// ownRows returns an upper bound on the number of rows of a GPU. The labels of a generated graph
// are permuted: the GPU has an equal share of the rows, and hardly more than 16 standard
// deviations besides, as in kronecker.Spec.MaxConnected.
func (e *Peers) ownRows(job engine.Job) uint64 {
	_, labels := e.largest(job)
	own := labels.End - labels.First
	rows := min(own, mostRows(job))
	if job.Loaded {
		return rows
	}
	return min(rows, mostRows(job)/uint64(e.team.Count())+8*uint64(math.Sqrt(float64(own)))+leastLabels)
}

// required lists the allocations that a GPU needs in a layout.
func (e *Peers) required(job engine.Job, l layout) []engine.Allocation {
	share, labels := e.largest(job)
	plan := tuplesOf(job, 0, share, l.capacity).Plan()
	sizes := construct.Sizes{Vertices: job.Vertices, Tuples: job.Tuples, Rows: mostRows(job), OwnRows: e.ownRows(job)}
	if slices.Contains(kernelsOf(job), engine.BFS) {
		of := sizes
		if !l.splits() {
			of.Rows, of.OwnRows = maxRows(job), maxRows(job)
		}
		plan = append(plan, construct.Plan(of, e.form(engine.BFS, l, job.Wide), labels)...)
	}
	if job.Weighted() { // its construction takes at least as much memory at a time as that of BFS
		plan = slices.DeleteFunc(plan, func(a engine.Allocation) bool { return a.Phase == engine.Construction })
		plan = append(plan, construct.Plan(sizes, e.form(engine.SSSP, l, job.Wide), labels)...)
	}
	for _, k := range kernelsOf(job) {
		plan = append(plan, e.searcherPlan(job, l, k)...)
	}
	return plan
}

// searcherPlan lists the allocations that the searcher of a kernel needs on a GPU.
func (e *Peers) searcherPlan(job engine.Job, l layout, k engine.Kernel) []engine.Allocation {
	_, labels := e.largest(job)
	own := labels.End - labels.First
	plan := new(results).group(k, job.Vertices).Plan()
	if job.Wide {
		plan = append(plan, new(wideParents).group(k, own).Plan()...)
	}
	plan = append(plan, validate.Plan(k, job.Vertices, e.together(job, l, k))...)
	if job.Loaded {
		plan = append(plan, validate.DeepPlan(job.Vertices)...)
	}
	if k == engine.SSSP {
		return append(plan, sssp.PeersPlan(job.Vertices, mostRows(job), e.ownRows(job), e.team.Count())...)
	}
	if l.splits() {
		return append(plan, bfs.PeersPlan(job.Vertices, mostRows(job), own, e.ownRows(job), e.l2)...)
	}
	return append(plan, bfs.PeersPlan(job.Vertices, maxRows(job), own, min(own, maxRows(job)), e.l2)...)
}

// tails returns the length of a GPU's array of neighbours, or arcs, in host memory, if rows are split. All
// GPUs have the prefix of the one that it fits worst. In generated graphs they hardly differ. In
// loaded ones the rows of another may be so long that it has nearly all neighbours in their tails.
func (e *Peers) tails(job engine.Job, l layout) uint64 {
	_, labels := e.largest(job)
	arcs, words := construct.MostRangeArcs(job.Vertices, labels, job.Tuples), l.words
	if job.Loaded {
		words = 0
	}
	return max(1, construct.MostTails(e.ownRows(job), (arcs+1)/2, words))
}

// tailsPlan lists the neighbours in host memory of the GPUs of this process.
func (e *Peers) tailsPlan(job engine.Job, l layout) (plan []engine.Allocation) {
	if !l.splits() {
		return nil
	}
	entries := e.tails(job, l) * uint64(len(e.members))
	for _, k := range kernelsOf(job) {
		a := engine.Allocation{Name: "neighbours beyond the prefix", Bytes: 4 * entries, Phase: engine.Construction | engine.Searching}
		if k == engine.SSSP {
			a.Name, a.Bytes = "arcs beyond the prefix", 8*entries
		}
		plan = append(plan, a)
	}
	return plan
}

// together returns the number of searches of a kernel that are validated together. Of BFS
// there are several only if the tuples are regenerated for each pass.
func (e *Peers) together(job engine.Job, l layout, k engine.Kernel) int {
	if share, _ := e.largest(job); l.capacity >= share && k == engine.BFS {
		return 1
	}
	return l.batch
}

// layoutOf returns the preferred layout in which the job fits, as planner.layoutOf does.
func (e *Peers) layoutOf(job engine.Job) layout {
	residency := e.members[0].planner.residency
	canSplit := !job.Weighted() || e.team.Alone()
	if residency == engine.Prefix && canSplit {
		l, _ := e.splitLayout(job)
		return l
	}
	l, fits := e.residentLayout(job)
	if fits || residency != engine.AutoResidency || !canSplit {
		return l
	}
	l, _ = e.splitLayout(job)
	return l
}

// splitLayout returns a layout with split rows, as planner.splitLayout does.
func (e *Peers) splitLayout(job engine.Job) (layout, bool) {
	share, labels := e.largest(job)
	capacity := share
	if !job.Loaded {
		capacity = min(share, e.members[0].planner.part, splitPart)
	}
	arcs := construct.MostRangeArcs(job.Vertices, labels, job.Tuples)
	room := wordRoom{max(1, construct.LeastWords(e.ownRows(job), (arcs+1)/2)), max(1, arcs)}
	return room.layout(layout{capacity: capacity, batch: 1}, func(l layout) bool { return e.fits(job, l) })
}

// residentLayout is layoutOf without split rows. It also returns whether the layout fits.
func (e *Peers) residentLayout(job engine.Job) (layout, bool) {
	share, _ := e.largest(job)
	capacities := []uint64{share}
	if part := e.members[0].planner.part; !job.Loaded && part < share {
		capacities = append(capacities, part)
	}
	l := layout{batch: 1}
	for _, l.capacity = range capacities {
		for l.groups = 1; l.groups <= construct.MostGroups; l.groups++ {
			if !e.fits(job, l) {
				continue
			}
			if l.capacity < share || job.Weighted() {
				for l.batch = max(1, min(maxBatch, job.Searches)); l.batch > 1 && !e.fits(job, l); l.batch-- {
				}
			}
			return l, true
		}
	}
	l.groups = construct.MostGroups
	return l, false
}

func (e *Peers) fits(job engine.Job, l layout) bool {
	return engine.Peak(e.required(job, l), engine.DeviceMemory) <= e.Memory().Bytes
}

// plan lists all allocations of a GPU: the required ones, then those that are made only
// if they fit.
func (e *Peers) plan(job engine.Job, l layout) []engine.Allocation {
	p := planner{limit: e.Memory().Bytes}
	plan := e.required(job, l)
	if !job.Loaded {
		plan = p.addIfFits(plan, validate.DeepPlan(job.Vertices))
	}
	if !slices.Contains(kernelsOf(job), engine.BFS) {
		return append(plan, stream.BandwidthPlan(p.limit)...)
	}
	_, labels := e.largest(job)
	optional := bfs.OptionalPlan(job.Vertices, labels.End-labels.First, 2*job.Tuples/uint64(e.team.Count()), e.l2)
	plan = p.addIfFits(plan, p.truncated(plan, optional))
	return append(plan, stream.BandwidthPlan(p.limit)...)
}

// reserve returns the memory that the optional arrays of BFS must leave free: for tables of
// deep trees, if these are part of the plan, and for the searcher of SSSP.
func (e *Peers) reserve() (bytes uint64) {
	isDeep := func(a engine.Allocation) bool { return slices.Contains(validate.DeepPlan(e.job.Vertices), a) }
	for _, a := range e.plan(e.job, e.layout) {
		if isDeep(a) {
			bytes += a.Bytes
		}
	}
	if e.job.Weighted() {
		bytes += engine.Peak(slices.DeleteFunc(e.searcherPlan(e.job, e.layout, engine.SSSP), isDeep), engine.DeviceMemory)
	}
	return bytes
}

// Prepare reserves the memory for a job and loads the modules on all GPUs.
func (e *Peers) Prepare(ctx context.Context, jobs []engine.Job) error {
	e.job = jobs[0]
	if err := e.checkVertices(); err != nil {
		return err
	}
	e.layout = e.layoutOf(e.job)
	peak := engine.Peak(e.plan(e.job, e.layout), engine.DeviceMemory)
	loaders := append([]func(*device.Device) error{stream.Load}, loadValidation(e.job, false)...)
	split := e.layout.splits()
	for _, k := range kernelsOf(e.job) {
		loaders = append(loaders, loaderOf(e.form(k, e.layout, e.job.Wide)))
	}
	switch {
	case e.has(engine.BFS) && split:
		loaders = append(loaders, bfs.LoadSplitPeers)
	case e.has(engine.BFS):
		loaders = append(loaders, bfs.LoadPeers)
	}
	switch {
	case e.has(engine.SSSP) && split:
		loaders = append(loaders, sssp.LoadSplitPeers)
	case e.has(engine.SSSP):
		loaders = append(loaders, sssp.LoadPeers)
	}
	if !e.job.Loaded {
		loaders = append(loaders, loadGenerate(e.job))
	}
	if e.job.Wide {
		loaders = append(loaders, stream.LoadLabels)
	}
	return e.inPhase("preparation", func() error {
		if err := e.team.Together(func(i int) error {
			m := e.members[i]
			m.jobs = jobs
			for _, load := range loaders {
				if err := errors.Join(context.Cause(ctx), load(m.device)); err != nil {
					return err
				}
			}
			return m.device.Reserve(peak)
		}); err != nil {
			return err
		}
		if err := e.allocateTails(ctx); err != nil {
			return err
		}
		return e.team.Connect()
	})
}

// allocateTails allocates the host memory of split rows, one GPU after the other: each takes all
// processors.
func (e *Peers) allocateTails(ctx context.Context) (err error) {
	if !e.layout.splits() {
		return nil
	}
	n := int(e.tails(e.job, e.layout))
	for _, m := range e.members {
		if e.has(engine.BFS) {
			if m.tails, err = device.Locked[engine.Local](ctx, m.device, n, true); err != nil {
				return err
			}
		}
		if e.has(engine.SSSP) {
			if m.arcTails, err = device.Locked[construct.Arc](ctx, m.device, n, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// has reports whether the job has the kernel.
func (e *Peers) has(k engine.Kernel) bool { return slices.Contains(kernelsOf(e.job), k) }

// checkVertices requires that each GPU has a range of labels.
func (e *Peers) checkVertices() error {
	count := e.team.Count()
	if e.job.Vertices >= uint64(leastLabels*count) {
		return nil
	}
	flag := ""
	if e.team.Alone() {
		flag = "flag -gpus: "
	}
	return fmt.Errorf("%s%d GPUs search graphs of at least %d vertices together, this one has %d", flag, count, leastLabels*count, e.job.Vertices)
}

// CopyBandwidth returns the copy bandwidth of the memory of the first GPU.
func (e *Peers) CopyBandwidth() (float64, error) { return e.members[0].CopyBandwidth() }

// DevicePeak returns the most bytes that arrays have taken of the memory of a GPU of this
// process so far.
func (e *Peers) DevicePeak() (most uint64) {
	for _, m := range e.members {
		most = max(most, m.device.Peak())
	}
	return most
}

// Generate generates the tuples of a Kronecker graph, with weights if the job needs them, each
// GPU its share. Ranks report the
// progress of their own GPUs, as a part of all.
func (e *Peers) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	var mutex sync.Mutex
	done := make([]uint64, len(e.members))
	ranks := uint64(e.team.Count() / len(e.members))
	return e.inPhase("generation", func() error {
		if err := e.team.Together(func(i int) (err error) {
			m := e.members[i]
			if err := m.begin(spec.Vertices(), togetherBits); err != nil {
				return err
			}
			first, count := generate.ShareOf(spec.Tuples(), e.team.Count(), e.team.First()+i)
			if m.tuples, err = generate.New(ctx, m.device, tuplesOf(e.job, first, count, e.layout.capacity), generate.Source{Spec: spec}); err != nil {
				return err
			}
			return m.tuples.Make(ctx, func(n uint64) {
				mutex.Lock()
				defer mutex.Unlock()
				done[i] = n
				var all uint64
				for _, n := range done {
					all += n
				}
				if progress != nil {
					progress(int64(min(all*ranks, spec.Tuples())), int64(spec.Tuples()))
				}
			})
		}); err != nil {
			return err
		}
		return e.findShares()
	})
}

// findShares sets seen.
func (e *Peers) findShares() error {
	lists, err := generate.Shares(e.team, e.shares())
	if err != nil {
		return err
	}
	e.seen = lists[0]
	return nil
}

// Load copies this rank's part of the tuples of the job to its GPUs and frees the host
// memory.
func (e *Peers) Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error {
	loaded := tuples
	err := e.inPhase("loading", func() error {
		begin, _ := e.shareOf(0)
		switch {
		case !e.has(engine.SSSP):
			tuples.Weights = nil
		case len(tuples.Weights) != len(tuples.Edges):
			return fmt.Errorf("gpu: %d weights for %d tuples", len(tuples.Weights), len(tuples.Edges))
		}
		if last, n := e.shareOf(len(e.members) - 1); uint64(len(tuples.Edges)) != last+n-begin {
			return fmt.Errorf("%d tuples for a part of %d", len(tuples.Edges), last+n-begin)
		}
		if err := e.team.Together(func(i int) (err error) {
			m := e.members[i]
			if err := m.begin(vertices, togetherBits); err != nil {
				return err
			}
			first, count := e.shareOf(i)
			share := engine.Tuples{Edges: tuples.Edges[first-begin:][:count]}
			if tuples.Weights != nil {
				share.Weights = tuples.Weights[first-begin:][:count]
			}
			m.tuples, err = generate.New(ctx, m.device, tuplesOf(e.job, first, count, 0), generate.Source{Loaded: share})
			return err
		}); err != nil {
			return err
		}
		return e.findShares()
	})
	return errors.Join(err, memory.Free(loaded.Edges), memory.Free(loaded.Weights))
}

// shareOf returns the tuples of the job that GPU i of this process has.
func (e *Peers) shareOf(i int) (first, count uint64) {
	return generate.ShareOf(e.job.Tuples, e.team.Count(), e.team.First()+i)
}

// Tuples is Engine.Tuples for the shares of the GPUs of this process.
func (e *Peers) Tuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.inPhase("copying of tuples", func() error {
		for _, share := range e.shares() {
			if err := copyTuples(ctx, share, yield); err != nil {
				return err
			}
		}
		return nil
	})
}

// AllTuples is Tuples for the shares of all GPUs. The ranks need not call it together.
func (e *Peers) AllTuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.inPhase("copying of tuples", func() error {
		all, err := generate.Join(e.seen, e.team.First())
		if err != nil {
			return err
		}
		if !all.Whole() { // the first own GPU generates all of them again
			return copyTuples(ctx, all, yield)
		}
		for _, share := range e.seen {
			if err := copyTuples(ctx, share, yield); err != nil {
				return err
			}
		}
		return nil
	})
}

// shares returns the tuples of the GPUs of this process.
func (e *Peers) shares() (shares []*generate.Tuples) {
	for _, m := range e.members {
		shares = append(shares, m.tuples)
	}
	return shares
}

// Construct builds the rows of each GPU's range of labels (kernel 1), for each kernel of the
// job. It returns the facts of the graph, of that of BFS if there are two.
func (e *Peers) Construct(ctx context.Context) (info engine.Graph, err error) {
	err = e.inPhase("construction", func() (err error) {
		vertices := e.members[0].vertices
		e.ranges = construct.Ranges(vertices, e.team.Count())
		if e.has(engine.BFS) {
			if e.graphs, err = e.construct(ctx, vertices, engine.BFS); err != nil {
				return err
			}
		}
		if e.has(engine.SSSP) {
			if e.weightedGraphs, err = e.construct(ctx, vertices, engine.SSSP); err != nil {
				return errors.Join(err, e.closeGraphs())
			}
		}
		info = e.graphInfo()
		return nil
	})
	return info, err
}

// construct builds the rows of a kernel.
func (e *Peers) construct(ctx context.Context, vertices uint64, k engine.Kernel) ([]*construct.Graph, error) {
	in := construct.Input{Vertices: vertices, Tuples: e.shares()}
	for _, m := range e.members {
		in.Tails, in.ArcTails = append(in.Tails, m.tails), append(in.ArcTails, m.arcTails)
	}
	return construct.Build(ctx, e.team, in, e.form(k, e.layout, e.job.Wide))
}

// form returns the form of the graph of a kernel.
func (e *Peers) form(k engine.Kernel, l layout, wide bool) construct.Form {
	return construct.Form{
		Order: orderOf(k), Devices: e.team.Count(), Wide: wide, Groups: l.groups, Hubs: bfs.MostHubs,
		Split: construct.Split{Words: l.words},
	}
}

// Usable returns for each vertex whether it has an edge other than a self loop.
func (e *Peers) Usable(_ context.Context, vertices []engine.Vertex) ([]bool, error) {
	asked, places := make([][]engine.Vertex, len(e.ranges)), make([][]int, len(e.ranges))
	for i, v := range vertices {
		k := slices.IndexFunc(e.ranges, func(r construct.Range) bool { return uint64(v) < r.End })
		asked[k], places[k] = append(asked[k], v), append(places[k], i)
	}
	found := make([]int64, len(vertices)) // 1 on the rank of the vertex if it is usable
	err := e.inPhase("look-up of vertices", func() error {
		for i := range e.members {
			k := e.team.First() + i
			has, err := e.hasRows(i, asked[k])
			if err != nil {
				return err
			}
			for j, at := range places[k] {
				if has[j] {
					found[at] = 1
				}
			}
		}
		return e.team.Sum(found)
	})
	usable := make([]bool, len(vertices))
	for i, n := range found {
		usable[i] = n > 0
	}
	return usable, err
}

// hasRows returns for each vertex of the range of GPU i of this process whether it has a row.
func (e *Peers) hasRows(i int, vertices []engine.Vertex) ([]bool, error) {
	if e.graphs != nil {
		return e.graphs[i].Has(vertices)
	}
	if e.weightedRanges != nil {
		return e.weightedRanges[i].Has(vertices)
	}
	return e.weightedGraphs[i].Has(vertices)
}

// graphInfo returns the facts of the whole graph, of that of BFS if there are two (joined).
func (e *Peers) graphInfo() engine.Graph {
	switch {
	case e.graphs != nil && e.weightedGraphs != nil:
		return joined(e.graphs[0].Info, e.weightedGraphs[0].Info)
	case e.graphs != nil:
		return e.graphs[0].Info
	case e.weightedRanges != nil:
		return e.weightedRanges[0].Info
	}
	return e.weightedGraphs[0].Info
}

// closeGraphs frees the graphs.
func (e *Peers) closeGraphs() error {
	var errs []error
	for _, g := range slices.Backward(e.weightedGraphs) {
		errs = append(errs, g.Close())
	}
	for _, g := range slices.Backward(e.weightedRanges) {
		errs = append(errs, g.Close())
	}
	for _, g := range slices.Backward(e.graphs) {
		errs = append(errs, g.Close())
	}
	e.graphs, e.weightedGraphs, e.weightedRanges = nil, nil, nil
	return errors.Join(errs...)
}

// Close frees all memory and closes the devices. Searchers must be closed before. The
// devices of one of several ranks are closed by the end of the process (device.Team.Close).
func (e *Peers) Close() error {
	errs := []error{e.closeGraphs(), e.team.Close()}
	for _, m := range slices.Backward(e.members) {
		if e.team == nil || e.team.Alone() {
			errs = append(errs, m.Close())
		}
	}
	*e = Peers{}
	return earliest(errors.Join(errs...))
}
