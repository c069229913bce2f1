//go:build cuda

package construct

import (
	"errors"
	"math"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/hubs"
)

// Starts of lists are kept in their low 32 bits, and the rows are known from which they have passed 2^32, twice and three
// times that. Where that must not be, it is an error.
func TestStarts(t *testing.T) {
	const most, none = math.MaxUint32, math.MaxUint32
	d := devicetest.Open(t)
	for name, c := range map[string]struct {
		lists int
		long  map[int]uint32 // pieces of some lists; the others have one
		want  hubs.Wraps
	}{
		"no list":               {0, nil, hubs.NoWraps()},
		"short":                 {5000, nil, hubs.NoWraps()},
		"in a tile":             {5000, map[int]uint32{1500: most - 1000}, hubs.Wraps{1501, none, none}},
		"first list of a tile":  {5000, map[int]uint32{3*hubTile - 1: most - 3*hubTile + 2}, hubs.Wraps{3 * hubTile, none, none}},
		"end":                   {2048, map[int]uint32{2047: most - 2046}, hubs.Wraps{2048, none, none}},
		"three times":           {4096, map[int]uint32{0: most, 1: most, 4000: most}, hubs.Wraps{2, 4, 4001}},
		"one behind the other":  {3000, map[int]uint32{100: 1 << 31, 101: most, 102: most, 103: most}, hubs.Wraps{102, 103, 104}},
		"more than three times": {3000, map[int]uint32{5: most, 6: most, 7: most, 8: most, 2000: most}, hubs.Wraps{}},
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
			wraps, errWraps := b.wrapsOf(starts)
			if wraps != c.want && errWraps == nil || (errWraps != nil) != (c.want == hubs.Wraps{}) {
				t.Errorf("wraps %d, want %d, error %v", wraps, c.want, errWraps)
			}
			if err := starts.Write(0, lengths); err != nil {
				t.Fatal(err)
			}
			if _, err := b.startsOf(starts); (err != nil) != (end > math.MaxUint32) {
				t.Errorf("end %d: %v", end, errors.Unwrap(err))
			}
		})
	}
}
