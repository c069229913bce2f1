//go:build cuda

package construct

import (
	"fmt"
	"testing"

	"graph500/conformance"
)

// tileArcs returns the number of arcs of all tiles of labels before each tile, and that of all.
func tileArcs(g conformance.Graph) []uint64 {
	before := make([]uint64, tilesOf(uint64(g.Vertices), tileLabels)+1)
	for _, e := range g.Tuples.Edges {
		if e.U != e.V {
			before[e.U/tileLabels+1]++
			before[e.V/tileLabels+1]++
		}
	}
	for tile := range before[1:] {
		before[tile+1] += before[tile]
	}
	return before
}

// mostArcs returns the largest number of arcs of a range over the mean.
func mostArcs(ranges []Range, before []uint64) float64 {
	most := uint64(0)
	for _, r := range ranges {
		first, end := r.ofTiles()
		most = max(most, before[end]-before[first])
	}
	return float64(most) * float64(len(ranges)) / float64(before[len(before)-1])
}

// Balanced ranges are ranges of all labels, with a tile each, and have no more arcs than the mean and
// the largest tile.
func TestBalancedRanges(t *testing.T) {
	g := conformance.HubsFirst(12, 1<<17)
	before := tileArcs(g)
	largest := uint64(0)
	for tile := range before[1:] {
		largest = max(largest, before[tile+1]-before[tile])
	}
	for devices := 2; devices <= 16; devices++ {
		even, next := Ranges(uint64(g.Vertices), devices), uint64(0)
		ranges := balanced(even, before)
		for _, r := range ranges {
			if r.First != next || r.End <= r.First || r.First%tileLabels != 0 {
				t.Fatalf("%d devices have the ranges %v", devices, ranges)
			}
			next = r.End
		}
		mean := float64(before[len(before)-1]) / float64(devices)
		if most := mostArcs(ranges, before); next != uint64(g.Vertices) || most > 1+float64(largest)/mean || mostArcs(even, before) < 1.5 {
			t.Errorf("%d devices: ranges to %d, arcs max/mean %.3f, %.3f of equally long ones", devices, next, most, mostArcs(even, before))
		}
	}
}

// BenchmarkRangeArcs tells arcs max/mean of official graphs whose labels descend with the degree, by
// ranges of equally many labels and by balanced ones. It measures no time.
func BenchmarkRangeArcs(b *testing.B) {
	for _, scale := range []int{16, 20} {
		g := conformance.HubsFirst(scale, 1)
		before := tileArcs(g)
		for _, devices := range []int{2, 3, 4, 8} {
			b.Run(fmt.Sprintf("scale %d/%d devices", scale, devices), func(b *testing.B) {
				even := Ranges(uint64(g.Vertices), devices)
				for b.Loop() {
					b.ReportMetric(mostArcs(even, before), "labels-max/mean")
					b.ReportMetric(mostArcs(balanced(even, before), before), "arcs-max/mean")
				}
			})
		}
	}
}
