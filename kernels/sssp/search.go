//go:build cuda

package sssp

import (
	"context"
	"embed"
	"errors"
	"math"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// Load loads the modules, so that New does not wait for them.
func Load(d *device.Device) error { return load(d, "search", "light", "fallback") }

// LoadSplit is Load for graphs with split rows.
func LoadSplit(d *device.Device) error { return load(d, "split") }

func load(d *device.Device, modules ...string) error {
	for _, name := range modules {
		if _, err := d.Load("sssp", images, name); err != nil {
			return err
		}
	}
	return nil
}

const (
	// stepArcs * n^stepPower is the number of arcs of a vertex of mean degree that end in the
	// first step of the bound, but at most mostStepArcs. At scales 20 to 26, the fastest were
	// 0.6, 0.45, 0.35 and 0.25.
	stepArcs     = 10.95
	stepPower    = -0.217
	mostStepArcs = 0.6
	// pullShare is the share of the rows that must be reached before the pull.
	pullShare = 0.01
	// hubShare is the share of the rows that are hubs. They pay in graphs of leastHubRows and
	// more.
	hubShare     = 1. / 8
	leastHubRows = 1 << 20
	// nearShare is the number of arcs per row that the near step may expand.
	nearShare = 0.002
)

// The values of Status in search.cuh.
const (
	statusDone = iota
	statusFull
	statusStopped
)

// Search is the default search of shortest paths. All data of a search are on the device
// before it starts, so a search is one launch and one wait.
//
// The kernel reads the addresses of its arrays from constant memory of its module. So a
// device has at most one Search, and one counted Search, at a time.
type Search struct {
	device   *device.Device
	graph    *construct.Graph
	module   *device.Module
	counted  bool
	kernel   *device.Persistent
	held     *device.Held
	state    state
	fallback *fallback

	settleBlocks int

	dirty    bool // the last search did not end, so the working memory must be emptied
	fellBack bool // the last search was made without lists
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// New returns a search of g that writes parents and distances, N entries each. g must have
// at least one row. The caller still owns all three. Counts needs a counted search, which is
// slow.
func New(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Label], distances device.Array[float32], counted bool) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return newSearch(d, g, parents, distances, counted, capacities(uint64(g.ByWeight.Rows.Len())))
}

// capacity holds the lengths of the lists of a search, and the number of hubs, a multiple
// of 32.
type capacity struct{ log, queue, kept, hubs uint64 }

// hubsOf returns the number of hubs among n rows, if there are any.
func hubsOf(rows uint64) uint64 { return uint64(hubShare*float64(rows)) / 32 * 32 }

// lightCapacity returns the largest number of light arcs that a search of n rows uses. Official
// graphs have 0.50 n at scale 20 and 0.22 n at scale 26.
func lightCapacity(rows uint64) uint64 { return min(rows/8*5+1<<10, 1<<28) }

// capacities returns the lengths for n rows. A search of an official graph logs about 0.1 n
// items and keeps about 0.4 n arcs. Each warp has an equal share of the kept arcs, and
// each warp claims parts of the log.
func capacities(rows uint64) capacity {
	c := capacity{log: rows + device.MaxBlocks*threads/32*logClaim, queue: rows + 1<<16, kept: 2*rows + device.MaxBlocks<<10}
	if rows >= leastHubRows {
		c.hubs = hubsOf(rows)
	}
	return c
}

