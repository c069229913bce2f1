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
	"graph500/kernels/generate"
)

// LoadWeighted loads the modules of Weighted, so that later calls do not load them.
func LoadWeighted(d *device.Device) error {
	_, err := d.Load("construct", images, "weighted")
	return errors.Join(err, Load(d))
}

// weightBits is the number of bits of a weight of 0 or more, without the sign.
const weightBits = 31

// largestApart is the number of ranks between rows of the largest degrees: entries of 8
// bytes are in cache lines of their own.
const largestApart = 16

// WeightedGraph is an undirected graph in CSR form in the device's memory, with rows in
// the order of the weights. Repeated edges keep their own arcs. N is the number of
// vertices, n the number of vertices with an edge to another vertex. Only these n
// vertices have rows.
//
// Rows are numbered by falling degree. In arcs these numbers stand for the vertices: most
// arcs lead to few vertices of high degree, so what a search stores by row number has its
// most used entries near each other, in the caches. But those of the largest degrees are
// largestApart numbers apart: all multiprocessors ask for them again and again, and a slice
// of the second-level cache answers one request after the other. Side by side, the entries
// of 16 rows are in one cache line, and SSSP is 5 to 9 % slower.
type WeightedGraph struct {
	Info engine.Graph // Duplicates is 0: none is dropped

	// Rows has the n rows, and Labels the labels of their vertices.
	Rows   device.Array[WeightedRow]
	Labels device.Array[engine.Local]

	// Arcs holds the arcs of the rows, in the order of the labels. The weights in a row
	// ascend. The order of arcs of equal weight is undefined.
	Arcs device.Array[Arc]

	// Prefix is the number of first arcs of a row in Arcs, wholeRows if all are there. Where
	// a row has more (WeightedSplit), the entry behind its prefix is a number of 64 bits: the
	// offset in Tails at which the others begin, a multiple of 8.
	Prefix uint32
	Tails  *device.HostArray[Arc]

	// MeanWeight is that of the first arcs in the order of the labels, 0 if there is none.
	MeanWeight float32

	// The place of a row is its number in the order of the labels, in which results are
	// written. Index maps labels to places as in Graph. Heads has the first two arcs of each
	// row and HeadLabels the labels that they lead to, Thirds the weights of the third arcs
	// and the row numbers, and Order the labels, all by place.
	Index      device.Array[uint64]
	Heads      device.Array[Head]
	HeadLabels device.Array[[2]engine.Local]
	Thirds     device.Array[Third]
	Order      device.Array[engine.Local]

	held *device.Held
	vertexQueries
}

// group declares the memory of the graph.
func (g *WeightedGraph) group(z sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: append([]device.Declared{
		device.Of(&g.Arcs, "arcs by weight", z.neighbors),
		device.Of(&g.Rows, "rows by weight", z.rows),
		device.Of(&g.Labels, "labels of the rows", z.rows),
		device.Of(&g.Heads, "first arcs", z.rows),
		device.Of(&g.HeadLabels, "labels of first arcs", z.rows),
		device.Of(&g.Thirds, "third weights", z.rows),
		device.Of(&g.Order, "labels in order", z.rows),
		device.Of(&g.Index, "index of rows by weight", 32*tilesOf(z.vertices, tileLabels)),
	}, g.vertexQueries.arrays()...)}
}

// Has returns for each vertex whether it has a row. Vertices must be below N.
func (g *WeightedGraph) Has(vertices []engine.Vertex) ([]bool, error) {
	return g.vertexQueries.has(g.Index.Address(), vertices)
}

// Close frees the graph's memory.
func (g *WeightedGraph) Close() error { return g.held.Free() }

// weightedConstruction is the state of one call of Weighted.
type weightedConstruction struct {
	weightedSorting
	g      *WeightedGraph
	starts device.Array[uint64] // of the rows among all arcs, in the order of the labels
	split  *weightedSplitting   // nil if all rows are in the device's memory
}

// weightedGroup declares the memory for sorting rows.
func (c *weightedConstruction) weightedGroup(z sizes) device.Group {
	group := c.arcsGroup(groupCapacity(z.arcs, z.largestTile, z.rows, z.groups))
	group.Arrays = append(group.Arrays, device.Of(&c.starts, "starts of the rows", z.rows))
	return group
}

// weightedSorting is a construction whose arcs have weights.
type weightedSorting struct {
	construction
	values [2]device.Array[uint32] // neighbours of keys and of sorted
	mean   float64                 // weight of the first arcs
}

