package divide

import (
	"context"
	"sync/atomic"

	"graph500/memory"
	"graph500/partition"
)

// chunkArcs is the number of arcs from which on a chunk ends: small enough that workers finish
// at about the same time, large enough that its tallies take little memory.
const chunkArcs = 1 << 14

// chunk is consecutive rows of one stream.
type chunk struct {
	stream int
	lo, hi uint32  // rows, without First
	counts []tally // by part
}

// split divides the own rows into chunks.
func (d *Division) split() {
	r := d.rows
	for s := d.lo; s < d.hi; s++ {
		end := r.Streams[s+1] - r.First
		for lo := r.Streams[s] - r.First; lo < end; {
			hi := lo + 1
			for hi < end && r.Offsets[hi]-r.Offsets[lo] < chunkArcs {
				hi++
			}
			d.chunks = append(d.chunks, chunk{stream: s, lo: lo, hi: hi, counts: make([]tally, d.props.Parts)})
			lo = hi
		}
	}
}

// Count finds the owner of each arc, and how many arcs each part gets. The steps of progress
// are arcs of this rank.
func (d *Division) Count(ctx context.Context, progress Progress) (err error) {
	if d.owners, err = memory.Alloc[uint8](len(d.rows.Neighbors)); err != nil {
		return err
	}
	d.split()
	var cut, done atomic.Int64
	count := func(c *chunk, owner func(from, to partition.End) int) {
		cut.Add(int64(d.countChunk(c, owner)))
		progress.report(done.Add(int64(d.rows.Offsets[c.hi] - d.rows.Offsets[c.lo])))
	}
	if d.policy.Owner.Ordered {
		err = d.team.For(ctx, d.hi-d.lo, 1, func(_, lo, hi int) {
			for s := lo; s < hi; s++ {
				owner := d.policy.Owner.Owner(&d.props)
				for i := range d.chunks {
					if c := &d.chunks[i]; c.stream == d.lo+s && ctx.Err() == nil {
						count(c, owner)
					}
				}
			}
		})
	} else {
		owners := make([]func(from, to partition.End) int, d.team.Size())
		for i := range owners {
			owners[i] = d.policy.Owner.Owner(&d.props)
		}
		err = d.team.For(ctx, len(d.chunks), 1, func(worker, lo, hi int) {
			for i := lo; i < hi; i++ {
				count(&d.chunks[i], owners[worker])
			}
		})
	}
	if err != nil {
		return err
	}
	return d.joinCounts(ctx, cut.Load())
}

// countChunk stores the owners of the arcs of a chunk and counts them. It returns the number of
// arcs between rows with different masters.
func (d *Division) countChunk(c *chunk, owner func(from, to partition.End) int) (cut uint64) {
	r := d.rows
	var arcs [partition.MostParts]uint64
	for i := c.lo; i < c.hi; i++ {
		from := r.end(d.masters, r.First+i)
		owners := d.owners[r.Offsets[i]:r.Offsets[i+1]]
		var at uint64 // set of parts
		for k, u := range r.Neighbors[r.Offsets[i]:r.Offsets[i+1]] {
			to := r.end(d.masters, u)
			part := owner(from, to) % partition.MostParts
			owners[k] = uint8(part)
			arcs[part]++
			at |= 1 << part
			if to.Master != from.Master {
				cut++
			}
		}
		for part := range c.counts {
			c.counts[part].Groups += at >> part & 1
		}
	}
	for part := range c.counts {
		c.counts[part].Arcs = arcs[part]
	}
	return cut
}

// end returns an end of an arc as rules see it.
func (r *Rows) end(masters []uint8, row uint32) partition.End {
	return partition.End{Row: uint64(row), Degree: uint64(r.Degrees[row]), Master: int(masters[row])}
}

// joinCounts adds up what the streams of all ranks have counted.
func (d *Division) joinCounts(ctx context.Context, cut int64) error {
	parts := d.props.Parts
	sums := make([]int64, 2*parts*parts+1)
	for _, c := range d.chunks {
		for part, t := range c.counts {
			at := 2 * (c.stream*parts + part)
			sums[at] += int64(t.Groups)
			sums[at+1] += int64(t.Arcs)
		}
	}
	sums[2*parts*parts] = cut
	if err := d.world.Sum(ctx, sums); err != nil {
		return err
	}
	d.cut = uint64(sums[2*parts*parts])
	for s := range parts {
		d.counts = append(d.counts, make([]tally, parts))
		for part := range parts {
			at := 2 * (s*parts + part)
			d.counts[s][part] = tally{uint64(sums[at]), uint64(sums[at+1])}
		}
	}
	return nil
}
