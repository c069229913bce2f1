//go:build cuda

package construct

import (
	"math/bits"

	"graph500/device"
	"graph500/engine"
)

// Sizes are the sizes of a graph that is planned. Rows and OwnRows are upper bounds.
type Sizes struct {
	Vertices, Tuples uint64
	Rows             uint64 // of all devices
	OwnRows          uint64 // of a device
}

// Plan lists the memory, without the tuples, of Build on the device that gets the rows of
// those labels. It assumes the worst case: no self loops, and an edge at every vertex, within
// the bounds on the rows. Build needs more only if a tile of labels has more arcs than four
// times the mean plus tuples/256 plus 2^20, or if a range has more than an eighth above the
// mean plus those of the largest tile, as in no official graph. The labels of balanced ranges (Form) can be
// all; their arcs are those of equally long ranges.
func Plan(s Sizes, f Form, labels Range) []engine.Allocation {
	z := s.worst(f, labels)
	c := newConstruction(f)
	plan := c.rows.graph(z).Plan()
	plan = append(plan, c.counting(z).Plan()...)
	plan = append(plan, c.rows.keep(z).Plan()...)
	return append(plan, c.eitherOf(c.rows.work(z), c.rows.later(z))...)
}

// worst returns the sizes that Plan assumes.
func (s Sizes) worst(f Form, labels Range) sizes {
	z := worstSizes(s.Vertices, labels, s.Tuples, f.Devices)
	z.rows, z.connected = min(z.rows, s.OwnRows), min(z.connected, s.Rows)
	if f.hasPrefix() {
		z.entries = f.Split.Words
	}
	z.numbers = f.numbersOf(z.rows)
	return z
}

// eitherOf lists the memory of work, and of later groups that are allocated when that is free
// again.
func (c *construction) eitherOf(work device.Group, later []device.Group) (plan []engine.Allocation) {
	var bytes uint64
	for _, group := range later {
		plan = append(plan, group.Plan()...)
		bytes += group.Bytes()
	}
	if bytes == 0 {
		return work.Plan()
	}
	if more := work.Bytes(); more > bytes {
		plan = append(plan, engine.Allocation{Name: "arcs to sort, as far as they take more than what follows", Bytes: more - bytes, Phase: engine.Construction, Place: engine.DeviceMemory})
	}
	return plan
}

// sizes are the quantities that determine the memory of construction.
type sizes struct {
	vertices, tuples uint64
	labels           Range  // with rows on the device
	connected        uint64 // vertices with a row on any device
	rows, arcs       uint64 // of the device: arcs of all tuples except self loops, with duplicates
	entries          uint64 // of the rows in the device's memory, neighbours or arcs
	numbers          uint64 // of rows, see Form.numbersOf
	largestTile      uint64 // largest number of arcs in a tile of the device's labels
}

// worstSizes returns the sizes that a plan of whole rows assumes, of ranges for so many devices.
func worstSizes(vertices uint64, labels Range, tuples uint64, devices int) sizes {
	z := sizes{vertices: vertices, labels: labels, tuples: tuples, connected: min(vertices, 2*tuples)}
	z.largestTile = tuples/256 + 1<<20
	if tiles := tilesOf(vertices, tileLabels); tiles > 0 {
		z.largestTile += 4 * (2 * tuples / tiles)
		share := 2 * tuples / tiles * min(labels.tiles(), tilesOf(tiles, uint64(devices)))
		z.arcs = min(2*tuples, share+share/8+z.largestTile)
	}
	z.rows = min(labels.End-labels.First, z.arcs)
	z.entries = z.arcs
	return z
}

// numbersOf returns the length of ArcRows.Rows if no device has more rows than that.
func (f Form) numbersOf(rows uint64) uint64 {
	if !f.numbered() {
		return rows
	}
	return uint64(f.Devices) * ((rows + 31) / 32 * 32)
}

// MostRangeArcs returns the number of arcs that Plan assumes for the rows of those labels.
func MostRangeArcs(vertices uint64, labels Range, tuples uint64) uint64 {
	return worstSizes(vertices, labels, tuples, 1).arcs
}

// sumWords returns the length of sums: two arrays (rows and arcs) by tile of labels,
// later one array (distinct keys) by tile of keys, each with a total at its end.
func sumWords(vertices, tuples uint64) uint64 {
	return max(2*(tilesOf(vertices, tileLabels)+1), tilesOf(2*tuples, rowTile)+1)
}

// tilesOf returns the number of tiles of count elements, rounded up.
func tilesOf(count, tile uint64) uint64 { return (count + tile - 1) / tile }

// groupCapacity returns the capacity of the key buffers. It is the mean number of arcs
// per group plus 1/16, plus the largest tile of labels, because groups consist of
// whole tiles. It is at least the number of rows, which are sorted in the same
// buffers.
func groupCapacity(arcs, largestTile, rows uint64, groups int) uint64 {
	share := arcs/uint64(groups) + arcs/uint64(16*groups) + largestTile + 1
	return max(min(arcs, share), rows)
}

// groupLabels returns the largest number of labels in a group of a range of labels, a
// power of two. If half the size saves a pass of the sort, it is halved, unless the tuples
// must be regenerated: a pass of the sort costs more than the additional passes over the
// tuples, but less than their regeneration.
func groupLabels(labels, rows uint64, groups int, inMemory bool) uint64 {
	least := uint64(min(groups, LeastGroups))
	labelBits := max(bits.Len64(labels-1), bits.Len64(least*tileLabels-1)) - bits.Len64(least-1)
	if inMemory && (labelBits+bits.Len64(rows-1))%sortDigit == 1 {
		labelBits = max(labelBits-1, bits.Len64(tileLabels-1))
	}
	return 1 << labelBits
}
