//go:build cuda

package construct

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math/bits"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

//go:embed compiled
var images embed.FS

// Load loads the modules. What is made afterwards does not wait for them.
func Load(d *device.Device) error {
	for _, name := range []string{"index", "rows", "sort"} {
		if _, err := d.Load("construct", images, name); err != nil {
			return err
		}
	}
	return nil
}

const (
	// rowTile is the number of tuples or keys of a block of construct_rows.cu.
	rowTile = 2048
	// rowThreads is the number of threads of all blocks but those of the sort.
	rowThreads = 256
	// countedLabels is the least number of labels whose tuples are counted in
	// one reading: their counters take half of the second-level cache of an
	// H100. Of large graphs an eighth is taken, because every reading costs.
	countedLabels = 1 << 23
	// LeastGroups and MostGroups bound the number of groups of rows that
	// Construct makes one after the other. Each goes through all tuples once
	// more. Four save 3/4 of the 16 bytes an arc that one would take; with 64
	// the rest of the graph is far larger than what is sorted at a time.
	LeastGroups = 4
	MostGroups  = 64
)

// Graph is an undirected graph in the device's memory. N is the number of
// vertices, n the number of those with an edge to another vertex: only these
// have rows.
type Graph struct {
	Info engine.Graph

	// Index has a word for each 32 labels, N/32 and up to 32 more: the low
	// half says which labels have a row, the high half is the number of rows
	// before.
	Index device.Array[uint64]

	// Rows are the n rows in the order of the labels.
	Rows device.Array[Row]

	// Neighbors holds the rows, one after the other: labels without
	// repetition, the neighbour with the most tuples first (repeated ones
	// count, self loops do not), equal ones in the order of their labels. It
	// is longer than Info.Arcs by the number of arcs that were repetitions.
	Neighbors device.Array[engine.Local]

	// Hubs are the vertices with the most tuples, in the same order: as many as
	// were asked for, or all that have rows.
	Hubs device.Array[engine.Local]

	device  *device.Device
	held    *device.Held
	asked   device.Array[engine.Local] // of Has
	answers device.Array[bool]
}

// askedTogether is the number of vertices that Has asks for at a time.
const askedTogether = 1 << 10

// sizes are what the memory of construction depends on.
type sizes struct {
	vertices, tuples uint64
	rows, arcs       uint64 // arcs of all tuples but self loops
	largestTile      uint64 // most arcs in a tile of labels
	groups           int    // of rows, about
	hubs             uint64 // most entries of Graph.Hubs
}

// group declares the memory of the graph.
func (g *Graph) group(z sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: []device.Declared{
		device.Of(&g.Neighbors, "neighbours", z.arcs),
		device.Of(&g.Rows, "rows", z.rows),
		device.Of(&g.Index, "row index", 32*tilesOf(z.vertices, tileLabels)),
		device.Of(&g.Hubs, "hubs", min(z.rows, z.hubs)),
		device.Of(&g.asked, "vertices asked for", askedTogether),
		device.Of(&g.answers, "answers", askedTogether),
	}}
}

// Has says of each vertex, which must be below N, whether it has a row.
func (g *Graph) Has(vertices []engine.Vertex) ([]bool, error) {
	has := make([]bool, len(vertices))
	asked := make([]engine.Local, len(vertices))
	for i, v := range vertices {
		asked[i] = engine.Local(v)
	}
	for first := 0; first < len(asked); first += askedTogether {
		asked := asked[first:min(first+askedTogether, len(asked))]
		if err := g.asked.Write(0, asked); err != nil {
			return nil, err
		}
		n := uint64(len(asked))
		if err := (launcher{g.device}).run("index", "construct_has", tilesOf(n, rowThreads), rowThreads,
			g.Index.Address(), g.asked.Address(), n, g.answers.Address()); err != nil {
			return nil, err
		}
		if err := g.answers.Read(0, has[first:][:n]); err != nil {
			return nil, err
		}
	}
	return has, nil
}

// Close frees the graph's memory.
func (g *Graph) Close() error { return g.held.Free() }

// construction is the state of one call of Construct.
type construction struct {
	ctx    context.Context
	d      *device.Device
	launch launcher
	tuples *generate.Tuples
	sizes  sizes
	g      *Graph

	counting device.Array[facts]
	sums     device.Array[uint64]       // counts of tiles, and their sums
	rank     device.Array[uint32]       // by label: tuples, then the place in order
	order    device.Array[engine.Local] // the labels of the rows by falling number of tuples
	keys     device.Array[uint64]       // arcs of a group of rows
	other    device.Array[uint64]       // as large, for sorting
	cursor   device.Array[uint64]
	sorter   sorter

	found facts
	tiles []uint64 // arcs before each tile of labels, and all arcs
}

