//go:build cuda

package construct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sort"

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
	hubLabelBits, hubPlaceBits, hubBits = 31, 12, 16

	// hubLeafFlag is the first number that no row has: reference.LeafFlag.
	hubLeafFlag = 1 << 30

	// hubRowLanes is the number of threads that make the list of a row: with 32, a warp waits for one row at a time. If the
	// neighbours are in host memory they are hubHostLanes, because 32 threads read whole lines there.
	hubRowLanes, hubHostLanes = 8, 32

	// hubFirstThreads is the number of threads of a block that lists the first neighbours of a chunk.
	hubFirstThreads = 256

	// hubRowPrefix is the number of first pieces of the list of each row that have room on the device
	// before the rows of hubs: beyond them, a search looks at hardly any.
	hubRowPrefix = 8

	// hubTile and hubThreads are the numbers of rows or values per block, and of threads of a
	// block that makes the lists of a hub.
	hubTile, hubThreads = 1024, 256
)

// byHubs builds a graph of the order ByHubs: at first rows by label in temporary memory, whose
// neighbours are ranks, then of these the form of package hubs.
type byHubs struct {
	byDegree
	tails *device.HostArray[engine.Label] // host memory for split rows: neighbours by label, then lists
	tiles uint64                          // of rows by label
	used  [hubClasses]uint64              // rows of each class

	parts   []hubPart               // of all devices
	codes   device.Array[uint32]    // by rank
	classes device.Array[uint64]    // rows before each tile of rows, by class
	inChunk device.Array[uint64]    // used rows before each chunk
	rounded device.Array[uint64]    // all rows before each chunk
	listed  device.Array[uint64]    // hubs in each chunk, later first neighbours listed before it
	bounds  device.Array[[2]uint32] // of each device: first row with leaves only, and the end of the rows
	sources device.Array[hubSource] // of each device
	before  device.Array[uint32]    // by hub and warp: hubs before its part of the hub's list

	tileSums device.Array[uint64] // of an array whose prefix sums are computed
	listWrap hubs.Wrap            // of RowListAt, if rows are split

	sorting    *device.Held
	rowKeys    device.Array[uint64] // the classes one after the other
	sortedRows device.Array[uint64] // keys in the order of the labels, then the second buffer of the sort
	rowSorter  sorter
}

// hubPart is what a device reads of another one, or of itself.
type hubPart struct {
	labels    Range
	codes     device.Array[form.Vertex] // by label of the range
	index     device.Array[uint64]
	rows      device.Array[Row]
	neighbors device.Array[engine.Label]
}

// hubSource is where the kernels find the rows by label of a device: the addresses at which the
// index would be for label 0, of rows and neighbours, and the end of the labels.
type hubSource struct{ Index, Rows, Neighbors, End uint64 }

func (c *byHubs) graph(z sizes) device.Group {
	return c.g.group(device.Of(&c.g.Index, "row index", 32*z.labels.tiles()))
}

func (c *byHubs) keep(z sizes) device.Group {
	arrays := []device.Declared{
		device.Of(&c.g.ByDegree.Rows, "rows", z.rows),
		device.Of(&c.order, "vertices by degree", z.connected),
	}
	if !c.form.splits() {
		arrays = append([]device.Declared{device.Of(&c.g.ByDegree.Neighbors, "ranks of neighbours", z.entries)}, arrays...)
	}
	return device.Group{Alive: engine.Construction, Arrays: arrays}
}

func (c *byHubs) work(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: c.sortingArcs(z)}
}

func (c *byHubs) into(in Input, i int) { c.tails = in.Tails[i] }

// index has the neighbours in host memory if rows are split.
func (c *byHubs) index() (err error) {
	if c.form.splits() {
		if c.g.ByDegree.Neighbors, err = c.tails.Mapped().Slice(0, int(c.sizes.entries)); err != nil {
			return err
		}
	}
	return c.byDegree.index()
}

