//go:build cuda

package construct

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/hubs"
	form "graph500/kernels/hubs/reference"
)

const (
	// classes of rows that hubs.cu tells apart: with several hubs, one, none, and with leaves only.
	hubClasses = 4

	// hubLabelBits and hubPlaceBits are the low bits of a key of a row that are its label, or,
	// with several hubs, its place in its chunk. hubBits are those of the number of a hub.
	hubLabelBits, hubPlaceBits, hubBits = 30, 12, 16

	// hubRowTeam is the number of threads that make the list of a row.
	hubRowTeam = 8

	// hubTile and hubThreads are the numbers of rows or values per block, and of threads of a
	// block that makes the lists of a hub.
	hubTile, hubThreads = 1024, 256
)

// byHubs builds a graph of the order ByHubs: at first rows by label in temporary memory, whose
// neighbours are ranks, then of these the form of package hubs.
type byHubs struct {
	byDegree
	tiles uint64             // of rows by label
	used  [hubClasses]uint64 // rows of each class

	codes   device.Array[uint32]    // by rank
	classes device.Array[uint64]    // rows before each tile of rows, by class
	inChunk device.Array[uint64]    // used rows before each chunk
	rounded device.Array[uint64]    // all rows before each chunk
	bounds  device.Array[[2]uint32] // first row with leaves only, and the end of the rows
	before  device.Array[[2]uint32] // by hub and warp: hubs and rows before its part of the hub's list

	rowKeys    device.Array[uint64] // the classes one after the other
	sortedRows device.Array[uint64] // second buffer of the sort
	tileSums   device.Array[uint64] // of an array whose prefix sums are computed
	rowSorter  sorter
}

func (c *byHubs) graph(z sizes) device.Group {
	return c.g.group(device.Of(&c.g.Index, "row index", 32*z.labels.tiles()))
}

func (c *byHubs) keep(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(&c.g.ByDegree.Neighbors, "ranks of neighbours", z.entries),
		device.Of(&c.g.ByDegree.Rows, "rows", z.rows),
		device.Of(&c.order, "vertices by degree", z.connected),
	}}
}

func (c *byHubs) work(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: c.sorting(z)}
}

// later assumes that each row is one with several hubs, and that each list has a piece that is
// not full.
func (c *byHubs) later(z sizes) []device.Group {
	chunks := tilesOf(z.labels.End-z.labels.First, c.form.Chunk)
	of := hubs.Sizes{
		Labels: z.labels.End - z.labels.First, Chunks: chunks, Hubs: min(c.form.Hubs, z.connected),
		HubRows: z.rows + form.RowAlign*chunks, OtherRows: form.PartAlign,
		RowLists: z.arcs/form.RowsEach + z.rows, Further: z.rows, HubLists: min(c.form.Hubs, z.connected), HubRowList: min(c.form.Hubs, z.connected),
	}
	g := &hubs.Graph{ChunkLabels: c.form.Chunk}
	return []device.Group{g.Group(of), c.converting(chunks, of.Hubs, z.rows, z.connected)}
}

// converting declares the temporary memory of convert, for a graph of those numbers of chunks,
// hubs and rows on the device, and of vertices with an edge on any device.
func (c *byHubs) converting(chunks, hubs, rows, connected uint64) device.Group {
	longest := max(rows+form.RowAlign*(chunks+1)+form.PartAlign, hubs) + 1
	return device.Group{Alive: engine.Construction, Arrays: append([]device.Declared{
		device.Of(&c.codes, "codes by rank", connected),
		device.Of(&c.before, "parts of lists of hubs", hubs*hubThreads/32),
		device.Of(&c.classes, "rows by class", hubClasses*(tilesOf(rows, hubTile)+1)),
		device.Of(&c.inChunk, "used rows by chunk", chunks+1),
		device.Of(&c.rounded, "rows by chunk", chunks+1),
		device.Of(&c.rowKeys, "rows to sort", rows),
		device.Of(&c.sortedRows, "sorted rows", rows),
		device.Of(&c.bounds, "bounds of rows", 1),
		device.Of(&c.tileSums, "sums of lists", tilesOf(longest, hubTile)+1),
	}, c.rowSorter.arrays(rows)...)}
}

