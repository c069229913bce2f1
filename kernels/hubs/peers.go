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
		device.Of(&p.peers.Frontiers, "bitmaps of hubs of frontiers of all GPUs", frontiers*hubWords),
		device.Of(&p.peers.LeftHubs, "bitmap of hubs that are left on all GPUs", hubWords),
		device.Of(&p.peers.FoundHubs, "bitmap of hubs found by rows", hubWords),
		device.Of(&p.peers.LateRows, "late rows of all GPUs", mostAlone*device.MostTogether),
		device.Of(&p.totals, "sums of barriers", 4*2*device.MostTogether),
		device.Of(&p.control, "control block of the GPU", 1),
	}
}

// part is what all devices know of the part of one: ends of labels and rows of the whole graph.
type part struct {
	Labels, FirstRow             uint64
	Classes                      rowClasses
	Pieces, HubLists, HubRowList uint64 // of lists
}

// classesOf returns the ends of the classes of a graph's rows.
func classesOf(g *Graph) rowClasses {
	hubRows := uint32(g.FirstRow + g.Sizes.HubRows)
	return rowClasses{hubRows, hubRows + uint32(g.Sizes.SingleRows), uint32(g.FirstRow + g.Sizes.Rows())}
}

// gatherParts returns the parts of all devices.
func (s *Search) gatherParts() ([]part, error) {
	var own []part
	for _, m := range s.members {
		g, z := m.graph, m.graph.Sizes
		own = append(own, part{g.FirstLabel + z.Labels, g.FirstRow, classesOf(g), z.pieces(), z.HubLists, z.HubRowList})
	}
	return device.Gather(s.team, own)
}

// allPieces returns the number of pieces that the devices follow together if they follow all: their own, and the lists
// of hubs, which all devices have.
func allPieces(parts []part) float64 {
	pieces := parts[0].HubLists
	for _, p := range parts {
		pieces += p.Pieces - p.HubLists
	}
	return float64(pieces)
}

// hubPieces returns the number of pieces of the lists of all hubs by piece of their lists of hubs, in 256ths.
func hubPieces(parts []part) uint32 {
	hubs, rows := max(parts[0].HubLists, 1), uint64(0) // all devices have all lists of hubs
	for _, p := range parts {
		rows += p.HubRowList
	}
	return uint32(min(256*(hubs+rows)/hubs, 1<<24))
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
		to.FirstRow, to.rowClasses, to.Labels = uint32(p.FirstRow), p.Classes, uint32(p.Labels)
		if k != own {
			least = min(least, uint64(p.Classes.Rows)-p.FirstRow)
		}
	}
	m.peers.HubPieces = hubPieces(parts)
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
		introduceRows(s),
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
		addPeers(s, func(m *member) device.Array[lateEntry] { return m.peers.LateRows }, func(p *peer) *device.Array[lateEntry] { return &p.LateRows }),
		addPeers(s, func(m *member) device.Array[offered] { return m.offers }, func(p *peer) *device.Array[offered] { return &p.Offers }),
		parents())
}

// introduceRows tells each device of the neighbours of the rows of the others.
func introduceRows(s *Search) error {
	return errors.Join(
		addPeers(s, func(m *member) device.Array[reference.Head] { return m.state.Heads }, func(p *peer) *device.Array[reference.Head] { return &p.Heads }),
		addPeers(s, func(m *member) device.Array[[4]uint16] { return m.state.Seconds }, func(p *peer) *device.Array[[4]uint16] { return &p.Seconds }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.FurtherAt }, func(p *peer) *device.Array[uint32] { return &p.FurtherAt }),
		addPeers(s, func(m *member) device.Array[[4]uint32] { return m.state.Further.OnDevice }, func(p *peer) *device.Array[[4]uint32] { return &p.Further.OnDevice }),
		addPeers(s, func(m *member) device.Array[uint16] { return m.state.SingleHub }, func(p *peer) *device.Array[uint16] { return &p.SingleHub }),
		addPeers(s, func(m *member) device.Array[uint32] { return m.state.RowListAt }, func(p *peer) *device.Array[uint32] { return &p.RowListAt }),
		addPeers(s, func(m *member) device.Array[[4]uint32] { return m.state.RowLists }, func(p *peer) *device.Array[[4]uint32] { return &p.RowLists }))
}

// addPeers adds an array of all devices to the descriptions.
func addPeers[T any](s *Search, of func(m *member) device.Array[T], field func(p *peer) *device.Array[T]) error {
	return device.Introduce(s.team, func(i int) device.Array[T] { return of(s.members[i]) },
		func(i, k int) *device.Array[T] { return field(&s.members[i].peers.Peers[k]) })
}
