//go:build cuda

package kernels

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"unsafe"

	"graph500/engine"
)

const (
	// tileLabels is the number of labels that a block of the kernels over all
	// vertices looks at (construct.cuh).
	tileLabels = 1024
	// rowTile is the number of tuples or keys of a block of construct_rows.cu.
	rowTile = 2048
	// rowThreads is the number of threads of all blocks but those of the sort.
	rowThreads = 256
	// countedLabels is the least number of labels whose tuples are counted in
	// one reading: their counters take half of the second-level cache of an
	// H100. Of large graphs an eighth is taken, because every reading costs.
	countedLabels = 1 << 23
	// maxHubs is the number of entries of Graph.Hubs, if there are as many rows.
	maxHubs = usedHubs + maxMinors
	// LeastGroups and MostGroups bound the number of groups of rows that
	// Construct makes one after the other. Each goes through all tuples once
	// more. Four save 3/4 of the 16 bytes an arc that one would take; with 64
	// the rest of the graph is far larger than what is sorted at a time.
	LeastGroups = 4
	MostGroups  = 64
)

// Row says where the neighbours of a vertex stand.
type Row struct {
	Start  uint64 // in Graph.Neighbors
	Degree uint32 // number of distinct neighbours
	Label  engine.Local
}

// Graph is an undirected graph in the device's memory. N is the number of
// vertices, n the number of those with an edge to another vertex: only these
// have rows.
type Graph struct {
	Info engine.Graph

	// Index has a word for each 32 labels, N/32 and up to 32 more: the low
	// half says which labels have a row, the high half is the number of rows
	// before.
	Index *Array[uint64]

	// Rows are the n rows in the order of the labels.
	Rows *Array[Row]

	// Neighbors holds the rows, one after the other: labels without
	// repetition, the neighbour with the most tuples first (repeated ones
	// count, self loops do not), equal ones in the order of their labels. It
	// is longer than Info.Arcs by the number of arcs that were repetitions.
	Neighbors *Array[engine.Local]

	// Hubs are the vertices with the most tuples, in the same order: maxHubs of
	// them, or all that have rows.
	Hubs *Array[engine.Local]
}

// Close frees the graph's memory.
func (g *Graph) Close() error {
	return errors.Join(g.Index.Free(), g.Rows.Free(), g.Neighbors.Free(), g.Hubs.Free())
}

// constructFacts is construct::Facts of construct.cuh.
type constructFacts struct {
	Loops       uint64
	Outside     uint64
	TuplesAtOne uint32
	MaxDegree   uint32
}

// construction is the state of one call of Construct.
type construction struct {
	ctx      context.Context
	d        *Device
	launch   *launcher
	vertices uint64
	tuples   *Tuples
	groups   int // of rows, about
	g        *Graph

	facts  *Array[constructFacts]
	sums   *Array[uint64]       // counts of tiles, and their sums
	rank   *Array[uint32]       // by label: tuples, then the place in order
	order  *Array[engine.Local] // the labels of the rows by falling number of tuples
	keys   *Array[uint64]       // arcs of a group of rows
	other  *Array[uint64]       // as large, for sorting
	cursor *Array[uint64]
	sorter *sorter

	found constructFacts
	rows  uint64
	arcs  uint64   // of all tuples but self loops
	tiles []uint64 // arcs before each tile of labels, and all arcs
}

// Construct makes the graph of the tuples (kernel 1). Self loops, repeated
// edges and vertices without edges are dropped. Vertex numbers must be below
// vertices, which is at most 2^30. The tuples are only read, or made again. The
// result is the same in every run, and for every number of groups.
//
// The method: the tuples at each vertex are counted, the vertices are ranked by
// that number, and the arcs are sorted as keys of (label of the row, rank of
// the neighbour), by a stable radix sort, which does not care how they are
// spread over the rows. What is then equal to its predecessor is a repetition.
// Arcs are sorted in groups of rows, so that the keys, which take twice 8 bytes
// an arc, need no more memory than the arcs themselves; with more groups than
// four, less. Tuples that are not all in memory are made again once to count
// them and once for each group.
func Construct(ctx context.Context, d *Device, vertices uint64, tuples *Tuples, groups int) (*Graph, error) {
	if g := tuples.generator; g != nil && vertices < 1<<g.scale {
		return nil, fmt.Errorf("graph: tuples of scale %d have more than %d vertices", g.scale, vertices)
	}
	c := &construction{ctx: ctx, d: d, vertices: vertices, tuples: tuples, groups: groups, g: &Graph{}, launch: &launcher{d: d}}
	err := c.build()
	err = errors.Join(err, c.facts.Free(), c.sums.Free(), c.rank.Free(), c.order.Free(),
		c.keys.Free(), c.other.Free(), c.cursor.Free(), c.sorter.free())
	if err != nil {
		return nil, errors.Join(err, c.g.Close())
	}
	return c.g, nil
}

