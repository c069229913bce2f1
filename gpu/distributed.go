//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/exchange"
	"graph500/device/nccl"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/distributed"
	"graph500/kernels/generate"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
	"graph500/kronecker"
	"graph500/memory"
)

// exchangeBytes is the memory of a GPU for what it exchanges piece by piece: lists of found
// vertices and marks of validation, of all GPUs.
const exchangeBytes = 64 << 20

// Distributed stores one graph on GPUs that cannot access each other's memory, of one host or
// several, and searches it by the default strategies, steered by the host. Each GPU has the
// rows of a range of labels and generates a share of the tuples, or, in kernel 1, all of them. What does not depend on
// how GPUs reach each other is that of Peers. Its methods are called like those of Engine, on
// all ranks.
type Distributed struct {
	Peers
	world    *cluster.World
	exchange exchange.Exchange
	all      []*generate.Tuples // all tuples, of the GPUs of this process; their own tuples are shares
	buffers  []device.Array[byte]
	held     []*device.Held // buffers
}

// NewDistributed returns an engine on the GPUs with these ordinals, together with those of
// the other ranks, which have as many. It uses at most maxBytes of the memory of each; 0 means
// all free memory. kind is engine.NCCLExchange, engine.HostExchange or, for the first of them
// that works, nothing. ctx is that of the run.
func NewDistributed(ctx context.Context, w *cluster.World, ordinals []int, maxBytes uint64, kind engine.Exchange) (*Distributed, error) {
	e := &Distributed{world: w}
	var devices []*device.Device
	for _, ordinal := range ordinals {
		m, err := open(ordinal, maxBytes, engine.Resident, device.Options{Primary: true})
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.members, devices = append(e.members, m), append(devices, m.device)
	}
	problem, version := "", ""
	err := e.inPhase("startup", func() (err error) {
		e.team = device.NewTeamApart(ctx, w, devices)
		if e.exchange, problem, err = exchange.Open(ctx, w, e.team, kind); err != nil {
			return err
		}
		if e.exchange.Kind() == engine.NCCLExchange {
			if version, err = nccl.Version(); err != nil {
				return err
			}
		}
		for _, m := range e.members { // again: the exchange takes memory of the GPUs
			if err := m.limitMemory(maxBytes); err != nil {
				return err
			}
		}
		return errors.Join(e.agree(), e.gatherInfo(ctx, w))
	})
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.info.Exchange, e.info.NCCL, e.info.Problem = e.exchange.Kind(), version, problem
	return e, nil
}

// Plan lists the memory allocations of a job on each GPU, those of the largest share and
// range for all, and on the host.
func (e *Distributed) Plan(job engine.Job) []engine.Allocation {
	plan := e.plan(job, e.layoutOf(job))
	if bytes := e.exchange.HostBytes(); bytes > 0 {
		plan = append(plan, engine.Allocation{Name: "exchange of the GPUs", Bytes: bytes, Phase: engine.Always})
	}
	if ranks := uint64(e.world.Size()); job.Loaded && ranks > 1 { // gatherTuples
		longest, bytes := job.Tuples/ranks+1, uint64(8)
		if job.Weighted() {
			bytes += 4
		}
		plan = append(plan,
			engine.Allocation{Name: "tuples of a rank, twice", Bytes: 2 * bytes * longest, Phase: engine.Loading},
			engine.Allocation{Name: "tuples on the way", Bytes: min(cluster.GatherBytes, 8*longest*ranks), Phase: engine.Loading})
	}
	return append(plan, onHost(job, false)...)
}

// bufferGroup declares the buffer of a GPU for the exchange.
func bufferGroup(buffer *device.Array[byte], vertices uint64) device.Group {
	return device.Group{Alive: engine.Always, Arrays: []device.Declared{device.Of(buffer, "lists of all GPUs", min(exchangeBytes, 16*vertices))}}
}

