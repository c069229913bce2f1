//go:build cuda

package bfs

import (
	"context"
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// LoadPeers loads the modules of Peers, so that NewPeers does not wait for them.
func LoadPeers(d *device.Device) error { return load(d, "pack", "peers") }

// LoadSplitPeers is LoadPeers for graphs with split rows.
func LoadSplitPeers(d *device.Device) error { return load(d, "pack", "splitpeers") }

// Peers is the default search on the devices of a team, which read and write each other's
// memory (peers.cu): a persistent kernel on each device. Each device has the rows of a range
// of labels, in the order of the devices.
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
	Search
	peerMemory
}

// peerMemory is the memory of a device for a search on several devices, in addition to
// searching.
type peerMemory struct {
	control device.Array[peerControl]
	self    peer // as the other devices know it
	memory  *device.Held
}

// peerGroup declares the memory. all is the number of rows of all devices.
func (p *peerMemory) peerGroup(all uint64) device.Group {
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&p.self.Found, "vertices found top-down", all),
		device.Of(&p.self.FoundParents, "parents found top-down", all),
		device.Of(&p.self.Totals, "sums of barriers", 4*2*device.MostTogether),
		device.Of(&p.control, "control block of the device", 1),
	}}
}

// peerSizes are the sizes of the memory of one of several devices.
func peerSizes(labels, rows, minors uint64) searchSizes {
	return searchSizes{vertices: labels, rows: rows, minors: minors}
}

// planPeers returns the plan that is fastest for N vertices on two H200. The bitmaps of
// all vertices are on each device, so that the plan follows that of one device. The kernel
// with one block per multiprocessor, and no spilled registers, is faster up to larger
// graphs: with it, a search of scale 24 takes 181 µs instead of 210, and one of scale 26
// 472 instead of 491, but one of scale 28 takes 1,870 instead of 1,780. Parents are not
// put in order.
func planPeers(vertices uint64, l2 int) searchPlan {
	plan := planSearch(vertices, l2)
	if plan.kernel == "bfsMany" {
		plan.kernel = "bfsPeers"
	} else {
		plan.kernel = "bfsPeersFew"
	}
	plan.binShift = 0
	return plan
}

// PeersPlan lists the memory of one device of a search on several devices, without the
// optional arrays. The device has the given labels and rows of N vertices and n rows.
func PeersPlan(vertices, rows, ownLabels, ownRows uint64, l2 int) []engine.Allocation {
	plan := planPeers(vertices, l2)
	z := peerSizes(vertices, ownRows, uint64(plan.hubs.minorHubs))
	list := packPlan(packSizes{vertices: ownLabels, rows: ownRows, all: vertices, exceptions: ownRows}, plan.hubs)
	list = append(list, new(searching).group(z, plan).Plan()...)
	return append(list, new(peerMemory).peerGroup(rows).Plan()...)
}

