package engine

import (
	"math"
	"testing"
)

func TestLargestWeight(t *testing.T) {
	for _, vertices := range []uint64{0, 1, 2, 3, 4, 6, 7, 1000, 1<<20 + 1, 1 << 32} {
		w := LargestWeight(vertices)
		length := float32(0)
		for range min(vertices, 1<<21) - min(vertices, 1) { // a path of all vertices
			length += w
		}
		if math.IsInf(float64(length), 0) || !(w > 0) {
			t.Errorf("%d vertices, largest weight %g: a path has the length %g", vertices, w, length)
		}
		if over := math.Nextafter32(w, math.MaxFloat32); vertices > 1 && 2*float64(vertices-1)*float64(over) <= math.MaxFloat32 {
			t.Errorf("%d vertices: %g is not the largest weight, %g keeps to the bound", vertices, w, over)
		}
		if vertices > 1 && 2*float64(vertices-1)*float64(w) > math.MaxFloat32 {
			t.Errorf("%d vertices: %g exceeds the bound", vertices, w)
		}
	}
}
