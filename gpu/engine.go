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
	"graph500/kernels/generate"
	"graph500/kernels/hostrows"
	"graph500/kernels/hubs"
	"graph500/kernels/stream"
	"graph500/memory"
)

const (
	// labelBits is the width of a vertex label in the kernels for one GPU, which store flags
	// in the other two bits of a 32-bit word.
	labelBits = 30

	// teamLabelBits is the same in the kernels for several GPUs, which need one such bit.
	teamLabelBits = 31

	// leastLabels is the least number of vertices for each of several GPUs, so that each has a
	// range of labels.
	leastLabels = 1024

	// driverBytes is the device memory left to the driver for modules, launch
	// graphs and the stacks of the kernels.
	driverBytes = 256 << 20
)

// Engine stores one graph on a team of GPUs, and searches it. The GPUs are those of one
// process, or of several ranks. Each has a share of the tuples and the rows of a range of
// labels. Its methods are called one at a time, in the order of the benchmark's phases, on all
// ranks, from any goroutine.
type Engine struct {
	world    *cluster.World
	team     *device.Team
	exchange exchange.Exchange // of GPUs that do not access each other's memory, else nil
	members  []*member         // the GPUs of this process, in the order of their shares and ranges
	info     engine.Info
	limit    memory.Limit // on the memory of each GPU
	planner  planner
	jobs     []jobPlan // of Prepare
	layout   layout    // of the first job

	copyPiece int // copyPiece, or less in a test

	vertices uint64
	seen     []*generate.Tuples                   // the shares of all GPUs, as the first one of this process reads them
	ranges   []construct.Range                    // of labels, of all GPUs
	graphs   map[engine.Kernel][]*construct.Graph // of the GPUs of this process, with the facts of the whole graph
	host     *hostrows.Buffers                    // of a search of rows in host memory, else nil
}

// member is a GPU of this process.
type member struct {
	device  *device.Device
	ordinal int
	limit   memory.Limit // on the device memory that the engine allocates

	tuples *generate.Tuples // its share
	all    *generate.Tuples // all tuples as kernel 1 reads them, of a GPU that cannot read those of others; else nil
	buffer device.Array[byte]
	held   *device.Held // buffer

	tails    *device.HostArray[engine.Label]  // neighbours in host memory, nil without them
	arcTails *device.HostArray[construct.Arc] // arcs of SSSP in host memory, nil without them
}

// Options are what a user can choose of an engine.
type Options struct {
	MaxBytes  uint64           // of the memory of each GPU, at most; 0: all free memory
	Residency engine.Residency // "": engine.Resident
	Weighted  bool             // the jobs have SSSP

	// Exchange is how several GPUs get data of each other: engine.PeerExchange,
	// engine.NCCLExchange or engine.HostExchange. "": the first of them that works.
	Exchange engine.Exchange

	part   uint64         // tuples per part, if not all are in memory; 0: regeneratedPart
	device device.Options // of tests
}

// The options that OptionError names.
const (
	ExchangeOption  = "exchange"
	ResidencyOption = "residency"
)

// OptionError says why the value of an option cannot be.
type OptionError struct {
	Option string // ExchangeOption or ResidencyOption
	Cause  error
}

func (e *OptionError) Error() string { return e.Cause.Error() }

func (e *OptionError) Unwrap() error { return e.Cause }

// New returns an engine on the GPUs with these ordinals among the devices that
// CUDA_VISIBLE_DEVICES selects, together with those of the other ranks, which have as many.
// ctx is that of the run.
func New(ctx context.Context, w *cluster.World, ordinals []int, o Options) (*Engine, error) {
	distributed, err := mustExchange(ctx, w, ordinals, o)
	if err != nil {
		return nil, err
	}
	e := &Engine{world: w, copyPiece: copyPiece, graphs: make(map[engine.Kernel][]*construct.Graph)}
	err = e.open(ctx, ordinals, o, distributed)
	if err == nil {
		return e, nil
	}
	if err = errors.Join(err, e.Close()); distributed && o.Exchange != "" {
		err = &OptionError{ExchangeOption, earliest(err)}
	}
	return nil, earliest(err)
}

// mustExchange reports whether the GPUs of all ranks cannot, or shall not, access each other's
// memory.
func mustExchange(ctx context.Context, w *cluster.World, ordinals []int, o Options) (bool, error) {
	if w.Size()*len(ordinals) == 1 {
		return false, nil
	}
	why, err := unreachable(ctx, w, ordinals)
	distributed := o.Exchange != engine.PeerExchange && (o.Exchange != "" || why != "")
	switch {
	case err != nil:
		return false, err
	case !distributed && why != "":
		return false, &OptionError{ExchangeOption, fmt.Errorf("not all GPUs access each other's memory: %s", why)}
	case distributed && o.Residency == engine.Prefix:
		return false, &OptionError{ResidencyOption, fmt.Errorf("GPUs that do not access each other's memory need all neighbours in their own: %s", why)}
	}
	return distributed, nil
}