func newSearch(d *device.Device, g *construct.Graph, parents device.Array[engine.Label], distances device.Array[float32], counted bool, c capacity) (*Search, error) {
	s := &Search{device: d, graph: g, counted: counted}
	if err := s.prepare(parents, distances, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Search) prepare(parents device.Array[engine.Label], distances device.Array[float32], c capacity) (err error) {
	if s.module, err = s.device.Load("sssp", images, device.Counted(s.moduleOf("search"), s.counted)); err != nil {
		return err
	}
	if s.kernel, err = s.module.NewPersistent("sssp", threads); err != nil {
		return err
	}
	if s.settleBlocks, err = s.kernel.Then(s.module, "settle", threads); err != nil {
		return err
	}
	rows := uint64(s.graph.ByWeight.Rows.Len())
	if s.held, err = s.device.Take(s.state.group(rowSizes{uint64(s.graph.Info.Vertices), rows, rows}, c)); err != nil {
		return err
	}
	s.state.Stop, s.state.Done = s.kernel.Stop, s.kernel.Done
	if err := s.empty(); err != nil {
		return err
	}
	s.state.Parents, s.state.Distances = parents, distances
	s.state.Hubs = uint32(min(c.hubs, uint64(s.graph.ByWeight.Rows.Len())/32*32))
	s.fillState()
	if err := copyLight(s.device, s.moduleOf("light"), &s.state, rows, s.describe); err != nil {
		return err
	}
	fallback, err := s.device.Load("sssp", images, s.moduleOf("fallback"))
	if err != nil {
		return err
	}
	s.fallback = newFallback(fallback, &s.state, s.kernel.Blocks)
	return errors.Join(s.describe(fallback), s.describe(s.module))
}

// moduleOf returns the module with the kernels of a module: of split rows, all are in one.
func (s *Search) moduleOf(name string) string {
	if s.graph.IsSplit() {
		return "split"
	}
	return name
}

// describe sets the constants of a module.
func (s *Search) describe(m *device.Module) error {
	err := m.SetConstant("g", s.state)
	if s.graph.IsSplit() {
		err = errors.Join(err, m.SetConstant("tails", tails{s.graph.ByWeight.Tails, s.graph.Prefix}))
	}
	return err
}

// rowSizes are the sizes of a graph, or of a part of it, that determine the working memory.
type rowSizes struct {
	vertices uint64 // N
	rows     uint64 // n, of the device
	numbers  uint64 // of the rows of all devices, used or not
}

// group declares the working memory of a search.
func (s *searching) group(z rowSizes, c capacity) device.Group {
	words := (max(z.vertices, z.numbers) + 31) / 32
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Best, "distances and parents by row", z.numbers),
		device.Of(&s.Touched, "bitmap of reached vertices", (z.rows+31)/32),
		device.Of(&s.Log, "log of reached vertices", c.log),
		device.Of(&s.Queues[0], "queue of improvements", c.queue),
		device.Of(&s.Queues[1], "next queue of improvements", c.queue),
		device.Of(&s.Light, "light arcs", lightCapacity(z.numbers)),
		device.Of(&s.Segments, "segments of light arcs", lightCapacity(z.numbers)/2),
		device.Of(&s.Seen, "seen distances of segments", lightCapacity(z.numbers)/2),
		device.Of(&s.Kept, "kept arcs", c.kept),
		device.Of(&s.Targets, "numbers of kept arcs", (z.numbers+15)/16),
		device.Of(&s.Staying, "bitmap of targets of kept arcs", words),
		device.Of(&s.Open, "bitmap of open hubs", (c.hubs+31)/32),
		device.Of(&s.HubBest, "distances of hubs", c.hubs),
		device.Of(&s.Marks[0], "bitmap of changed vertices", words),
		device.Of(&s.Marks[1], "next bitmap of changed vertices", words),
		device.Of(&s.Marks[2], "third bitmap of changed vertices", words),
		device.Of(&s.Control, "control block of SSSP", 1),
		device.Of(&s.Rounds, "records of rounds", maxRecords),
		device.Of(&s.Any, "flag of the search without lists", 2),
	}}
}

// empty makes the working memory what it is between two searches.
func (s *Search) empty() error {
	return errors.Join(s.state.Control.Fill(0), s.state.Best.Fill(0xff), s.state.Touched.Fill(0))
}

// Plan lists the memory of a search. The graph has N vertices and n rows.
func Plan(vertices, rows uint64) []engine.Allocation {
	return new(searching).group(rowSizes{vertices, rows, rows}, capacities(rows)).Plan()
}

