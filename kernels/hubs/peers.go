//go:build cuda

package hubs

import (
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/hubs/reference"
)

// peerMemory is what a device has in addition if it searches together with others.
type peerMemory struct {
	peers   peers
	control device.Array[peerControl]
	totals  device.Array[uint64]
	offers  device.Array[offered]
	ownHubs device.Array[uint32]
}

// peerArrays declares the memory.
func (p *peerMemory) peerArrays(z workSizes) []device.Declared {
	return []device.Declared{
		device.Of(&p.offers, "rows found for other GPUs", z.allRows),
		device.Of(&p.ownHubs, "own hubs", z.hubs),
		device.Of(&p.peers.Frontier, "bitmap of hubs of the frontier", hubWords),
		device.Of(&p.peers.LeftHubs, "bitmap of hubs that are left on all GPUs", hubWords),
		device.Of(&p.peers.FoundHubs, "bitmap of hubs found by rows", hubWords),
		device.Of(&p.totals, "sums of barriers", 4*2*device.MostTogether),
		device.Of(&p.control, "control block of the GPU", 1),
	}
}

// part is what all devices know of the part of one: ends of labels and rows of the whole graph.
type part struct {
	Labels, FirstRow, SingleEnd, Rows uint64
	Pieces, HubLists                  uint64 // of lists
}

// gatherParts returns the parts of all devices.
func (s *Search) gatherParts() ([]part, error) {
	var own []part
	for _, m := range s.members {
		g, z := m.graph, m.graph.Sizes
		own = append(own, part{g.FirstLabel + z.Labels, g.FirstRow, g.FirstRow + z.HubRows + z.SingleRows, g.FirstRow + z.Rows(), z.pieces(), z.HubLists})
	}
	return device.Gather(s.team, own)
}

// meanPieces returns the number of pieces that a device follows if it follows all, on average: its
// own, and its part of the lists of hubs that all devices have.
func meanPieces(parts []part) float64 {
	pieces, n := 0.0, float64(len(parts))
	for _, p := range parts {
		pieces += float64(p.Pieces-p.HubLists)/n + float64(p.HubLists)/n/n
	}
	return pieces
}

// choosePeers fills in what the device of that number knows of the parts. One alone needs nothing.
func (m *member) choosePeers(own int, parts []part) error {
	m.peers.Count, m.peers.Own = uint32(len(parts)), uint32(own)
	if len(parts) == 1 {
		return nil
	}
	least := uint64(mostRows)
	for k, p := range parts {
		to := &m.peers.Peers[k]
		to.FirstRow, to.SingleEnd, to.Rows, to.Labels = uint32(p.FirstRow), uint32(p.SingleEnd), uint32(p.Rows), uint32(p.Labels)
		if k != own {
			least = min(least, p.Rows-p.FirstRow)
		}
	}
	m.peers.LeastOffers = uint32(least)
	m.peers.Control, m.peers.Offers, m.peers.OwnHubList = m.control, m.offers, m.ownHubs
	labels := make([]engine.Label, m.graph.HubLabels.Len())
	if err := m.graph.HubLabels.Read(0, labels); err != nil {
		return err
	}
	var hubs []uint32
	for h, v := range labels {
		if uint64(v)-m.graph.FirstLabel < m.graph.Sizes.Labels {
			hubs = append(hubs, uint32(h))
		}
	}
	m.peers.OwnHubs = uint32(len(hubs))
	return m.ownHubs.Write(0, hubs)
}

// introduce tells each device of the arrays of the others.
func (s *Search) introduce(parts []part) error {
	if len(parts) == 1 {
		return nil
	}
	late := func(k int) error {
		return addPeers(s, func(m *member) device.Array[uint32] { return m.state.Late[k] }, func(p *peer) *device.Array[uint32] { return &p.Late[k] })
	}
	parents := func() error {
		if s.members[0].state.Parents.Len() == 0 {
			return addPeers(s, func(m *member) device.Array[int64] { return m.state.WideParents }, func(p *peer) *device.Array[int64] { return &p.WideParents })
		}
		return addPeers(s, func(m *member) device.Array[engine.Label] { return m.state.Parents }, func(p *peer) *device.Array[engine.Label] { return &p.Parents })
	}
	return errors.Join(
		addPeers(s, func(m *member) device.Array[uint64] { return m.totals }, func(p *peer) *device.Array[uint64] { return &p.Totals }),
		addPeers(s, func(m *member) device.Array[peerControl] { return m.control }, func(p *peer) *device.Array[peerControl] { return &p.Control }),
		addPeers(s, func(m *member) device.Array[reference.Vertex] { return m.state.Vertices }, func(p *peer) *device.Array[reference.Vertex] { return &p.Vertices }),
		addPeers(s, func(m *member) device.Array[engine.Label] { return m.state.RowLabels }, func(p *peer) *device.Array[engine.Label] { return &p.RowLabels }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.Before }, func(p *peer) *device.Array[uint32] { return &p.Before }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.Visited }, func(p *peer) *device.Array[uint32] { return &p.Visited }),
		late(0), late(1),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.LeftHubs }, func(p *peer) *device.Array[uint32] { return &p.LeftHubs }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.peers.FoundHubs }, func(p *peer) *device.Array[uint32] { return &p.FoundHubs }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.Frontiers }, func(p *peer) *device.Array[uint32] { return &p.Frontiers }),
		addPeers(s, func(m *member) device.Array[engine.Label] { return m.state.HubParents }, func(p *peer) *device.Array[engine.Label] { return &p.HubParents }),
		addPeers(s, func(m *member) device.Array[offered] { return m.offers }, func(p *peer) *device.Array[offered] { return &p.Offers }),
		parents())
}

// addPeers adds an array of all devices to the descriptions.
func addPeers[T any](s *Search, of func(m *member) device.Array[T], field func(p *peer) *device.Array[T]) error {
	return device.Introduce(s.team, func(i int) device.Array[T] { return of(s.members[i]) },
		func(i, k int) *device.Array[T] { return field(&s.members[i].peers.Peers[k]) })
}
