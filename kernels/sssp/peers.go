//go:build cuda

package sssp

import (
	"context"
	"errors"
	"time"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// LoadPeers loads the module of Peers, so that NewPeers does not wait for it.
func LoadPeers(d *device.Device) error { return load(d, "peers") }

const (
	// nearMost is the largest number of arcs that the near step of several devices expands: a
	// row of more arcs leads to so many near vertices that the bound can begin there.
	nearMost = 1 << 14
	// peerSample is the number of words of the index, 32 labels each, that decide on the pull on
	// one device.
	peerSample = 1 << 12
	// slack is the number of entries of a list in addition to those that its rows need.
	slack = 1 << 12
)

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
	graph   *construct.WeightedRange
	module  *device.Module
	kernel  *device.Persistent
	held    *device.Held
	state   peerState
	control device.Array[peerControl]
	totals  device.Array[uint64]
}

// peerCapacity holds the lengths of the lists of a device.
type peerCapacity struct{ list, outgoing, pieces, kept uint64 }

// peerCapacities returns the lengths for a device with some of the rows of all. In a round, a
// device finds hardly more improvements than it has rows. It keeps about half as many arcs as
// it has rows, and the places that a warp has claimed but not used take little.
func peerCapacities(all, own uint64, devices int) peerCapacity {
	return peerCapacity{
		list: own + slack, outgoing: all/uint64(devices) + all/uint64(8*devices) + slack,
		pieces: own/8 + slack, kept: 2*own + device.MaxBlocks*threads/32*keptClaim,
	}
}

// group declares the memory of a device with the given rows of N vertices.
func (m *peerSearch) group(vertices, rows uint64, c peerCapacity, devices int) device.Group {
	s, words := &m.state.peerMemory, (vertices+31)/32
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&s.Log, "log of reached vertices", rows),
		device.Of(&s.LogDistances, "distances of the log", rows),
		device.Of(&s.Lists[0], "improvements", c.list),
		device.Of(&s.Lists[1], "next improvements", c.list),
		device.Of(&s.Outgoing, "improvements for other devices", c.outgoing*uint64(devices)),
		device.Of(&s.Pieces, "pieces of rows", c.pieces),
		device.Of(&s.Kept, "kept arcs", c.kept),
		device.Of(&s.Published, "distances for other devices", rows),
		device.Of(&s.Wanted, "bitmap of sources of kept arcs", words),
		device.Of(&s.Changed[0], "bitmap of changed vertices", words),
		device.Of(&s.Changed[1], "next bitmap of changed vertices", words),
		device.Of(&s.Counts, "lengths for other devices", 1),
		device.Of(&s.Records, "records of rounds", maxRecords),
		device.Of(&m.totals, "sums of barriers of SSSP", 4*2*device.MostTogether),
		device.Of(&m.control, "control block of SSSP", 1),
	}}
}

// PeersPlan lists the memory of one device of a search on several devices. The device has
// the given rows of N vertices and n rows.
func PeersPlan(vertices, rows, ownRows uint64, devices int) []engine.Allocation {
	return new(peerSearch).group(vertices, ownRows, peerCapacities(rows, ownRows, devices), devices).Plan()
}

// NewPeers returns a search of the graphs, which are the ranges of one graph in the order of
// its labels, each on a device of the team. Each device has arrays of N parents and
// distances. The search writes the parents and distances of the device's range, and uses the
// other distances. The arguments are those of the devices of this process. The graphs must
// have at least one row together.
func NewPeers(ctx context.Context, team *device.Team, graphs []*construct.WeightedRange, parents []device.Array[engine.Local], distances []device.Array[float32]) (*Peers, error) {
	return newPeers(ctx, team, graphs, parents, distances, func(own uint64) peerCapacity {
		return peerCapacities(uint64(graphs[0].Info.Connected), own, team.Count())
	})
}

