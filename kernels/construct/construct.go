//go:build cuda

package construct

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

//go:embed compiled
var images embed.FS

// Load loads the modules, so that later calls do not load them.
func Load(d *device.Device) error {
	for _, name := range []string{"index", "rows", "sort"} {
		if _, err := d.Load("construct", images, name); err != nil {
			return err
		}
	}
	return nil
}

// LoadWide loads the modules for tuples with labels of 48 bits, besides those of the others.
func LoadWide(d *device.Device) error {
	for _, name := range []string{"index48", "rows48", "weighted48"} {
		if _, err := d.Load("construct", images, name); err != nil {
			return err
		}
	}
	return nil
}

const (
	// rowTile is the number of tuples or keys per block in rows.cu.
	rowTile = 2048
	// rowThreads is the number of threads per block, except in the sort.
	rowThreads = 256
	// LeastGroups and MostGroups bound the number of groups of rows that Construct
	// builds one after the other. Each group needs one more pass over all tuples.
	// Four groups save 3/4 of the 16 bytes per arc that one group would need. With 64
	// the rest of the graph is far larger than the memory of the sort. Several devices
	// may build fewer groups.
	LeastGroups = 4
	MostGroups  = 64
)

// Graph is an undirected graph in CSR form in the device's memory, or the rows of a range
// of labels of a graph that several devices hold together. N is the number of vertices, n
// the number of vertices in the range with an edge to another vertex. Only these n
// vertices have rows.
type Graph struct {
	Info   engine.Graph // of the whole graph
	Labels Range        // 0..N-1 if one device has the whole graph

	// Index maps labels to rows. It has one word per 32 labels of the range, padded by
	// up to 32 words. The low half is a bitmap of the labels with a row, the high half the
	// number of rows before the word. Kernels, which use labels of the whole graph, get
	// IndexAddress.
	Index device.Array[uint64]

	// Rows has the n rows in the order of their labels.
	Rows device.Array[Row]

	// Neighbors holds the adjacency lists of the rows one after the other. A list has
	// distinct labels, sorted by falling number of tuples at the neighbour (duplicates
	// count, self loops do not), then by label. The array is longer than the lists by the
	// number of duplicate arcs.
	Neighbors device.Array[engine.Local]

	// Prefix is the number of first neighbours of a row in Neighbors, wholeRows if all are
	// there. Where a row has more (ConstructSplit), the word behind its prefix is the number
	// of the sector of Tails, 8 neighbours each, at which the others begin.
	Prefix uint32
	Tails  *device.HostArray[engine.Local]

	// Hubs has the vertices of the whole graph with the most tuples in the same order:
	// the requested number, or all with a row on any device if there are fewer.
	Hubs device.Array[engine.Local]

	held *device.Held
	vertexQueries
}

// sizes are the quantities that determine the memory of construction.
type sizes struct {
	vertices, tuples uint64
	labels           Range  // with rows on the device
	connected        uint64 // vertices with a row on any device
	rows, arcs       uint64 // of the device: arcs of all tuples except self loops, with duplicates
	neighbors        uint64 // length of Graph.Neighbors
	largestTile      uint64 // largest number of arcs in a tile of the device's labels
	groups           int    // approximate number of groups of rows
	hubs             uint64 // largest length of Graph.Hubs
	noPrefix         bool   // Split.NoPrefix
}

// group declares the memory of the graph.
func (g *Graph) group(z sizes) device.Group {
	neighbors := "neighbours"
	if z.noPrefix {
		neighbors = "places of neighbours"
	}
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: append([]device.Declared{
		device.Of(&g.Neighbors, neighbors, z.neighbors),
		device.Of(&g.Rows, "rows", z.rows),
		device.Of(&g.Index, "row index", 32*z.labels.tiles()),
		device.Of(&g.Hubs, "hubs", min(z.connected, z.hubs)),
	}, g.vertexQueries.arrays()...)}
}

// IndexAddress returns the address at which the word of label 0 of Index would be.
func (g *Graph) IndexAddress() uint64 { return g.Index.Address() - 8*(g.Labels.First/32) }

