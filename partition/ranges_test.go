package partition

import (
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
			if first != next || first%64 != 0 && count > 0 || count > 64*uint64(r.Words()) {
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