// open opens the GPUs and joins them to a team.
func (e *Engine) open(ctx context.Context, ordinals []int, o Options, distributed bool) error {
	var devices []*device.Device
	o.device.Primary = distributed
	for _, ordinal := range ordinals {
		d, err := device.Open(ordinal, o.device)
		if err != nil {
			return fmt.Errorf("startup on GPU %d: %w", ordinal, firstFault(err))
		}
		e.members, devices = append(e.members, &member{device: d, ordinal: ordinal}), append(devices, d)
	}
	return e.inPhase("startup", func() (err error) {
		access := device.PeerAccess
		if distributed {
			access = device.Distributed
		}
		if e.team, err = device.NewTeam(ctx, e.world, devices, access); err != nil {
			return err
		}
		if distributed {
			if err := e.openExchange(ctx, o.Exchange); err != nil {
				return err
			}
		}
		for _, m := range e.members { // after the exchange, which takes memory of the GPUs
			if err := m.limitMemory(o.MaxBytes, e.ofOtherRanks(distributed)); err != nil {
				return err
			}
		}
		e.planner = planner{part: o.part, residency: o.Residency, devices: e.team.Count(), distributed: distributed, ranks: e.world.Size()}
		if !distributed && !e.team.Alone() {
			err := device.CheckShare(e.team)
			if e.planner.sharesHost = err == nil; err != nil && o.Residency == engine.Prefix && o.Weighted {
				return &OptionError{ResidencyOption, fmt.Errorf("the GPUs need all arcs of sssp in their memory, for the ranks cannot map host memory of each other: %w", err)}
			}
		}
		if e.planner.part == 0 {
			e.planner.part = regeneratedPart
		}
		return errors.Join(e.agree(), e.gatherInfo(ctx))
	})
}

// openExchange joins GPUs that do not access each other's memory.
func (e *Engine) openExchange(ctx context.Context, kind engine.Exchange) (err error) {
	if e.exchange, e.info.Problem, err = exchange.Open(ctx, e.world, e.team, kind); err != nil {
		return err
	}
	if e.info.Exchange = e.exchange.Kind(); e.info.Exchange == engine.NCCLExchange {
		e.info.NCCL, err = nccl.Version()
	}
	return err
}

// ofOtherRanks returns the number of GPUs of other ranks of which each GPU opens the memory.
func (e *Engine) ofOtherRanks(distributed bool) int {
	if distributed {
		return 0
	}
	return e.team.Count() - len(e.members)
}

// limitMemory sets the memory limit: the minimum of maxBytes (0: no limit) and the
// free memory, less driverBytes, and less the page tables of the memory of so many other GPUs that it opens.
func (m *member) limitMemory(maxBytes uint64, opened int) error {
	free, _, err := m.device.Memory()
	if err != nil {
		return err
	}
	m.limit = memory.Limit{Bytes: free, Source: "free memory of " + m.device.Properties().Name}
	if maxBytes > 0 && maxBytes < free {
		m.limit = memory.Limit{Bytes: maxBytes, Source: "-gpu-memory"}
	}
	driver := driverBytes + tableBytes(m.limit.Bytes)*uint64(opened)
	m.limit.Bytes -= min(m.limit.Bytes, driver)
	m.limit.Bytes -= m.limit.Bytes % device.Alignment // whole allocations, so that the plan can use all of it
	m.limit.Source += fmt.Sprintf(", less %s for the driver", memory.Size(driver))
	return nil
}

// tableBytes returns the memory that a GPU has for the page tables of so much page-locked memory of the host, or of memory
// of another process's GPU: the driver maps both in pages of 4 KiB (docs/notebook.md).
func tableBytes(of uint64) uint64 {
	const page, entry = 4096, 8 // bytes
	return (of + page - 1) / page * entry
}

// agree sets the values by which all ranks plan: the smallest limit of a GPU, and the
// second-level cache of the first one.
func (e *Engine) agree() error {
	type values struct {
		limit, l2 uint64
		host      uint64 // available memory, 0: unknown
		hubs      bool   // the device has the search by depths of hubs
	}
	own := make([]values, len(e.members))
	for i, m := range e.members {
		p := m.device.Properties()
		own[i] = values{limit: m.limit.Bytes, l2: uint64(p.L2), hubs: hubs.Serves(p)}
		if host, err := memory.Available(); err == nil {
			own[i].host = host.Bytes
		}
	}
	all, err := device.Gather(e.team, own)
	if err != nil {
		return err
	}
	e.limit, e.planner.l2, e.planner.host = e.members[0].limit, int(all[0].l2), all[0].host
	if !slices.ContainsFunc(all, func(v values) bool { return !v.hubs }) {
		e.planner.hubsFrom = leastByHubs(all[0].l2, e.team.Count())
	}
	for k, v := range all {
		if i := k - e.team.First(); v.limit < e.limit.Bytes && i >= 0 && i < len(e.members) {
			e.limit.Source = e.members[i].limit.Source
		}
		e.limit.Bytes = min(e.limit.Bytes, v.limit)
		e.planner.host = min(e.planner.host, v.host)
	}
	if len(all) > 1 {
		e.limit.Source += ", of each GPU"
	}
	e.planner.limit = e.limit.Bytes
	return nil
}

