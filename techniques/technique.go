//go:build cuda

package techniques

import (
	"context"
	"embed"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// images has the compiled kernels: .cubin and .ptx of each .cu file, and the instrumented
// form .counted.ptx (kernels/counted.cuh).
//
//go:embed compiled
var images embed.FS

// Technique is a search technique.
type Technique struct {
	Text
	implementation
}

// implementation is what a technique does.
type implementation struct {
	modules   []string // modules to load; the first has the technique's kernels
	newSearch func() search
}

// implementations has the implementations by the names of the techniques. The file of each
// technique adds its own.
var implementations = map[string]implementation{}

// All lists the techniques of both kernels in the order of Texts.
func All() (list []Technique) {
	for _, text := range Texts() {
		list = append(list, Technique{text, implementations[text.Name]})
	}
	return list
}

// sizes are the quantities that determine the memory of a technique: the numbers of
// vertices, of CSR rows and of arcs (directed edges).
type sizes struct{ vertices, rows, arcs uint64 }

// input has the graph and the results of a search.
type input struct {
	graph   *construct.Graph           // in the order of the kernel
	parents device.Array[engine.Label] // by label
	rows    uint64

	// Only of SSSP.
	distances device.Array[float32] // by label
	delta     float32
}

// search is the implementation of a technique. It embeds *host.
type search interface {
	// arrays declares the memory of the search.
	arrays(z sizes) []device.Declared

	// prepare looks up the kernels and initialises the state that lasts for all
	// searches. The arrays are allocated.
	prepare(h *host) error

	// begin starts a search from root, which has a row.
	begin(root engine.Label) error

	// step executes one or more levels, of SSSP rounds, and calls AddLevel for each.
	step() (more bool, err error)
}

// completer is a search that fills in the recorded levels when the profile is requested.
type completer interface{ complete() error }

// host is the part of the state that all techniques share.
type host struct {
	input
	device.HostLoop
	device *device.Device
}

// kernel looks up a kernel of the technique's first module.
func (h *host) kernel(to **device.Kernel, name string) (err error) {
	*to, err = h.Module.Kernel(name)
	return err
}

// Search is a technique prepared for one graph.
type Search struct {
	host   host
	search search
	held   *device.Held
}

// Load loads the modules, so that later calls do not load them.
func (t Technique) Load(d *device.Device) error {
	for _, name := range t.modules {
		if _, err := d.Load("techniques", images, name); err != nil {
			return err
		}
	}
	return nil
}

// group declares the memory of a search.
func group(s search, z sizes) device.Group {
	return device.Group{Alive: engine.Search, Arrays: s.arrays(z)}
}

// Plan lists the memory of a search on a graph with the given numbers of vertices, CSR
// rows and arcs (directed edges).
func (t Technique) Plan(vertices, rows, arcs uint64) []engine.Allocation {
	return group(t.newSearch(), sizes{vertices, rows, arcs}).Plan()
}

// New prepares a search of g, which has at least one row, by a technique of BFS. The search
// writes to parents, one entry per vertex. The caller still owns both. A counted search is
// the instrumented, slow form for Counts.
func (t Technique) New(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Label], counted bool) (*Search, error) {
	if t.Kernel != engine.BFS {
		return nil, fmt.Errorf("techniques: %s is not a technique of BFS", t.Name)
	}
	in := input{graph: g, parents: parents, rows: uint64(g.ByDegree.Rows.Len())}
	return t.open(ctx, d, in, uint64(g.ByDegree.Neighbors.Len()), counted)
}

// NewPaths is New for a technique of SSSP. The search also writes to distances, one entry
// per vertex. delta is the width of a bucket in units of the distance, above 0, if the
// technique uses one.
func (t Technique) NewPaths(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Label],
	distances device.Array[float32], delta float32, counted bool) (*Search, error) {
	switch {
	case t.Kernel != engine.SSSP:
		return nil, fmt.Errorf("techniques: %s is not a technique of SSSP", t.Name)
	case t.UsesDelta && !(delta > 0):
		return nil, fmt.Errorf("techniques: a delta of %v, it must be above 0", delta)
	}
	in := input{graph: g, parents: parents, distances: distances, delta: delta, rows: uint64(g.ByWeight.Rows.Len())}
	return t.open(ctx, d, in, uint64(g.ByWeight.Arcs.Len()), counted)
}

// open prepares a search of a graph with the given number of arcs.
func (t Technique) open(ctx context.Context, d *device.Device, in input, arcs uint64, counted bool) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s := &Search{search: t.newSearch()}
	s.host.input = in
	s.host.device = d
	err := s.host.Open(d, "techniques", images, t.modules[0], counted)
	if err == nil {
		s.held, err = d.Take(group(s.search, sizes{uint64(in.parents.Len()), in.rows, arcs}))
	}
	if err == nil {
		err = s.search.prepare(&s.host)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Ready does nothing (device.HostLoop.Ready).
func (s *Search) Ready() error { return s.host.Ready() }

// Search writes the parent, and for SSSP the distance, of every vertex reachable from root,
// which must have a row, and returns when this is done. All parents must be engine.None and
// all distances engine.Unreached before.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	return s.host.Run(ctx, func() error { return s.search.begin(root) }, s.search.step)
}

// Profile returns the levels of the last search and its time by the device's clock. The
// levels are valid until the next search.
func (s *Search) Profile() (engine.Profile, error) {
	if c, ok := s.search.(completer); ok {
		if err := c.complete(); err != nil {
			return engine.Profile{}, err
		}
	}
	return s.host.Profile()
}

// Counts returns the work counts of the last search. It is an error unless the search is
// counted.
func (s *Search) Counts() (engine.Counts, error) { return s.host.Counts() }

// Close frees the memory of the search.
func (s *Search) Close() error { return errors.Join(s.host.Close(), s.held.Free()) }
