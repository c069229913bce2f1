package kronecker

import (
	"fmt"
	"testing"
	"unsafe"

	"graph500/engine"
	"graph500/vector"
)

// BenchmarkEdges generates tuples on one core, fillGrain at a time.
func BenchmarkEdges(b *testing.B) {
	for _, scale := range []int{20, 24, 28} {
		for _, form := range vector.Forms() {
			b.Run(fmt.Sprintf("%v/scale=%d", form, scale), func(b *testing.B) {
				g := New(official(scale))
				g.form = form
				dst := make([]engine.Edge, fillGrain)
				b.SetBytes(int64(unsafe.Sizeof(dst[0])) * fillGrain)
				first := uint64(0)
				for b.Loop() {
					g.Edges(dst, first)
					first += fillGrain
				}
				b.ReportMetric(float64(b.N)*fillGrain/b.Elapsed().Seconds(), "edges/s")
			})
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(official(24))
	}
}

func BenchmarkKeys(b *testing.B) {
	k := newKeyStream(official(24))
	for b.Loop() {
		k.next()
	}
}