// later assumes that each row is one with several hubs, which takes more than any other label with its
// first neighbour, and that each list has a piece that is not full. On several devices, an arc from a
// row to a hub is in two lists of the device, with 6 bytes, and arcs between hubs are on all.
//
// While the rows are sorted there are no lists yet.
func (c *byHubs) later(z sizes) []device.Group {
	g, of := &hubs.Graph{ChunkLabels: c.form.Chunk}, c.mostSizes(z)
	rows := device.Group{Alive: engine.Construction | engine.Searching}
	if c.form.splits() {
		rows.Arrays = append(rows.Arrays, device.Of(new(device.Array[uint32]), "rows and lists, as far as on the GPU", c.form.Split.Words))
	} else {
		rows.Arrays = append(append(g.RowGroup(of).Arrays, g.LeafGroup(of).Arrays...), g.ListGroup(of).Arrays...)
	}
	converting := c.converting(of.Chunks, of.Hubs, z.rows, z.connected)
	if needed := g.RowGroup(of).Bytes() + c.sortingRows(z.rows).Bytes(); needed > rows.Bytes() {
		converting.Arrays = append(converting.Arrays,
			device.Of(new(device.Array[byte]), "rows to sort, as far as they take more than lists", needed-rows.Bytes()))
	}
	return []device.Group{g.LabelGroup(of), rows, converting}
}

// mostSizes returns bounds on the sizes of the graph, as later assumes.
func (c *byHubs) mostSizes(z sizes) hubs.Sizes {
	chunks, most := tilesOf(z.labels.End-z.labels.First, c.form.Chunk), min(c.form.Hubs, z.connected)
	of := hubs.Sizes{
		Labels: z.labels.End - z.labels.First, Chunks: chunks, Hubs: most, HubRows: z.rows + form.RowAlign*chunks, OtherRows: form.PartAlign,
		Firsts:    form.FirstAlign * chunks,
		ListSizes: hubs.ListSizes{RowLists: z.arcs/form.RowsEach + z.rows, Further: z.rows, HubLists: most, HubRowList: most},
	}
	if c.form.Devices > 1 {
		of.HubRowList += z.arcs / (2 * form.RowsEach)
		of.HubLists += min(of.Hubs*of.Hubs, 2*z.tuples) / form.HubsEach
	}
	return of
}

// SplitByHubs returns the least and the most words that rows and lists take of a device of a graph
// of the order ByHubs (Split.Words), and the most words of host memory if they take that many of
// the device, for the rows of those labels.
func SplitByHubs(s Sizes, f Form, labels Range) (least, most, host uint64) {
	z := s.worst(f, labels)
	c := &byHubs{byDegree: byDegree{construction: newConstruction(f)}}
	g, of := &hubs.Graph{ChunkLabels: f.Chunk}, c.mostSizes(z)
	const word, rounding = 4, 8 * device.Alignment
	rows, lists := (g.RowGroup(of).Bytes()+g.PrefixGroup(of).Bytes())/word, of.Sum()*hubs.PieceBytes/word
	least, most = rows+rounding, rows+lists+rounding
	return least, most, z.arcs + hubs.PieceBytes/word + most - min(most, max(least, f.Split.Words)-rounding)
}

// converting declares the temporary memory of the conversion, for a graph of those numbers of chunks,
// hubs and rows on the device, and of vertices with an edge on any device.
func (c *byHubs) converting(chunks, hubs, rows, connected uint64) device.Group {
	longest := max(rows+form.RowAlign*(chunks+1)+form.PartAlign, hubs) + 1
	return device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(&c.codes, "codes by rank", connected),
		device.Of(&c.before, "parts of lists of hubs", hubs*hubThreads/32),
		device.Of(&c.classes, "rows by class", hubClasses*(tilesOf(rows, hubTile)+1)),
		device.Of(&c.inChunk, "used rows by chunk", chunks+1),
		device.Of(&c.rounded, "rows by chunk", chunks+1),
		device.Of(&c.listed, "first neighbours by chunk", chunks+1),
		device.Of(&c.bounds, "bounds of rows", uint64(c.form.Devices)),
		device.Of(&c.sources, "places of rows", uint64(c.form.Devices)),
		device.Of(&c.tileSums, "sums of lists", tilesOf(longest, hubTile)+1),
	}}
}

// sortingRows declares the temporary memory in which that many rows are sorted.
func (c *byHubs) sortingRows(rows uint64) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: append([]device.Declared{
		device.Of(&c.rowKeys, "rows to sort", rows),
		device.Of(&c.sortedRows, "sorted rows", rows),
	}, c.rowSorter.arrays(rows)...)}
}

