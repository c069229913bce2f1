package divide

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"

	"graph500/memory"
)

// Part is a part of a graph. Its proxies are the rows of which it has the master or an arc;
// those whose masters other parts have are mirrors. Local numbers count its proxies: first the
// masters, then the mirrors of each part's masters, each in the order of the rows.
type Part struct {
	Number  int
	Masters int      // proxies 0..Masters-1 are masters
	First   []uint32 // first mirror of each part's masters, and at the end the number of proxies
	Rows    []uint32 // row of each proxy

	// The arcs of proxy i lead to proxies Neighbors[Offsets[i]:Offsets[i+1]], in the order of
	// their rows.
	Offsets   []uint64
	Neighbors []uint32
	Weights   []float32 // of the neighbours; nil without weights
}

// Proxies returns the number of proxies.
func (p *Part) Proxies() int { return len(p.Rows) }

// Close frees the memory.
func (p *Part) Close() error {
	err := errors.Join(memory.Free(p.Rows), memory.Free(p.Offsets), memory.Free(p.Neighbors), memory.Free(p.Weights))
	*p = Part{}
	return err
}

// Construct makes the own parts. The steps of progress are arcs of this rank's parts.
func (d *Division) Construct(ctx context.Context, progress Progress) error {
	n := len(d.masters)
	present, err := memory.Alloc[uint64]((n + 63) / 64)
	if err != nil {
		return err
	}
	local, err := memory.Alloc[uint32](n)
	if err != nil {
		return errors.Join(err, memory.Free(present))
	}
	done := int64(0)
	for i := range d.arrived {
		clear(present)
		a, p := &d.arrived[i], &Part{Number: d.lo + i}
		d.parts = append(d.parts, p)
		if err = d.findProxies(ctx, p.Number, a, present); err != nil {
			break
		}
		if err = d.numberProxies(p, present, local); err != nil {
			break
		}
		if err = d.connect(ctx, p, a, local); err != nil {
			break
		}
		done += int64(len(p.Neighbors))
		progress.report(done)
		if err = a.close(); err != nil {
			break
		}
	}
	return errors.Join(err, memory.Free(present), memory.Free(local))
}

// findProxies sets the bits of a part's proxies.
func (d *Division) findProxies(ctx context.Context, part int, a *arrival, present []uint64) error {
	for row, m := range d.masters {
		if int(m) == part {
			present[row>>6] |= 1 << (row & 63)
		}
	}
	for _, g := range a.groups {
		present[g.Row>>6] |= 1 << (g.Row & 63)
	}
	return d.team.For(ctx, len(a.arcs), chunkArcs, func(_, lo, hi int) {
		for _, u := range a.arcs[lo:hi] {
			if word, bit := &present[u>>6], uint64(1)<<(u&63); atomic.LoadUint64(word)&bit == 0 {
				atomic.OrUint64(word, bit)
			}
		}
	})
}

// numberProxies numbers the rows whose bits are set.
func (d *Division) numberProxies(p *Part, present []uint64, local []uint32) (err error) {
	counts := make([]uint32, d.props.Parts) // of proxies by their master's part
	eachBit(present, func(row uint32) { counts[d.masters[row]]++ })
	p.Masters = int(counts[p.Number])
	next, at := make([]uint32, d.props.Parts), counts[p.Number]
	for part, n := range counts {
		p.First, next[part] = append(p.First, at), at
		if part == p.Number {
			next[part] = 0
			continue
		}
		at += n
	}
	p.First = append(p.First, at)
	if p.Rows, err = memory.Alloc[uint32](int(at)); err != nil {
		return err
	}
	eachBit(present, func(row uint32) {
		n := &next[d.masters[row]]
		p.Rows[*n], local[row] = row, *n
		*n++
	})
	return nil
}

// eachBit calls f with the numbers of the set bits in order.
func eachBit(words []uint64, f func(i uint32)) {
	for w, m := range words {
		for ; m != 0; m &= m - 1 {
			f(uint32(64*w + bits.TrailingZeros64(m)))
		}
	}
}

// connect stores the arcs by local number.
func (d *Division) connect(ctx context.Context, p *Part, a *arrival, local []uint32) (err error) {
	if p.Offsets, err = memory.Alloc[uint64](len(p.Rows) + 1); err != nil {
		return err
	}
	if p.Neighbors, err = memory.Alloc[uint32](len(a.arcs)); err != nil {
		return err
	}
	if d.rows.Weighted {
		if p.Weights, err = memory.Alloc[float32](len(a.arcs)); err != nil {
			return err
		}
	}
	for _, g := range a.groups {
		p.Offsets[local[g.Row]+1] = uint64(g.Arcs)
	}
	for i := range p.Rows {
		p.Offsets[i+1] += p.Offsets[i]
	}
	// The groups come in pieces of about chunkArcs arcs, with the first arc of each.
	type piece struct {
		group int
		arc   uint64
	}
	pieces, arc := []piece{{}}, uint64(0)
	for i, g := range a.groups {
		if arc-pieces[len(pieces)-1].arc >= chunkArcs {
			pieces = append(pieces, piece{i, arc})
		}
		arc += uint64(g.Arcs)
	}
	pieces = append(pieces, piece{len(a.groups), arc})
	return d.team.For(ctx, len(pieces)-1, 1, func(_, lo, hi int) {
		arc := pieces[lo].arc
		for _, g := range a.groups[pieces[lo].group:pieces[hi].group] {
			at, end := p.Offsets[local[g.Row]], arc+uint64(g.Arcs)
			to := p.Neighbors[at:][:g.Arcs]
			for k, u := range a.arcs[arc:end] {
				to[k] = local[u]
			}
			if d.rows.Weighted {
				copy(p.Weights[at:], a.weights[arc:end])
			}
			arc = end
		}
	})
}