// Has returns for each vertex whether it has a row. A vertex outside Labels is an error.
func (g *Graph) Has(vertices []engine.Vertex) ([]bool, error) {
	return g.vertexQueries.hasOf(g.Labels, g.IndexAddress(), vertices)
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

	deviceFacts device.Array[facts]
	sums        device.Array[uint64]       // counts by tile, then their prefix sums
	rank        device.Array[uint32]       // by label: number of tuples, later rank by degree
	order       device.Array[engine.Local] // labels of the rows by falling number of tuples
	keys        device.Array[uint64]       // arcs of a group of rows
	sorted      device.Array[uint64]       // second buffer of the sort, as large as keys
	cursor      device.Array[uint64]
	sorter      sorter
	split       *splitting // nil if all rows are in the device's memory

	facts      facts
	rowsBefore uint64   // number of rows before those of the device
	tiles      []uint64 // prefix sums of arcs by tile of labels, and the total
	stored     int64    // arcs in the rows built so far, without duplicates
}

// countingGroup declares the memory for degrees and ranks.
func (c *construction) countingGroup(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(&c.rank, "degrees and ranks", z.vertices),
		device.Of(&c.sums, "sums of tiles", sumWords(z.vertices, z.tuples)),
		device.Of(&c.deviceFacts, "facts of construction", 1),
	}}
}

// sortingGroup declares the memory for sorting rows.
func (c *construction) sortingGroup(z sizes) device.Group {
	keys := groupCapacity(z.arcs, z.largestTile, z.connected, z.groups)
	return device.Group{Alive: engine.Construction, Arrays: append([]device.Declared{
		device.Of(&c.keys, "arcs to sort", keys),
		device.Of(&c.sorted, "sorted arcs", keys),
		device.Of(&c.order, "vertices by degree", z.connected),
		device.Of(&c.cursor, "cursor of construction", 1),
	}, c.sorter.arrays(keys)...)}
}

// Construct builds the graph of the tuples (kernel 1) with the given number of hubs.
// It drops self loops, duplicate edges and vertices without edges. Labels must be
// below vertices, which is at most 2^30. The tuples are not changed. The result is the
// same in every run and for every number of groups.
//
// Method: Construct counts the tuples at each vertex, ranks the vertices by this
// number, and sorts the arcs as keys (label of the row, rank of the neighbour). The
// sort is a stable radix sort, whose time does not depend on the distribution of the
// arcs over the rows. A key equal to its predecessor is a duplicate. The arcs are
// sorted in groups of rows: the two key buffers take 16 bytes per arc of a group, so
// with four groups they need no more memory than Neighbors, with more groups less.
// Tuples that are not in memory are regenerated once to count them and once per group.
func Construct(ctx context.Context, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int, hubs uint64) (*Graph, error) {
	if err := checkScale(vertices, tuples); err != nil {
		return nil, err
	}
	c := newConstruction(ctx, d, vertices, All(vertices), tuples, groups, hubs)
	if err := c.build(); err != nil {
		return nil, errors.Join(err, c.g.Close())
	}
	return c.g, nil
}

// checkScale requires that generated tuples have no more vertices than the graph.
func checkScale(vertices uint64, tuples *generate.Tuples) error {
	if scale := tuples.Scale(); vertices < 1<<scale && scale > 0 {
		return fmt.Errorf("graph: tuples of scale %d have more than %d vertices", scale, vertices)
	}
	return nil
}

// newConstruction prepares the construction of the rows of the labels.
func newConstruction(ctx context.Context, d *device.Device, vertices uint64, labels Range, tuples *generate.Tuples, groups int, hubs uint64) *construction {
	return &construction{
		ctx: ctx, d: d, launch: launcher{d}, tuples: tuples, g: &Graph{Labels: labels, Prefix: wholeRows, vertexQueries: vertexQueries{device: d}},
		sizes: sizes{vertices: vertices, labels: labels, tuples: tuples.Len(), groups: groups, hubs: hubs},
	}
}

// Plan lists the memory of Construct without the tuples. It assumes the worst case: no
// self loops, and an edge at every vertex. Construct needs more only if a tile of
// labels has more arcs than four times the mean plus tuples/256 plus 2^20, as in no
// official graph.
func Plan(vertices, tuples uint64, groups int, hubs uint64) []engine.Allocation {
	return PlanRange(vertices, All(vertices), tuples, groups, hubs)
}