// ConstructMemory lists the memory that Construct takes beside the tuples,
// assuming the worst: no self loop, and an edge at every vertex. Only a tile of
// labels with more arcs than four times its share and one for each 256 tuples
// beside, as in no official graph, makes it take more.
func ConstructMemory(vertices, tuples uint64, groups int) []engine.Allocation {
	rows := min(vertices, 2*tuples)
	largestTile := tuples/256 + 1<<20
	if tiles := tilesOf(vertices, tileLabels); tiles > 0 {
		largestTile += 4 * (2 * tuples / tiles)
	}
	keys := groupCapacity(2*tuples, largestTile, rows, groups)
	plan := []engine.Allocation{
		{Name: "neighbours", Bytes: 8 * tuples},
		{Name: "rows", Bytes: uint64(unsafe.Sizeof(Row{})) * rows},
		{Name: "row index", Bytes: 8 * 32 * tilesOf(vertices, tileLabels)},
		{Name: "hubs", Bytes: 4 * min(rows, maxHubs)},
		{Name: "sorting space", Bytes: 2*8*keys + sorterBytes(keys), Phase: engine.Construction},
		{Name: "degrees and ranks", Bytes: 4 * (vertices + rows), Phase: engine.Construction},
		{Name: "sums of tiles", Bytes: 8 * sumWords(vertices, tuples), Phase: engine.Construction},
	}
	for i := range plan {
		plan[i].Place = engine.DeviceMemory
	}
	return plan
}

// sumWords returns the length of the sums: of rows and of arcs by tiles of
// labels, later of distinct keys by tiles of arcs, each with a total.
func sumWords(vertices, tuples uint64) uint64 {
	return max(2*(tilesOf(vertices, tileLabels)+1), tilesOf(2*tuples, rowTile)+1)
}

func tilesOf(count, tile uint64) uint64 { return (count + tile - 1) / tile }

// groupCapacity returns the number of keys for which there must be room: an
// equal share of the arcs and a little more, with the largest tile of labels,
// because groups are made of whole ones; and all rows, which are sorted in the
// same place.
func groupCapacity(arcs, largestTile, rows uint64, groups int) uint64 {
	share := arcs/uint64(groups) + arcs/uint64(16*groups) + largestTile + 1
	return max(min(arcs, share), rows)
}

// groupLabels returns the largest number of labels in a group: a part of all
// labels, half as large if that saves a pass of the sort, which costs more than
// as many more readings of the tuples, but less than making them again as often.
func groupLabels(vertices, rows uint64, inMemory bool) uint64 {
	labelBits := max(bits.Len64(vertices-1), bits.Len64(LeastGroups*tileLabels-1)) - bits.Len64(LeastGroups-1)
	if inMemory && (labelBits+bits.Len64(rows-1))%sortDigit == 1 {
		labelBits = max(labelBits-1, bits.Len64(tileLabels-1))
	}
	return 1 << labelBits
}

func (c *construction) build() error {
	for _, step := range []func() error{c.count, c.tally, c.allocate, c.index, c.sortRows, c.finish} {
		if err := step(); err != nil {
			return err
		}
		if err := context.Cause(c.ctx); err != nil {
			return err
		}
	}
	return nil
}

// count counts the tuples at each vertex.
func (c *construction) count() (err error) {
	if c.rank, err = Alloc[uint32](c.d, "degrees", int(c.vertices)); err != nil {
		return err
	}
	if c.facts, err = Alloc[constructFacts](c.d, "facts of construction", 1); err != nil {
		return err
	}
	if err = c.rank.Fill(0); err != nil {
		return err
	}
	if err = c.facts.Write(0, []constructFacts{{Outside: ^uint64(0)}}); err != nil {
		return err
	}
	if err = c.tuples.Each(c.ctx, c.countPart); err != nil {
		return err
	}
	if err = c.readFacts(); err != nil {
		return err
	}
	if i := c.found.Outside; i != ^uint64(0) { // of no generator's tuples
		var e [1]engine.Edge
		if err := c.tuples.memory.Read(int(i), e[:]); err != nil {
			return err
		}
		return fmt.Errorf("graph: tuple %d (%d, %d) names a vertex beyond the last one, %d", i, e[0].U, e[0].V, int64(c.vertices)-1)
	}
	return nil
}

