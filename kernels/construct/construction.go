//go:build cuda

package construct

import (
	"context"
	"iter"
	"math"
	"math/bits"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

const (
	// rowTile is the number of tuples or keys per block in rows.cu.
	rowTile = 2048
	// rowThreads is the number of threads per block, except in the sort.
	rowThreads = 256
)

// construction is the part of Build on one device.
type construction struct {
	ctx    context.Context
	d      *device.Device
	launch launcher
	form   Form
	tuples *generate.Tuples // all
	number int              // of the device
	ranges []Range          // of all devices
	sizes  sizes
	g      *Graph
	rows   rows

	counters    *device.Held
	deviceFacts device.Array[facts]
	sums        device.Array[uint64] // counts by tile, then their prefix sums
	rank        device.Array[uint32] // by label: number of tuples, later rank by degree, or number of the row
	need        device.Array[uint64] // words and sectors that split rows take

	keeping *device.Held
	working *device.Held
	keys    device.Array[uint64] // arcs of a group of rows
	sorted  device.Array[uint64] // second buffer of the sort, as large as keys
	cursor  device.Array[uint64]
	sorter  sorter

	facts      facts
	rowsBefore uint64   // number of rows before those of the device
	tiles      []uint64 // prefix sums of arcs by tile of labels, and the total
	stored     int64    // arcs in the rows built so far, without duplicates
	sectors    uint64   // of the host's memory that they take
	mean       float64  // weight of the first arcs, not a number without them
}

// rows is what depends on the order of the rows.
type rows interface {
	// graph declares the memory of the graph.
	graph(z sizes) device.Group
	// keep declares the temporary memory from index on.
	keep(z sizes) device.Group
	// work declares the temporary memory from index to finish.
	work(z sizes) device.Group
	// later declares what is allocated when the memory of work is free again: arrays of the graph
	// that is made of the rows, and temporary memory.
	later(z sizes) []device.Group
	// into gives the graph the host's memory for split rows of device i of this process.
	into(in Input, i int)
	// room is what split rows can take.
	room() splitRoom
	// index builds the index, and ranks or numbers the rows. rank has degrees before.
	index() error
	// sort writes the rows, in groups whose arcs fit in keys.
	sort() error
	// finish completes the rows and finds the largest degree.
	finish() error
}

// newConstruction returns a construction of which only the form is known.
func newConstruction(f Form) *construction {
	c := &construction{form: f, g: &Graph{Prefix: wholeRows}, mean: math.NaN()}
	switch {
	case f.Order == ByDegree:
		c.rows = &byDegree{construction: c}
	case f.Order == ByHubs:
		c.rows = &byHubs{byDegree: byDegree{construction: c, ranks: true}}
	case f.Distributed:
		c.rows = &byLabel{weighted{construction: c}}
	default:
		c.rows = &byWeight{weighted: weighted{construction: c}}
	}
	return c
}

// counting declares the memory for degrees and ranks.
func (c *construction) counting(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(&c.rank, "degrees and ranks", z.vertices),
		device.Of(&c.sums, "sums of tiles", sumWords(z.vertices, z.tuples)),
		device.Of(&c.deviceFacts, "facts of construction", 1),
	}}
}

func (c *construction) borrowCounting() (err error) {
	c.counters, err = c.d.Borrow(c.counting(c.sizes))
	return err
}

// whole reports whether the device has the rows of the whole graph.
func (c *construction) whole() bool { return c.sizes.labels == All(c.sizes.vertices) }

// others yields the numbers of the other devices. Each device begins with another one, so
// that they do not all read the memory of the same device at a time.
func (c *construction) others() iter.Seq[int] {
	return func(yield func(int) bool) {
		for j := range c.ranges[1:] {
			if !yield((c.number + 1 + j) % len(c.ranges)) {
				return
			}
		}
	}
}

// measure computes the sizes of the graph once the tuples are counted.
func (c *construction) measure() error {
	if err := c.sumTiles(); err != nil {
		return err
	}
	c.sizes.entries = c.sizes.arcs
	if !c.form.hasPrefix() {
		return nil
	}
	return c.choosePrefix(math.MaxUint32)
}

// index allocates the memory of the graph, and builds the index of its rows.
func (c *construction) index() (err error) {
	if c.sizes.numbers, err = c.numbers(); err != nil {
		return err
	}
	if err = c.g.take(c.d, c.rows.graph(c.sizes)); err != nil {
		return err
	}
	if c.keeping, err = c.d.Borrow(c.rows.keep(c.sizes)); err != nil {
		return err
	}
	if c.working, err = c.d.Borrow(c.rows.work(c.sizes)); err != nil {
		return err
	}
	return c.rows.index()
}

