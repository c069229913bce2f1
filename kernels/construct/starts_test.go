//go:build cuda

package construct

import (
	"math"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/hubs"
)

// Starts of lists are kept in their low 32 bits, and the row is known from which they are at least 2^32. Where that must not be,
// it is an error, and always from 2^33 on.
func TestStarts(t *testing.T) {
	const most = math.MaxUint32
	d := devicetest.Open(t)
	for name, c := range map[string]struct {
		lists int
		long  map[int]uint32 // pieces of some lists; the others have one
		want  hubs.Wrap
		fails bool
	}{
		"no list":              {0, nil, hubs.NoWrap, false},
		"short":                {5000, nil, hubs.NoWrap, false},
		"in a tile":            {5000, map[int]uint32{1500: most - 1000}, 1501, false},
		"first list of a tile": {5000, map[int]uint32{3*hubTile - 1: most - 3*hubTile + 2}, 3 * hubTile, false},
		"end":                  {2048, map[int]uint32{2047: most - 2046}, 2048, false},
		"end of a tile":        {2*hubTile - 1, map[int]uint32{5: most - 2*hubTile + 3}, 2*hubTile - 1, false},
		"nearly":               {2048, map[int]uint32{2047: most - 2047}, hubs.NoWrap, false},
		"two long ones":        {4096, map[int]uint32{0: most, 1000: most - 5000}, 2, false},
		"twice":                {3000, map[int]uint32{5: most, 2000: most}, 0, true},
		"largest":              {3, map[int]uint32{0: most, 1: most}, 2, false},
		"too large":            {3, map[int]uint32{0: most, 1: most, 2: 2}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := &byHubs{byDegree: byDegree{construction: &construction{d: d, launch: launcher{d}}}}
			var starts device.Array[uint32]
			held, err := d.Borrow(device.Group{Alive: engine.Construction, Arrays: []device.Declared{
				device.Of(&starts, "starts", uint64(c.lists)+1), device.Of(&b.tileSums, "sums", tilesOf(uint64(c.lists)+1, hubTile)+1),
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer held.Free()
			lengths, want := make([]uint32, c.lists+1), make([]uint32, c.lists+1)
			lengths[c.lists] = devicetest.Poison << 8
			end := uint64(0)
			for i := range c.lists {
				if lengths[i] = 1; c.long[i] > 0 {
					lengths[i] = c.long[i]
				}
				end += uint64(lengths[i])
				want[i+1] = uint32(end)
			}
			got, errStarts := uint64(0), starts.Write(0, lengths)
			if errStarts == nil {
				got, errStarts = b.lowStartsOf(starts)
			}
			if errStarts != nil || got != end {
				t.Fatalf("end %d, want %d, error %v", got, end, errStarts)
			}
			same(t, "starts", starts, want)
			wrap, err := b.wrapOf(starts)
			if wrap != c.want && !c.fails || (err != nil) != c.fails {
				t.Errorf("wrap %d, want %d, error %v", wrap, c.want, err)
			}
			if !c.fails {
				b.listWrap = wrap
				checkTails(t, b, starts, wholeStarts(lengths[:c.lists]))
			}
			if err := starts.Write(0, lengths); err != nil {
				t.Fatal(err)
			}
			if _, err := b.startsOf(starts); (err != nil) != (end > most) {
				t.Errorf("end %d: %v", end, err)
			}
		})
	}
}

// wholeStarts returns the starts of lists of those lengths, and the end.
func wholeStarts(lengths []uint32) []uint64 {
	starts := []uint64{0}
	for _, n := range lengths {
		starts = append(starts, starts[len(starts)-1]+uint64(n))
	}
	return starts
}

// checkTails finds the wrap of the tails of lists with those starts, whose first piece is on the device.
func checkTails(t *testing.T, b *byHubs, low device.Array[uint32], starts []uint64) {
	t.Helper()
	d := b.d
	g := &hubs.Graph{RowListAt: low, PrefixWrap: hubs.NoWrap}
	held, err := d.Borrow(device.Group{Alive: engine.Construction, Arrays: []device.Declared{device.Of(&g.RowPrefixAt, "starts", uint64(len(starts)))}})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Free()
	prefixAt, want := make([]uint32, len(starts)), hubs.NoWrap
	for i, start := range starts {
		prefixAt[i] = uint32(i)
		if start-uint64(i) >= 1<<32 {
			want = min(want, hubs.Wrap(i))
		}
	}
	g.Sizes.OnHost.RowLists = starts[len(starts)-1] - uint64(len(starts)-1)
	b.g = &Graph{ByHubs: g}
	if err := g.RowPrefixAt.Write(0, prefixAt); err != nil {
		t.Fatal(err)
	}
	if wrap, err := b.wrapOfTails(); err != nil || wrap != want {
		t.Errorf("wrap of tails %d, want %d, error %v", wrap, want, err)
	}
}