func newPeers(ctx context.Context, team *device.Team, graphs []*construct.WeightedRange, parents []device.Array[engine.Local], distances []device.Array[float32], capacity func(own uint64) peerCapacity) (*Peers, error) {
	s := &Peers{team: team}
	for i, d := range team.Devices() {
		m := &peerSearch{device: d, graph: graphs[i]}
		m.state.Parents, m.state.Distances = parents[i], distances[i]
		s.members = append(s.members, m)
	}
	err := team.Together(func(i int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return s.members[i].prepare(capacity(uint64(graphs[i].Heads.Len())), team.Count())
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
func (m *peerSearch) prepare(c peerCapacity, devices int) (err error) {
	if m.module, err = m.device.Load("sssp", images, "peers"); err != nil {
		return err
	}
	if m.kernel, err = m.module.NewPersistent("ssspPeers", threads); err != nil {
		return err
	}
	g, st := m.graph, &m.state
	if m.held, err = m.device.Take(m.group(uint64(g.Info.Vertices), uint64(g.Heads.Len()), c, devices)); err != nil {
		return err
	}
	st.Vertices, st.FirstLabel, st.EndLabel = uint32(g.Info.Vertices), uint32(g.Labels.First), uint32(g.Labels.End)
	st.RowCount = uint32(g.Heads.Len())
	st.ListCapacity, st.OutgoingCapacity = uint32(c.list), uint32(c.outgoing)
	st.PieceCapacity, st.KeptCapacity = uint32(c.pieces), uint32(c.kept)
	st.SampleStride = max(1, (st.EndLabel-st.FirstLabel)/32/peerSample)
	rows := float64(g.Info.Connected)
	st.NearArcs, st.PullAt = uint64(min(nearShare*rows, nearMost)), uint64(pullShare*rows)
	st.Step = firstStep(g.MeanWeight, g.Info)
	st.Index, st.Starts, st.Heads, st.Arcs = g.Index.Based(g.Labels.First/32), g.Starts, g.Heads, g.Arcs
	st.Stop, st.Done = m.kernel.Stop, m.kernel.Done
	return nil
}

// introduce tells each device of the others.
func (s *Peers) introduce() error {
	all, err := s.describe()
	if err != nil {
		return err
	}
	if err := s.team.Together(func(i int) error {
		m := s.members[i]
		return errors.Join(m.reset(), m.module.SetConstant("g", m.state), m.module.SetConstant("m", all[i]), m.device.Synchronize())
	}); err != nil {
		return err
	}
	var kernels []*device.Persistent
	for _, m := range s.members {
		kernels = append(kernels, m.kernel)
	}
	s.kernel = device.NewTeamKernel(kernels)
	return nil
}

// reset makes the control blocks those of a device that has not searched yet.
func (m *peerSearch) reset() error { return errors.Join(m.control.Fill(0), m.totals.Fill(0)) }

// describe returns for each device of this process the description of all devices.
func (s *Peers) describe() ([]peers, error) {
	type numbers struct{ endLabel, capacity uint32 }
	own := make([]numbers, len(s.members))
	for i, m := range s.members {
		own[i] = numbers{m.state.EndLabel, m.state.OutgoingCapacity}
	}
	gathered, err := device.Gather(s.team, own)
	if err != nil {
		return nil, err
	}
	all := make([]peers, len(s.members))
	for i, m := range s.members {
		all[i] = peers{Count: uint32(len(gathered)), Own: uint32(s.team.First() + i), Control: m.control}
		for k, n := range gathered {
			all[i].Peers[k].EndLabel, all[i].Peers[k].Capacity = n.endLabel, n.capacity
		}
	}
	return all, errors.Join(
		addPeers(s, all, func(m *peerSearch) device.Array[uint64] { return m.totals }, func(p *peer) *device.Array[uint64] { return &p.Totals }),
		addPeers(s, all, func(m *peerSearch) device.Array[peerCounts] { return m.state.Counts }, func(p *peer) *device.Array[peerCounts] { return &p.Counts }),
		addPeers(s, all, func(m *peerSearch) device.Array[peerImprovement] { return m.state.Outgoing }, func(p *peer) *device.Array[peerImprovement] { return &p.Outgoing }),
		addPeers(s, all, func(m *peerSearch) device.Array[engine.Local] { return m.state.Log }, func(p *peer) *device.Array[engine.Local] { return &p.Log }),
		addPeers(s, all, func(m *peerSearch) device.Array[uint32] { return m.state.LogDistances }, func(p *peer) *device.Array[uint32] { return &p.LogDistances }),
		addPeers(s, all, func(m *peerSearch) device.Array[peerDistance] { return m.state.Published }, func(p *peer) *device.Array[peerDistance] { return &p.Published }),
		addPeers(s, all, func(m *peerSearch) device.Array[uint32] { return m.state.Wanted }, func(p *peer) *device.Array[uint32] { return &p.Wanted }),
		addPeers(s, all, func(m *peerSearch) device.Array[float32] { return m.state.Distances }, func(p *peer) *device.Array[float32] { return &p.Distances }))
}

// addPeers adds an array of all devices to the descriptions.
func addPeers[T any](s *Peers, to []peers, of func(m *peerSearch) device.Array[T], field func(p *peer) *device.Array[T]) error {
	own := make([]device.Array[T], len(s.members))
	for i, m := range s.members {
		own[i] = of(m)
	}
	seen, err := device.Reach(s.team, own)
	for i, arrays := range seen {
		for k, a := range arrays {
			*field(&to[i].Peers[k]) = a
		}
	}
	return err
}

// Ready says that Search follows soon.
func (s *Peers) Ready() { s.kernel.Ready() }

// Search writes the parents and distances of every vertex reachable from root, each on the
// device of the vertex. root must have a row; all parents must be engine.None and all
// distances engine.Unreached before.
func (s *Peers) Search(ctx context.Context, root engine.Local) error {
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
	s.dirty = false
	return nil
}

// peerSteps are the names of the values of Step in peers.cuh.
var peerSteps = [...]string{"near", "push", "hubs", "pull", "tail", "no lists"}

// Profile returns the parts of the last search. Times are those of the first device of this
// process, examined arcs those of all. The result is valid until the next search.
func (s *Peers) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.profiled {
		return *p, nil
	}
	p.Reset()
	var c [1]peerControl
	if err := s.members[0].control.Read(0, c[:]); err != nil {
		return engine.Profile{}, err
	}
	count := int(min(c[0].Parts, maxRecords))
	examined := make([]int64, count)
	var first []roundRecord
	for i, m := range s.members {
		records := make([]roundRecord, count)
		if err := m.state.Records.Read(0, records); err != nil {
			return engine.Profile{}, err
		}
		for k, r := range records {
			examined[k] += int64(r.Examined)
		}
		if i == 0 {
			first = records
		}
	}
	if err := s.team.Sum(examined); err != nil {
		return engine.Profile{}, err
	}
	before := c[0].Begin
	for k, r := range first {
		p.Add(engine.Level{
			Step: peerSteps[r.Step], Frontier: int64(r.Frontier), Found: int64(r.Found), Examined: examined[k],
			Seconds: time.Duration(r.End - before).Seconds(),
		})
		before = r.End
	}
	p.LevelCount = int64(c[0].Parts)
	p.DeviceSeconds = time.Duration(c[0].End - c[0].Begin).Seconds()
	s.profiled = true
	return *p, nil
}

// Close frees the memory of the search. Close of nil does nothing.
func (s *Peers) Close() error {
	if s == nil {
		return nil
	}
	s.kernel.Close()
	var errs []error
	for i := len(s.members) - 1; i >= 0; i-- {
		errs = append(errs, s.members[i].kernel.Close(), s.members[i].held.Free())
	}
	s.members = nil
	return errors.Join(errs...)
}
