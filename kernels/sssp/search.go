//go:build cuda

package sssp

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

//go:embed compiled
var images embed.FS

// modules lists the modules with the kernels for one or for several devices, of split rows or
// others, the one with the search first.
func modules(several, split bool) []string {
	switch {
	case several && split:
		return []string{"splitpeers"}
	case several:
		return []string{"peers"}
	case split:
		return []string{"split"}
	}
	return []string{"search", "light", "fallback"}
}

// moduleOf returns the one of modules with the kernels of a module: all are in one, or each has its
// own.
func moduleOf(name string, several, split bool) string {
	list := modules(several, split)
	if slices.Contains(list, name) {
		return name
	}
	return list[0]
}

// Load loads the modules of a search on that many devices, of split rows or others, so that New
// does not wait for them.
func Load(d *device.Device, devices int, split bool) error {
	for _, name := range modules(devices > 1, split) {
		if _, err := d.Load("sssp", images, name); err != nil {
			return err
		}
	}
	return nil
}

// The values of Status in search.cuh.
const (
	statusDone = iota
	statusFull
	statusStopped
)

// The values of Done: 0 until the kernel has ended.
const (
	doneComplete = 1 + statusDone
	doneFull     = 1 + statusFull
)

// Search is the default search of shortest paths on the devices of a team, one or more: a
// persistent kernel on each, and on one device a second one. Several read each other's memory
// (peers.cu). Each has the rows of a range of labels, in the order of the devices. All data of a
// search are on the devices before it starts, so a search is one launch and one wait.
//
// A kernel reads the addresses of its arrays from constant memory of its module. So a device has
// at most one Search, and one counted Search, at a time.
type Search struct {
	form
	team     *device.Team
	members  []*member // on the devices of this process
	kernel   *device.TeamKernel
	fallback *fallback // of one device; several search without lists by themselves

	dirty    bool // the last search did not end, so the working memory must be emptied
	fellBack bool // the last search was made by fallback
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// form is what New chooses, and tests choose otherwise.
type form struct {
	counted    bool
	several    bool // by the kernels for several devices
	policy     policy
	capacities func(own uint64) capacity // of a device with that many rows
}

// member is the part of a search on one device.
type member struct {
	device *device.Device
	graph  *construct.Graph
	module *device.Module
	kernel *device.Persistent
	held   *device.Held
	state  state

	// Of several devices.
	peers   peers
	tails   peerTails // if the rows are split
	control device.Array[peerControl]
	totals  device.Array[uint64]
}

// New returns a search of the graphs, which are the parts of one graph in the order of its labels,
// each on a device of the team. Each device has arrays of N parents and distances, of which the
// search writes those of the device's range. The arguments are those of the devices of this
// process; the caller still owns them. The graphs must have at least one row together. Either all
// graphs have split rows or none has; of several ranks, each then reads the host memory of all
// (device.Share). Counts needs a counted search, which
// is slow, and on one device only.
func New(ctx context.Context, team *device.Team, graphs []*construct.Graph, parents []device.Array[engine.Label], distances []device.Array[float32], counted bool) (*Search, error) {
	rows := uint64(graphs[0].Info.Connected)
	f := form{counted: counted, several: team.Count() > 1, policy: policyOf(rows, team.Count(), team.Alone() && !graphs[0].IsSplit())}
	f.capacities = func(own uint64) capacity {
		return capacities(rows, own, team.Count(), f.policy)
	}
	return newSearch(ctx, team, graphs, parents, distances, f)
}

func newSearch(ctx context.Context, team *device.Team, graphs []*construct.Graph, parents []device.Array[engine.Label], distances []device.Array[float32], f form) (*Search, error) {
	s := &Search{form: f, team: team}
	for i, d := range team.Devices() {
		m := &member{device: d, graph: graphs[i]}
		if n := m.graph.ByWeight.Rows.Len(); f.several && n%(32*team.Count()) != 0 { // kernel 1 pads the rows of several devices
			return nil, fmt.Errorf("sssp: %d rows on %d devices", n, team.Count())
		}
		m.state.Parents, m.state.Distances = parents[i], distances[i]
		s.members = append(s.members, m)
	}
	err := team.Together(func(i int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return s.prepare(s.members[i], f.capacities(uint64(graphs[i].ByWeight.Heads.Len())))
	})
	if err == nil {
		err = s.introduce()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare allocates the memory of a device and fills in its state.
func (s *Search) prepare(m *member, c capacity) (err error) {
	if m.module, err = m.device.Load("sssp", images, device.Counted(s.moduleOf("search"), s.counted)); err != nil {
		return err
	}
	kernel := "sssp"
	if s.several {
		kernel = "ssspPeers"
	}
	if m.kernel, err = m.module.NewPersistent(kernel, threads); err != nil {
		return err
	}
	blocks := m.kernel.Blocks // of the pull and the tail
	if !s.several {
		if blocks, err = m.kernel.Then(m.module, "settle", threads); err != nil {
			return err
		}
	}
	r := &m.graph.ByWeight
	z := rowSizes{uint64(m.graph.Info.Vertices), uint64(r.Heads.Len()), uint64(r.Labels.Len())}
	if m.held, err = m.device.Take(m.group(z, c, s.several)); err != nil {
		return err
	}
	m.state.fill(m.graph, z.rows, blocks, s.policy)
	m.state.QueueCapacity, m.state.Hubs = uint32(c.queue), uint32(min(c.hubs, z.numbers/32*32))
	m.state.Stop, m.state.Done = m.kernel.Stop, m.kernel.Done
	return nil
}

// moduleOf returns the module with the kernels of a module.
func (s *Search) moduleOf(name string) string {
	return moduleOf(name, s.several, s.members[0].graph.IsSplit())
}

// empty makes the working memory of a device what it is between two searches.
func (s *Search) empty(m *member) error {
	err := errors.Join(m.state.Control.Fill(0), m.state.Best.Fill(0xff), m.state.Touched.Fill(0))
	if !s.several {
		return err
	}
	return errors.Join(err, m.control.Fill(0), m.totals.Fill(0), m.device.Synchronize())
}

// Ready makes ready for a Search that follows at once (device.TeamKernel.Ready).
func (s *Search) Ready() error { return s.kernel.Ready() }

// Search writes the parents and distances of every vertex reachable from root, each on the device
// of the vertex. root must have a row; the parents of a device's range must be engine.None and all
// distances engine.Unreached before.
func (s *Search) Search(ctx context.Context, root engine.Label) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.counted {
		if err := s.members[0].module.ResetCounts(false); err != nil {
			return err
		}
	}
	if s.dirty {
		if err := s.team.Together(func(i int) error { return s.empty(s.members[i]) }); err != nil {
			return err
		}
	}
	s.dirty, s.profiled, s.fellBack = true, false, false
	if err := s.kernel.Run(ctx, uint64(root)); err != nil {
		return err
	}
	for _, m := range s.members {
		switch done := m.state.Done.Host()[0]; {
		case done == doneFull && s.fallback != nil:
			return s.searchAgain(ctx, root)
		case done != doneComplete:
			return cmp.Or(context.Cause(ctx), errors.New("another rank has stopped the search"))
		}
	}
	s.dirty = false
	return nil
}

// searchAgain is Search on one device without lists.
func (s *Search) searchAgain(ctx context.Context, root engine.Label) error {
	s.fellBack = true
	if err := s.empty(s.members[0]); err != nil {
		return err
	}
	return s.fallback.search(ctx, root)
}

// Counts returns the counts of the last search, which must be a counted one.
func (s *Search) Counts() (engine.Counts, error) { return s.members[0].module.CountsOf(s.Profile, 2) }

// Close frees the memory of the search. Close of nil does nothing.
func (s *Search) Close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for _, m := range slices.Backward(s.members) {
		errs = append(errs, m.kernel.Close(), m.held.Free())
	}
	s.members = nil
	return errors.Join(errs...)
}
