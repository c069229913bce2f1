//go:build cuda

package bfs

import (
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// shared is the memory of one of several devices for their common barriers and what they tell each
// other, in addition to searching.
type shared struct {
	control device.Array[peerControl]
	self    peer // as the other devices know it
}

// group declares the memory. all is the number of rows of all devices.
func (p *shared) group(all uint64) device.Group {
	return device.Group{Alive: engine.Search, Arrays: []device.Declared{
		device.Of(&p.self.Found, "vertices found top-down", all),
		device.Of(&p.self.FoundParents, "parents found top-down", all),
		device.Of(&p.self.Totals, "sums of barriers", 4*2*device.MostTogether),
		device.Of(&p.control, "control block of the device", 1),
	}}
}

// introduce tells each device of the others, and the kernels of their arrays.
func (s *Search) introduce() error {
	all := make([]peers, len(s.members))
	if s.team.Count() > 1 {
		var err error
		if all, err = s.describe(); err != nil {
			return err
		}
		if err := s.completeRows(); err != nil {
			return err
		}
	}
	if err := s.team.Together(func(i int) error { return s.members[i].setConstants(s.team, all[i]) }); err != nil {
		return err
	}
	var kernels []*device.Persistent
	for _, m := range s.members {
		kernels = append(kernels, m.kernel)
	}
	s.kernel = device.NewTeamKernel(s.team, kernels)
	return nil
}

// setConstants describes the search to the kernel, and the devices, if there are several.
func (m *member) setConstants(team *device.Team, all peers) error {
	err := errors.Join(m.reset(), m.module.SetConstant("g", m.state))
	if team.Count() > 1 {
		err = errors.Join(err, m.module.SetConstant("m", all))
	}
	if m.graph.IsSplit() {
		err = errors.Join(err, m.module.SetConstant("tails", tailsOf(m.graph)))
	}
	return errors.Join(err, m.device.Synchronize())
}

// describe returns for each device of this process the description of all devices. Levels
// look for hubs only if all devices can: all devices search each level by the same step.
func (s *Search) describe() ([]peers, error) {
	type numbers struct {
		endTask, listCapacity uint32
		noHubs                bool
	}
	own := make([]numbers, len(s.members))
	for i, m := range s.members {
		st := &m.state
		m.self.Index, m.self.Rows, m.self.Neighbors = st.Index, st.Rows, st.Neighbors
		m.self.Visited, m.self.Filter = st.Visited, st.Filter
		own[i] = numbers{st.Tasks, st.ListCapacity, st.HubRows.Len() == 0 && m.graph.ByDegree.Rows.Len() > 0}
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
func addArrays[T any](s *Search, to []peers, field func(p *peer) *device.Array[T]) error {
	return device.Introduce(s.team,
		func(i int) device.Array[T] { return *field(&s.members[i].self) },
		func(i, k int) *device.Array[T] { return field(&to[i].Peers[k]) })
}

// completeRows gives each device the other devices' parts of the bitmap of vertices with a row.
func (s *Search) completeRows() error {
	if err := s.team.Together(func(i int) error { return s.members[i].device.Synchronize() }); err != nil {
		return err
	}
	own := make([]device.Array[uint32], len(s.members))
	for i, m := range s.members {
		own[i] = m.state.HasRow
	}
	hasRow, err := device.Reach(s.team, own)
	if err != nil {
		return err
	}
	return s.team.Together(func(i int) error {
		m := s.members[i]
		for k, r := range m.graph.Ranges {
			if k == s.team.First()+i {
				continue
			}
			first, words := r.First/32, tasksOf(r.End-r.First)*taskLabels/32
			if err := m.state.HasRow.CopyPart(int(first), hasRow[i][k], int(first), int(words)); err != nil {
				return err
			}
		}
		return m.device.Synchronize()
	})
}
