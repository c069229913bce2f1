//go:build cuda

package construct

import (
	"errors"
	"math"
	"math/bits"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// byDegree builds rows of the order ByDegree.
type byDegree struct {
	*construction
	order    device.Array[engine.Label] // labels of the rows by falling number of tuples
	needSums device.Array[uint64]       // need of split rows by tile of rows, two arrays, and the totals
	words    uint64                     // of the rows built so far, if they are split
	ranks    bool                       // neighbours are written as ranks
}

func (c *byDegree) graph(z sizes) device.Group {
	neighbors, r := "neighbours", &c.g.ByDegree
	if c.form.Split.NoPrefix {
		neighbors = "places of neighbours"
	}
	return c.g.group(
		device.Of(&r.Neighbors, neighbors, z.entries),
		device.Of(&r.Rows, "rows", z.rows),
		device.Of(&c.g.Index, "row index", 32*z.labels.tiles()),
		device.Of(&r.Hubs, "hubs", min(z.connected, c.form.Hubs)),
	)
}

func (c *byDegree) work(z sizes) device.Group {
	arrays := append(c.sortingArcs(z), device.Of(&c.order, "vertices by degree", z.connected))
	if c.form.splits() {
		arrays = append(arrays, c.needed(), device.Of(&c.needSums, "sums of split rows", 2*(tilesOf(z.connected, tileLabels)+1)))
	}
	return device.Group{Alive: engine.Construction, Arrays: arrays}
}

// sortingArcs declares the memory for sorting arcs and vertices.
func (c *byDegree) sortingArcs(z sizes) []device.Declared {
	keys := groupCapacity(z.arcs, z.largestTile, z.connected, c.form.Groups)
	return append([]device.Declared{
		device.Of(&c.keys, "arcs to sort", keys),
		device.Of(&c.sorted, "sorted arcs", keys),
		device.Of(&c.cursor, "cursor of construction", 1),
	}, c.sorter.arrays(keys)...)
}

func (c *byDegree) into(in Input, i int) { c.g.ByDegree.Tails = in.Tails[i] }

func (c *byDegree) room() splitRoom {
	// The words of rows number the sectors of the tails with 32 bits.
	return splitRoom{"neighbours", 4, min(uint64(len(c.g.ByDegree.Tails.Host())), math.MaxUint32*SectorArcs)}
}

func (c *byDegree) index() error { return c.rankRows(c.order, c.g.ByDegree.Hubs, 0) }

func (c *byDegree) sort() error {
	labels := c.sizes.labels.End - c.sizes.labels.First
	return c.eachGroup(groupLabels(labels, c.sizes.connected, c.form.Groups, c.tuples.Whole()), c.sortGroup)
}

// sortGroup builds the rows of the labels first..first+labels-1, which have the given
// number of arcs, and appends them to the graph.
func (c *byDegree) sortGroup(first, labels, arcs uint64) error {
	rankBits := bits.Len64(c.sizes.connected - 1)
	if err := c.cursor.Fill(0); err != nil {
		return err
	}
	if err := c.tuples.Each(c.ctx, func(part generate.Part) error {
		return c.launch.run(generate.ModuleOf("rows", part.IsWide()), "construct_arcs", tilesOf(uint64(part.Count), rowTile), rowThreads,
			part.Address(), uint64(part.Count), c.rank.Address(), first, labels, uint64(rankBits), c.keys.Address(), c.cursor.Address())
	}); err != nil {
		return err
	}
	if err := c.sortKeys(arcs, 0, rankBits+bits.Len64(labels-1)); err != nil {
		return err
	}
	tiles := tilesOf(arcs, rowTile)
	if err := c.launch.run("rows", "construct_distinct", tiles, rowThreads,
		c.keys.Address(), arcs, c.sums.Address()); err != nil {
		return err
	}
	if err := c.launch.run("index", "construct_scan", 1, 1024, c.sums.Address(), tiles); err != nil {
		return err
	}
	base := c.stored
	distinct, err := c.addStored(tiles)
	if err != nil {
		return err
	}
	if c.form.hasPrefix() {
		return c.splitRows(first, labels, arcs, distinct, rankBits)
	}
	order := c.order
	if c.ranks {
		order = device.Array[engine.Label]{}
	}
	return c.launch.run("rows", "construct_rows", tiles, rowThreads,
		c.keys.Address(), arcs, c.sums.Address(), uint64(base), first, uint64(rankBits),
		order.Address(), c.g.IndexAddress(), c.g.ByDegree.Rows.Address(), c.g.ByDegree.Neighbors.Address())
}

// addStored adds the distinct arcs of a group, and returns their number. c.sums has those
// before each tile of keys, and the total behind.
func (c *byDegree) addStored(tiles uint64) (uint64, error) {
	var distinct [1]uint64
	err := c.sums.Read(int(tiles), distinct[:])
	c.stored += int64(distinct[0])
	return distinct[0], err
}

// finish computes the degrees if splitRows has not.
func (c *byDegree) finish() error {
	if c.sizes.rows == 0 || c.form.hasPrefix() {
		return nil
	}
	return c.launch.run("rows", "construct_degrees", tilesOf(c.sizes.rows, rowThreads), rowThreads,
		c.g.ByDegree.Rows.Address(), c.sizes.rows, uint64(c.stored), c.deviceFacts.Address())
}

// splitRows writes the rows of a group of labels, whose sorted keys have the given number
// of distinct ones. c.sums has the distinct keys before each tile.
func (c *byDegree) splitRows(first, labels, arcs, distinct uint64, rankBits int) error {
	firstRow, rows, err := c.rowsOf(first, labels)
	if err != nil {
		return err
	}
	g, r, tiles, tilesOfRows := c.g, &c.g.ByDegree, tilesOf(arcs, rowTile), tilesOf(rows, tileLabels)
	starts := c.sorted.Address() // free between two sorts, and there are no more rows than keys
	rowsAt := r.Rows.Address() + firstRow*rowBytes
	words := c.needSums.Address()
	sectors := words + 8*(tilesOfRows+1)
	for _, run := range []struct {
		module, kernel string
		blocks         uint64
		threads        int
		args           []uint64
	}{
		{"split", "construct_starts", tiles, rowThreads, []uint64{
			c.keys.Address(), arcs, c.sums.Address(), first, uint64(rankBits), g.IndexAddress(), firstRow, r.Rows.Address(), starts,
		}},
		{"split", "construct_split_sizes", tilesOfRows, tileLabels, []uint64{starts, rows, distinct, uint64(g.Prefix), words, sectors}},
		{"index", "construct_scan", 1, 1024, []uint64{words, tilesOfRows}},
		{"index", "construct_scan", 1, 1024, []uint64{sectors, tilesOfRows}},
		{"split", "construct_split_place", tilesOfRows, tileLabels, []uint64{
			starts, rows, distinct, uint64(g.Prefix), words, sectors, c.words, c.sectors, rowsAt, r.Neighbors.Address(), c.deviceFacts.Address(),
		}},
		{"split", "construct_split_rows", tiles, rowThreads, []uint64{
			c.keys.Address(), arcs, c.sums.Address(), first, uint64(rankBits), c.order.Address(), g.IndexAddress(), firstRow, starts,
			r.Rows.Address(), uint64(g.Prefix), r.Neighbors.Address(), r.Tails.Address(),
		}},
	} {
		if err := c.launch.run(run.module, run.kernel, run.blocks, run.threads, run.args...); err != nil {
			return err
		}
	}
	return c.addSplit(tilesOfRows)
}

// addSplit adds what the rows of a group take.
func (c *byDegree) addSplit(tilesOfRows uint64) error {
	var words, sectors [1]uint64
	if err := errors.Join(c.needSums.Read(int(tilesOfRows), words[:]), c.needSums.Read(int(2*tilesOfRows+1), sectors[:])); err != nil {
		return err
	}
	c.words += words[0]
	c.sectors += sectors[0]
	return nil
}

// rowsOf returns the first row of a range of labels, which begins with a tile, and their
// number. The row index must be complete.
func (c *byDegree) rowsOf(first, labels uint64) (firstRow, rows uint64, err error) {
	var word [1]uint64
	at := first - c.sizes.labels.First
	if err := c.g.Index.Read(int(at/32), word[:]); err != nil {
		return 0, 0, err
	}
	firstRow, end := word[0]>>32, c.sizes.rows
	if next := int(at+labels) / 32; next < c.g.Index.Len() {
		if err := c.g.Index.Read(next, word[:]); err != nil {
			return 0, 0, err
		}
		end = word[0] >> 32
	}
	return firstRow, end - firstRow, nil
}