// NewPeers returns a search of the graphs, which are the ranges of one graph in the order
// of its labels, each on a device of the team. Either all graphs have split rows or none has.
// Each device has an array of N parents, of which the search writes the device's range. The arguments are those of the devices of this
// process. The graphs must have at least one row together. l2 is the size of the second-level
// cache in bytes for which all ranks plan. The optional arrays are omitted if fewer than
// reserve bytes of a device's arena would be free afterwards.
func NewPeers(ctx context.Context, team *device.Team, graphs []*construct.Graph, parents []device.Array[engine.Label], l2 int, reserve uint64) (*Peers, error) {
	s := &Peers{team: team}
	plan := planPeers(uint64(graphs[0].Info.Vertices), l2)
	for i, d := range team.Devices() {
		s.members = append(s.members, &peerSearch{Search: Search{device: d, graph: graphs[i], plan: plan}})
	}
	err := team.Together(func(i int) error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		return s.members[i].preparePeer(parents[i], reserve)
	})
	if err == nil {
		err = s.introduce()
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// preparePeer packs the graph of the device and allocates its memory.
func (m *peerSearch) preparePeer(parents device.Array[engine.Label], reserve uint64) (err error) {
	g, d := m.graph, m.device
	rows := uint64(g.Info.Connected) // of all devices
	labels := uint64(g.Info.Vertices)
	ownRows := uint64(g.ByDegree.Rows.Len())
	group := m.peerGroup(rows)
	most := new(searching).group(peerSizes(labels, ownRows, uint64(m.plan.hubs.minorHubs)), m.plan).Bytes()
	if m.packing, err = pack(d, g, m.plan.hubs, &m.state.packed, reserve+most+group.Bytes()); err != nil {
		return err
	}
	name := "peers"
	if g.IsSplit() {
		name = "splitpeers"
	}
	if m.module, err = d.Load("bfs", images, name); err != nil {
		return err
	}
	if m.kernel, err = m.module.NewPersistent(m.plan.kernel, threads); err != nil {
		return err
	}
	if m.held, err = d.Take(m.state.group(peerSizes(labels, ownRows, m.packing.minors), m.plan)); err != nil {
		return err
	}
	if m.memory, err = d.Take(group); err != nil {
		return err
	}
	m.state.Stop, m.state.Done = m.kernel.Stop, m.kernel.Done
	m.fillState(m.packing, parents)
	m.state.RowCount = uint32(rows)
	m.state.ListCapacity = uint32(min(m.listCapacity(), m.state.List.Len()))
	m.baseState()
	return nil
}

// baseState makes the arrays of the device's labels to be indexed by all labels.
func (m *peerSearch) baseState() {
	st, first := &m.state, m.graph.Labels.First
	st.Tasks = uint32(tasksOf(m.graph.Labels.End))
	st.Index = st.Index.Based(first / 32)
	st.HasFurther = st.HasFurther.Based(first / 32)
	st.SecondIsHub = st.SecondIsHub.Based(first / 32)
	st.IsHub = st.IsHub.Based(first / 32)
	st.First = st.First.Based(first)
	st.FirstHub = st.FirstHub.Based(first)
	st.MinorStart = st.MinorStart.Based(first / taskLabels)
	st.ExceptionStart = st.ExceptionStart.Based(first / taskLabels)
	m.self.Index, m.self.Rows, m.self.Neighbors = st.Index, st.Rows, st.Neighbors
	m.self.Visited, m.self.Filter = st.Visited, st.Filter
	m.self.EndTask, m.self.ListCapacity = st.Tasks, st.ListCapacity
}

// introduce tells each device of the others, and completes the bitmaps of vertices with a
// row.
func (s *Peers) introduce() error {
	if err := s.team.Together(func(i int) error { return s.members[i].device.Synchronize() }); err != nil {
		return err
	}
	all, err := s.describe()
	if err != nil {
		return err
	}
	hasRow, err := reach(s, func(m *peerSearch) device.Array[uint32] { return m.state.HasRow })
	if err != nil {
		return err
	}
	if err := s.team.Together(func(i int) error { return s.members[i].introduce(all[i], hasRow[i]) }); err != nil {
		return err
	}
	var kernels []*device.Persistent
	for _, m := range s.members {
		kernels = append(kernels, m.kernel)
	}
	s.kernel = device.NewTeamKernel(s.team, kernels)
	return nil
}

// describe returns for each device of this process the description of all devices. Levels
// look for hubs only if all devices can: all devices search each level by the same step.
func (s *Peers) describe() ([]peers, error) {
	type numbers struct {
		endTask, listCapacity uint32
		noHubs                bool
	}
	own := make([]numbers, len(s.members))
	for i, m := range s.members {
		own[i] = numbers{m.self.EndTask, m.self.ListCapacity, m.state.HubRows.Len() == 0 && m.graph.ByDegree.Rows.Len() > 0}
	}
	gathered, err := device.Gather(s.team, own)
	if err != nil {
		return nil, err
	}
	all, share := peers{Count: uint32(len(gathered))}, uint32(s.members[0].plan.nonHubShare)
	for k, n := range gathered {
		all.Peers[k].EndTask, all.Peers[k].ListCapacity = n.endTask, n.listCapacity
		all.AllTasks = max(all.AllTasks, n.endTask)
		if n.noHubs {
			share = 0
		}
	}
	descriptions := make([]peers, len(s.members))
	for i, m := range s.members {
		m.state.NonHubShare = share
		descriptions[i] = all
		descriptions[i].Own, descriptions[i].FirstTask, descriptions[i].Control = uint32(s.team.First()+i), uint32(tasksOf(m.graph.Labels.First)), m.control
	}
	return descriptions, errors.Join(
		addArrays(s, descriptions, func(p *peer) *device.Array[uint64] { return &p.Index }),
		addArrays(s, descriptions, func(p *peer) *device.Array[construct.Row] { return &p.Rows }),
		addArrays(s, descriptions, func(p *peer) *device.Array[engine.Label] { return &p.Neighbors }),
		addArrays(s, descriptions, func(p *peer) *device.Array[uint32] { return &p.Visited[0] }),
		addArrays(s, descriptions, func(p *peer) *device.Array[uint32] { return &p.Visited[1] }),
		addArrays(s, descriptions, func(p *peer) *device.Array[uint32] { return &p.Filter }),
		addArrays(s, descriptions, func(p *peer) *device.Array[engine.Label] { return &p.Found }),
		addArrays(s, descriptions, func(p *peer) *device.Array[engine.Label] { return &p.FoundParents }),
		addArrays(s, descriptions, func(p *peer) *device.Array[uint64] { return &p.Totals }))
}

// addArrays adds an array of all devices to the descriptions.
func addArrays[T any](s *Peers, to []peers, field func(p *peer) *device.Array[T]) error {
	seen, err := reach(s, func(m *peerSearch) device.Array[T] { return *field(&m.self) })
	for i, arrays := range seen {
		for k, a := range arrays {
			*field(&to[i].Peers[k]) = a
		}
	}
	return err
}

// reach returns an array of all devices (device.Reach).
func reach[T any](s *Peers, of func(m *peerSearch) device.Array[T]) ([][]device.Array[T], error) {
	own := make([]device.Array[T], len(s.members))
	for i, m := range s.members {
		own[i] = of(m)
	}
	return device.Reach(s.team, own)
}

// introduce tells the device of the others. hasRow are the bitmaps of vertices with a row of
// all devices, of which it copies the parts of the others.
func (m *peerSearch) introduce(all peers, hasRow []device.Array[uint32]) error {
	for k, r := range construct.Ranges(uint64(m.graph.Info.Vertices), len(hasRow)) {
		if k == int(all.Own) {
			continue
		}
		first, words := r.First/32, tasksOf(r.End-r.First)*taskLabels/32
		if err := m.state.HasRow.CopyPart(int(first), hasRow[k], int(first), int(words)); err != nil {
			return err
		}
	}
	if m.graph.IsSplit() {
		if err := m.module.SetConstant("tails", tailsOf(m.graph)); err != nil {
			return err
		}
	}
	return errors.Join(m.reset(), m.module.SetConstant("g", m.state), m.module.SetConstant("m", all), m.device.Synchronize())
}

// reset makes the control blocks those of a device that has not searched yet.
func (m *peerSearch) reset() error {
	return errors.Join(m.state.Control.Fill(0), m.state.Levels.Fill(0), m.control.Fill(0), m.self.Totals.Fill(0))
}

// Search writes the parents of every vertex reachable from root, each on the device of
// the vertex. root must have a row, and the parents of the device's labels must be engine.None
// before.
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
	s.dirty = false
	return nil
}

