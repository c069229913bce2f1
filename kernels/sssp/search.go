//go:build cuda

package sssp

import (
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// Load loads the modules, so that New does not wait for them.
func Load(d *device.Device) error {
	for _, name := range []string{"search", "fallback"} {
		if _, err := d.Load("sssp", images, name); err != nil {
			return err
		}
	}
	return nil
}

const (
	// stepArcs is the number of arcs of a vertex of mean degree that end in the first step
	// of the bound.
	stepArcs = 0.25
	// pullShare is the number of pushed arcs per row after which the pull begins.
	pullShare = 0.25
	// nearShare is the number of arcs per row that the near step may expand.
	nearShare = 0.002
	// polls is the number of times that the host polls for the end of a search before it
	// checks the driver for faults, and the context.
	polls = 1 << 14
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
	graph    *construct.WeightedGraph
	module   *device.Module
	counted  bool
	launch   *device.LaunchGraph
	grid     int // blocks
	held     *device.Held
	state    state
	fallback *fallback

	dirty    bool // the last search did not end, so the control block must be cleared
	fellBack bool // the last search was made without lists
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// New returns a search of g that writes parents and distances, N entries each. g must have
// at least one row. The caller still owns all three. Counts needs a counted search, which is
// slow.
func New(ctx context.Context, d *device.Device, g *construct.WeightedGraph, parents device.Array[engine.Local], distances device.Array[float32], counted bool) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return newSearch(d, g, parents, distances, counted, capacities(uint64(g.Rows.Len())))
}

// capacity holds the lengths of the lists of a search.
type capacity struct{ log, kept uint64 }

// capacities returns the lengths for n rows. A search of an official graph logs about 0.2 n
// improvements and keeps about 0.35 n arcs. Each block has an equal share of the kept arcs.
func capacities(rows uint64) capacity {
	return capacity{log: rows + 1<<16, kept: rows + maxBlocks<<10}
}

func newSearch(d *device.Device, g *construct.WeightedGraph, parents device.Array[engine.Local], distances device.Array[float32], counted bool, c capacity) (*Search, error) {
	s := &Search{device: d, graph: g, counted: counted}
	if err := s.prepare(parents, distances, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Search) prepare(parents device.Array[engine.Local], distances device.Array[float32], c capacity) (err error) {
	if err = s.loadKernel(); err != nil {
		return err
	}
	if s.held, err = s.device.Take(s.state.group(uint64(s.graph.Info.Vertices), c)); err != nil {
		return err
	}
	if s.state.Stop, err = device.Pinned[uint32](s.device, 1); err != nil {
		return err
	}
	if s.state.Done, err = device.Pinned[uint32](s.device, 1); err != nil {
		return err
	}
	if err := s.state.Control.Fill(0); err != nil {
		return err
	}
	s.state.Parents, s.state.Distances = parents, distances
	if err := s.fillState(); err != nil {
		return err
	}
	if s.fallback, err = newFallback(s.device, &s.state, s.grid); err != nil {
		return err
	}
	return s.module.SetConstant("g", s.state)
}

// loadKernel loads the kernel and computes the number of blocks, which must all be on
// the device at the same time.
func (s *Search) loadKernel() (err error) {
	if s.module, err = s.device.Load("sssp", images, device.Counted("search", s.counted)); err != nil {
		return err
	}
	kernel, err := s.module.Kernel("sssp")
	if err != nil {
		return err
	}
	image := make([]byte, 4)
	if err := s.module.Read("sharedBytes", image); err != nil {
		return err
	}
	shared := int(binary.NativeEndian.Uint32(image))
	if err = kernel.AllowShared(shared); err != nil {
		return err
	}
	each, err := kernel.BlocksPerSM(threads, shared)
	if err != nil {
		return err
	}
	if s.grid = min(each*s.device.Properties().SMs, maxBlocks); s.grid == 0 {
		return fmt.Errorf("the search needs blocks of %d threads and %d bytes of shared memory, which %s does not have",
			threads, shared, s.device.Properties().Name)
	}
	s.launch, err = kernel.NewLaunchGraph(s.grid, threads, shared, 1)
	return err
}

// group declares the working memory of a search of N vertices.
func (s *searching) group(vertices uint64, c capacity) device.Group {
	words := (vertices + 31) / 32
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Log, "log of improvements", c.log),
		device.Of(&s.Kept, "kept arcs", c.kept),
		device.Of(&s.Targets, "bitmap of targets of kept arcs", words),
		device.Of(&s.Marks[0], "bitmap of changed vertices", words),
		device.Of(&s.Marks[1], "next bitmap of changed vertices", words),
		device.Of(&s.Marks[2], "third bitmap of changed vertices", words),
		device.Of(&s.Control, "control block of SSSP", 1),
		device.Of(&s.Rounds, "records of rounds", maxRecords),
		device.Of(&s.Any, "flag of the search without lists", 1),
	}}
}

