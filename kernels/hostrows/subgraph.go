//go:build cuda

package hostrows

import (
	"context"
	"errors"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/parallel"
)

// Buffers is the page-locked memory of the host in which Subgraph gathers neighbours.
type Buffers struct {
	places *device.HostArray[Place]                     // of the list
	parts  [gatherSlots]*device.HostArray[engine.Label] // gathered
}

// hostPlan lists the memory of Allocate.
func (f Form) hostPlan(rows, tails uint64) []engine.Allocation {
	if f.Residency != engine.Subgraph {
		return nil
	}
	return []engine.Allocation{
		{Name: "places of neighbours, copied", Bytes: 8 * (rows + 1), Phase: engine.Construction | engine.Searching},
		{Name: "gathered neighbours", Bytes: gatherSlots * 4 * min(f.Buffer, tails), Phase: engine.Construction | engine.Searching},
	}
}

// Allocate allocates the host's memory for searches of a graph of at most that many rows,
// with tails of at most that length: nil, unless the residency is Subgraph.
func (f Form) Allocate(d *device.Device, rows, tails uint64) (*Buffers, error) {
	if f.Residency != engine.Subgraph {
		return nil, nil
	}
	b := new(Buffers)
	var errs [1 + gatherSlots]error
	b.places, errs[0] = device.Uncleared[Place](d, int(rows+1))
	for i := range b.parts {
		b.parts[i], errs[1+i] = device.Uncleared[engine.Label](d, int(min(f.Buffer, tails)))
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
	errs := []error{b.places.Free()}
	for _, part := range b.parts {
		errs = append(errs, part.Free())
	}
	return errors.Join(errs...)
}

// serve reports whether the memory is that of a graph of that many rows, with buffers of
// the given length.
func (b *Buffers) serve(rows int, buffer uint64) bool {
	return b != nil && len(b.places.Host()) > rows && uint64(len(b.parts[0].Host())) >= buffer
}

// subgraph copies the neighbours of the listed rows only: threads of the host gather them,
// part by part (Subway; Sabet, Zhao and Gupta, EuroSys 2020), except for those of long rows.
type subgraph struct {
	feed
	host   *Buffers
	gather *gatherer
}

func (g *subgraph) prepare(s *Search) error {
	if !g.host.serve(s.graph.ByDegree.Rows.Len(), min(g.size, uint64(s.graph.Info.HostBytes)/4)) {
		return errors.New("hostrows: the host's memory is not that of the graph and the form")
	}
	buffers := make([][]engine.Label, gatherSlots)
	for i, part := range g.host.parts {
		buffers[i] = part.Host()
	}
	g.gather = newGatherer(parallel.NewTeam(0), g.size/construct.SectorArcs, buffers)
	return g.feed.prepare(s.device)
}

func (g *subgraph) expand(ctx context.Context, s *Search) (over moved, err error) {
	list := g.host.places.Host()[:s.listed.rows+1]
	if err := s.places.Read(0, list); err != nil {
		return over, err
	}
	over = moved{sectorBytes*s.listed.sectors + 8*uint64(len(list)), 1}
	g.gather.await = g.uploads.Wait
	g.gather.send = func(p gathered) error {
		over.requests += p.copies()
		return g.send(s, p)
	}
	err = g.gather.run(ctx, list, s.graph.ByDegree.Tails.Host())
	return over, err
}

// send copies a part to the device, from the buffer or, what is not there, from the tails,
// and launches the kernel for it.
func (g *subgraph) send(s *Search, p gathered) error {
	for at := range p.copied {
		from, first := g.host.parts[p.slot], at.first-p.lo
		if at.direct {
			from, first = s.graph.ByDegree.Tails, at.source
		}
		if err := g.upload(p.slot, at.first-p.lo, from, first, at.count); err != nil {
			return err
		}
	}
	return g.examine(s, p.slot, part{count: s.listed.rows, packed: true, lo: p.lo, hi: p.hi})
}

func (g *subgraph) close() error {
	if g.gather != nil {
		g.gather.team.Close()
	}
	return g.feed.close()
}
