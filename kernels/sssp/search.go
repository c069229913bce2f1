//go:build cuda

package sssp

import (
	"context"
	"embed"
	"errors"

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
	kernel   *device.Persistent
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
	return capacity{log: rows + 1<<16, kept: rows + device.MaxBlocks<<10}
}

func newSearch(d *device.Device, g *construct.WeightedGraph, parents device.Array[engine.Local], distances device.Array[float32], counted bool, c capacity) (*Search, error) {
	s := &Search{device: d, graph: g, counted: counted}
	if err := s.prepare(parents, distances, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Search) prepare(parents device.Array[engine.Local], distances device.Array[float32], c capacity) (err error) {
	if s.module, err = s.device.Load("sssp", images, device.Counted("search", s.counted)); err != nil {
		return err
	}
	if s.kernel, err = s.module.NewPersistent("sssp", threads); err != nil {
		return err
	}
	if s.held, err = s.device.Take(s.state.group(uint64(s.graph.Info.Vertices), c)); err != nil {
		return err
	}
	s.state.Stop, s.state.Done = s.kernel.Stop, s.kernel.Done
	if err := s.state.Control.Fill(0); err != nil {
		return err
	}
	s.state.Parents, s.state.Distances = parents, distances
	if err := s.fillState(); err != nil {
		return err
	}
	if s.fallback, err = newFallback(s.device, &s.state, s.kernel.Blocks); err != nil {
		return err
	}
	return s.module.SetConstant("g", s.state)
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
	st.LogCapacity, st.KeptCapacity = uint32(st.Log.Len()), uint32(st.Kept.Len()/s.kernel.Blocks)
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
	if err := s.kernel.Run(ctx, uint64(root)); err != nil {
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
	return errors.Join(s.kernel.Close(), s.held.Free())
}