func (c *byHubs) convert(ctx context.Context) (err error) {
	if err := c.working.Free(); err != nil {
		return err
	}
	labels, rows := c.sizes.labels, c.rowCount()
	g := &hubs.Graph{ChunkLabels: c.form.Chunk, FirstLabel: labels.First}
	c.g.ByHubs, c.tiles = g, tilesOf(rows, hubTile)
	g.Sizes = hubs.Sizes{Labels: labels.End - labels.First, Chunks: tilesOf(labels.End-labels.First, c.form.Chunk), Hubs: min(c.form.Hubs, c.sizes.connected)}
	if err := c.g.take(c.d, g.LabelGroup(g.Sizes)); err != nil {
		return err
	}
	work, err := c.d.Borrow(c.converting(g.Sizes.Chunks, g.Sizes.Hubs, rows, c.sizes.connected))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, work.Free(), c.keeping.Free()) }()
	for _, step := range []func() error{c.name, c.classify, c.sortRows, c.number, c.nameFirsts, c.findLeaves, c.measureLists, c.fillLists, c.d.Synchronize} {
		if err := errors.Join(step(), context.Cause(ctx)); err != nil {
			return err
		}
	}
	c.g.ByDegree, g.Info = NeighborRows{}, c.g.Info
	return nil
}

// rowCount returns the number of rows by label.
func (c *byHubs) rowCount() uint64 { return uint64(c.g.ByDegree.Rows.Len()) }

// each launches a kernel with a thread for each of count elements, if there are any.
func (c *byHubs) each(kernel string, count uint64, threads int, args ...uint64) error {
	if count == 0 {
		return nil
	}
	return c.launch.run("hubs", kernel, tilesOf(count, uint64(threads)), threads, args...)
}

// own returns the address at which the code of label 0 would be, of those by label.
func (c *byHubs) own() uint64 { return c.g.ByHubs.Vertices.Based(c.sizes.labels.First).Address() }

// rowArgs are the arguments about the rows, in the order of the labels, and the codes of
// kernels.
func (c *byHubs) rowArgs(more ...uint64) []uint64 {
	r := c.g.ByDegree
	return append([]uint64{r.Rows.Address(), c.rowCount(), r.Neighbors.Address(), c.own(), c.codes.Address(), c.order.Address(), c.g.ByHubs.Sizes.Hubs}, more...)
}

// name gives the vertices their first codes.
func (c *byHubs) name() error {
	z, rows := c.g.ByHubs.Sizes, c.g.ByDegree.Rows
	first, err := c.order.Slice(0, int(z.Hubs))
	return errors.Join(err,
		c.g.ByHubs.Vertices.Fill(0xff), c.g.ByHubs.First.Fill(0xff), c.g.ByHubs.HubLabels.CopyFrom(first),
		c.each("construct_hub_numbers", z.Hubs, 256, c.g.ByHubs.HubLabels.Address(), z.Hubs, c.own()),
		c.each("construct_hub_codes", uint64(rows.Len()), 256, rows.Address(), uint64(rows.Len()), c.own()),
		c.spread())
}

// spread copies the codes by label to those by rank.
func (c *byHubs) spread() error {
	return c.each("construct_hub_spread", c.g.ByHubs.Sizes.Labels, 256, c.own(), c.g.ByHubs.Sizes.Labels, c.rank.Address(), c.codes.Address())
}

// classify counts the rows of each class, allocates the arrays by row, and numbers the chunks'
// first rows.
func (c *byHubs) classify() error {
	g, z := c.g.ByHubs, &c.g.ByHubs.Sizes
	if err := errors.Join(c.inChunk.Fill(0),
		c.each("construct_hub_classes", c.rowCount(), hubTile, c.rowArgs(g.ChunkLabels, g.FirstLabel, c.tiles, c.classes.Address(), c.inChunk.Address())...),
		c.each("construct_hub_chunks", z.Chunks, 256, c.inChunk.Address(), z.Chunks, c.rounded.Address()),
		c.scan(c.inChunk, 0, z.Chunks), c.scan(c.rounded, 0, z.Chunks),
		c.each("construct_hub_starts", z.Chunks+1, 256, c.rounded.Address(), z.Chunks+1, g.FirstRow, g.ChunkRows.Address())); err != nil {
		return err
	}
	for class := range c.used {
		first, n := class*int(c.tiles+1), make([]uint64, 1)
		if err := errors.Join(c.scan(c.classes, uint64(first), c.tiles), c.classes.Read(first+int(c.tiles), n)); err != nil {
			return err
		}
		c.used[class] = n[0]
	}
	several := make([]uint64, 1)
	if err := c.rounded.Read(int(z.Chunks), several); err != nil {
		return err
	}
	z.HubRows, z.SingleRows = several[0], aligned(c.used[1], form.RowAlign)
	z.OtherRows = aligned(z.HubRows+z.SingleRows+c.used[2]+c.used[3], form.PartAlign) - z.HubRows - z.SingleRows
	return c.g.take(c.d, g.RowGroup(*z))
}