// writeRows writes the rows, and the facts of the graph as far as the device has its rows.
func (c *construction) writeRows() error {
	if err := c.rows.sort(); err != nil {
		return err
	}
	if err := c.rows.finish(); err != nil {
		return err
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	c.g.Info = c.info()
	return nil
}

// The rows of most orders are searched as they are.
func (c *construction) keep(sizes) device.Group    { return device.Group{} }
func (c *construction) later(sizes) []device.Group { return nil }

// writeIndex writes the words of the index, and for each vertex with an edge, of any device,
// a key that sorts by falling degree.
func (c *construction) writeIndex() error {
	if c.sizes.vertices == 0 {
		return nil
	}
	kernel, args := "construct_index", []uint64{
		c.rank.Address(), c.sizes.vertices, c.sums.Address(), uint64(c.facts.MaxTuples), c.g.IndexAddress(), c.keys.Address(),
	}
	if !c.whole() {
		first, end := c.sizes.labels.ofTiles()
		kernel, args = "construct_index_range", append(args, first, end, c.rowsBefore)
	}
	return c.launch.run("index", kernel, tilesOf(c.sizes.vertices, tileLabels), tileLabels, args...)
}

// rankRows builds the index, ranks the vertices by degree in rank, and writes the labels in
// the order of the ranks, and the first of them to hubs. The vertices of the largest degrees
// are depth ranks apart, unless depth is 0.
func (c *construction) rankRows(order, hubs device.Array[engine.Label], depth uint64) error {
	if err := c.writeIndex(); err != nil {
		return err
	}
	rows := c.sizes.connected
	if rows == 0 {
		return nil
	}
	if err := c.sortKeys(rows, 32, bits.Len32(c.facts.MaxTuples)); err != nil {
		return err
	}
	return c.launch.run("index", "construct_rank", tilesOf(rows, rowThreads), rowThreads,
		c.keys.Address(), rows, order.Address(), c.rank.Address(), hubs.Address(), uint64(hubs.Len()), dealtColumns(rows), depth)
}

// dealtColumns returns the number of columns in which rows of the largest degrees are dealt
// out: 256 are slower at scale 24, and 4,096 nowhere faster (docs/notebook.md).
func dealtColumns(rows uint64) uint64 { return min(rows/64, 1<<10) }

// sortKeys sorts the first count keys by their bits first..first+width-1.
func (c *construction) sortKeys(count uint64, first, width int) error {
	swapped, err := c.sorter.sort(c.launch, sortable{keys: c.keys}, sortable{keys: c.sorted}, count, first, width)
	if swapped {
		c.keys, c.sorted = c.sorted, c.keys
	}
	return err
}

// eachGroup calls sort for groups of consecutive labels, of at most maxLabels labels, and of
// no more arcs than keys unless a tile alone has more. It leaves out groups without arcs.
func (c *construction) eachGroup(maxLabels uint64, sort func(first, labels, arcs uint64) error) error {
	maxArcs := uint64(c.keys.Len())
	from, last := c.sizes.labels.ofTiles()
	for maxTiles := maxLabels / tileLabels; from < last; {
		to := from + 1
		for to < last && to-from < maxTiles && c.tiles[to+1]-c.tiles[from] <= maxArcs {
			to++
		}
		if arcs := c.tiles[to] - c.tiles[from]; arcs > 0 {
			if err := sort(from*tileLabels, (to-from)*tileLabels, arcs); err != nil {
				return err
			}
			if err := context.Cause(c.ctx); err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// info returns the facts of the graph, as far as the device has its rows.
func (c *construction) info() engine.Graph {
	info := engine.Graph{
		Vertices:    int64(c.sizes.vertices),
		Connected:   int64(c.sizes.connected),
		Tuples:      int64(c.tuples.Len()),
		SelfLoops:   int64(c.facts.Loops),
		Arcs:        c.stored,
		MaxDegree:   int64(c.facts.MaxDegree),
		Regenerated: !c.tuples.Whole() && c.tuples.HostMemory() == "",
		HostTuples:  c.tuples.HostMemory(),
	}
	if c.form.hasPrefix() {
		info.Prefix, info.HostBytes = int64(c.g.Prefix), int64(c.rows.room().size*SectorArcs*c.sectors)
	}
	return info
}