// copyLight copies the light arcs of all rows, by a module that describe gives the constants,
// unless they are too many for their arrays, as in a graph with many equal weights.
func copyLight(d *device.Device, module string, st *state, rows uint64, describe func(*device.Module) error) error {
	m, err := d.Load("sssp", images, module)
	if err != nil {
		return err
	}
	if err := errors.Join(describe(m), st.Any.Fill(0)); err != nil {
		return err
	}
	launch := func(name string, blocks, threads int, args ...uint64) {
		k, kernelErr := m.Kernel(name)
		if kernelErr == nil {
			kernelErr = k.Launch(blocks, threads, 0, args...)
		}
		err = errors.Join(err, kernelErr)
	}
	capacity, blocks := uint64(st.Light.Len()), blocksFor(rows)
	counts := st.Seen.Address() // two numbers for each warp; not yet in use
	launch("light_counts", blocks, threads, counts, capacity)
	launch("light_starts", 1, 1024, counts, uint64(blocks*threads/32), capacity, st.Any.Address())
	var total [2]uint32
	if err = errors.Join(err, st.Any.Read(0, total[:])); err != nil || uint64(total[0]) > capacity {
		return err
	}
	launch("light_arcs", blocks, threads, counts, capacity)
	st.SegmentCount = total[1]
	return err
}

// firstStep returns by how much the bound rises at first. Weights are taken as uniform between
// 0 and twice their mean. If all of the sample were 0, it says nothing of the others: steps
// soon double, so that any will do.
func firstStep(mean float32, info engine.Graph) float32 {
	if mean == 0 {
		mean = 0.5
	}
	rows := float64(info.Connected)
	arcs := min(stepArcs*math.Pow(rows, stepPower), mostStepArcs)
	return 2 * mean * float32(arcs) * float32(rows) / float32(info.Arcs)
}

// fillState fills in the state of the kernel, except for the arrays of the search and the
// results.
func (s *Search) fillState() {
	s.state.fill(s.graph, uint64(s.graph.ByWeight.Rows.Len()), s.settleBlocks)
}

// fill fills in what the kernels need of a graph, or of the part of one with that many rows,
// and of the working memory. The pull and the tail have that many blocks.
func (st *state) fill(g *construct.Graph, rows uint64, blocks int) {
	all, r := float64(g.Info.Connected), &g.ByWeight
	st.Vertices, st.RowCount = uint32(g.Info.Vertices), uint32(rows)
	st.LogCapacity, st.QueueCapacity = uint32(st.Log.Len()), uint32(st.Queues[0].Len())
	st.KeptCapacity = uint32(st.Kept.Len() / (blocks * threads / 32))
	st.NearArcs = uint32(nearShare * all)
	const sample = 1 << 12 // rows
	st.SampleStride = max(1, st.RowCount/sample)
	st.PullAt = uint64(pullShare * all)
	st.LightWidth = firstStep(r.MeanWeight, g.Info)
	st.Step = st.LightWidth * (1 - 1./(1<<10)) // so that the rounding of the bound does not matter
	if r.MeanWeight > 0 {
		st.ArcScale = 1 / (2 * r.MeanWeight)
	}
	st.Rows, st.Labels, st.Arcs = r.Rows, r.Labels, r.Arcs
	st.Index, st.Heads, st.HeadLabels, st.Thirds, st.Order = g.Index, r.Heads, r.HeadLabels, r.Thirds, r.Order
}

// Search writes the parents and distances of every vertex reachable from root. root must
// have a row; all parents must be engine.None and all distances engine.Unreached before.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.counted {
		if err := s.module.ResetCounts(); err != nil {
			return err
		}
	}
	if s.dirty {
		if err := s.empty(); err != nil {
			return err
		}
	}
	s.dirty, s.profiled, s.fellBack = true, false, false
	if err := s.kernel.Run(ctx, uint64(root)); err != nil {
		return err
	}
	if s.state.Done.Host()[0] != doneFull {
		s.dirty = false
		return nil
	}
	s.fellBack = true
	if err := s.empty(); err != nil {
		return err
	}
	return s.fallback.search(ctx, root)
}

// The values of Done: 0 until the kernel has ended.
const (
	doneComplete = 1 + statusDone
	doneFull     = 1 + statusFull
)

// Counts returns the counts of the last search, which must be a counted one. The
// number of examined arcs comes from the profile.
func (s *Search) Counts() (engine.Counts, error) {
	c, err := s.module.Counts()
	if err != nil {
		return c, err
	}
	profile, err := s.Profile()
	c.Examined += profile.Examined
	c.Launches = 2
	return c, err
}

// Close frees the memory of the search.
func (s *Search) Close() error {
	return errors.Join(s.kernel.Close(), s.held.Free())
}