// aligned rounds n up to a multiple of to.
func aligned(n, to uint64) uint64 { return (n + to - 1) / to * to }

// scan replaces count elements of an array by their exclusive prefix sums, and the next one by
// the total.
func (c *byHubs) scan(values device.Array[uint64], first, count uint64) error {
	return c.launch.run("index", "construct_scan", 1, 1024, values.Address()+8*first, count)
}

// sortRows sorts the rows of each class by their first neighbours. Rows with leaves only are in
// order already.
func (c *byHubs) sortRows() error {
	if err := c.each("construct_hub_keys", c.rowCount(), hubTile, c.rowArgs(c.g.ByHubs.ChunkLabels, c.g.ByHubs.FirstLabel, c.tiles, c.classes.Address(), c.rowKeys.Address())...); err != nil {
		return err
	}
	first, chunkBits := 0, bits.Len64(c.g.ByHubs.Sizes.Chunks)
	for class, by := range []struct{ low, width int }{{hubPlaceBits, hubBits + chunkBits}, {hubLabelBits, hubBits}, {hubLabelBits, hubLabelBits}} {
		n := int(c.used[class])
		if err := c.sortPart(first, n, by.low, by.width); err != nil {
			return err
		}
		first += n
	}
	return nil
}

// sortPart sorts n keys from index first on, by their bits low..low+width-1.
func (c *byHubs) sortPart(first, n, low, width int) error {
	if n == 0 {
		return nil
	}
	keys, err := c.rowKeys.Slice(first, n)
	if err != nil {
		return err
	}
	sorted, err := c.sortedRows.Slice(first, n)
	if err != nil {
		return err
	}
	swapped, err := c.rowSorter.sort(c.launch, sortable{keys: keys}, sortable{keys: sorted}, uint64(n), low, width)
	if swapped {
		err = errors.Join(err, keys.CopyFrom(sorted))
	}
	return err
}

// number gives the rows their numbers.
func (c *byHubs) number() error {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	if err := errors.Join(g.RowLabels.Fill(0xff), g.SingleHub.Fill(0xff),
		c.each("construct_hub_unused", z.HubRows, 256, g.Heads.Address(), z.HubRows),
		c.each("construct_hub_several", c.used[0], 256, c.rowKeys.Address(), c.used[0], g.ChunkLabels, g.FirstLabel, c.inChunk.Address(), c.rounded.Address(),
			g.FirstRow, c.own(), g.RowLabels.Address(), g.Heads.Address())); err != nil {
		return err
	}
	at := c.rowKeys.Address() + 8*c.used[0]
	for _, class := range []struct{ used, row, hubs uint64 }{
		{c.used[1], z.HubRows, g.SingleHub.Address()}, {c.used[2] + c.used[3], z.HubRows + z.SingleRows, 0},
	} {
		if err := c.each("construct_hub_others", class.used, 256, at, class.used, class.row, g.FirstRow, c.own(), g.RowLabels.Address(), class.hubs); err != nil {
			return err
		}
		at += 8 * class.used
	}
	return c.spread()
}

// nameFirsts writes the first neighbours of all labels, and the codes of leaves by label.
func (c *byHubs) nameFirsts() error {
	g := c.g.ByHubs
	onlyLeaves := g.FirstRow + g.Sizes.HubRows + g.Sizes.SingleRows + c.used[2]
	return errors.Join(c.bounds.Write(0, [][2]uint32{{uint32(onlyLeaves), uint32(g.FirstRow + g.Sizes.Rows())}}),
		c.each("construct_hub_first", c.rowCount(), 256,
			c.rowArgs(c.sizes.labels.First, c.bounds.Address(), uint64(c.bounds.Len()), g.First.Address())...))
}