// countingGroup declares what vertices are counted with.
func (c *construction) countingGroup(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(&c.rank, "degrees and ranks", z.vertices),
		device.Of(&c.sums, "sums of tiles", sumWords(z.vertices, z.tuples)),
		device.Of(&c.counting, "facts of construction", 1),
	}}
}

// sortingGroup declares what rows are sorted with.
func (c *construction) sortingGroup(z sizes) device.Group {
	keys := groupCapacity(z.arcs, z.largestTile, z.rows, z.groups)
	return device.Group{Alive: engine.Construction, Arrays: append([]device.Declared{
		device.Of(&c.keys, "arcs to sort", keys),
		device.Of(&c.other, "sorted arcs", keys),
		device.Of(&c.order, "vertices by degree", z.rows),
		device.Of(&c.cursor, "cursor of construction", 1),
	}, c.sorter.arrays(keys)...)}
}

// Construct makes the graph of the tuples (kernel 1) with that many hubs. Self
// loops, repeated edges and vertices without edges are dropped. Vertex numbers
// must be below vertices, which is at most 2^30. The tuples are only read, or made
// again. The result is the same in every run, and for every number of groups.
//
// The method: the tuples at each vertex are counted, the vertices are ranked by
// that number, and the arcs are sorted as keys of (label of the row, rank of
// the neighbour), by a stable radix sort, which does not care how they are
// spread over the rows. What is then equal to its predecessor is a repetition.
// Arcs are sorted in groups of rows, so that the keys, which take twice 8 bytes
// an arc, need no more memory than the arcs themselves; with more groups than
// four, less. Tuples that are not all in memory are made again once to count
// them and once for each group.
func Construct(ctx context.Context, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int, hubs uint64) (*Graph, error) {
	if scale := tuples.Scale(); vertices < 1<<scale && scale > 0 {
		return nil, fmt.Errorf("graph: tuples of scale %d have more than %d vertices", scale, vertices)
	}
	c := &construction{
		ctx: ctx, d: d, launch: launcher{d}, tuples: tuples, g: &Graph{device: d},
		sizes: sizes{vertices: vertices, tuples: tuples.Len(), groups: groups, hubs: hubs},
	}
	if err := c.build(); err != nil {
		return nil, errors.Join(err, c.g.Close())
	}
	return c.g, nil
}

// Plan lists the memory that Construct takes beyond the tuples, assuming the
// worst: no self loop, and an edge at every vertex. Only a tile of labels with more
// arcs than four times its share and one for each 256 tuples besides, as in no
// official graph, makes it take more.
func Plan(vertices, tuples uint64, groups int, hubs uint64) []engine.Allocation {
	z := sizes{vertices: vertices, tuples: tuples, rows: min(vertices, 2*tuples), arcs: 2 * tuples, groups: groups, hubs: hubs}
	z.largestTile = tuples/256 + 1<<20
	if tiles := tilesOf(vertices, tileLabels); tiles > 0 {
		z.largestTile += 4 * (z.arcs / tiles)
	}
	c := &construction{}
	plan := new(Graph).group(z).Plan()
	plan = append(plan, c.countingGroup(z).Plan()...)
	return append(plan, c.sortingGroup(z).Plan()...)
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

func (c *construction) build() (err error) {
	counting, err := c.d.Borrow(c.countingGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, counting.Free()) }()
	if err := c.steps(c.count, c.tally); err != nil {
		return err
	}
	if c.g.held, err = c.d.Take(c.g.group(c.sizes)); err != nil {
		return err
	}
	sorting, err := c.d.Borrow(c.sortingGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorting.Free()) }()
	return c.steps(c.index, c.sortRows, c.finish)
}

