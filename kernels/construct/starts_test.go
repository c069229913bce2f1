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
			if wrap, err := b.wrapOf(starts); wrap != c.want && !c.fails || (err != nil) != c.fails {
				t.Errorf("wrap %d, want %d, error %v", wrap, c.want, err)
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