// convertToHubs makes the form of package hubs of the rows. All devices have ended a step before
// any begins the next one, because they read what others have made.
func (b *build) convertToHubs() error {
	if b.form.Order != ByHubs {
		return nil
	}
	each := func(steps ...func(c *byHubs) error) func() error {
		return b.each(true, func(c *construction) error {
			for _, step := range steps {
				if err := cmp.Or(step(c.rows.(*byHubs)), context.Cause(b.ctx)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return b.inOrder(
		each((*byHubs).begin, (*byHubs).name), b.reachHubParts,
		each((*byHubs).spread, (*byHubs).classify, (*byHubs).sortRows), b.numberHubParts,
		each((*byHubs).numberRows), b.freeSortedRows,
		each((*byHubs).spread), // which reads what listFirsts writes
		each((*byHubs).listFirsts, (*byHubs).findLeaves, (*byHubs).encode),
		each((*byHubs).measureLists, (*byHubs).fillLists),
		each((*byHubs).end),
	)
}

// begin allocates the first arrays of the graph, and the temporary memory of the conversion.
func (c *byHubs) begin() (err error) {
	if err := c.working.Free(); err != nil {
		return err
	}
	labels, rows := c.sizes.labels, c.rowCount()
	g := &hubs.Graph{ChunkLabels: c.form.Chunk, FirstLabel: labels.First, RowPrefix: hubs.WholeRows, PrefixWrap: hubs.NoWrap, TailWrap: hubs.NoWrap}
	c.g.ByHubs, c.tiles = g, tilesOf(rows, hubTile)
	g.Sizes = hubs.Sizes{Labels: labels.End - labels.First, Chunks: tilesOf(labels.End-labels.First, c.form.Chunk), Hubs: min(c.form.Hubs, c.sizes.connected)}
	if err := c.g.take(c.d, g.LabelGroup(g.Sizes)); err != nil {
		return err
	}
	c.working, err = c.d.Borrow(c.converting(g.Sizes.Chunks, g.Sizes.Hubs, rows, c.sizes.connected))
	return err
}

// reachHubParts tells each device what it reads of all.
func (b *build) reachHubParts() error {
	for _, c := range b.parts {
		parts := make([]hubPart, len(b.ranges))
		for k, r := range b.ranges {
			parts[k].labels = r
		}
		c.rows.(*byHubs).parts = parts
	}
	if err := errors.Join(
		reachHubs(b, func(c *byHubs) device.Array[form.Vertex] { return c.g.ByHubs.Vertices }, func(p *hubPart) *device.Array[form.Vertex] { return &p.codes }),
		reachHubs(b, func(c *byHubs) device.Array[uint64] { return c.g.Index }, func(p *hubPart) *device.Array[uint64] { return &p.index }),
		reachHubs(b, func(c *byHubs) device.Array[Row] { return c.g.ByDegree.Rows }, func(p *hubPart) *device.Array[Row] { return &p.rows }),
		b.reachNeighbors()); err != nil {
		return err
	}
	return b.each(true, func(c *construction) error { return c.rows.(*byHubs).writeSources() })()
}

// reachNeighbors tells each device where the neighbours of all are.
func (b *build) reachNeighbors() error {
	if !b.form.splits() {
		return reachHubs(b, func(c *byHubs) device.Array[engine.Label] { return c.g.ByDegree.Neighbors },
			func(p *hubPart) *device.Array[engine.Label] { return &p.neighbors })
	}
	return device.IntroduceHost(b.team,
		func(i int) *device.HostArray[engine.Label] { return b.parts[i].rows.(*byHubs).tails }, // which begin with the neighbours
		func(i, k int) *device.Array[engine.Label] { return &b.parts[i].rows.(*byHubs).parts[k].neighbors })
}

// reachHubs adds an array of all devices to their descriptions.
func reachHubs[T any](b *build, of func(c *byHubs) device.Array[T], field func(p *hubPart) *device.Array[T]) error {
	return device.Introduce(b.team,
		func(i int) device.Array[T] { return of(b.parts[i].rows.(*byHubs)) },
		func(i, k int) *device.Array[T] { return field(&b.parts[i].rows.(*byHubs).parts[k]) })
}

func (c *byHubs) writeSources() error {
	sources := make([]hubSource, len(c.parts))
	for k, p := range c.parts {
		sources[k] = hubSource{p.index.Address() - 8*(p.labels.First/32), p.rows.Address(), p.neighbors.Address(), p.labels.End}
	}
	return c.sources.Write(0, sources)
}

// numberHubParts gives the rows of each device their first number, and tells it where the rows
// with leaves only of all devices are.
func (b *build) numberHubParts() error {
	own := make([][2]uint64, len(b.parts)) // rows, and those before the ones with leaves only
	for i, c := range b.parts {
		z := c.g.ByHubs.Sizes
		own[i] = [2]uint64{z.Rows(), z.HubRows + z.SingleRows + c.rows.(*byHubs).used[2]}
	}
	all, err := device.Gather(b.team, own)
	if err != nil {
		return err
	}
	bounds := make([][2]uint32, len(all))
	for k, first := 0, uint64(0); k < len(all); k++ {
		if i := k - b.team.First(); i >= 0 && i < len(b.parts) {
			b.parts[i].g.ByHubs.FirstRow = first
		}
		bounds[k] = [2]uint32{uint32(first + all[k][1]), uint32(first + all[k][0])}
		if first += all[k][0]; first >= hubLeafFlag {
			return fmt.Errorf("graph: more than %d rows by hubs", hubLeafFlag)
		}
	}
	return b.each(true, func(c *construction) error { return c.rows.(*byHubs).bounds.Write(0, bounds) })()
}

// freeSortedRows frees the memory in which rows were sorted, if there is any, like free.
func (b *build) freeSortedRows() error {
	var errs []error
	for _, c := range slices.Backward(b.parts) {
		if c, ok := c.rows.(*byHubs); ok {
			errs = append(errs, c.sorting.Free())
		}
	}
	return errors.Join(errs...)
}

// end forgets the rows by label, whose memory is temporary.
func (c *byHubs) end() error {
	c.g.ByDegree = NeighborRows{}
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

// name gives the vertices their first codes, and counts the hubs of each chunk.
func (c *byHubs) name() error {
	z, rows := c.g.ByHubs.Sizes, c.g.ByDegree.Rows
	first, err := c.order.Slice(0, int(z.Hubs))
	return errors.Join(err,
		c.g.ByHubs.Vertices.Fill(0xff), c.listed.Fill(0), c.g.ByHubs.HubLabels.CopyFrom(first),
		c.each("construct_hub_numbers", z.Hubs, 256, c.g.ByHubs.HubLabels.Address(), z.Hubs, c.g.ByHubs.ChunkLabels, c.sizes.labels.First, z.Labels, c.own(), c.listed.Address()),
		c.each("construct_hub_codes", uint64(rows.Len()), 256, rows.Address(), uint64(rows.Len()), c.own()))
}

// spread copies the codes by label of all devices to those by rank.
func (c *byHubs) spread() error {
	var errs []error
	for i := range c.parts { // each device begins with its own
		p := c.parts[(c.number+i)%len(c.parts)]
		labels := p.labels.End - p.labels.First
		errs = append(errs, c.each("construct_hub_spread", labels, 256, p.codes.Address(), labels, c.rank.Address()+4*p.labels.First, c.codes.Address()))
	}
	return errors.Join(errs...)
}

// classify makes the keys of the rows, counts those of each class, allocates the arrays by row and of first neighbours, and
// numbers the rows that are the chunks' first.
func (c *byHubs) classify() (err error) {
	g, z, r := c.g.ByHubs, &c.g.ByHubs.Sizes, c.g.ByDegree
	if c.sorting, err = c.d.Borrow(c.sortingRows(c.rowCount())); err != nil {
		return err
	}
	if err := errors.Join(c.inChunk.Fill(0),
		c.each("construct_hub_classes", c.rowCount(), hubTile, r.Rows.Address(), c.rowCount(), r.Neighbors.Address(), c.own(), c.codes.Address(), c.order.Address(), z.Hubs,
			g.ChunkLabels, g.FirstLabel, c.tiles, c.classes.Address(), c.inChunk.Address(), c.sortedRows.Address()),
		c.each("construct_hub_chunks", z.Chunks, 256, c.chunkArgs(c.inChunk.Address(), c.rounded.Address(), c.listed.Address())...),
		c.scan(c.inChunk, 0, z.Chunks), c.scan(c.rounded, 0, z.Chunks), c.scan(c.listed, 0, z.Chunks)); err != nil {
		return err
	}
	for class := range c.used {
		first, n := class*int(c.tiles+1), make([]uint64, 1)
		if err := errors.Join(c.scan(c.classes, uint64(first), c.tiles), c.classes.Read(first+int(c.tiles), n)); err != nil {
			return err
		}
		c.used[class] = n[0]
	}
	several, firsts := make([]uint64, 1), make([]uint64, 1)
	if err := errors.Join(c.rounded.Read(int(z.Chunks), several), c.listed.Read(int(z.Chunks), firsts)); err != nil {
		return err
	}
	z.HubRows, z.SingleRows, z.Firsts = several[0], aligned(c.used[1], form.RowAlign), firsts[0]
	z.OtherRows = aligned(z.HubRows+z.SingleRows+c.used[2]+c.used[3], form.PartAlign) - z.HubRows - z.SingleRows
	if n := z.Ranges().Count; n > form.MostRanges {
		return fmt.Errorf("graph: a GPU has %d rows with hubs, in %d ranges; at most %d are possible", z.HubRows+z.SingleRows, n, form.MostRanges)
	}
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
	if err := c.each("construct_hub_keys", c.rowCount(), hubTile, c.sortedRows.Address(), c.rowCount(), c.tiles, c.classes.Address(), c.rowKeys.Address()); err != nil {
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

// numberRows gives the rows their numbers.
func (c *byHubs) numberRows() error {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	if err := errors.Join(g.RowLabels.Fill(0xff), g.SingleHub.Fill(0xff),
		c.each("construct_hub_starts", z.Chunks+1, 256, c.rounded.Address(), z.Chunks+1, g.FirstRow, g.ChunkRows.Address()),
		c.each("construct_hub_starts", z.Chunks+1, 256, c.listed.Address(), z.Chunks+1, 0, g.FirstAt.Address()),
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
	return nil
}

// listFirsts writes the first neighbours of leaves and of rows with at most one hub, and the codes
// of leaves by label.
func (c *byHubs) listFirsts() error {
	g := c.g.ByHubs
	return c.each("construct_hub_firsts", hubFirstThreads*g.Sizes.Chunks, hubFirstThreads,
		c.chunkArgs(c.g.ByDegree.Neighbors.Address(), c.own(), c.codes.Address(), c.order.Address(), g.Sizes.Hubs, g.FirstRow+g.Sizes.HubRows,
			c.bounds.Address(), uint64(c.bounds.Len()), g.FirstAt.Address(), g.FirstPlaces.Address(), g.Firsts.Address())...)
}

// chunkArgs are the first arguments of the kernels that look at the rows by label of each chunk.
func (c *byHubs) chunkArgs(more ...uint64) []uint64 {
	g := c.g.ByHubs
	return append([]uint64{c.g.IndexAddress(), c.g.ByDegree.Rows.Address(), c.rowCount(), g.ChunkLabels, g.FirstLabel, g.Sizes.Chunks}, more...)
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

// rowLanes returns the number of threads that make the list of a row.
func (c *byHubs) rowLanes() uint64 {
	if c.form.splits() { // the neighbours are in host memory
		return hubHostLanes
	}
	return hubRowLanes
}

// encode replaces the neighbours of the device's rows and hubs by their codes, and counts the pieces
// of their lists.
func (c *byHubs) encode() error {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	return errors.Join(
		c.each("construct_hub_count", c.rowLanes()*z.Rows(), 256,
			c.listArgs(c.codes.Address(), z.Hubs, z.HubRows, z.Rows(), g.RowLabels.Address(), g.FurtherAt.Address(), g.RowListAt.Address(), c.rowLanes())...),
		c.countHubLists(c.codes.Address(), c.sizes.labels))
}

// countHubLists counts the pieces of the lists of hubs with those labels. With codes, the
// neighbours are ranks that they replace.
func (c *byHubs) countHubLists(codes uint64, labels Range) error {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	args := slices.Concat([]uint64{c.sources.Address(), codes, z.Hubs, g.HubLabels.Address(), labels.First, labels.End}, c.rangeArgs(),
		[]uint64{g.HubListAt.Address(), g.HubRowAt.Address(), c.before.Address(), g.HubRangeAt.Address()})
	return c.each("construct_hub_list_count", hubThreads*z.Hubs, hubThreads, args...)
}

// rangeArgs are the arguments of kernels that say which rows the device has, and in which ranges.
func (c *byHubs) rangeArgs() []uint64 {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	r := z.Ranges()
	return []uint64{g.FirstRow, g.FirstRow + z.Rows(), r.Count, r.Several, g.FirstRow + z.HubRows, r.Single}
}

// measureLists computes the lengths of the lists and allocates them.
func (c *byHubs) measureLists() (err error) {
	g, z := c.g.ByHubs, &c.g.ByHubs.Sizes
	if c.form.Devices > 1 { // the lists of all devices' hubs, which are codes now
		if err := c.countHubLists(0, All(c.sizes.vertices)); err != nil {
			return err
		}
	}
	for _, list := range []struct {
		at     device.Array[uint32]
		pieces *uint64
	}{{g.FurtherAt, &z.Further}, {g.HubListAt, &z.HubLists}, {g.HubRowAt, &z.HubRowList}} {
		if *list.pieces, err = c.startsOf(list.at); err != nil {
			return err
		}
	}
	if !c.form.splits() {
		z.RowLists, err = c.startsOf(g.RowListAt)
	} else if z.RowLists, err = c.lowStartsOf(g.RowListAt); err == nil {
		c.listWrap, err = c.wrapOf(g.RowListAt)
	}
	if err != nil {
		return err
	}
	if c.form.splits() {
		if err := c.leaveToHost(); err != nil {
			return err
		}
	}
	return c.g.take(c.d, g.ListGroup(*z))
}

// leaveToHost gives the lists for which the device has no room places in host memory, behind the
// neighbours by label. What a search reads at random stays on the device as long as it can, in this order
// (docs/notebook.md): the lists of hubs, the first pieces of the lists of rows, the rows of hubs,
// which are read in order, and more pieces of rows.
func (c *byHubs) leaveToHost() (err error) {
	g, z := c.g.ByHubs, &c.g.ByHubs.Sizes
	if err := c.g.take(c.d, g.PrefixGroup(*z)); err != nil {
		return err
	}
	p := placing{left: c.roomForLists(g.PrefixGroup(*z).Bytes()), host: device.As[[4]uint32](c.tails.Mapped()), at: int(c.sizes.entries+3) / 4}
	if needed, most := z.Sum()-min(z.Sum(), p.left), uint64(max(0, p.host.Len()-p.at)); needed > most {
		return fmt.Errorf("graph: lists in host memory take %d bytes, there is room for %d", hubs.PieceBytes*needed, hubs.PieceBytes*most)
	}
	var errs [4]error
	z.OnHost.HubLists, errs[0] = place(&p, &g.HubLists, z.HubLists, z.HubLists)
	z.OnHost.Further, errs[1] = place(&p, &g.Further, z.Further, z.Further)
	prefixes, rowsOfHubs, err := c.chooseRowPrefix(p.left)
	if err != nil {
		return err
	}
	z.OnHost.HubRowList, errs[2] = place(&p, &g.HubRowList, z.HubRowList, rowsOfHubs)
	z.OnHost.RowLists, errs[3] = place(&p, &g.RowLists, z.RowLists, prefixes)
	if g.PrefixWrap, err = c.wrapOf(g.RowPrefixAt); err == nil {
		g.TailWrap, err = c.wrapOfTails()
	}
	c.g.Info.HostBytes = int64(hubs.PieceBytes * z.OnHost.Sum())
	return errors.Join(append(errs[:], err)...)
}

// roomForLists returns the number of pieces of lists for which the device has room beside the
// arrays by row and that many bytes.
func (c *byHubs) roomForLists(bytes uint64) uint64 {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	taken, room := g.RowGroup(z).Bytes()+g.LeafGroup(z).Bytes()+bytes+4*device.Alignment, 4*c.form.Split.Words
	return (room - min(room, taken)) / hubs.PieceBytes
}

// chooseRowPrefix sets the prefix of the lists of rows, for so many pieces in the device's memory. It
// returns the number of their first pieces, and that of the pieces of the rows of hubs.
func (c *byHubs) chooseRowPrefix(left uint64) (prefixes, rowsOfHubs uint64, err error) {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	prefixes, err = c.longestRowPrefix(left, hubRowPrefix)
	rowsOfHubs = min(z.HubRowList, left-min(left, prefixes))
	if err == nil && g.RowPrefix == hubRowPrefix && left-rowsOfHubs > prefixes {
		prefixes, err = c.longestRowPrefix(left-rowsOfHubs, uint32(c.facts.MaxDegree/form.RowsEach+1))
	}
	return prefixes, rowsOfHubs, err
}

// longestRowPrefix sets the longest prefix, at most that one, with which the first pieces of the
// lists of rows are no more than that. It returns their number.
func (c *byHubs) longestRowPrefix(pieces uint64, most uint32) (prefixes uint64, err error) {
	g := c.g.ByHubs
	with := func(prefix int) uint64 {
		if err == nil {
			prefixes, err = c.countPrefixes(uint32(prefix))
		}
		return prefixes
	}
	if g.RowPrefix = most; with(int(most)) <= pieces {
		return prefixes, err
	}
	g.RowPrefix = uint32(sort.Search(int(most), func(i int) bool { return with(i+1) > pieces }))
	return with(int(g.RowPrefix)), err
}

// countPrefixes finds the starts of the first pieces of the lists of rows, and returns their number.
func (c *byHubs) countPrefixes(prefix uint32) (uint64, error) {
	g := c.g.ByHubs
	rows := g.Sizes.Rows()
	if err := c.each("construct_hub_prefixes", rows, 256, g.RowListAt.Address(), rows, uint64(prefix), g.RowPrefixAt.Address()); err != nil {
		return 0, err
	}
	return c.lowStartsOf(g.RowPrefixAt)
}

// placing is the state of leaveToHost.
type placing struct {
	left uint64                  // pieces for which the device has room
	host device.Array[[4]uint32] // in which places from at on are free
	at   int
}

// place gives so many of all pieces of a kind places on the device, as far as there is room, and the
// others in host memory. It returns the number of those.
func place[T any](p *placing, l *hubs.Lists[T], all, onDevice uint64) (onHost uint64, err error) {
	onDevice = min(onDevice, p.left)
	p.left -= onDevice
	onHost = all - onDevice
	part, err := p.host.Slice(p.at, int(onHost))
	l.OnHost = device.As[T](part)
	p.at += int(onHost)
	return onHost, err
}

// fillLists writes the lists.
func (c *byHubs) fillLists() error {
	g, z := c.g.ByHubs, c.g.ByHubs.Sizes
	prefixAt := g.RowPrefixAt
	if g.RowPrefix == hubs.WholeRows {
		prefixAt = g.RowListAt
	}
	rows := slices.Concat([]uint64{z.HubRows, z.HubRows + z.SingleRows, z.Rows(), g.RowLabels.Address(), g.FurtherAt.Address(), g.RowListAt.Address(), g.Seconds.Address()},
		placesOf(g.Further),
		[]uint64{prefixAt.Address(), uint64(g.RowPrefix), g.RowLists.OnDevice.Address(), g.RowLists.OnHost.Address(), g.FirstRows.Address(), c.rowLanes(),
			uint64(g.PrefixWrap), uint64(g.TailWrap)})
	ofHubs := slices.Concat([]uint64{c.sources.Address(), g.HubLabels.Address()}, c.rangeArgs(),
		[]uint64{g.HubListAt.Address(), g.HubRowAt.Address(), c.before.Address(), g.HubRangeAt.Address()},
		placesOf(g.HubLists), placesOf(g.HubRowList))
	return errors.Join(
		c.each("construct_hub_fill", c.rowLanes()*z.Rows(), 256, c.listArgs(rows...)...),
		c.each("construct_hub_list_fill", hubThreads*z.Hubs, hubThreads, ofHubs...))
}

// placesOf are the arguments of kernels that say where the lists of a kind are.
func placesOf[T any](l hubs.Lists[T]) []uint64 {
	return []uint64{l.OnDevice.Address(), l.OnHost.Address(), uint64(l.OnDevice.Len())}
}