// steps does one step after the other, while ctx does not end.
func (c *construction) steps(list ...func() error) error {
	for _, step := range list {
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
func (c *construction) count() error {
	if err := c.rank.Fill(0); err != nil {
		return err
	}
	if err := c.counting.Write(0, []facts{{Outside: ^uint64(0)}}); err != nil {
		return err
	}
	if err := c.tuples.Each(c.ctx, c.countPart); err != nil {
		return err
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	if i := c.found.Outside; i != ^uint64(0) { // of no generator's tuples
		e, err := c.tuples.At(i)
		if err != nil {
			return err
		}
		return fmt.Errorf("graph: tuple %d (%d, %d) names a vertex beyond the last one, %d", i, e.U, e.V, int64(c.sizes.vertices)-1)
	}
	return nil
}

// countPart counts the first count tuples of a part.
func (c *construction) countPart(part device.Array[engine.Edge], count int, _ uint64) error {
	labels := max(countedLabels, tilesOf(c.sizes.vertices, 8))
	for first := uint64(0); first < max(c.sizes.vertices, 1); first += labels {
		if err := c.launch.run("index", "construct_count", tilesOf(uint64(count), 4*rowThreads), rowThreads,
			part.Address(), uint64(count), c.sizes.vertices, first, labels, c.rank.Address(), c.counting.Address()); err != nil {
			return err
		}
	}
	return nil
}

func (c *construction) readFacts() error {
	var f [1]facts
	err := c.counting.Read(0, f[:])
	c.found = f[0]
	return err
}

// tally counts rows and arcs, by tiles of labels.
func (c *construction) tally() (err error) {
	tiles := tilesOf(c.sizes.vertices, tileLabels)
	c.tiles = make([]uint64, tiles+1)
	if tiles == 0 {
		return nil
	}
	rows := c.sums.Address()
	arcs := rows + 8*(tiles+1)
	if err = c.launch.run("index", "construct_tally", tiles, tileLabels,
		c.rank.Address(), c.sizes.vertices, rows, arcs, c.counting.Address()); err != nil {
		return err
	}
	for _, sums := range []uint64{rows, arcs} {
		if err = c.launch.run("index", "construct_scan", 1, 1024, sums, tiles); err != nil {
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
	c.sizes.rows, c.sizes.arcs = total[0], c.tiles[tiles]
	for i, before := range c.tiles[1:] {
		c.sizes.largestTile = max(c.sizes.largestTile, before-c.tiles[i])
	}
	return c.readFacts()
}

// index makes the index and ranks the vertices.
func (c *construction) index() error {
	if c.sizes.vertices == 0 {
		return nil
	}
	most := c.found.TuplesAtOne
	if err := c.launch.run("index", "construct_index", tilesOf(c.sizes.vertices, tileLabels), tileLabels,
		c.rank.Address(), c.sizes.vertices, c.sums.Address(), uint64(most), c.g.Index.Address(), c.keys.Address()); err != nil {
		return err
	}
	if c.sizes.rows == 0 {
		return nil
	}
	if err := c.sort(c.sizes.rows, 32, bits.Len32(most)); err != nil {
		return err
	}
	return c.launch.run("index", "construct_rank", tilesOf(c.sizes.rows, rowThreads), rowThreads,
		c.keys.Address(), c.sizes.rows, c.order.Address(), c.rank.Address(), c.g.Hubs.Address(), uint64(c.g.Hubs.Len()))
}

// sort sorts the first count of keys by their bits first..first+width-1.
func (c *construction) sort(count uint64, first, width int) error {
	swapped, err := c.sorter.sort(c.launch, c.keys, c.other, count, first, width)
	if swapped {
		c.keys, c.other = c.other, c.keys
	}
	return err
}

// sortRows makes the rows, as many at a time as their arcs fit.
func (c *construction) sortRows() error {
	if c.sizes.arcs == 0 {
		return nil
	}
	last := len(c.tiles) - 1
	most := int(groupLabels(c.sizes.vertices, c.sizes.rows, c.tuples.Whole()) / tileLabels)
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
	rankBits := bits.Len64(c.sizes.rows - 1)
	if err := c.cursor.Fill(0); err != nil {
		return err
	}
	if err := c.tuples.Each(c.ctx, func(part device.Array[engine.Edge], count int, _ uint64) error {
		return c.launch.run("rows", "construct_arcs", tilesOf(uint64(count), rowTile), rowThreads,
			part.Address(), uint64(count), c.rank.Address(), first, labels, uint64(rankBits), c.keys.Address(), c.cursor.Address())
	}); err != nil {
		return err
	}
	if err := c.sort(arcs, 0, rankBits+bits.Len64(labels-1)); err != nil {
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
	if err := c.launch.run("rows", "construct_rows", tiles, rowThreads,
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
	if c.sizes.rows > 0 {
		if err := c.launch.run("rows", "construct_degrees", tilesOf(c.sizes.rows, rowThreads), rowThreads,
			c.g.Rows.Address(), c.sizes.rows, uint64(c.g.Info.Arcs), c.counting.Address()); err != nil {
			return err
		}
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	c.g.Info = engine.Graph{
		Vertices:    int64(c.sizes.vertices),
		Connected:   int64(c.sizes.rows),
		Tuples:      int64(c.tuples.Len()),
		SelfLoops:   int64(c.found.Loops),
		Duplicates:  (int64(c.sizes.arcs) - c.g.Info.Arcs) / 2,
		Arcs:        c.g.Info.Arcs,
		MaxDegree:   int64(c.found.MaxDegree),
		Regenerated: !c.tuples.Whole(),
	}
	return nil
}

// launcher starts kernels by their names.
type launcher struct{ d *device.Device }

func (l launcher) run(module, name string, blocks uint64, threads int, args ...uint64) error {
	m, err := l.d.Load("construct", images, module)
	if err != nil {
		return err
	}
	k, err := m.Kernel(name)
	if err != nil {
		return err
	}
	return k.Launch(int(blocks), threads, 0, args...)
}
