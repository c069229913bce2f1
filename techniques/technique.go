//go:build cuda

package techniques

import (
	"context"
	"embed"
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// images are the compiled forms: .cubin and .ptx of each .cu, and a .counted.ptx
// that counts (kernels/counted.cuh).
//
//go:embed compiled
var images embed.FS

// Technique is one way to search.
type Technique struct {
	Text

	modules []string // that it loads
	make    func() method
}

// sizes are what the memory of a technique depends on: N vertices, n rows, and the
// arcs, each edge in both directions.
type sizes struct{ vertices, rows, arcs uint64 }

// input is what a technique searches and fills.
type input struct {
	graph   *construct.Graph
	parents device.Array[engine.Local] // N entries
	rows    uint64
}

// method is the state of one technique. A technique embeds *host, and has what
// follows.
type method interface {
	// arrays declares what the search takes.
	arrays(z sizes) []device.Declared

	// prepare finds kernels, and makes ready what stays between searches. The
	// arrays are taken.
	prepare(h *host) error

	// begin begins a search from root, which has a row.
	begin(root engine.Local) error

	// step does one level or more, and enters them by Note.
	step() (more bool, err error)
}

// completer is a method that completes the noted levels when they are asked for.
type completer interface{ complete() error }

// host is what a method has of what all share.
type host struct {
	input
	device.HostLoop
	device *device.Device
}

// kernel finds a kernel of the technique's own module.
func (h *host) kernel(to **device.Kernel, name string) (err error) {
	*to, err = h.Module.Kernel(name)
	return err
}

// Search is a technique that searches one graph.
type Search struct {
	host   host
	method method
	held   *device.Held
}

// All lists the techniques from the plainest on, in the order in which the
// literature adds one idea to the other. To add one, write its two files and its
// text, and name it here and in Texts.
func All() []Technique {
	return []Technique{
		push(),
		pull(),
		edge(),
		spmv(),
		bitmapFrontier(),
		frontier(),
		privatized(),
		singleBlock(),
		degreeBuckets(),
		gatherSerial(),
		gatherWarp(),
		gatherScan(),
		gatherCta(),
		scanWarpCta(),
		directionHalf(),
		direction(),
	}
}

// Load loads the modules. What is made afterwards does not wait for them.
func (t Technique) Load(d *device.Device) error {
	for _, name := range t.modules {
		if _, err := d.Load("techniques", images, name); err != nil {
			return err
		}
	}
	return nil
}

// group declares the memory of a search.
func group(m method, z sizes) device.Group {
	return device.Group{Alive: engine.Search, Arrays: m.arrays(z)}
}

// Plan lists the memory of a search for N vertices, n rows and the arcs.
func (t Technique) Plan(vertices, rows, arcs uint64) []engine.Allocation {
	return group(t.make(), sizes{vertices, rows, arcs}).Plan()
}

// New returns a search of g, which has a row at least, that fills parents, N
// entries. Both stay the caller's. A counted search is one for Counts, and slow.
func (t Technique) New(ctx context.Context, d *device.Device, g *construct.Graph, parents device.Array[engine.Local], counted bool) (*Search, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	s := &Search{method: t.make()}
	s.host.input = input{g, parents, uint64(g.Rows.Len())}
	s.host.device = d
	err := s.host.Open(d, "techniques", images, t.modules[0], counted)
	if err == nil {
		s.held, err = d.Take(group(s.method, sizes{uint64(parents.Len()), s.host.rows, uint64(g.Neighbors.Len())}))
	}
	if err == nil {
		err = s.method.prepare(&s.host)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Search writes the parent of every vertex reachable from root, which has a row,
// before it returns; all parents are engine.None before.
func (s *Search) Search(ctx context.Context, root engine.Local) error {
	return s.host.Run(ctx, func() error { return s.method.begin(root) }, s.method.step)
}

// Profile returns the levels of the last search, valid until the next, and its time
// by the device's clock.
func (s *Search) Profile() (engine.Profile, error) {
	if c, ok := s.method.(completer); ok {
		if err := c.complete(); err != nil {
			return engine.Profile{}, err
		}
	}
	return s.host.Profile()
}

// Counts returns what the last search did; it must be a counted one.
func (s *Search) Counts() (engine.Counts, error) { return s.host.Counts() }

// Close gives back what the search took.
func (s *Search) Close() error { return errors.Join(s.host.Close(), s.held.Free()) }