// arcsGroup declares the memory for sorting that many arcs at a time.
func (c *weightedSorting) arcsGroup(arcs uint64) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: append([]device.Declared{
		device.Of(&c.keys, "weighted arcs to sort", arcs),
		device.Of(&c.sorted, "sorted weighted arcs", arcs),
		device.Of(&c.values[0], "neighbours to sort", arcs),
		device.Of(&c.values[1], "sorted neighbours", arcs),
		device.Of(&c.cursor, "cursor of construction", 1),
	}, c.sorter.arrays(arcs)...)}
}

// sortGroups sorts the arcs in groups that fit in keys, and calls store for each with the
// group's first label, and the numbers of its arcs and of those before.
func (c *weightedSorting) sortGroups(store func(first, arcs, base uint64) error) error {
	maxLabels := uint64(1) << (64 - weightBits - 1) // a label above the weight in a key
	return c.eachGroup(maxLabels, uint64(c.keys.Len()), func(first, labels, arcs uint64) error {
		if err := c.sortArcs(first, labels, arcs); err != nil {
			return err
		}
		base := uint64(c.stored)
		c.stored += int64(arcs)
		return store(first, arcs, base)
	})
}

// sortArcs sorts the arcs of the rows with the labels first..first+labels-1, of which there
// are that many, by row and weight. It leaves them in keys, and their neighbours in values[0].
func (c *weightedSorting) sortArcs(first, labels, arcs uint64) error {
	if err := c.cursor.Fill(0); err != nil {
		return err
	}
	if err := c.tuples.Each(c.ctx, func(p generate.Part) error {
		return c.launch.run(generate.ModuleOf("weighted", p.IsWide()), "construct_weighted_arcs", tilesOf(uint64(p.Count), rowTile), rowThreads,
			p.Address(), p.Weights.Address(), uint64(p.Count), first, labels, weightBits,
			c.keys.Address(), c.values[0].Address(), c.cursor.Address())
	}); err != nil {
		return err
	}
	swapped, err := c.sorter.sort(c.launch, sortable{c.keys, c.values[0]}, sortable{c.sorted, c.values[1]}, arcs, 0, weightBits+bits.Len64(labels-1))
	if err != nil {
		return err
	}
	if swapped {
		c.keys, c.sorted = c.sorted, c.keys
		c.values[0], c.values[1] = c.values[1], c.values[0]
	}
	if c.stored == 0 {
		c.mean, err = meanWeight(c.keys, arcs)
	}
	return err
}

// Weighted builds the graph of tuples with weights (kernel 1) for searches of shortest
// paths. It drops self loops and vertices without edges. Labels must be below vertices,
// which is at most 2^30. Weights must be finite, 0 or more, and not -0. The tuples are
// not changed.
//
// Method: as Construct, with the arcs of a group of rows sorted as keys (label of the
// row, weight) that carry the neighbour as a value.
func Weighted(ctx context.Context, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int) (*WeightedGraph, error) {
	return newWeighted(ctx, d, vertices, tuples, groups).graph()
}

// newWeighted prepares the construction of a graph whose rows are not split.
func newWeighted(ctx context.Context, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int) *weightedConstruction {
	return &weightedConstruction{
		weightedSorting: weightedSorting{construction: construction{
			ctx: ctx, d: d, launch: launcher{d}, tuples: tuples,
			sizes: sizes{vertices: vertices, labels: All(vertices), tuples: tuples.Len(), groups: groups},
		}},
		g: &WeightedGraph{Prefix: wholeRows, vertexQueries: vertexQueries{device: d}},
	}
}

// graph builds the graph.
func (c *weightedConstruction) graph() (*WeightedGraph, error) {
	if err := checkScale(c.sizes.vertices, c.tuples); err != nil {
		return nil, err
	}
	if !c.tuples.Weighted() {
		return nil, errors.New("graph: the tuples have no weights")
	}
	if err := c.build(); err != nil {
		return nil, errors.Join(err, c.g.Close())
	}
	return c.g, nil
}

// WeightedPlan lists the memory of Weighted under the assumptions of Plan.
func WeightedPlan(vertices, tuples uint64, groups int) []engine.Allocation {
	z := worstSizes(vertices, All(vertices), tuples, groups)
	c := &weightedConstruction{}
	plan := new(WeightedGraph).group(z).Plan()
	plan = append(plan, c.countingGroup(z).Plan()...)
	return append(plan, c.weightedGroup(z).Plan()...)
}