// required lists the allocations that a GPU needs in a layout.
func (e *Distributed) required(job engine.Job, l layout) []engine.Allocation {
	share, labels := e.largest(job)
	plan := bufferGroup(new(device.Array[byte]), job.Vertices).Plan()
	if job.Loaded {
		plan = append(plan, tuplesOf(job, 0, job.Tuples, 0).Plan()...)
		plan = append(plan, tuplesOf(job, 0, share, 0).Plan()...)
	} else {
		plan = append(plan, tuplesOf(job, 0, share, l.capacity).Plan()...)
	}
	sizes := construct.Sizes{Vertices: job.Vertices, Tuples: job.Tuples, Rows: maxRows(job), OwnRows: maxRows(job)}
	if slices.Contains(kernelsOf(job), engine.BFS) {
		plan = append(plan, construct.Plan(sizes, e.form(engine.BFS, l, job.Wide), labels)...)
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
func (e *Distributed) searcherPlan(job engine.Job, l layout, k engine.Kernel) []engine.Allocation {
	plan := new(results).group(k, job.Vertices).Plan()
	plan = append(plan, validate.Plan(k, job.Vertices, e.together(job, l, k))...)
	if job.Loaded {
		plan = append(plan, validate.DeepPlan(job.Vertices)...)
	}
	search := distributed.Plan
	if k == engine.SSSP {
		search = distributed.PathsPlan
	}
	_, labels := e.largest(job)
	if job.Wide {
		plan = append(plan, new(wideParents).group(k, labels.End-labels.First).Plan()...)
	}
	return append(plan, search(job.Vertices, maxRows(job), min(labels.End-labels.First, maxRows(job)))...)
}

// together returns the number of searches of a kernel that are validated together. Of BFS
// there are several only if the tuples are regenerated for each pass.
func (e *Distributed) together(job engine.Job, l layout, k engine.Kernel) int {
	if job.Loaded && k == engine.BFS {
		return 1
	}
	return l.batch
}

// layoutOf returns the preferred layout in which the job fits: few groups, because each
// takes a pass over all tuples, then a large validation batch, unless all searches are
// validated alone.
func (e *Distributed) layoutOf(job engine.Job) layout {
	l := layout{capacity: e.members[0].planner.part, batch: 1}
	for l.groups = 1; l.groups < construct.MostGroups && !e.fits(job, l); l.groups++ {
	}
	if !job.Loaded || job.Weighted() {
		for l.batch = max(1, min(maxBatch, job.Searches)); l.batch > 1 && !e.fits(job, l); l.batch-- {
		}
	}
	return l
}

func (e *Distributed) fits(job engine.Job, l layout) bool {
	return engine.Peak(e.required(job, l), engine.DeviceMemory) <= e.Memory().Bytes
}

// plan lists all allocations of a GPU: the required ones, then those that are made only
// if they fit.
func (e *Distributed) plan(job engine.Job, l layout) []engine.Allocation {
	p := planner{limit: e.Memory().Bytes}
	plan := e.required(job, l)
	if !job.Loaded {
		plan = p.addIfFits(plan, validate.DeepPlan(job.Vertices))
	}
	return append(plan, stream.BandwidthPlan(p.limit)...)
}

// Prepare reserves the memory for a job and loads the modules on all GPUs.
func (e *Distributed) Prepare(ctx context.Context, jobs []engine.Job) error {
	e.job = jobs[0]
	if err := e.checkVertices(); err != nil {
		return err
	}
	e.layout = e.layoutOf(e.job)
	peak := engine.Peak(e.plan(e.job, e.layout), engine.DeviceMemory)
	loaders := append([]func(*device.Device) error{stream.Load}, loadValidation(e.job, true)...)
	for _, k := range kernelsOf(e.job) {
		loaders = append(loaders, loaderOf(e.form(k, e.layout, e.job.Wide)))
	}
	if e.has(engine.BFS) {
		loaders = append(loaders, distributed.Load)
	}
	if e.has(engine.SSSP) {
		loaders = append(loaders, distributed.LoadPaths)
	}
	if !e.job.Loaded {
		loaders = append(loaders, loadGenerate(e.job))
	}
	if e.job.Wide {
		loaders = append(loaders, stream.LoadLabels)
	}
	e.buffers, e.held = make([]device.Array[byte], len(e.members)), make([]*device.Held, len(e.members))
	return e.inPhase("preparation", func() error {
		return e.team.Together(func(i int) (err error) {
			m := e.members[i]
			m.jobs = jobs
			for _, load := range loaders {
				if err := errors.Join(context.Cause(ctx), load(m.device)); err != nil {
					return err
				}
			}
			return m.device.Reserve(peak)
		})
	})
}

// begin allocates the buffers, after the measurement of the bandwidth, and checks that the
// engine can hold a graph of that many vertices.
func (e *Distributed) begin(i int, vertices uint64) (err error) {
	m := e.members[i]
	if err := m.begin(vertices, togetherBits); err != nil {
		return err
	}
	e.held[i], err = m.device.Take(bufferGroup(&e.buffers[i], vertices))
	return err
}

// Generate generates the tuples of a Kronecker graph, with weights if the job needs them, each
// GPU its share. They are not kept: each pass over them generates them again.
func (e *Distributed) Generate(ctx context.Context, spec kronecker.Spec, progress func(done, total int64)) error {
	e.all = make([]*generate.Tuples, len(e.members))
	return e.inPhase("generation", func() error {
		return e.team.Together(func(i int) (err error) {
			m := e.members[i]
			if err := e.begin(i, spec.Vertices()); err != nil {
				return err
			}
			first, count := generate.ShareOf(spec.Tuples(), e.team.Count(), e.team.First()+i)
			c := tuplesOf(e.job, first, count, e.layout.capacity)
			c.Regenerated = true
			if m.tuples, err = generate.New(ctx, m.device, c, generate.Source{Spec: spec}); err != nil {
				return err
			}
			if e.all[i], err = m.tuples.All(); err != nil {
				return err
			}
			return m.tuples.Make(ctx, func(n uint64) {
				if i > 0 || progress == nil {
					return
				}
				done := spec.Tuples() // as far as the other GPUs are where this one is
				if n < count {
					done = min(done-1, n*uint64(e.team.Count()))
				}
				progress(int64(done), int64(spec.Tuples()))
			})
		})
	})
}

// Load gathers the tuples of all ranks, with their weights if the job needs them, and copies
// them to each GPU, and its share of them once more, for validation. It frees the host memory.
func (e *Distributed) Load(ctx context.Context, vertices uint64, tuples engine.Tuples) error {
	e.all = make([]*generate.Tuples, len(e.members))
	err := e.inPhase("loading", func() error {
		all, err := e.gatherTuples(ctx, tuples)
		if err != nil {
			return err
		}
		err = e.team.Together(func(i int) (err error) {
			if err := e.begin(i, vertices); err != nil {
				return err
			}
			first, count := e.shareOf(i)
			d := e.members[i].device
			if e.all[i], err = generate.New(ctx, d, tuplesOf(e.job, 0, e.job.Tuples, 0), generate.Source{Loaded: all}); err != nil {
				return err
			}
			share := engine.Tuples{Edges: all.Edges[first:][:count]}
			if all.Weights != nil {
				share.Weights = all.Weights[first:][:count]
			}
			e.members[i].tuples, err = generate.New(ctx, d, tuplesOf(e.job, first, count, 0), generate.Source{Loaded: share})
			return err
		})
		if e.world.Size() > 1 {
			err = errors.Join(err, memory.Free(all.Edges), memory.Free(all.Weights))
		}
		return err
	})
	return errors.Join(err, memory.Free(tuples.Edges), memory.Free(tuples.Weights))
}

// gatherTuples returns the tuples of all ranks, of which own is this rank's part, without
// weights unless the job needs them.
func (e *Distributed) gatherTuples(ctx context.Context, own engine.Tuples) (all engine.Tuples, err error) {
	if _, n := generate.ShareOf(e.job.Tuples, e.world.Size(), e.world.Rank()); uint64(len(own.Edges)) != n {
		return all, fmt.Errorf("%d tuples for a part of %d", len(own.Edges), n)
	}
	if e.has(engine.SSSP) && len(own.Weights) != len(own.Edges) {
		return all, fmt.Errorf("gpu: %d weights for %d tuples", len(own.Weights), len(own.Edges))
	}
	if all.Edges, err = gatherParts(ctx, e.world, own.Edges, e.job.Tuples); err != nil || !e.has(engine.SSSP) {
		return all, err
	}
	if all.Weights, err = gatherParts(ctx, e.world, own.Weights, e.job.Tuples); err != nil {
		if e.world.Size() > 1 {
			err = errors.Join(err, memory.Free(all.Edges))
		}
		return engine.Tuples{}, err
	}
	return all, nil
}

// gatherParts returns a list of that length, of which each rank has a part (generate.ShareOf).
// With one rank it is that rank's part, else new memory.
func gatherParts[T any](ctx context.Context, w *cluster.World, own []T, length uint64) (_ []T, err error) {
	ranks := w.Size()
	if ranks == 1 {
		return own, nil
	}
	longest := int(length)/ranks + 1 // parts differ by one at most
	padded, err := memory.Alloc[T](longest)
	if err != nil {
		return nil, err
	}
	copy(padded, own)
	all, err := memory.Alloc[T](longest * ranks)
	if err == nil {
		err = cluster.Allgather(ctx, w, padded, all)
	}
	if err = errors.Join(err, memory.Free(padded)); err != nil {
		return nil, errors.Join(err, memory.Free(all))
	}
	for r := range ranks {
		first, n := generate.ShareOf(length, ranks, r)
		copy(all[first:], all[r*longest:][:n])
	}
	return all[:length], nil
}

// AllTuples is Tuples for the shares of all GPUs. The ranks need not call it together.
func (e *Distributed) AllTuples(ctx context.Context, yield func(engine.Tuples) error) error {
	return e.inPhase("copying of tuples", func() error { return copyTuples(ctx, e.all[0], yield) })
}

// Construct builds the rows of each GPU's range of labels (kernel 1), for each kernel of the
// job. It returns the facts of the graph, of that of BFS if there are two.
func (e *Distributed) Construct(ctx context.Context) (info engine.Graph, err error) {
	err = e.inPhase("construction", func() (err error) {
		vertices := e.members[0].vertices
		e.ranges = construct.Ranges(vertices, e.team.Count())
		if e.has(engine.BFS) {
			if e.graphs, err = e.construct(ctx, vertices, engine.BFS); err != nil {
				return err
			}
		}
		if e.has(engine.SSSP) {
			if e.weightedRanges, err = e.construct(ctx, vertices, engine.SSSP); err != nil {
				return errors.Join(err, e.closeGraphs())
			}
		}
		info = e.graphInfo()
		return nil
	})
	return info, err
}

// construct builds the rows of a kernel.
func (e *Distributed) construct(ctx context.Context, vertices uint64, k engine.Kernel) ([]*construct.Graph, error) {
	return construct.Build(ctx, e.team, construct.Input{Vertices: vertices, Tuples: e.all}, e.form(k, e.layout, e.job.Wide))
}

// form returns the form of the graph of a kernel.
func (e *Distributed) form(k engine.Kernel, l layout, wide bool) construct.Form {
	return construct.Form{Order: orderOf(k), Devices: e.team.Count(), Apart: true, Wide: wide, Groups: l.groups}
}

// Close frees all memory and closes the devices. Searchers must be closed before.
func (e *Distributed) Close() error {
	errs := []error{e.closeGraphs()}
	if e.exchange != nil {
		errs = append(errs, e.exchange.Close())
	}
	for i, m := range slices.Backward(e.members) {
		if i < len(e.all) {
			errs = append(errs, m.tuples.Close(), e.all[i].Close())
			m.tuples = nil
		}
		if i < len(e.held) {
			errs = append(errs, e.held[i].Free())
		}
		errs = append(errs, m.Close())
	}
	*e = Distributed{}
	return earliest(errors.Join(errs...))
}