// gatherInfo sets the description of all GPUs. Threads is 1 because the host only launches
// kernels.
func (e *Engine) gatherInfo(ctx context.Context) error {
	var own []engine.Device
	for _, m := range e.members {
		own = append(own, m.describe())
	}
	all, err := cluster.Values(ctx, e.world, own)
	if err != nil {
		return err
	}
	i := &e.info
	i.Name, i.Threads, i.Devices = "gpu", 1, slices.Concat(all...)
	first, count := i.Devices[0], len(i.Devices)
	i.Device, i.Hardware, i.LabelBits = &first, first.Name, labelBits
	if count > 1 {
		i.Hardware, i.LabelBits = fmt.Sprintf("%d x %s", count, first.Name), teamLabelBits
		if slices.ContainsFunc(i.Devices, func(d engine.Device) bool { return d.Name != first.Name }) {
			i.Hardware = fmt.Sprintf("%d GPUs, the first one %s", count, first.Name)
		}
		if e.exchange == nil {
			i.Exchange = engine.PeerExchange
		}
	}
	i.MaxVertices = 1 << i.LabelBits
	return nil
}

// describe describes the GPU.
func (m *member) describe() engine.Device {
	p := m.device.Properties()
	return engine.Device{
		Name:            p.Name,
		Driver:          p.Driver,
		Architecture:    fmt.Sprintf("%d.%d", p.Compute[0], p.Compute[1]),
		BusID:           p.BusID,
		Memory:          p.Memory,
		Multiprocessors: p.SMs,
		ClockMHz:        p.ClockMHz,
		MemoryClockMHz:  p.MemoryClockMHz,
	}
}

// Count returns the number of GPUs that CUDA_VISIBLE_DEVICES selects.
func Count() (int, error) { return device.Count() }

// Info describes the GPUs of all ranks, and once the engine is prepared, what it chose for the
// jobs.
func (e *Engine) Info() engine.Info {
	info := e.info
	if len(e.jobs) > 0 {
		info.Residency = e.layout.residency()
	}
	if e.isWide() {
		info.LabelBits = engine.WideBits
	}
	return info
}

// Memory returns the limit on the memory of each GPU that the engine allocates. Plan uses the
// same limit.
func (e *Engine) Memory() memory.Limit { return e.limit }

// CopyBandwidth returns the bandwidth of a plain copy within the memory of the first GPU, in
// bytes per second, read and written bytes added.
func (e *Engine) CopyBandwidth() (bytesPerSecond float64, err error) {
	err = e.inPhase("bandwidth measurement", func() (err error) {
		bytesPerSecond, err = stream.Bandwidth(e.members[0].device)
		return err
	})
	return bytesPerSecond, err
}

// DevicePeak returns the most bytes that arrays have taken of the memory of a GPU of this
// process so far. Pages of managed memory do not count.
func (e *Engine) DevicePeak() (most uint64) {
	for _, m := range e.members {
		most = max(most, m.device.Peak())
	}
	return most
}

// buffers returns the buffers for the exchange of the GPUs of this process.
func (e *Engine) buffers() (buffers []device.Array[byte]) {
	for _, m := range e.members {
		buffers = append(buffers, m.buffer)
	}
	return buffers
}

// each calls do for the GPUs of this process at the same time, and waits for the other ranks
// (device.Team.Together).
func (e *Engine) each(do func(i int, m *member) error) error {
	return e.team.Together(func(i int) error { return do(i, e.members[i]) })
}

// Close frees all memory and closes the devices. Searchers must be closed before. Devices whose
// memory other ranks have open are closed by the end of the process (device.Team.Close).
func (e *Engine) Close() error {
	reached := e.team != nil && !e.team.Alone() && e.exchange == nil
	err := e.inPhase("closing", func() error {
		errs := []error{e.closeGraphs()}
		if e.exchange != nil {
			errs = append(errs, e.exchange.Close())
		}
		for _, m := range slices.Backward(e.members) {
			if !reached {
				errs = append(errs, m.tuples.Close(), m.all.Close(), m.held.Free(), m.tails.Free(), m.arcTails.Free())
			}
		}
		return errors.Join(append(errs, e.host.Free(), e.team.Close())...)
	})
	for _, m := range slices.Backward(e.members) {
		if reached {
			break
		}
		if closeErr := m.device.Close(); err == nil {
			err = closeErr
		}
	}
	*e = Engine{}
	return err
}
