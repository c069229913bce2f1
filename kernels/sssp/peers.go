//go:build cuda

package sssp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// LoadPeers loads the module of Peers, so that NewPeers does not wait for it.
func LoadPeers(d *device.Device) error { return load(d, "peers") }

// LoadSplitPeers is LoadPeers for graphs with split rows.
func LoadSplitPeers(d *device.Device) error { return load(d, "splitpeers") }

// Peers is the default search of shortest paths on the devices of a team, which read each
// other's memory (peers.cu): a persistent kernel on each device. Each device has the rows of
// a range of labels, in the order of the devices.
type Peers struct {
	team    *device.Team
	members []*peerSearch // on the devices of this process
	kernel  *device.TeamKernel

	dirty    bool // the last search did not end
	profiled bool // profile is that of the last search
	profile  engine.Profile
}

// peerSearch is the part of a search on one device.
type peerSearch struct {
	device  *device.Device
	graph   *construct.Graph
	module  *device.Module
	kernel  *device.Persistent
	held    *device.Held
	state   state
	peers   peers
	tails   peerTails // if the rows are split
	control device.Array[peerControl]
	totals  device.Array[uint64]
}

// peerCapacities returns the lengths of the lists of a device with some of the rows of all, as
// capacities. The first device, which pushes alone, needs the largest log and queue, and the
// others a log of the same length.
func peerCapacities(all, own uint64, devices int) capacity {
	c := capacities(all)
	c.kept = capacities(own).kept
	c.hubs = peerHubs(c.hubs, devices)
	return c
}

// peerHubs returns the number of hubs, at most that many, of which each device has as many.
func peerHubs(hubs uint64, devices int) uint64 {
	each := uint64(32 * devices)
	return hubs / each * each
}

// group declares the memory of a device.
func (m *peerSearch) group(z rowSizes, c capacity) device.Group {
	c.queue = max(c.queue, c.log) // the first queue also has the entries of the log
	group := m.state.group(z, c)
	group.Arrays = append(group.Arrays,
		device.Of(&m.totals, "sums of barriers of SSSP", 4*2*device.MostTogether),
		device.Of(&m.control, "barriers of SSSP", 1))
	return group
}

// PeersPlan lists the memory of one device of a search on several devices. The graph has N
// vertices and n rows, and no device has more than the given rows.
func PeersPlan(vertices, rows, ownRows uint64, devices int) []engine.Allocation {
	z := rowSizes{vertices, ownRows, uint64(devices) * ((ownRows + 31) / 32 * 32)}
	return new(peerSearch).group(z, peerCapacities(rows, ownRows, devices)).Plan()
}

// NewPeers returns a search of the graphs, which are the parts of one graph in the order of
// its labels, each on a device of the team. Each device has arrays of N parents and
// distances. The search writes the parents and distances of the device's range. The arguments
// are those of the devices of this process. The graphs must have at least one row together. Either
// all graphs have split rows or none has; all devices of graphs with split rows must be of this
// process, because the first one reads the host memory of all.
func NewPeers(ctx context.Context, team *device.Team, graphs []*construct.Graph, parents []device.Array[engine.Label], distances []device.Array[float32]) (*Peers, error) {
	return newPeers(ctx, team, graphs, parents, distances, func(own uint64) capacity {
		return peerCapacities(uint64(graphs[0].Info.Connected), own, team.Count())
	})
}

