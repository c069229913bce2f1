//go:build cuda

package construct

import (
	"math"
	"slices"
	"testing"

	"graph500/engine"
)

func TestRanges(t *testing.T) {
	for _, vertices := range []uint64{0, 1, 1023, 1024, 1025, 5000, 1 << 20, 1<<30 - 1} {
		for count := 1; count <= 17; count++ {
			ranges, next := Ranges(vertices, count), uint64(0)
			least, most := ranges[0].tiles(), ranges[0].tiles()
			for _, r := range ranges {
				if r.First != next || r.End < r.First || r.First%tileLabels != 0 && r.First != vertices {
					t.Errorf("%d vertices: range %v after %d", vertices, r, next)
				}
				next, least, most = r.End, min(least, r.tiles()), max(most, r.tiles())
			}
			if next != vertices || most > least+1 {
				t.Errorf("%d vertices: %v", vertices, ranges)
			}
		}
	}
}

// TestGroupLabels uses the sizes of Kronecker graphs. At scale 26, keys that are one
// bit shorter save the seventh pass.
func TestGroupLabels(t *testing.T) {
	for _, c := range []struct {
		vertices, rows uint64
		inMemory       bool
		want           uint64
	}{
		{1, 2, true, 1024},
		{1 << 20, 645_820, true, 1 << 18},
		{1 << 24, 8_870_408, true, 1 << 22},
		{9_000_000, 9_000_000, true, 1 << 22},
		{1 << 26, 32_805_143, true, 1 << 23},
		{1 << 26, 32_805_143, false, 1 << 24},
	} {
		if got := groupLabels(c.vertices, c.rows, LeastGroups, c.inMemory); got != c.want {
			t.Errorf("%d rows of %d vertices are sorted in groups of %d labels, want %d", c.rows, c.vertices, got, c.want)
		}
	}
}

// planOf lists the memory of the last of several devices for a graph by degree, with an edge at
// every vertex.
func planOf(vertices, tuples uint64, devices, groups int) []engine.Allocation {
	f := Form{Devices: devices, Groups: groups, Hubs: 1 << 20}
	return Plan(Sizes{vertices, tuples, vertices, vertices}, f, Ranges(vertices, devices)[devices-1])
}

// TestPlanBytes bounds the planned bytes per tuple for several numbers of groups.
func TestPlanBytes(t *testing.T) {
	for _, scale := range []int{20, 24, 28, 29} {
		vertices, tuples := uint64(1)<<scale, uint64(16)<<scale
		for groups, most := range map[int]float64{LeastGroups: 20, 5: 17.9, 8: 15.3, MostGroups: 11.6} {
			if peak := engine.Peak(planOf(vertices, tuples, 1, groups), engine.DeviceMemory); float64(peak) > most*float64(tuples) {
				t.Errorf("scale %d in %d groups needs %d bytes, %.2f per tuple", scale, groups, peak, float64(peak)/float64(tuples))
			}
		}
	}
}

// TestPlanOfHubs plans graphs of few vertices with many edges. The key buffers
// must hold any tile of labels with the vertex of largest degree, which has
// 2 * 0.76^scale of the tuples.
func TestPlanOfHubs(t *testing.T) {
	for scale := range 25 {
		for _, edgefactor := range []uint64{16, 1024, 4096} {
			vertices := uint64(1) << scale
			tuples := edgefactor * vertices
			hub := 2 * math.Pow(0.76, float64(scale)) * float64(tuples)
			tile := min(2*float64(tuples), hub+2*float64(tuples)/float64(tilesOf(vertices, tileLabels)))
			plan := planOf(vertices, tuples, 1, MostGroups)
			for _, name := range []string{"arcs to sort", "sorted arcs"} {
				i := slices.IndexFunc(plan, func(a engine.Allocation) bool { return a.Name == name })
				if i < 0 || float64(plan[i].Bytes) < 8*tile {
					t.Errorf("scale %d, edgefactor %d: a tile of %.0f %s does not fit: %+v", scale, edgefactor, tile, name, plan)
				}
			}
		}
	}
}

// TestGroupsFit checks that the key buffers hold every group of whole tiles of labels,
// and all rows at once.
func TestGroupsFit(t *testing.T) {
	for _, c := range []struct{ arcs, largest, rows uint64 }{
		{0, 0, 0}, {2, 1, 2}, {2, 2, 2}, {1 << 20, 1 << 20, 1024}, {1 << 20, 1024, 1 << 20}, {1 << 34, 1 << 25, 1 << 28},
	} {
		for groups := LeastGroups; groups <= MostGroups; groups++ {
			if keys := groupCapacity(c.arcs, c.largest, c.rows, groups); keys < c.largest || keys < c.rows || keys < c.arcs/uint64(groups) || keys > max(c.arcs, c.rows) {
				t.Errorf("%+v in %d groups: capacity for %d keys", c, groups, keys)
			}
		}
	}
}

// TestPlanOfRanges requires that more devices need less memory each.
func TestPlanOfRanges(t *testing.T) {
	for _, scale := range []int{24, 28, 29} {
		vertices, tuples := uint64(1)<<scale, uint64(16)<<scale
		one := engine.Peak(planOf(vertices, tuples, 1, LeastGroups), engine.DeviceMemory)
		for _, devices := range []int{2, 4, 8} {
			each := engine.Peak(planOf(vertices, tuples, devices, LeastGroups), engine.DeviceMemory)
			if fixed := 16 * vertices; each-fixed > (one+one/2)/uint64(devices) {
				t.Errorf("scale %d on %d devices: %d bytes each, %d on one device", scale, devices, each, one)
			}
		}
	}
}