// PlanRange lists the memory of ConstructTogether on the device that gets the rows of
// those labels, under the assumptions of Plan. tuples is the number of all tuples.
// ConstructTogether also needs more if the range has more arcs than an eighth above the
// mean plus those of the largest tile.
func PlanRange(vertices uint64, labels Range, tuples uint64, groups int, hubs uint64) []engine.Allocation {
	z := worstSizes(vertices, labels, tuples, groups)
	z.hubs = hubs
	c := &construction{}
	plan := new(Graph).group(z).Plan()
	plan = append(plan, c.countingGroup(z).Plan()...)
	return append(plan, c.sortingGroup(z).Plan()...)
}

// worstSizes returns the sizes that a plan assumes, without hubs.
func worstSizes(vertices uint64, labels Range, tuples uint64, groups int) sizes {
	z := sizes{vertices: vertices, labels: labels, tuples: tuples, connected: min(vertices, 2*tuples), groups: groups}
	z.largestTile = tuples/256 + 1<<20
	if tiles := tilesOf(vertices, tileLabels); tiles > 0 {
		z.largestTile += 4 * (2 * tuples / tiles)
		share := 2 * tuples / tiles * labels.tiles()
		z.arcs = min(2*tuples, share+share/8+z.largestTile)
	}
	z.rows = min(labels.End-labels.First, z.arcs)
	z.neighbors = z.arcs
	return z
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

func (c *construction) build() (err error) {
	counting, err := c.d.Borrow(c.countingGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, counting.Free()) }()
	if err := c.steps(c.count, c.measure); err != nil {
		return err
	}
	return c.buildRows()
}

// measure computes the sizes of the graph once the tuples are counted.
func (c *construction) measure() error {
	if err := c.steps(c.sumTiles); err != nil {
		return err
	}
	c.sizes.neighbors = c.sizes.arcs
	if c.split == nil {
		return nil
	}
	return c.choosePrefix(math.MaxUint32)
}

// buildRows builds the graph once its sizes are known.
func (c *construction) buildRows() (err error) {
	if c.g.held, err = c.d.Take(c.g.group(c.sizes)); err != nil {
		return err
	}
	work := []device.Group{c.sortingGroup(c.sizes)}
	if c.split != nil {
		work = append(work, c.split.group(c.sizes))
	}
	for _, group := range work {
		held, err := c.d.Borrow(group)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, held.Free()) }()
	}
	return c.steps(c.index, c.sortRows, c.finish)
}

// steps executes the steps in order until one fails or ctx ends.
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
func (c *construction) count() error { return c.countTuples(c.tuples) }

