//go:build cuda

package hostrows

import (
	"context"
	"errors"
	"sort"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/parallel"
)

// manyActive is the least number of rows in the frontier that several threads gather. For
// fewer, to wake the threads takes longer than they save.
const manyActive = 50_000

// Buffers is the page-locked memory of the host in which Subgraph gathers neighbours.
type Buffers struct {
	rows  *device.HostArray[Place]           // of the frontier
	parts [2]*device.HostArray[engine.Local] // gathered
}

// hostPlan lists the memory of Allocate.
func (f Form) hostPlan(rows, tails uint64) []engine.Allocation {
	if f.Residency != engine.Subgraph {
		return nil
	}
	return []engine.Allocation{
		{Name: "rows of the frontier, copied", Bytes: 8 * (rows + 1), Phase: engine.Construction | engine.Searching},
		{Name: "gathered neighbours", Bytes: 2 * 4 * min(f.Buffer, tails), Phase: engine.Construction | engine.Searching},
	}
}

// Allocate allocates the host's memory for searches of a graph of at most that many rows,
// with tails of at most that length: nil, unless the residency is Subgraph.
func (f Form) Allocate(d *device.Device, rows, tails uint64) (*Buffers, error) {
	if f.Residency != engine.Subgraph {
		return nil, nil
	}
	b := new(Buffers)
	var errs [3]error
	b.rows, errs[0] = device.Uncleared[Place](d, int(rows+1))
	for i := range b.parts {
		b.parts[i], errs[1+i] = device.Uncleared[engine.Local](d, int(min(f.Buffer, tails)))
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, errors.Join(err, b.Free())
	}
	return b, nil
}

// Free frees the memory. Free of nil does nothing.
func (b *Buffers) Free() error {
	if b == nil {
		return nil
	}
	return errors.Join(b.rows.Free(), b.parts[0].Free(), b.parts[1].Free())
}

// subgraph copies the neighbours of the frontier only: threads of the host gather them,
// part by part (Subway; Sabet, Zhao and Gupta, EuroSys 2020).
type subgraph struct {
	feed
	size uint64 // sectors per part
	host *Buffers
	team *parallel.Team
	list []Place // of the frontier, with the entry behind the last
	many int     // manyActive
}

func (g *subgraph) arrays(_, tails uint64) []device.Declared {
	return g.feed.arrays(min(construct.SectorArcs*g.size, tails))
}

func (g *subgraph) prepare(s *Search) error {
	if g.host == nil || len(g.host.rows.Host()) <= s.graph.Rows.Len() || len(g.host.parts[0].Host()) < g.buffers[0].Len() {
		return errors.New("hostrows: the host's memory is not that of the graph and the form")
	}
	g.team, g.many = parallel.NewTeam(0), manyActive
	return g.feed.prepare(s.device)
}

func (g *subgraph) expand(ctx context.Context, s *Search) (over moved, err error) {
	g.list = g.host.rows.Host()[:s.frontier.rows+1]
	if err := s.places.Read(0, g.list); err != nil {
		return over, err
	}
	over = moved{sectorBytes*s.frontier.sectors + 8*uint64(len(g.list)), 1}
	for lo := uint64(0); lo < s.frontier.sectors; lo += g.size {
		p := g.partFrom(lo)
		if err := g.await(ctx); err != nil {
			return over, err
		}
		to := g.host.parts[g.next]
		if err := g.gather(ctx, p, s.graph.Tails.Host(), to.Host()); err != nil {
			return over, err
		}
		if err := g.send(s, p, to, 0, construct.SectorArcs*int(p.hi-p.lo)); err != nil {
			return over, err
		}
		over.requests++
	}
	return over, nil
}

// partFrom returns the part of the frontier's sectors from position lo on.
func (g *subgraph) partFrom(lo uint64) part {
	rows := len(g.list) - 1
	hi := min(lo+g.size, uint64(g.list[rows].Offset))
	first := sort.Search(rows, func(i int) bool { return uint64(g.list[i+1].Offset) > lo })
	end := sort.Search(rows, func(i int) bool { return uint64(g.list[i].Offset) >= hi })
	return part{first: uint64(first), count: uint64(end - first), packed: true, lo: lo, hi: hi}
}

// gather copies the neighbours of a part from the tails.
func (g *subgraph) gather(ctx context.Context, p part, tails, to []engine.Local) error {
	const grain = 1 << 13 // sectors between two checks of the context
	n := int(p.hi - p.lo)
	piece := func(_, begin, end int) { g.copyRows(p, p.lo+uint64(begin), p.lo+uint64(end), tails, to) }
	if len(g.list) > g.many {
		return g.team.For(ctx, n, grain, piece)
	}
	for begin := 0; begin < n; begin += grain {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		piece(0, begin, min(begin+grain, n))
	}
	return nil
}

// copyRows copies the sectors at the positions begin to end-1, which lie in a part. Rows
// that follow each other in the tails, too, are copied together.
func (g *subgraph) copyRows(p part, begin, end uint64, tails, to []engine.Local) {
	rows := g.list[p.first : p.first+p.count+1]
	i := sort.Search(len(rows)-1, func(i int) bool { return uint64(rows[i+1].Offset) > begin })
	for at := begin; at < end; i++ {
		shift := rows[i].Sector - rows[i].Offset
		for uint64(rows[i+1].Offset) < end && rows[i+1].Sector-rows[i+1].Offset == shift {
			i++
		}
		next := min(uint64(rows[i+1].Offset), end)
		copy(to[construct.TailAt(uint32(at-p.lo)):construct.TailAt(uint32(next-p.lo))], tails[construct.TailAt(shift+uint32(at)):])
		at = next
	}
}

func (g *subgraph) close() error {
	if g.team != nil {
		g.team.Close()
	}
	return g.feed.close()
}
