package divide

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"slices"
)

// Figures describe a division. They do not depend on the number of ranks.
type Figures struct {
	Rows, AllArcs uint64

	Masters, Proxies, Arcs []uint64 // by part

	Cut    uint64 // arcs whose ends have different masters
	Moved  uint64 // arcs whose owner is not the part that reads them
	Groups uint64 // pairs of a row and a part, not its reader, that gets arcs of the row
	Pairs  uint64 // ordered pairs of parts of which the first has mirrors of masters of the second

	MastersCheck string // of the part of each row
}

// Figures returns the figures of the division, after Construct. All ranks call it.
func (d *Division) Figures(ctx context.Context) (f Figures, err error) {
	parts := d.props.Parts
	f = Figures{Rows: d.props.Rows, AllArcs: d.props.Arcs, Cut: d.cut, MastersCheck: Check(d.masters),
		Masters: make([]uint64, parts), Arcs: make([]uint64, parts)}
	for _, m := range d.masters {
		f.Masters[m]++
	}
	for s, of := range d.counts {
		for part, t := range of {
			f.Arcs[part] += t.Arcs
			if s != part {
				f.Moved += t.Arcs
				f.Groups += t.Groups
			}
		}
	}
	sums := make([]int64, parts+1) // proxies by part, pairs
	for _, p := range d.parts {
		sums[p.Number] = int64(p.Proxies())
		for part := range parts {
			if p.First[part] < p.First[part+1] {
				sums[parts]++
			}
		}
	}
	if err := d.world.Sum(ctx, sums); err != nil {
		return f, err
	}
	for _, n := range sums[:parts] {
		f.Proxies = append(f.Proxies, uint64(n))
	}
	f.Pairs = uint64(sums[parts])
	return f, nil
}

// Mirrors returns the number of proxies that are not masters.
func (f *Figures) Mirrors() uint64 { return total(f.Proxies) - f.Rows }

// Replication returns the mean number of proxies of a row.
func (f *Figures) Replication() float64 { return float64(total(f.Proxies)) / float64(f.Rows) }

// MaxMean returns the largest of values over their mean.
func MaxMean(values []uint64) float64 {
	return float64(slices.Max(values)) * float64(len(values)) / float64(total(values))
}

func total(values []uint64) (sum uint64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// Check returns FNV-1a with 64 bits of values in their width, little endian, as 16 digits.
func Check[T uint8 | uint32 | uint64](values []T) string {
	h := fnv.New64a()
	for piece := range slices.Chunk(values, 1<<16) {
		_ = binary.Write(h, binary.LittleEndian, piece) // a hash takes everything
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// Bytes returns the bytes that the parts send each other, if each has a rank: for masters, to
// count and to exchange arcs. Messages have no more than that; a sum counts once for each part.
func (f *Figures) Bytes(streams bool, rounds int) (masters, counting, exchange uint64) {
	parts := uint64(len(f.Arcs))
	if parts == 1 {
		return 0, 0, 0
	}
	if streams { // a byte of each row to all other parts, and the loads
		masters = f.Rows*(parts-1) + uint64(rounds)*parts*16*parts
	}
	return masters, parts * (16*parts*parts + 8), 8*f.Groups + 4*f.Moved
}