// countPart counts the first count tuples of a part.
func (c *construction) countPart(part *Array[engine.Edge], count int, _ uint64) error {
	labels := max(countedLabels, tilesOf(c.vertices, 8))
	for first := uint64(0); first < max(c.vertices, 1); first += labels {
		if err := c.launch.run("construct_index", "construct_count", tilesOf(uint64(count), 4*rowThreads), rowThreads,
			part.Address(), uint64(count), c.vertices, first, labels, c.rank.Address(), c.facts.Address()); err != nil {
			return err
		}
	}
	return nil
}

func (c *construction) readFacts() error {
	var f [1]constructFacts
	err := c.facts.Read(0, f[:])
	c.found = f[0]
	return err
}

// tally counts rows and arcs, by tiles of labels.
func (c *construction) tally() (err error) {
	tiles := tilesOf(c.vertices, tileLabels)
	if c.sums, err = Alloc[uint64](c.d, "sums of tiles", int(sumWords(c.vertices, c.tuples.Len()))); err != nil {
		return err
	}
	c.tiles = make([]uint64, tiles+1)
	if tiles == 0 {
		return nil
	}
	rows := c.sums.Address()
	arcs := rows + 8*(tiles+1)
	if err = c.launch.run("construct_index", "construct_tally", tiles, tileLabels,
		c.rank.Address(), c.vertices, rows, arcs, c.facts.Address()); err != nil {
		return err
	}
	for _, sums := range []uint64{rows, arcs} {
		if err = c.launch.run("construct_index", "construct_scan", 1, 1024, sums, tiles); err != nil {
			return err
		}
	}
	if err = c.sums.Read(int(tiles+1), c.tiles); err != nil {
		return err
	}
	var total [1]uint64
	if err = c.sums.Read(int(tiles), total[:]); err != nil {
		return err
	}
	c.rows, c.arcs = total[0], c.tiles[tiles]
	return c.readFacts()
}

func (c *construction) allocate() (err error) {
	if c.g.Index, err = Alloc[uint64](c.d, "row index", int(32*tilesOf(c.vertices, tileLabels))); err != nil {
		return err
	}
	if c.g.Rows, err = Alloc[Row](c.d, "rows", int(c.rows)); err != nil {
		return err
	}
	if c.g.Hubs, err = Alloc[engine.Local](c.d, "hubs", int(min(c.rows, maxHubs))); err != nil {
		return err
	}
	if c.g.Neighbors, err = Alloc[engine.Local](c.d, "neighbours", int(c.arcs)); err != nil {
		return err
	}
	if c.order, err = Alloc[engine.Local](c.d, "vertices by degree", int(c.rows)); err != nil {
		return err
	}
	if c.cursor, err = Alloc[uint64](c.d, "cursor of construction", 1); err != nil {
		return err
	}
	var largest uint64
	for i, before := range c.tiles[1:] {
		largest = max(largest, before-c.tiles[i])
	}
	keys := int(groupCapacity(c.arcs, largest, c.rows, c.groups))
	if c.keys, err = Alloc[uint64](c.d, "arcs to sort", keys); err != nil {
		return err
	}
	if c.other, err = Alloc[uint64](c.d, "sorted arcs", keys); err != nil {
		return err
	}
	c.sorter, err = newSorter(c.d, c.launch, uint64(keys))
	return err
}

// index makes the index and ranks the vertices.
func (c *construction) index() error {
	if c.vertices == 0 {
		return nil
	}
	most := c.found.TuplesAtOne
	if err := c.launch.run("construct_index", "construct_index", tilesOf(c.vertices, tileLabels), tileLabels,
		c.rank.Address(), c.vertices, c.sums.Address(), uint64(most), c.g.Index.Address(), c.keys.Address()); err != nil {
		return err
	}
	if c.rows == 0 {
		return nil
	}
	if err := c.sort(c.rows, 32, bits.Len32(most)); err != nil {
		return err
	}
	return c.launch.run("construct_index", "construct_rank", tilesOf(c.rows, rowThreads), rowThreads,
		c.keys.Address(), c.rows, c.order.Address(), c.rank.Address(), c.g.Hubs.Address(), uint64(c.g.Hubs.Len()))
}