// Plan lists the memory of a search. The graph has N vertices and n rows.
func Plan(vertices, rows uint64) []engine.Allocation {
	return new(searching).group(vertices, capacities(rows)).Plan()
}

// fillState fills in the state of the kernel, except for the arrays of the search and the
// results.
func (s *Search) fillState() error {
	g, st := s.graph, &s.state
	rows := uint64(g.Rows.Len())
	mean, err := meanWeight(g)
	if err != nil {
		return err
	}
	st.Vertices, st.RowCount = uint32(g.Info.Vertices), uint32(rows)
	st.LogCapacity, st.KeptCapacity = uint32(st.Log.Len()), uint32(st.Kept.Len()/s.grid)
	st.NearArcs = uint32(nearShare * float64(rows))
	const sample = 1 << 12 // words
	st.SampleStride = max(1, st.Vertices/32/sample)
	st.PullArcs = uint64(pullShare * float64(rows))
	// Weights are taken as uniform between 0 and twice their mean.
	st.Step = 2 * mean * stepArcs * float32(rows) / float32(g.Info.Arcs)
	if mean > 0 {
		st.ArcScale = 1 / (2 * mean)
	}
	st.Index, st.Rows, st.Arcs, st.Heads, st.Thirds = g.Index, g.Rows, g.Arcs, g.Heads, g.Thirds
	return nil
}

// meanWeight returns the mean weight of the first rows of the graph.
func meanWeight(g *construct.WeightedGraph) (float32, error) {
	arcs := make([]construct.Arc, min(1<<16, g.Arcs.Len()))
	if err := g.Arcs.Read(0, arcs); err != nil {
		return 0, err
	}
	var sum float64
	for _, a := range arcs {
		sum += float64(a.Weight)
	}
	return float32(sum / float64(max(1, len(arcs)))), nil
}

// Search writes the parents and distances of every vertex reachable from root. root must
// have a row; all parents must be engine.None and all distances engine.Unreached before.
// Search waits by polling, because to be woken up takes longer than many searches.
func (s *Search) Search(ctx context.Context, root engine.Local) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.counted {
		if err := s.module.ResetCounts(); err != nil {
			return err
		}
	}
	if s.dirty {
		if err := s.state.Control.Fill(0); err != nil {
			return err
		}
	}
	s.dirty, s.profiled, s.fellBack = true, false, false
	atomic.StoreUint32(&s.state.Done.Host()[0], 0)
	if err := s.launch.Launch(uint64(root)); err != nil {
		return err
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	s.dirty = false
	if s.state.Done.Host()[0] != doneFull {
		return nil
	}
	s.fellBack = true
	return s.fallback.search(ctx, root)
}

// The values of Done: 0 until the kernel has ended.
const (
	doneComplete = 1 + statusDone
	doneFull     = 1 + statusFull
)

// wait waits for the end of the kernel. It asks the kernel to stop when ctx ends.
func (s *Search) wait(ctx context.Context) error {
	ended := ctx.Done()
	stopped := false
	for {
		done, err := s.device.Await(s.state.Done, polls)
		if err != nil {
			return err
		}
		if done {
			break
		}
		select {
		case <-ended:
			ended, stopped = nil, true
			atomic.StoreUint32(&s.state.Stop.Host()[0], 1)
		default:
		}
	}
	if stopped {
		s.state.Stop.Host()[0] = 0
		return context.Cause(ctx)
	}
	return nil
}

// Counts returns the counts of the last search, which must be a counted one. The
// number of examined arcs comes from the profile.
func (s *Search) Counts() (engine.Counts, error) {
	c, err := s.module.Counts()
	if err != nil {
		return c, err
	}
	profile, err := s.Profile()
	c.Examined += profile.Examined
	c.Launches = 1
	return c, err
}

// Close frees the memory of the search.
func (s *Search) Close() error {
	return errors.Join(s.launch.Close(), s.state.Stop.Free(), s.state.Done.Free(), s.held.Free())
}
