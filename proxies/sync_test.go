package proxies

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/cluster"
)

// proxiesOf returns the rows of a rank's proxies in the order of the local numbers, and the first
// mirror of each rank's masters. Row r has its master on rank r mod ranks; a share of the rows has
// a proxy on each rank.
func proxiesOf(rank, ranks, rows int, share float64) (count int, first, local []uint32) {
	for row := rank; row < rows; row += ranks {
		local = append(local, uint32(row))
	}
	count = len(local)
	for of := range ranks {
		first = append(first, uint32(len(local)))
		random := rand.New(rand.NewPCG(uint64(rank), uint64(of)))
		for row := of; row < rows && of != rank; row += ranks {
			if random.Float64() < share {
				local = append(local, uint32(row))
			}
		}
	}
	return count, append(first, uint32(len(local))), local
}

// Values of chosen masters come to all of their mirrors, or to those with arcs; those of chosen
// mirrors come to their masters in the order of the ranks, as lists and as bitmaps.
func TestBroadcastAndReduce(t *testing.T) {
	for ranks := 1; ranks <= 4; ranks++ {
		for _, share := range []float64{0, 0.02, 0.5, 1} {
			const rows = 700
			reads := func(row uint32) bool { return row%3 != 0 }
			chosen := func(row uint32) bool { return share < 0.3 || row%8 < 2 || row%100 == 7 }
			errs := cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
				count, first, local := proxiesOf(w.Rank(), ranks, rows, share)
				s, err := New(ctx, w, count, first, local, func(m uint32) bool { return reads(local[m]) })
				if err != nil {
					return err
				}
				bits := make([]uint64, (len(local)+63)/64)
				for i, row := range local {
					if chosen(row) {
						bits[i>>6] |= 1 << (i & 63)
					}
				}
				for _, toReaders := range []bool{false, true} {
					var want, got []string
					for _, row := range local[count:] {
						if chosen(row) && (reads(row) || !toReaders) {
							want = append(want, fmt.Sprint(row, row+5))
						}
					}
					err := s.Broadcast(ctx, bits, toReaders, Values{Width: 1,
						Get: func(i uint32) [2]uint32 { return [2]uint32{local[i] + 5} },
						Set: func(i uint32, v []uint32) { got = append(got, fmt.Sprint(local[i], v[0])) }})
					if err != nil {
						return err
					}
					if !slices.Equal(got, want) {
						return fmt.Errorf("broadcast, readers %v: %v instead of %v", toReaders, got, want)
					}
				}
				got := map[string]int{}
				last := uint32(0)
				if err := s.Reduce(ctx, bits, Values{Width: 2,
					Get: func(i uint32) [2]uint32 { return [2]uint32{local[i], uint32(w.Rank())} },
					Set: func(i uint32, v []uint32) {
						if v[0] != local[i] || int(i) >= count || v[1] < last {
							got["wrong"]++
						}
						last = v[1]
						got[fmt.Sprint(v[0], v[1])]++
					}}); err != nil {
					return err
				}
				want := map[string]int{}
				for rank := range ranks {
					count, _, other := proxiesOf(rank, ranks, rows, share)
					for _, row := range other[count:] {
						if int(row)%ranks == w.Rank() && chosen(row) {
							want[fmt.Sprint(row, rank)]++
						}
					}
				}
				if !maps.Equal(got, want) {
					return fmt.Errorf("reduce: %v instead of %v", got, want)
				}
				return nil
			})
			for rank, err := range errs {
				if err != nil {
					t.Errorf("%d ranks, share %v, rank %d: %v", ranks, share, rank, err)
				}
			}
		}
	}
}

// A mirror whose master is nowhere is an error.
func TestStrayMirror(t *testing.T) {
	errs := cluster.RunInProcess(t.Context(), 2, func(ctx context.Context, w *cluster.World) error {
		rows := [][]uint32{{0, 1}, {5, 7}}[w.Rank()]
		first := [][]uint32{{1, 1, 2}, {1, 2, 2}}[w.Rank()]
		_, err := New(ctx, w, 1, first, rows, func(uint32) bool { return true })
		return err
	})
	if errs[0] == nil && errs[1] == nil {
		t.Error("no error")
	}
}
