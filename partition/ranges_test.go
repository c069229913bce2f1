package partition

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"graph500/engine"
)

func TestRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices := rapid.OneOf(rapid.Uint64Range(1, 300), rapid.Uint64Range(1, 1<<32-1), rapid.Map(rapid.IntRange(0, 31), func(s int) uint64 { return 1 << s })).Draw(t, "vertices")
		ranks := rapid.IntRange(1, 2000).Draw(t, "ranks")
		r := NewRanges(vertices, ranks)
		next := uint64(0)
		for rank := range ranks {
			first, count := r.Range(rank)
			if first != next || first%64 != 0 && count > 0 || count > 64*uint64(r.Words(rank)) {
				t.Fatalf("rank %d has %d vertices from %d on, expected from %d", rank, count, first, next)
			}
			next += count
			if count == 0 {
				continue
			}
			inside := first + rapid.Uint64Range(0, count-1).Draw(t, "inside")
			for _, v := range []uint64{first, inside, first + count - 1} {
				if r.Owner(engine.Label(v)) != rank {
					t.Fatalf("rank %d owns %d, not rank %d", r.Owner(engine.Label(v)), v, rank)
				}
			}
		}
		if next != vertices {
			t.Fatalf("%d of %d vertices are owned", next, vertices)
		}
	})
}

// Ranges that Balanced returns are ranges, of which none has more than the mean and its largest block
// unless the equally long ones are better.
func TestBalancedRanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices := rapid.Uint64Range(1, 20_000).Draw(t, "vertices")
		ranks := rapid.IntRange(1, 40).Draw(t, "ranks")
		before := make([]uint64, Blocks(vertices)+1)
		largest := uint64(0)
		for i := range before[1:] {
			arcs := rapid.OneOf(rapid.Just(uint64(0)), rapid.Uint64Range(0, 9), rapid.Uint64Range(0, 1<<33)).Draw(t, "arcs")
			largest, before[i+1] = max(largest, arcs), before[i]+arcs
		}
		even := NewRanges(vertices, ranks)
		r := even.Balanced(before)
		next, most, mostEven, sum := uint64(0), uint64(0), uint64(0), uint64(0)
		for rank := range ranks {
			first, count := r.Range(rank)
			if first != next || count > 64*uint64(r.Words(rank)) || r.Words(rank) > r.MostWords() || r.Bounds()[rank] != int(first+63)/64*64 {
				t.Fatalf("rank %d has %d vertices from %d on, expected from %d", rank, count, first, next)
			}
			next += count
			for _, v := range []uint64{first, first + count - 1} {
				if count > 0 && r.Owner(engine.Label(v)) != rank {
					t.Fatalf("rank %d owns %d, not rank %d", r.Owner(engine.Label(v)), v, rank)
				}
			}
			sum += r.ArcsOf(rank, before)
			most, mostEven = max(most, r.ArcsOf(rank, before)), max(mostEven, even.ArcsOf(rank, before))
		}
		all := before[len(before)-1]
		if next != vertices || sum != all {
			t.Fatalf("%d of %d vertices are owned, with %d of %d arcs", next, vertices, sum, all)
		}
		// Each range can lack half a block, which the later ones share.
		blocks := 1 + math.Log(float64(ranks))/2
		if most > mostEven || ranks < len(before) && float64(most) > float64(all)/float64(ranks)*(1+1.0/unbalanced)+blocks*float64(largest)+1 {
			t.Fatalf("%d of %d arcs on one of %d ranks, %d with equally long ranges; the largest block has %d", most, all, ranks, mostEven, largest)
		}
	})
}

// Hubs in the first blocks get ranges of their own, and equal blocks stay where they are.
func TestBalance(t *testing.T) {
	for _, c := range []struct{ arcs, firsts, want []int }{
		{[]int{8, 4, 2, 1, 1, 0, 0, 0}, []int{0, 4, 8}, []int{0, 1, 8}},
		{[]int{8, 4, 2, 1, 1, 0, 0, 0}, []int{0, 2, 5, 8}, []int{0, 1, 2, 8}},
		{[]int{100, 1, 1, 1, 1, 1}, []int{0, 2, 4, 6}, []int{0, 1, 3, 6}},
		{[]int{1, 1, 1, 1, 1, 100}, []int{0, 2, 4, 6}, []int{0, 4, 5, 6}},
		{[]int{16, 16, 16, 17}, []int{0, 2, 4}, []int{0, 2, 4}},
		{[]int{0, 0, 0, 0}, []int{0, 2, 4}, []int{0, 2, 4}},
		{[]int{7}, []int{0, 1, 1}, []int{0, 1, 1}},
	} {
		before := make([]uint64, len(c.arcs)+1)
		for i, n := range c.arcs {
			before[i+1] = before[i] + uint64(n)
		}
		if got := Balance(c.firsts, before); !slices.Equal(got, c.want) {
			t.Errorf("arcs %v: first blocks %v, want %v", c.arcs, got, c.want)
		}
	}
}