// Profile returns the levels of the last search. Times are those of the first device of this
// process, bytes and examined neighbours those of all. The result is valid until the next search.
func (s *Peers) Profile() (engine.Profile, error) {
	p := &s.profile
	if s.profiled {
		return *p, nil
	}
	p.Reset()
	for i, m := range s.members {
		m.profiled = false
		own, err := m.Search.Profile()
		if err != nil {
			return engine.Profile{}, err
		}
		if i == 0 {
			*p = own
			continue
		}
		p.Examined += own.Examined
		for l := range min(p.LevelCount, engine.MaxLevels) {
			p.Levels[l].Examined += own.Levels[l].Examined
			p.Levels[l].Bytes += own.Levels[l].Bytes
		}
	}
	if err := s.addProfiles(); err != nil {
		return engine.Profile{}, err
	}
	s.profiled = true
	return *p, nil
}

// addProfiles adds the bytes and examined neighbours of all ranks to the profile.
func (s *Peers) addProfiles() error {
	p := &s.profile
	sums := []int64{p.Examined}
	for _, l := range p.Levels {
		sums = append(sums, l.Examined, l.Bytes)
	}
	if err := s.team.Sum(sums); err != nil {
		return err
	}
	p.Examined = sums[0]
	for l := range p.Levels {
		p.Levels[l].Examined, p.Levels[l].Bytes = sums[1+2*l], sums[2+2*l]
	}
	return nil
}

// Close frees the memory of the search.
func (s *Peers) Close() error {
	if s == nil {
		return nil
	}
	var errs []error
	for i := len(s.members) - 1; i >= 0; i-- {
		m := s.members[i]
		errs = append(errs, m.kernel.Close(), m.memory.Free(), m.held.Free(), m.packing.close())
	}
	s.members = nil
	return errors.Join(errs...)
}