// countTuples counts the tuples at each vertex that are in a list, or a share of it.
func (c *construction) countTuples(list *generate.Tuples) error {
	if err := c.rank.Fill(0); err != nil {
		return err
	}
	if err := c.clearFacts(); err != nil {
		return err
	}
	if err := list.Each(c.ctx, c.countPart); err != nil {
		return err
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	if c.facts.Outside != ^uint64(0) { // only in loaded tuples
		return c.outsideError(list)
	}
	return nil
}

// outsideError returns the error for the first tuple of a list with a vertex beyond the last
// one. There is such a tuple.
func (c *construction) outsideError(list *generate.Tuples) error {
	found := errors.New("graph: a tuple names a vertex beyond the last one")
	return cmp.Or(list.Each(c.ctx, func(part generate.Part) error {
		if err := errors.Join(c.clearFacts(), c.countPart(part), c.readFacts()); err != nil || c.facts.Outside == ^uint64(0) {
			return err
		}
		i := part.First + c.facts.Outside
		e, err := list.At(i)
		if err != nil {
			return err
		}
		return fmt.Errorf("graph: tuple %d (%d, %d) names a vertex beyond the last one, %d", i, e.U, e.V, int64(c.sizes.vertices)-1)
	}), found)
}

// clearFacts initialises the facts on the device.
func (c *construction) clearFacts() error {
	return c.deviceFacts.Write(0, []facts{{Outside: ^uint64(0)}})
}

// minCountLabels returns the smallest range of labels whose degrees are counted in one
// pass over the tuples: the largest power of two whose counters of 4 bytes occupy at most
// two thirds of a second-level cache of l2 bytes, 2^23 on an H100 or H200.
func minCountLabels(l2 int) uint64 {
	return 1 << max(16, bits.Len64(uint64(l2)/6)-1)
}

// countPart counts the tuples of a part, one range of labels per pass. For
// large graphs the range is an eighth of the labels, because every pass costs time.
func (c *construction) countPart(part generate.Part) error {
	labels := max(minCountLabels(c.launch.d.Properties().L2), tilesOf(c.sizes.vertices, 8))
	for first := uint64(0); first < max(c.sizes.vertices, 1); first += labels {
		if err := c.launch.run(generate.ModuleOf("index", part.IsWide()), "construct_count", tilesOf(uint64(part.Count), 4*rowThreads), rowThreads,
			part.Address(), uint64(part.Count), c.sizes.vertices, first, labels, c.rank.Address(), c.deviceFacts.Address()); err != nil {
			return err
		}
	}
	return nil
}

func (c *construction) readFacts() error {
	var f [1]facts
	err := c.deviceFacts.Read(0, f[:])
	c.facts = f[0]
	return err
}

// sumTiles computes the prefix sums of rows and arcs by tile of labels, and with them
// the sizes of the graph.
func (c *construction) sumTiles() (err error) {
	tiles := tilesOf(c.sizes.vertices, tileLabels)
	c.tiles = make([]uint64, tiles+1)
	if tiles == 0 {
		return nil
	}
	rows := c.sums.Address()
	arcs := rows + 8*(tiles+1)
	if err = c.launch.run("index", "construct_tally", tiles, tileLabels,
		c.rank.Address(), c.sizes.vertices, rows, arcs, c.deviceFacts.Address()); err != nil {
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
	if c.sizes.connected, err = c.rowsBeforeTile(tiles); err != nil {
		return err
	}
	if err := c.sumRange(); err != nil {
		return err
	}
	return c.readFacts()
}

// rowsBeforeTile reads the number of rows before a tile of labels.
func (c *construction) rowsBeforeTile(tile uint64) (uint64, error) {
	var rows [1]uint64
	err := c.sums.Read(int(tile), rows[:])
	return rows[0], err
}

// sumRange computes the sizes of the device's rows from the prefix sums.
func (c *construction) sumRange() (err error) {
	first, end := c.sizes.labels.ofTiles()
	c.sizes.arcs = c.tiles[end] - c.tiles[first]
	for i, before := range c.tiles[first:end] {
		c.sizes.largestTile = max(c.sizes.largestTile, c.tiles[int(first)+i+1]-before)
	}
	c.sizes.rows = c.sizes.connected
	if c.whole() {
		return nil
	}
	var after uint64
	if c.rowsBefore, err = c.rowsBeforeTile(first); err == nil {
		after, err = c.rowsBeforeTile(end)
	}
	c.sizes.rows = after - c.rowsBefore
	return err
}

// whole reports whether the device has the rows of the whole graph.
func (c *construction) whole() bool { return c.sizes.labels == All(c.sizes.vertices) }

// index builds the index and ranks the vertices by degree.
func (c *construction) index() error { return c.rankRows(c.g.IndexAddress(), c.order, c.g.Hubs, 0) }

// rankRows builds the index of the rows, whose word of label 0 is at that address, ranks
// the vertices by degree in rank, and writes the labels in the order of the ranks, and the
// first of them to hubs. The vertices of the largest degrees are depth ranks apart, unless
// depth is 0.
func (c *construction) rankRows(index uint64, order, hubs device.Array[engine.Local], depth uint64) error {
	if c.sizes.vertices == 0 {
		return nil
	}
	maxTuples := c.facts.MaxTuples
	kernel, args := "construct_index", []uint64{
		c.rank.Address(), c.sizes.vertices, c.sums.Address(), uint64(maxTuples), index, c.keys.Address(),
	}
	if !c.whole() {
		first, end := c.sizes.labels.ofTiles()
		kernel, args = "construct_index_range", append(args, first, end, c.rowsBefore)
	}
	if err := c.launch.run("index", kernel, tilesOf(c.sizes.vertices, tileLabels), tileLabels, args...); err != nil {
		return err
	}
	rows := c.sizes.connected
	if rows == 0 {
		return nil
	}
	if err := c.sort(rows, 32, bits.Len32(maxTuples)); err != nil {
		return err
	}
	const maxColumns = 1 << 10 // 256 are slower at scale 24, and 4,096 nowhere faster (docs/notebook.md)
	return c.launch.run("index", "construct_rank", tilesOf(rows, rowThreads), rowThreads,
		c.keys.Address(), rows, order.Address(), c.rank.Address(), hubs.Address(), uint64(hubs.Len()), min(rows/64, maxColumns), depth)
}

// sort sorts the first count keys by their bits first..first+width-1.
func (c *construction) sort(count uint64, first, width int) error {
	swapped, err := c.sorter.sort(c.launch, sortable{keys: c.keys}, sortable{keys: c.sorted}, count, first, width)
	if swapped {
		c.keys, c.sorted = c.sorted, c.keys
	}
	return err
}

// sortRows builds the rows in groups whose arcs fit in keys.
func (c *construction) sortRows() error {
	labels := c.sizes.labels.End - c.sizes.labels.First
	maxLabels := groupLabels(labels, c.sizes.connected, c.sizes.groups, c.tuples.Whole())
	return c.eachGroup(maxLabels, uint64(c.keys.Len()), c.sortGroup)
}

// eachGroup calls sort for groups of consecutive labels, of at most maxLabels labels and
// maxArcs arcs unless a tile alone has more arcs. It leaves out groups without arcs.
func (c *construction) eachGroup(maxLabels, maxArcs uint64, sort func(first, labels, arcs uint64) error) error {
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

// sortGroup builds the rows of the labels first..first+labels-1, which have the given
// number of arcs, and appends them to the graph.
func (c *construction) sortGroup(first, labels, arcs uint64) error {
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
	base := c.stored
	distinct, err := c.addStored(tiles)
	if err != nil {
		return err
	}
	if c.split != nil {
		return c.splitRows(first, labels, arcs, distinct, rankBits)
	}
	return c.launch.run("rows", "construct_rows", tiles, rowThreads,
		c.keys.Address(), arcs, c.sums.Address(), uint64(base), first, uint64(rankBits),
		c.order.Address(), c.g.IndexAddress(), c.g.Rows.Address(), c.g.Neighbors.Address())
}

// addStored adds the distinct arcs of a group, and returns their number. c.sums has those
// before each tile of keys, and the total behind.
func (c *construction) addStored(tiles uint64) (uint64, error) {
	var distinct [1]uint64
	err := c.sums.Read(int(tiles), distinct[:])
	c.stored += int64(distinct[0])
	return distinct[0], err
}

// finish computes the facts of the graph, and the degrees if splitRows has not.
func (c *construction) finish() error {
	if c.sizes.rows > 0 && c.split == nil {
		if err := c.launch.run("rows", "construct_degrees", tilesOf(c.sizes.rows, rowThreads), rowThreads,
			c.g.Rows.Address(), c.sizes.rows, uint64(c.stored), c.deviceFacts.Address()); err != nil {
			return err
		}
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	c.g.Info = c.info()
	return nil
}

// info returns the facts of the graph, as far as the device has its rows.
func (c *construction) info() engine.Graph {
	info := engine.Graph{
		Vertices:    int64(c.sizes.vertices),
		Connected:   int64(c.sizes.connected),
		Tuples:      int64(c.tuples.Len()),
		SelfLoops:   int64(c.facts.Loops),
		Duplicates:  (int64(c.sizes.arcs) - c.stored) / 2,
		Arcs:        c.stored,
		MaxDegree:   int64(c.facts.MaxDegree),
		Regenerated: !c.tuples.Whole() && c.tuples.HostMemory() == "",
		HostTuples:  c.tuples.HostMemory(),
	}
	if c.split != nil {
		info.Prefix, info.HostBytes = int64(c.g.Prefix), int64(4*SectorArcs*c.split.sectors)
	}
	return info
}

// launcher launches kernels by their names.
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
