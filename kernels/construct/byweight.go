//go:build cuda

package construct

import (
	"math/bits"

	"graph500/device"
	"graph500/engine"
)

const (
	// largestApart is the number of ranks between rows of the largest degrees: entries of 8
	// bytes are in cache lines of their own.
	largestApart = 16

	// mostNumbers is the largest number of rows of all devices, used or not: those of SSSP
	// have a flag above (Open in kernels/sssp/pull.cuh).
	mostNumbers = 1 << 30
)

// byWeight builds rows of the order ByWeight that have numbers.
type byWeight struct {
	weighted
	starts   device.Array[uint64] // of the rows among the arcs of the device, or, if split, of all devices, by place
	fronts   device.Array[uint64] // of split rows in ArcRows.Arcs, by place
	needSums device.Array[uint64] // need of split rows by tile of labels, two arrays, each with its total
}

func (c *byWeight) graph(z sizes) device.Group {
	all, r := "", &c.g.ByWeight
	if c.form.numbered() {
		all = " of all GPUs"
	}
	return c.g.group(
		device.Of(&r.Arcs, "arcs by weight", z.entries),
		device.Of(&r.Rows, "rows by weight"+all, z.numbers),
		device.Of(&r.Labels, "labels of the rows"+all, z.numbers),
		device.Of(&r.Heads, "first arcs", z.rows),
		device.Of(&r.HeadLabels, "labels of first arcs", z.rows),
		device.Of(&r.Thirds, "third weights", z.rows),
		device.Of(&r.Order, "labels in order", z.rows),
		device.Of(&c.g.Index, "index of rows by weight", 32*z.labels.tiles()),
	)
}

func (c *byWeight) work(z sizes) device.Group {
	arrays := append(c.sorting(z, z.rows), device.Of(&c.starts, "starts of the rows", z.rows))
	if c.form.splits() {
		arrays = append(arrays,
			device.Of(&c.needSums, "sums of split rows by weight", 2*(z.labels.tiles()+1)),
			device.Of(&c.fronts, "starts of split rows", z.rows))
	}
	return device.Group{Alive: engine.Construction, Arrays: arrays}
}

func (c *byWeight) index() error {
	if c.form.splits() {
		if err := c.place(); err != nil {
			return err
		}
	}
	if c.form.numbered() {
		return c.numberRows()
	}
	return c.rankRows(c.g.ByWeight.Labels, device.Array[engine.Label]{}, largestApart)
}

// place computes where the rows of the device begin: in starts, among the arcs of all devices,
// and in fronts, in the device's arcs, to which it writes where the tails begin. sums has the
// rows and arcs before each tile.
func (c *byWeight) place() error {
	labels, prefix := c.sizes.labels, uint64(c.g.Prefix)
	first, end := labels.ofTiles()
	all, tiles := tilesOf(c.sizes.vertices, tileLabels), end-first
	if tiles == 0 {
		return nil
	}
	rows, words := c.sums.Address()+8*first, c.needSums.Address()
	arcs, sectors := rows+8*(all+1), words+8*(tiles+1)
	degrees, count := c.rank.Address()+4*labels.First, labels.End-labels.First
	for _, run := range []struct {
		module, kernel string
		blocks         uint64
		threads        int
		args           []uint64
	}{
		{"weightedsplit", "construct_weighted_sizes", tiles, tileLabels, []uint64{degrees, count, prefix, words, sectors}},
		{"index", "construct_scan", 1, 1024, []uint64{words, tiles}},
		{"index", "construct_scan", 1, 1024, []uint64{sectors, tiles}},
		{"weightedsplit", "construct_weighted_place", tiles, tileLabels, []uint64{
			degrees, count, prefix, rows, arcs, words, sectors, c.starts.Address() - 8*c.rowsBefore, c.fronts.Address() - 8*c.rowsBefore, c.g.ByWeight.Arcs.Address(),
		}},
	} {
		if err := c.launch.run(run.module, run.kernel, run.blocks, run.threads, run.args...); err != nil {
			return err
		}
	}
	var total [1]uint64
	err := c.needSums.Read(int(2*tiles+1), total[:])
	c.sectors = total[0]
	return err
}

func (c *byWeight) sort() error { return c.sortGroups(c.storeRows) }

// storeRows appends the rows of the labels from first on, which have that many sorted arcs,
// to the graph, which has base arcs.
func (c *byWeight) storeRows(first, arcs, base uint64) error {
	blocks, r := tilesOf(arcs, rowThreads), &c.g.ByWeight
	if c.form.splits() {
		return c.launch.run("weightedsplit", "construct_weighted_split_rows", blocks, rowThreads,
			c.keys.Address(), c.values[0].Address(), arcs, base+c.arcsBefore(), first, weightBits,
			c.g.IndexAddress(), c.rank.Address(), c.starts.Address(), c.fronts.Address(), uint64(c.g.Prefix),
			r.Arcs.Address(), r.Tails.Address())
	}
	return c.launch.run("weighted", "construct_weighted_rows", blocks, rowThreads,
		c.keys.Address(), c.values[0].Address(), arcs, base, first, weightBits,
		c.g.IndexAddress(), c.rank.Address(), c.starts.Address(), r.Arcs.Address())
}

// arcsBefore returns the number of arcs of all devices before those of this one.
func (c *byWeight) arcsBefore() uint64 {
	first, _ := c.sizes.labels.ofTiles()
	return c.tiles[first]
}

func (c *byWeight) finish() error {
	labels, rows, r := c.sizes.labels, c.sizes.rows, &c.g.ByWeight
	fronts, total := c.starts.Address(), uint64(c.stored)
	if c.form.splits() {
		fronts, total = c.fronts.Address(), total+c.arcsBefore()
	}
	if rows > 0 {
		if err := c.launch.run("weighted", "construct_heads", tilesOf(labels.End-labels.First, rowThreads), rowThreads,
			c.g.IndexAddress(), c.rank.Address(), labels.First, labels.End, c.starts.Address(), rows, total, fronts, r.Arcs.Address(), r.Labels.Address(),
			uint64(c.number), r.Rows.Address(), r.Heads.Address(), r.HeadLabels.Address(), r.Thirds.Address(), r.Order.Address(), c.deviceFacts.Address()); err != nil {
			return err
		}
	}
	return c.pad()
}

// numberRows writes the index, and the numbers and labels of the rows of the device among
// those of all devices.
func (c *byWeight) numberRows() error {
	labels, rows := c.sizes.labels, c.sizes.rows
	if labels.End > labels.First {
		first, end := labels.ofTiles()
		if err := c.launch.run("index", "construct_index_part", end-first, tileLabels,
			c.rank.Address(), c.sizes.vertices, c.sums.Address(), uint64(c.facts.MaxTuples), c.g.IndexAddress(), c.keys.Address(), first, c.rowsBefore); err != nil {
			return err
		}
		if err := c.runPart("construct_part_clear", labels.End-labels.First, labels.First, labels.End, c.rank.Address()); err != nil {
			return err
		}
	}
	if err := c.g.ByWeight.Labels.Fill(0xff); err != nil || rows == 0 {
		return err
	}
	if err := c.sortKeys(rows, 32, bits.Len32(c.facts.MaxTuples)); err != nil {
		return err
	}
	return c.runPart("construct_part_rank", rows, c.keys.Address(), rows, dealtColumns(rows), largestApart,
		uint64(c.form.Devices), uint64(c.number), c.g.ByWeight.Labels.Address(), c.rank.Address())
}