func newPeers(ctx context.Context, team *device.Team, graphs []*construct.Graph, parents []device.Array[engine.Label], distances []device.Array[float32], capacities func(own uint64) capacity) (*Peers, error) {
	s := &Peers{team: team}
	split := graphs[0].IsSplit()
	if split && !team.Alone() {
		return nil, errors.New("sssp: split rows on devices of several processes")
	}
	for i, d := range team.Devices() {
		m := &peerSearch{device: d, graph: graphs[i]}
		if n := m.graph.ByWeight.Rows.Len(); n%(32*team.Count()) != 0 { // kernel 1 pads the rows of several devices
			return nil, fmt.Errorf("sssp: %d rows on %d devices", n, team.Count())
		}
		m.state.Parents, m.state.Distances = parents[i], distances[i]
		for k, g := range graphs {
			if split {
				m.tails.Tails[k], m.tails.Prefix = g.ByWeight.Tails, g.Prefix
			}
		}
		s.members = append(s.members, m)
	}
	err := team.Together(func(i int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return s.members[i].prepare(capacities(uint64(graphs[i].ByWeight.Heads.Len())))
	})
	if err == nil {
		err = s.introduce()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare allocates the memory of the device and fills in its state.
func (m *peerSearch) prepare(c capacity) (err error) {
	if m.module, err = m.device.Load("sssp", images, m.moduleName()); err != nil {
		return err
	}
	if m.kernel, err = m.module.NewPersistent("ssspPeers", threads); err != nil {
		return err
	}
	g, rows := m.graph, uint64(m.graph.ByWeight.Heads.Len())
	z := rowSizes{uint64(g.Info.Vertices), rows, uint64(g.ByWeight.Labels.Len())}
	if m.held, err = m.device.Take(m.group(z, c)); err != nil {
		return err
	}
	m.state.fill(g, rows, m.kernel.Blocks)
	m.state.QueueCapacity, m.state.Hubs = uint32(c.queue), uint32(c.hubs)
	m.state.Stop, m.state.Done = m.kernel.Stop, m.kernel.Done
	return nil
}

// introduce tells each device of the others. The first device then copies the light arcs.
func (s *Peers) introduce() error {
	if err := s.describe(); err != nil {
		return err
	}
	if err := s.team.Together(func(i int) error {
		m := s.members[i]
		if err := errors.Join(m.reset(), m.describe(m.module)); err != nil {
			return err
		}
		if m.peers.Own == 0 {
			if err := copyLight(m.device, m.moduleName(), &m.state, uint64(m.peers.Numbers), m.describe); err != nil {
				return err
			}
		}
		return errors.Join(m.describe(m.module), m.device.Synchronize())
	}); err != nil {
		return err
	}
	var kernels []*device.Persistent
	for _, m := range s.members {
		kernels = append(kernels, m.kernel)
	}
	s.kernel = device.NewTeamKernel(s.team, kernels)
	return nil
}

// describe sets the constants of a module.
func (m *peerSearch) describe(module *device.Module) error {
	err := errors.Join(module.SetConstant("g", m.state), module.SetConstant("m", m.peers))
	if m.graph.IsSplit() {
		err = errors.Join(err, module.SetConstant("tails", m.tails))
	}
	return err
}

// moduleName returns the name of the module with the kernels for the rows.
func (m *peerSearch) moduleName() string {
	if m.graph.IsSplit() {
		return "splitpeers"
	}
	return "peers"
}

// reset makes the working memory that of a device that has not searched yet. The kernel reads the
// first queue where the log has a gap, too, and does not use what it reads there.
func (m *peerSearch) reset() error {
	return errors.Join(m.control.Fill(0), m.totals.Fill(0), m.state.Control.Fill(0), m.state.Best.Fill(0xff), m.state.Touched.Fill(0), m.state.Queues[0].Fill(0))
}

// describe sets the descriptions of all devices for each device of this process.
func (s *Peers) describe() error {
	own := make([]uint64, len(s.members))
	for i, m := range s.members {
		own[i] = m.graph.Labels.End
	}
	ends, err := device.Gather(s.team, own)
	if err != nil {
		return err
	}
	for i, m := range s.members {
		m.peers = peers{Count: uint32(len(ends)), Own: uint32(s.team.First() + i), Numbers: uint32(m.graph.ByWeight.Labels.Len()), Control: m.control}
		for k, end := range ends {
			m.peers.Peers[k].EndLabel = engine.Label(end)
		}
	}
	marks := func(k int) error {
		return addPeers(s, func(m *peerSearch) device.Array[uint32] { return m.state.Marks[k] }, func(p *peer) *device.Array[uint32] { return &p.Marks[k] })
	}
	return errors.Join(
		addPeers(s, func(m *peerSearch) device.Array[uint64] { return m.totals }, func(p *peer) *device.Array[uint64] { return &p.Totals }),
		addPeers(s, func(m *peerSearch) device.Array[construct.Arc] { return m.graph.ByWeight.Arcs }, func(p *peer) *device.Array[construct.Arc] { return &p.Arcs }),
		addPeers(s, func(m *peerSearch) device.Array[uint64] { return m.graph.Index }, func(p *peer) *device.Array[uint64] { return &p.Index }),
		addPeers(s, func(m *peerSearch) device.Array[construct.Third] { return m.graph.ByWeight.Thirds }, func(p *peer) *device.Array[construct.Third] { return &p.Thirds }),
		addPeers(s, func(m *peerSearch) device.Array[control] { return m.state.Control }, func(p *peer) *device.Array[control] { return &p.Control }),
		addPeers(s, func(m *peerSearch) device.Array[uint64] { return m.state.Best }, func(p *peer) *device.Array[uint64] { return &p.Best }),
		addPeers(s, func(m *peerSearch) device.Array[uint32] { return m.state.Log }, func(p *peer) *device.Array[uint32] { return &p.Log }),
		addPeers(s, func(m *peerSearch) device.Array[item] { return m.state.Queues[0] }, func(p *peer) *device.Array[item] { return &p.Entries }),
		addPeers(s, func(m *peerSearch) device.Array[uint32] { return m.state.HubBest }, func(p *peer) *device.Array[uint32] { return &p.HubBest }),
		addPeers(s, func(m *peerSearch) device.Array[uint32] { return m.state.Targets }, func(p *peer) *device.Array[uint32] { return &p.Targets }),
		addPeers(s, func(m *peerSearch) device.Array[uint32] { return m.state.Staying }, func(p *peer) *device.Array[uint32] { return &p.Staying }),
		addPeers(s, func(m *peerSearch) device.Array[uint32] { return m.state.Open }, func(p *peer) *device.Array[uint32] { return &p.Open }),
		marks(0), marks(1), marks(2),
		addPeers(s, func(m *peerSearch) device.Array[float32] { return m.state.Distances }, func(p *peer) *device.Array[float32] { return &p.Distances }))
}

// addPeers adds an array of all devices to the descriptions.
func addPeers[T any](s *Peers, of func(m *peerSearch) device.Array[T], field func(p *peer) *device.Array[T]) error {
	own := make([]device.Array[T], len(s.members))
	for i, m := range s.members {
		own[i] = of(m)
	}
	seen, err := device.Reach(s.team, own)
	for i, arrays := range seen {
		for k, a := range arrays {
			*field(&s.members[i].peers.Peers[k]) = a
		}
	}
	return err
}

// Search writes the parents and distances of every vertex reachable from root, each on the
// device of the vertex. root must have a row; the parents of the device's range must be
// engine.None and all distances engine.Unreached before.
func (s *Peers) Search(ctx context.Context, root engine.Label) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.dirty {
		if err := s.team.Together(func(i int) error { return errors.Join(s.members[i].reset(), s.members[i].device.Synchronize()) }); err != nil {
			return err
		}
	}
	s.dirty, s.profiled = true, false
	if err := s.kernel.Run(ctx, uint64(root)); err != nil {
		return err
	}
	for _, m := range s.members {
		if m.state.Done.Host()[0] != doneComplete {
			return cmp.Or(context.Cause(ctx), errors.New("another rank has stopped the search"))
		}
	}
	s.dirty = false
	return nil
}

// Profile returns the parts of the last search. Times are those of the first device of this
// process, arcs and vertices those of all. The result is valid until the next search.
func (s *Peers) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.profiled {
		return *p, nil
	}
	p.Reset()
	var c [1]control
	if err := s.members[0].state.Control.Read(0, c[:]); err != nil {
		return engine.Profile{}, err
	}
	count := int(min(c[0].Records, maxRecords))
	sums := make([]int64, 2*count) // examined and found
	var first []roundRecord
	for i, m := range s.members {
		records := make([]roundRecord, count)
		if err := m.state.Rounds.Read(0, records); err != nil {
			return engine.Profile{}, err
		}
		for k, r := range records {
			sums[2*k] += int64(r.Examined)
			sums[2*k+1] += int64(r.Found)
		}
		if i == 0 {
			first = records
		}
	}
	if err := s.team.Sum(sums); err != nil {
		return engine.Profile{}, err
	}
	before := c[0].Begin
	for k, r := range first {
		end := max(r.End, before) // the first device makes the first parts alone
		p.Add(engine.Level{
			Step: stepNames[r.Step], Frontier: int64(r.Frontier), Found: sums[2*k+1], Examined: sums[2*k],
			Seconds: time.Duration(end - before).Seconds(),
		})
		before = end
	}
	p.LevelCount = int64(c[0].Records)
	p.DeviceSeconds = time.Duration(c[0].End - c[0].Begin).Seconds()
	s.profiled = true
	return *p, nil
}

// Close frees the memory of the search. Close of nil does nothing.
func (s *Peers) Close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for i := len(s.members) - 1; i >= 0; i-- {
		errs = append(errs, s.members[i].kernel.Close(), s.members[i].held.Free())
	}
	s.members = nil
	return errors.Join(errs...)
}