// listArgs are the first arguments of the kernels that look at the neighbours of some rows.
func (c *byHubs) listArgs(more ...uint64) []uint64 {
	return append([]uint64{c.g.IndexAddress(), c.g.ByDegree.Rows.Address(), c.g.ByDegree.Neighbors.Address()}, more...)
}

// findLeaves makes the lists of leaves of the rows without hubs.
func (c *byHubs) findLeaves() error {
	g, z := c.g.ByHubs, &c.g.ByHubs.Sizes
	others, err := g.RowLabels.AddressOf(int(z.HubRows+z.SingleRows), int(z.OtherRows))
	if err != nil {
		return err
	}
	list := func(leaves uint64) error {
		return c.each("construct_hub_leaves", 32*z.OtherRows, 256,
			c.listArgs(c.codes.Address(), c.order.Address(), z.Hubs, others, z.OtherRows, g.LeavesAt.Address(), leaves)...)
	}
	if err = list(0); err == nil {
		z.Leaves, err = c.startsOf(g.LeavesAt)
	}
	if err == nil {
		err = c.g.take(c.d, g.LeafGroup(*z))
	}
	if err != nil || z.Leaves == 0 {
		return err
	}
	return list(g.Leaves.Address())
}

// startsOf turns the lengths of lists into their starts and the end, which it returns.
func (c *byHubs) startsOf(lengths device.Array[uint32]) (end uint64, err error) {
	count := uint64(lengths.Len() - 1)
	tiles := tilesOf(count+1, hubTile)
	total := make([]uint64, 1)
	if err := errors.Join(
		c.each("construct_hub_tally", count+1, hubTile, lengths.Address(), count, c.tileSums.Address()),
		c.scan(c.tileSums, 0, tiles), c.tileSums.Read(int(tiles), total),
		c.each("construct_hub_scan", count+1, hubTile, lengths.Address(), count, c.tileSums.Address())); err != nil {
		return 0, err
	}
	if total[0] > math.MaxUint32 {
		return 0, fmt.Errorf("graph: lists have %d pieces; at most 2^32 are possible", total[0])
	}
	return total[0], nil
}

// measureLists computes the lengths of the lists and allocates them.
func (c *byHubs) measureLists() (err error) {
	g, z := c.g.ByHubs, &c.g.ByHubs.Sizes
	if err := errors.Join(
		c.each("construct_hub_count", hubRowTeam*z.Rows(), 256,
			c.listArgs(c.codes.Address(), z.Hubs, z.HubRows, z.Rows(), g.RowLabels.Address(), g.FurtherAt.Address(), g.RowListAt.Address())...),
		c.each("construct_hub_list_count", hubThreads*z.Hubs, hubThreads,
			c.listArgs(c.codes.Address(), z.Hubs, g.HubLabels.Address(), g.FirstRow, g.FirstRow+z.Rows(), g.HubListAt.Address(), g.HubRowAt.Address(), c.before.Address())...)); err != nil {
		return err
	}
	for _, list := range []struct {
		at     device.Array[uint32]
		pieces *uint64
	}{{g.FurtherAt, &z.Further}, {g.RowListAt, &z.RowLists}, {g.HubListAt, &z.HubLists}, {g.HubRowAt, &z.HubRowList}} {
		if *list.pieces, err = c.startsOf(list.at); err != nil {
			return err
		}
	}
	return c.g.take(c.d, g.ListGroup(*z))
}

// fillLists writes the lists.
func (c *byHubs) fillLists() error {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	return errors.Join(
		c.each("construct_hub_fill", hubRowTeam*z.Rows(), 256,
			c.listArgs(z.HubRows, z.HubRows+z.SingleRows, z.Rows(), g.RowLabels.Address(), g.FurtherAt.Address(),
				g.RowListAt.Address(), g.Seconds.Address(), g.Further.Address(), g.RowLists.Address(), g.FirstRows.Address())...),
		c.each("construct_hub_list_fill", hubThreads*z.Hubs, hubThreads,
			c.listArgs(g.HubLabels.Address(), g.FirstRow, g.FirstRow+z.Rows(), g.HubListAt.Address(), g.HubRowAt.Address(), c.before.Address(),
				g.HubLists.Address(), g.HubRowList.Address())...))
}