// sort sorts the first count of keys by their bits first..first+width-1.
func (c *construction) sort(count uint64, first, width int) error {
	swapped, err := c.sorter.sort(c.keys, c.other, count, first, width)
	if swapped {
		c.keys, c.other = c.other, c.keys
	}
	return err
}

// sortRows makes the rows, as many at a time as their arcs fit.
func (c *construction) sortRows() error {
	if c.arcs == 0 {
		return nil
	}
	last := len(c.tiles) - 1
	most := int(groupLabels(c.vertices, c.rows, c.tuples.Whole()) / tileLabels)
	for from := 0; from < last; {
		to := from + 1
		for to < last && to-from < most && c.tiles[to+1]-c.tiles[from] <= uint64(c.keys.Len()) {
			to++
		}
		if arcs := c.tiles[to] - c.tiles[from]; arcs > 0 {
			if err := c.sortGroup(uint64(from*tileLabels), uint64((to-from)*tileLabels), arcs); err != nil {
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

// sortGroup makes the rows of labels first..first+labels-1, which have that
// many arcs, behind those already made.
func (c *construction) sortGroup(first, labels, arcs uint64) error {
	rankBits := bits.Len64(c.rows - 1)
	if err := c.cursor.Fill(0); err != nil {
		return err
	}
	if err := c.tuples.Each(c.ctx, func(part *Array[engine.Edge], count int, _ uint64) error {
		return c.launch.run("construct_rows", "construct_arcs", tilesOf(uint64(count), rowTile), rowThreads,
			part.Address(), uint64(count), c.rank.Address(), first, labels, uint64(rankBits), c.keys.Address(), c.cursor.Address())
	}); err != nil {
		return err
	}
	if err := c.sort(arcs, 0, rankBits+bits.Len64(labels-1)); err != nil {
		return err
	}
	tiles := tilesOf(arcs, rowTile)
	if err := c.launch.run("construct_rows", "construct_distinct", tiles, rowThreads,
		c.keys.Address(), arcs, c.sums.Address()); err != nil {
		return err
	}
	if err := c.launch.run("construct_index", "construct_scan", 1, 1024, c.sums.Address(), tiles); err != nil {
		return err
	}
	if err := c.launch.run("construct_rows", "construct_rows", tiles, rowThreads,
		c.keys.Address(), arcs, c.sums.Address(), uint64(c.g.Info.Arcs), first, uint64(rankBits),
		c.order.Address(), c.g.Index.Address(), c.g.Rows.Address(), c.g.Neighbors.Address()); err != nil {
		return err
	}
	var distinct [1]uint64
	if err := c.sums.Read(int(tiles), distinct[:]); err != nil {
		return err
	}
	c.g.Info.Arcs += int64(distinct[0])
	return nil
}

// finish fills in degrees and facts.
func (c *construction) finish() error {
	if c.rows > 0 {
		if err := c.launch.run("construct_rows", "construct_degrees", tilesOf(c.rows, rowThreads), rowThreads,
			c.g.Rows.Address(), c.rows, uint64(c.g.Info.Arcs), c.facts.Address()); err != nil {
			return err
		}
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	c.g.Info = engine.Graph{
		Vertices:    int64(c.vertices),
		Connected:   int64(c.rows),
		Tuples:      int64(c.tuples.Len()),
		SelfLoops:   int64(c.found.Loops),
		Duplicates:  (int64(c.arcs) - c.g.Info.Arcs) / 2,
		Arcs:        c.g.Info.Arcs,
		MaxDegree:   int64(c.found.MaxDegree),
		Regenerated: !c.tuples.Whole(),
	}
	return nil
}

// launcher starts kernels by their names.
type launcher struct{ d *Device }

func (l *launcher) run(module, name string, blocks uint64, threads int, args ...uint64) error {
	k, err := l.d.Kernel(module, name)
	if err != nil {
		return err
	}
	return k.Launch(int(blocks), threads, 0, args...)
}
