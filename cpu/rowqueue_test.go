package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/engine"
)

// TestRowQueue compares the queue with a sorted list, for near, far and equal values and
// for bounds that rise little, much and not at all.
func TestRowQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var q rowQueue[uint32]
	for range 50 {
		q.reset()
		var want []uint32
		spread := uint32(1) << r.IntN(29)
		for bound := uint32(0); bound < engine.InfiniteBits; bound += r.Uint32N(1+spread) * r.Uint32N(3) {
			for range r.IntN(5) {
				next := min(bound+r.Uint32N(spread), engine.InfiniteBits-1)
				q.push(pausedRow[uint32]{next: next, position: ^next})
				want = append(want, next)
			}
			slices.Sort(want)
			least := uint32(math.MaxUint32)
			if len(want) > 0 {
				least = want[0]
			}
			if q.least() != least {
				t.Fatalf("least %#x, want %#x", q.least(), least)
			}
			bound = max(bound, min(least, engine.InfiniteBits-1)+r.Uint32N(2))
			var got []uint32
			for _, p := range q.takeBelow(bound, []pausedRow[uint32]{{next: 7}})[1:] {
				if p.position != ^p.next {
					t.Fatalf("row %+v", p)
				}
				got = append(got, p.next)
			}
			slices.Sort(got)
			n, _ := slices.BinarySearch(want, bound)
			if !slices.Equal(got, want[:n]) {
				t.Fatalf("below %#x are %x, want %x", bound, got, want[:n])
			}
			want = want[n:]
			if r.IntN(2000) == 0 {
				break
			}
		}
	}
}
