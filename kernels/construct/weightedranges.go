//go:build cuda

package construct

import (
	"context"
	"errors"
	"math"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// LoadWeightedRanges loads the modules of WeightedDistributed, so that later calls do not load
// them.
func LoadWeightedRanges(d *device.Device) error {
	_, err := d.Load("construct", images, "weightedranges")
	return errors.Join(err, LoadWeighted(d))
}

// WeightedRange is the rows of a range of labels in the order of the weights, of an
// undirected graph that several devices hold together. N is the number of vertices, n the
// number of vertices in the range with an edge to another vertex. Only these n vertices have
// rows, in the order of their labels.
type WeightedRange struct {
	Info   engine.Graph // of the whole graph; Duplicates is 0: none is dropped
	Labels Range

	Index  device.Array[uint64] // as Graph.Index
	Starts device.Array[uint64] // offsets of the n rows in Arcs, and the number of arcs
	Heads  device.Array[Head]   // first two arcs of each row

	// Arcs holds the arcs of the rows one after the other. They lead to labels. The weights in
	// a row ascend. The order of arcs of equal weight is undefined.
	Arcs device.Array[Arc]

	// MeanWeight is the mean of samples of all devices, 0 if there is no arc.
	MeanWeight float32

	held *device.Held
	vertexQueries
}

// group declares the memory of the graph.
func (g *WeightedRange) group(z sizes) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: append([]device.Declared{
		device.Of(&g.Arcs, "arcs by weight", z.neighbors),
		device.Of(&g.Starts, "starts of rows by weight", z.rows+1),
		device.Of(&g.Heads, "first arcs", z.rows),
		device.Of(&g.Index, "index of rows by weight", 32*z.labels.tiles()),
	}, g.vertexQueries.arrays()...)}
}

// IndexAddress returns the address at which the word of label 0 of Index would be.
func (g *WeightedRange) IndexAddress() uint64 { return g.Index.Address() - 8*(g.Labels.First/32) }

// Has returns for each vertex whether it has a row. A vertex outside Labels is an error.
func (g *WeightedRange) Has(vertices []engine.Vertex) ([]bool, error) {
	return g.vertexQueries.hasOf(g.Labels, g.IndexAddress(), vertices)
}

// Close frees the graph's memory.
func (g *WeightedRange) Close() error { return g.held.Free() }

// rangeConstruction is the part of WeightedDistributed on one device.
type rangeConstruction struct {
	weightedSorting
	g *WeightedRange
}

// rangeGroup declares the memory for sorting rows.
func (c *rangeConstruction) rangeGroup(z sizes) device.Group {
	return c.arcsGroup(groupCapacity(z.arcs, z.largestTile, z.connected, z.groups))
}

// WeightedDistributed is Weighted on the devices of a team that cannot access each other's
// memory, as ConstructDistributed is Construct: each device of this process has a view of all
// tuples of the graph. Arcs lead to labels, and rows are in the order of the labels, so that
// what a search stores by vertex needs no translation between devices.
func WeightedDistributed(ctx context.Context, team *device.Team, vertices uint64, tuples []*generate.Tuples, groups int) ([]*WeightedRange, error) {
	parts, err := newRangeConstructions(ctx, team, vertices, tuples, groups)
	if err != nil {
		return nil, err
	}
	err = team.Together(func(i int) error { return errors.Join(parts[i].build(), team.Devices()[i].Synchronize()) })
	return weightedRanges(team, parts, err)
}

// newRangeConstructions prepares the construction of the rows of each device's range, from
// views of all tuples.
func newRangeConstructions(ctx context.Context, team *device.Team, vertices uint64, views []*generate.Tuples, groups int) (parts []*rangeConstruction, err error) {
	ranges := Ranges(vertices, team.Count())
	for i, d := range team.Devices() {
		if !views[i].Weighted() {
			return nil, errors.New("graph: the tuples have no weights")
		}
		if err := checkScale(vertices, views[i]); err != nil {
			return nil, err
		}
		labels := ranges[team.First()+i]
		parts = append(parts, &rangeConstruction{
			weightedSorting: weightedSorting{construction: *newConstruction(ctx, d, vertices, labels, views[i], groups, 0)},
			g:               &WeightedRange{Labels: labels, vertexQueries: vertexQueries{device: d}},
		})
	}
	return parts, nil
}