func (c *weightedConstruction) build() (err error) {
	counting, err := c.d.Borrow(c.countingGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, counting.Free()) }()
	if err := c.steps(c.checkWeights, c.count, c.sumTiles); err != nil {
		return err
	}
	c.sizes.neighbors = c.sizes.arcs
	if c.split != nil {
		if err := c.choosePrefix(); err != nil {
			return err
		}
	}
	if c.g.held, err = c.d.Take(c.g.group(c.sizes)); err != nil {
		return err
	}
	sorting, err := c.d.Borrow(c.weightedGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorting.Free()) }()
	if c.split == nil {
		return c.steps(c.index, c.sortRows, c.finish)
	}
	splitting, err := c.d.Borrow(c.split.group(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, splitting.Free()) }()
	return c.steps(c.placeRows, c.index, c.sortRows, c.finish)
}

// checkWeights returns an error for the first invalid weight of loaded tuples.
func (c *weightedConstruction) checkWeights() error { return c.checkWeightsOf(c.tuples) }

// checkWeightsOf is checkWeights for a list of tuples, or a share of one.
func (c *construction) checkWeightsOf(tuples *generate.Tuples) error {
	if tuples.Scale() > 0 { // generated
		return nil
	}
	if err := c.clearFacts(); err != nil {
		return err
	}
	if err := tuples.Each(c.ctx, func(p generate.Part) error {
		return c.launch.run("weighted", "construct_check_weights", tilesOf(uint64(p.Count), rowThreads), rowThreads,
			p.Weights.Address(), uint64(p.Count), p.First, c.deviceFacts.Address())
	}); err != nil {
		return err
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	i := c.facts.Outside
	if i == ^uint64(0) {
		return nil
	}
	w, err := tuples.WeightAt(i)
	if err != nil {
		return err
	}
	return fmt.Errorf("graph: tuple %d has weight %v, weights must be finite and 0 or more", i, w)
}

// index builds the index and ranks the vertices by degree.
func (c *weightedConstruction) index() error {
	return c.rankRows(c.g.Index.Address(), c.g.Labels, device.Array[engine.Local]{}, largestApart)
}

func (c *weightedConstruction) sortRows() error { return c.sortGroups(c.storeRows) }

// storeRows appends the rows of the labels from first on, which have that many sorted arcs,
// to the graph, which has base arcs.
func (c *weightedConstruction) storeRows(first, arcs, base uint64) error {
	if c.split != nil {
		return c.splitRows(first, arcs, base)
	}
	return c.launch.run("weighted", "construct_weighted_rows", tilesOf(arcs, rowThreads), rowThreads,
		c.keys.Address(), c.values[0].Address(), arcs, base, first, weightBits,
		c.g.Index.Address(), c.rank.Address(), c.starts.Address(), c.g.Arcs.Address())
}

// meanWeight returns the mean weight of the first sorted arcs, of which there are that many.
func meanWeight(sorted device.Array[uint64], arcs uint64) (float64, error) {
	keys := make([]uint64, min(1<<16, arcs))
	if err := sorted.Read(0, keys); err != nil {
		return 0, err
	}
	var sum float64
	for _, k := range keys {
		sum += float64(math.Float32frombits(uint32(k & (1<<weightBits - 1))))
	}
	return sum / float64(len(keys)), nil
}

// finish completes the rows and the facts of the graph.
func (c *weightedConstruction) finish() error {
	fronts := c.starts.Address()
	if c.split != nil {
		fronts = c.split.fronts.Address()
	}
	if c.sizes.rows > 0 {
		if err := c.launch.run("weighted", "construct_heads", tilesOf(c.sizes.vertices, rowThreads), rowThreads,
			c.g.Index.Address(), c.rank.Address(), c.sizes.vertices, c.starts.Address(), c.sizes.rows, uint64(c.stored), fronts,
			c.g.Arcs.Address(), c.g.Labels.Address(), c.g.Rows.Address(), c.g.Heads.Address(), c.g.HeadLabels.Address(),
			c.g.Thirds.Address(), c.g.Order.Address(), c.deviceFacts.Address()); err != nil {
			return err
		}
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	c.g.Info, c.g.MeanWeight = c.info(), float32(c.mean)
	if c.split != nil {
		c.g.Info.Prefix, c.g.Info.HostBytes = int64(c.g.Prefix), int64(arcBytes*SectorArcs*c.split.sectors)
	}
	return nil
}
