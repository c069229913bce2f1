//go:build cuda

package bfs

import (
	"context"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// LoadPeers loads the modules of Peers, so that NewPeers does not wait for them.
func LoadPeers(d *device.Device) error {
	for _, name := range []string{"pack", "peers"} {
		if _, err := d.Load("bfs", images, name); err != nil {
			return err
		}
	}
	return nil
}

// Peers is the default search on several devices of one host, which read and write each
// other's memory (peers.cu): a persistent kernel on each device. Each device has the rows
// of a range of labels, in the order of the devices.
type Peers struct {
	members []*peerSearch
	team    *device.Team

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
// of its labels, each on a device of its own. Each device can access the memory of the
// others, and has an array of N parents, of which the search writes the device's range.
// The graphs must have at least one row together. The optional arrays are omitted if
// fewer than reserve bytes of a device's arena would be free afterwards.
func NewPeers(ctx context.Context, devices []*device.Device, graphs []*construct.Graph, parents []device.Array[engine.Local], reserve uint64) (*Peers, error) {
	if len(devices) > device.MostTogether {
		return nil, fmt.Errorf("%d GPUs, but a search uses at most %d", len(devices), device.MostTogether)
	}
	s := &Peers{}
	plan := planPeers(uint64(graphs[0].Info.Vertices), devices[0].Properties().L2)
	for i, d := range devices {
		if err := context.Cause(ctx); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		m := &peerSearch{Search: Search{device: d, graph: graphs[i], plan: plan}}
		s.members = append(s.members, m)
		if err := m.preparePeer(parents[i], reserve); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if err := s.introduce(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// preparePeer packs the graph of the device and allocates its memory.
func (m *peerSearch) preparePeer(parents device.Array[engine.Local], reserve uint64) (err error) {
	g, d := m.graph, m.device
	rows := uint64(g.Info.Connected) // of all devices
	labels := uint64(g.Info.Vertices)
	ownRows := uint64(g.Rows.Len())
	group := m.peerGroup(rows)
	most := new(searching).group(peerSizes(labels, ownRows, uint64(m.plan.hubs.minorHubs)), m.plan).Bytes()
	if m.packing, err = pack(d, g, m.plan.hubs, &m.state.packed, reserve+most+group.Bytes()); err != nil {
		return err
	}
	if m.module, err = d.Load("bfs", images, "peers"); err != nil {
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

// agree lets levels look for hubs only if all devices can: all devices search each level by
// the same step.
func (s *Peers) agree() {
	share := uint32(s.members[0].plan.nonHubShare)
	for _, m := range s.members {
		if m.state.HubRows.Len() == 0 && m.graph.Rows.Len() > 0 {
			share = 0
		}
	}
	for _, m := range s.members {
		m.state.NonHubShare = share
	}
}

// introduce tells each device of the others, and completes the bitmaps of vertices with a
// row.
func (s *Peers) introduce() error {
	s.agree()
	all := peers{Count: uint32(len(s.members))}
	for i, m := range s.members {
		all.Peers[i] = m.self
		all.AllTasks = max(all.AllTasks, m.state.Tasks)
	}
	for i, m := range s.members {
		for _, other := range s.members {
			if err := m.copyHasRow(other); err != nil {
				return err
			}
		}
		mine := all
		mine.Own, mine.FirstTask, mine.Control = uint32(i), uint32(tasksOf(m.graph.Labels.First)), m.control
		if err := errors.Join(m.reset(), m.module.SetConstant("g", m.state), m.module.SetConstant("m", mine), m.device.Synchronize()); err != nil {
			return err
		}
	}
	var kernels []*device.Persistent
	for _, m := range s.members {
		kernels = append(kernels, m.kernel)
	}
	s.team = device.NewTeam(kernels)
	return nil
}

// Ready says that Search follows soon.
func (s *Peers) Ready() { s.team.Ready() }

// copyHasRow copies another device's part of the bitmap of vertices with a row.
func (m *peerSearch) copyHasRow(other *peerSearch) error {
	if m == other {
		return nil
	}
	r := other.graph.Labels
	first, words := r.First/32, tasksOf(r.End-r.First)*taskLabels/32
	return m.state.HasRow.CopyPart(int(first), other.state.HasRow, int(first), int(words))
}

// reset makes the control blocks those of a device that has not searched yet.
func (m *peerSearch) reset() error {
	return errors.Join(m.state.Control.Fill(0), m.control.Fill(0), m.self.Totals.Fill(0))
}

// Search writes the parents of every vertex reachable from root, each on the device of
// the vertex. root must have a row, and all parents must be engine.None before.
func (s *Peers) Search(ctx context.Context, root engine.Local) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if s.dirty {
		for _, m := range s.members {
			if err := errors.Join(m.reset(), m.device.Synchronize()); err != nil {
				return err
			}
		}
	}
	s.dirty, s.profiled = true, false
	if err := s.team.Run(ctx, uint64(root)); err != nil {
		return err
	}
	s.dirty = false
	return nil
}

// Profile returns the levels of the last search. Times are those of the first device,
// bytes and examined neighbours those of all. The result is valid until the next search.
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
	s.profiled = true
	return *p, nil
}

// Close frees the memory of the search.
func (s *Peers) Close() error {
	if s == nil {
		return nil
	}
	s.team.Close()
	var errs []error
	for i := len(s.members) - 1; i >= 0; i-- {
		m := s.members[i]
		errs = append(errs, m.kernel.Close(), m.memory.Free(), m.held.Free(), m.packing.close())
	}
	s.members = nil
	return errors.Join(errs...)
}