// weightedRanges completes the graphs of the devices of this process with the facts of the
// whole graph, or closes them if their construction has failed.
func weightedRanges(team *device.Team, parts []*rangeConstruction, err error) ([]*WeightedRange, error) {
	graphs := make([]*WeightedRange, len(parts))
	for i, c := range parts {
		graphs[i] = c.g
	}
	if err == nil {
		err = errors.Join(joinInfos(team, func(i int) *engine.Graph { return &graphs[i].Info }), joinMeans(team, parts))
	}
	if err != nil {
		for _, g := range slices.Backward(graphs) {
			err = errors.Join(err, g.Close())
		}
		return nil, err
	}
	return graphs, nil
}

// WeightedRangePlan lists the memory of WeightedDistributed on the device that gets the rows of
// those labels, under the assumptions of PlanRange.
func WeightedRangePlan(vertices uint64, labels Range, tuples uint64, groups int) []engine.Allocation {
	z := worstSizes(vertices, labels, tuples, groups)
	c := &rangeConstruction{}
	plan := new(WeightedRange).group(z).Plan()
	plan = append(plan, c.countingGroup(z).Plan()...)
	return append(plan, c.rangeGroup(z).Plan()...)
}

// joinMeans gives the graphs the mean weight of all samples.
func joinMeans(team *device.Team, parts []*rangeConstruction) error {
	own := make([]float64, len(parts))
	for i, c := range parts {
		own[i] = c.mean
	}
	mean, err := meanOf(team, own)
	for _, c := range parts {
		c.g.MeanWeight = mean
	}
	return err
}

// meanOf returns the mean of the means of all devices, of which own are those of this process.
func meanOf(team *device.Team, own []float64) (float32, error) {
	all, err := device.Gather(team, own)
	if err != nil {
		return 0, err
	}
	var sum, samples float64
	for _, mean := range all {
		if !math.IsNaN(mean) { // of a range without arcs
			sum, samples = sum+mean, samples+1
		}
	}
	return float32(sum / max(samples, 1)), nil
}

// build checks and counts all tuples, and builds the rows.
func (c *rangeConstruction) build() (err error) {
	counting, err := c.d.Borrow(c.countingGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, counting.Free()) }()
	if err := c.steps(func() error { return c.checkWeightsOf(c.tuples) }, c.count); err != nil {
		return err
	}
	return c.buildRows()
}

// buildRows builds the rows once the tuples are counted.
func (c *rangeConstruction) buildRows() (err error) {
	if err := c.steps(c.sumTiles); err != nil {
		return err
	}
	c.sizes.neighbors, c.mean = c.sizes.arcs, math.NaN()
	if c.g.held, err = c.d.Take(c.g.group(c.sizes)); err != nil {
		return err
	}
	sorting, err := c.d.Borrow(c.rangeGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorting.Free()) }()
	return c.steps(c.writeIndex, c.sortRows, c.finish)
}

// writeIndex builds the index of the rows.
func (c *rangeConstruction) writeIndex() error {
	first, end := c.sizes.labels.ofTiles()
	return c.launch.run("index", "construct_index_range", tilesOf(c.sizes.vertices, tileLabels), tileLabels,
		c.rank.Address(), c.sizes.vertices, c.sums.Address(), uint64(c.facts.MaxTuples), c.g.IndexAddress(), c.keys.Address(), first, end, c.rowsBefore)
}

func (c *rangeConstruction) sortRows() error { return c.sortGroups(c.storeRows) }

// storeRows is that of weightedConstruction.
func (c *rangeConstruction) storeRows(first, arcs, base uint64) error {
	return c.launch.run("weightedranges", "construct_range_rows", tilesOf(arcs, rowThreads), rowThreads,
		c.keys.Address(), c.values[0].Address(), arcs, base, first, weightBits, c.g.IndexAddress(), c.g.Starts.Address(), c.g.Arcs.Address())
}

// finish completes the rows and the facts of the graph.
func (c *rangeConstruction) finish() error {
	if c.sizes.rows == 0 {
		if err := c.g.Starts.Fill(0); err != nil {
			return err
		}
	} else if err := c.launch.run("weightedranges", "construct_range_heads", tilesOf(c.sizes.rows, rowThreads), rowThreads,
		c.g.Starts.Address(), c.sizes.rows, uint64(c.stored), c.g.Arcs.Address(), c.g.Heads.Address(), c.deviceFacts.Address()); err != nil {
		return err
	}
	if err := c.readFacts(); err != nil {
		return err
	}
	c.g.Info = c.info()
	return nil
}
