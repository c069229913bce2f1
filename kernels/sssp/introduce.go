//go:build cuda

package sssp

import (
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
)

// introduce describes the arrays to the kernels, and several devices to each other. Each device
// copies the light arcs.
func (s *Search) introduce() error {
	if s.several {
		if err := s.describePeers(); err != nil {
			return err
		}
	}
	if err := s.team.Together(func(i int) error {
		m := s.members[i]
		if err := s.empty(m); err != nil {
			return err
		}
		describe := func(module *device.Module) error { return s.describe(m, module) }
		if err := copyLight(m.device, s.moduleOf("light"), &m.state, uint64(m.graph.ByWeight.Labels.Len()), describe); err != nil {
			return err
		}
		return errors.Join(describe(m.module), m.device.Synchronize())
	}); err != nil {
		return err
	}
	var kernels []*device.Persistent
	for _, m := range s.members {
		kernels = append(kernels, m.kernel)
	}
	s.kernel = device.NewTeamKernel(s.team, kernels)
	if s.several {
		return nil
	}
	m := s.members[0]
	module, err := m.device.Load("sssp", images, s.moduleOf("fallback"))
	if err != nil {
		return err
	}
	s.fallback = newFallback(module, &m.state, m.kernel.Blocks)
	return s.describe(m, module)
}

// describe sets the constants of a module of a device.
func (s *Search) describe(m *member, module *device.Module) error {
	err := module.SetConstant("g", m.state)
	if s.several {
		err = errors.Join(err, module.SetConstant("m", m.peers))
	}
	switch {
	case !m.graph.IsSplit():
		return err
	case s.several:
		return errors.Join(err, module.SetConstant("tails", m.tails))
	}
	return errors.Join(err, module.SetConstant("tails", tails{m.graph.ByWeight.Tails, m.graph.Prefix}))
}

// describePeers sets the descriptions of all devices for each device of this process.
func (s *Search) describePeers() error {
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
		m.tails.Prefix = m.graph.Prefix
	}
	if s.members[0].graph.IsSplit() {
		err = device.IntroduceHost(s.team,
			func(i int) *device.HostArray[construct.Arc] { return s.members[i].graph.ByWeight.Tails },
			func(i, k int) *device.Array[construct.Arc] { return &s.members[i].tails.Tails[k] })
	}
	queue := func(k int) error {
		return addPeers(s, func(m *member) device.Array[item] { return m.state.Queues[k] }, func(p *peer) *device.Array[item] { return &p.Queues[k] })
	}
	return errors.Join(err,
		addPeers(s, func(m *member) device.Array[uint64] { return m.totals }, func(p *peer) *device.Array[uint64] { return &p.Totals }),
		addPeers(s, func(m *member) device.Array[construct.Arc] { return m.graph.ByWeight.Arcs }, func(p *peer) *device.Array[construct.Arc] { return &p.Arcs }),
		addPeers(s, func(m *member) device.Array[uint64] { return m.graph.Index }, func(p *peer) *device.Array[uint64] { return &p.Index }),
		addPeers(s, func(m *member) device.Array[construct.Third] { return m.graph.ByWeight.Thirds }, func(p *peer) *device.Array[construct.Third] { return &p.Thirds }),
		addPeers(s, func(m *member) device.Array[control] { return m.state.Control }, func(p *peer) *device.Array[control] { return &p.Control }),
		addPeers(s, func(m *member) device.Array[uint64] { return m.state.Best }, func(p *peer) *device.Array[uint64] { return &p.Best }),
		queue(0), queue(1),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.HubBest }, func(p *peer) *device.Array[uint32] { return &p.HubBest }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.Targets }, func(p *peer) *device.Array[uint32] { return &p.Targets }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.Marks[2] }, func(p *peer) *device.Array[uint32] { return &p.LastMarks }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.Open }, func(p *peer) *device.Array[uint32] { return &p.Open }))
}

// addPeers adds an array of all devices to the descriptions.
func addPeers[T any](s *Search, of func(m *member) device.Array[T], field func(p *peer) *device.Array[T]) error {
	return device.Introduce(s.team,
		func(i int) device.Array[T] { return of(s.members[i]) },
		func(i, k int) *device.Array[T] { return field(&s.members[i].peers.Peers[k]) })
}
