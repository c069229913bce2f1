//go:build cuda

package construct

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// LoadWeightedParts loads the modules of WeightedParts, so that later calls do not load them.
func LoadWeightedParts(d *device.Device) error {
	_, err := d.Load("construct", images, "weightedparts")
	return errors.Join(err, LoadWeighted(d))
}

// mostNumbers is the largest number of rows of all devices, used or not: those of SSSP have a
// flag above (Open in kernels/sssp/pull.cuh).
const mostNumbers = 1 << 30

// WeightedPart is the rows of a range of labels, of a WeightedGraph that several devices hold
// together. Each device numbers its rows by falling degree, as those of a WeightedGraph. Among
// all devices, row 32 i + j of device k has the number 32 (i devices + k) + j: rows of similar
// degree have numbers near each other, and the entries of 32 rows of a device lie side by side.
// In arcs these numbers stand for the vertices.
//
// Rows and Labels have all rows by number. Each device has as many numbers, a multiple of 32;
// those that are not used have rows without arcs and the label ~0. Arcs, Index, Heads, HeadLabels, Thirds and Order are those of the device's rows; the
// start of a row also has the number of its device, above ownerShift.
type WeightedPart struct {
	WeightedGraph
	Range Range // of the labels whose rows the device has
}

// group declares the memory of the graph, of whose rows there are that many numbers.
func (g *WeightedPart) group(z sizes, numbers uint64) device.Group {
	return device.Group{Alive: engine.Construction | engine.Searching, Arrays: append([]device.Declared{
		device.Of(&g.Arcs, "arcs by weight", z.neighbors),
		device.Of(&g.Rows, "rows by weight of all GPUs", numbers),
		device.Of(&g.Labels, "labels of the rows of all GPUs", numbers),
		device.Of(&g.Heads, "first arcs", z.rows),
		device.Of(&g.HeadLabels, "labels of first arcs", z.rows),
		device.Of(&g.Thirds, "third weights", z.rows),
		device.Of(&g.Order, "labels in order", z.rows),
		device.Of(&g.Index, "index of rows by weight", 32*z.labels.tiles()),
	}, g.vertexQueries.arrays()...)}
}

// IndexAddress returns the address at which the word of label 0 of Index would be.
func (g *WeightedPart) IndexAddress() uint64 { return g.Index.Address() - 8*(g.Range.First/32) }

// Has returns for each vertex whether it has a row. A vertex outside Range is an error.
func (g *WeightedPart) Has(vertices []engine.Vertex) ([]bool, error) {
	return g.vertexQueries.hasOf(g.Range, g.IndexAddress(), vertices)
}

// partConstruction is the part of WeightedParts on one device.
type partConstruction struct {
	weightedSorting
	g               *WeightedPart
	devices, number int
	starts          device.Array[uint64] // of the rows among the arcs of the device, or, if split, of all devices, in the order of the labels
	ranges          []Range              // of all devices
	split           *weightedSplitting   // nil if all rows are in the devices' memory
	placed          *device.Held         // memory for the places of split rows
}

// WeightedParts is Weighted on the devices of a team, as ConstructTogether is Construct.
func WeightedParts(ctx context.Context, team *device.Team, vertices uint64, shares []*generate.Tuples, groups int) ([]*WeightedPart, error) {
	return buildParts(ctx, team, vertices, shares, groups, nil)
}

// SplitParts is WeightedParts with the rows of each device in its memory and the host's, as
// WeightedSplit has them, with the same prefix on all devices. into is the memory for the
// devices of this process.
func SplitParts(ctx context.Context, team *device.Team, vertices uint64, shares []*generate.Tuples, groups int, into []SplitArcs) ([]*WeightedPart, error) {
	return buildParts(ctx, team, vertices, shares, groups, into)
}

// buildParts is SplitParts, or WeightedParts if into is nil.
func buildParts(ctx context.Context, team *device.Team, vertices uint64, shares []*generate.Tuples, groups int, into []SplitArcs) ([]*WeightedPart, error) {
	if len(team.Devices()) != len(shares) || len(shares) == 0 || into != nil && len(into) != len(shares) {
		return nil, fmt.Errorf("graph: %d shares of the tuples on %d devices; there must be one each", len(shares), len(team.Devices()))
	}
	lists, err := generate.Shares(team, shares)
	if err != nil {
		return nil, err
	}
	t := &together{ctx: ctx, team: team, shares: shares, ranges: Ranges(vertices, team.Count())}
	parts, graphs := make([]*partConstruction, len(shares)), make([]*WeightedPart, len(shares))
	for i := range shares {
		tuples, err := generate.Join(lists[i], team.First()+i)
		if err == nil {
			parts[i], err = newPart(t, i, vertices, tuples, groups)
		}
		if err != nil {
			return nil, err
		}
		t.parts, graphs[i] = append(t.parts, &parts[i].construction), parts[i].g
		if into != nil {
			parts[i].split, parts[i].g.Tails = &weightedSplitting{SplitArcs: into[i]}, into[i].Tails
		}
	}
	err = team.Together(func(i int) error { return parts[i].checkWeights(shares[i]) })
	if err == nil {
		err = t.build(func() (err error) {
			defer func() {
				for _, c := range slices.Backward(parts) {
					err = errors.Join(err, c.placed.Free())
				}
			}()
			return t.inOrder(
				t.each(func(i int) error { return parts[i].measure() }),
				t.agreePrefix(into != nil, func(i int) uint32 { return parts[i].g.Prefix }, func(i int, most uint32) error { return parts[i].choosePrefix(most) }),
				t.each(func(i int) error { return parts[i].rankOwn() }),
				t.each(func(i int) error { return parts[i].copyRanks(t.counts[i]) }),
				t.each(func(i int) error { return parts[i].buildRows() }))
		})
	}
	if err == nil {
		err = errors.Join(joinRows(team, parts), joinInfos(t.team, func(i int) *engine.Graph { return &graphs[i].Info }), joinPartMeans(team, parts))
	}
	if err != nil {
		for _, g := range slices.Backward(graphs) {
			err = errors.Join(err, g.Close())
		}
		return nil, err
	}
	return graphs, nil
}

// newPart prepares the construction on device i of this process.
func newPart(t *together, i int, vertices uint64, tuples *generate.Tuples, groups int) (*partConstruction, error) {
	if !tuples.Weighted() {
		return nil, errors.New("graph: the tuples have no weights")
	}
	if err := checkScale(vertices, tuples); err != nil {
		return nil, err
	}
	d, number := t.team.Devices()[i], t.team.First()+i
	labels := t.ranges[number]
	return &partConstruction{
		weightedSorting: weightedSorting{construction: *newConstruction(t.ctx, d, vertices, labels, tuples, groups, 0)},
		g:               &WeightedPart{Range: labels, WeightedGraph: WeightedGraph{Prefix: wholeRows, vertexQueries: vertexQueries{device: d}}},
		devices:         t.team.Count(), number: number, ranges: t.ranges,
	}, nil
}

// partGroup declares the memory for sorting rows.
func (c *partConstruction) partGroup(z sizes) device.Group {
	group := c.arcsGroup(groupCapacity(z.arcs, z.largestTile, z.rows, z.groups))
	if c.split == nil {
		group.Arrays = append(group.Arrays, device.Of(&c.starts, "starts of the rows", z.rows))
	}
	return group
}

// placesGroup declares the memory for the places of split rows.
func (c *partConstruction) placesGroup(z sizes) device.Group {
	group := c.split.group(z)
	group.Arrays = append(group.Arrays, device.Of(&c.starts, "starts of the rows", z.rows))
	return group
}

// numbersOf returns the number of numbers of the rows of devices, of which one has that many
// and the others not more.
func numbersOf(devices int, rows uint64) uint64 { return uint64(devices) * ((rows + 31) / 32 * 32) }

// WeightedPartPlan lists the memory of WeightedParts on the device that gets the rows of those
// labels, the longest range of all devices, under the assumptions of PlanRange. No device has
// more than the given rows.
func WeightedPartPlan(vertices uint64, labels Range, tuples, rows uint64, groups, devices int) []engine.Allocation {
	z := worstSizes(vertices, labels, tuples, groups)
	z.rows = min(z.rows, rows)
	return new(partConstruction).plan(z, devices)
}

// SplitPartPlan is WeightedPartPlan for SplitParts, whose rows take that many arcs of the device's
// memory.
func SplitPartPlan(vertices uint64, labels Range, tuples, rows uint64, groups, devices int, arcs uint64) []engine.Allocation {
	z := worstSizes(vertices, labels, tuples, groups)
	z.rows, z.neighbors = min(z.rows, rows), arcs
	c := &partConstruction{split: new(weightedSplitting)}
	return append(c.plan(z, devices), c.placesGroup(z).Plan()...)
}

// plan lists the memory but that for the places of split rows.
func (c *partConstruction) plan(z sizes, devices int) []engine.Allocation {
	plan := new(WeightedPart).group(z, numbersOf(devices, z.rows)).Plan()
	plan = append(plan, c.countingGroup(z).Plan()...)
	return append(plan, c.partGroup(z).Plan()...)
}

// checkWeights returns an error for the first invalid weight of a share of loaded tuples.
func (c *partConstruction) checkWeights(share *generate.Tuples) (err error) {
	counting, err := c.d.Borrow(c.countingGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, counting.Free()) }()
	return c.checkWeightsOf(share)
}

// measure computes the sizes of the graph once the tuples are counted.
func (c *partConstruction) measure() error {
	if err := c.steps(c.sumTiles); err != nil {
		return err
	}
	c.sizes.neighbors, c.mean = c.sizes.arcs, math.NaN()
	if c.split == nil {
		return nil
	}
	return c.choosePrefix(math.MaxUint32)
}

// choosePrefix is that of weightedConstruction, with a prefix of at most that length.
func (c *partConstruction) choosePrefix(most uint32) (err error) {
	c.g.Prefix, c.sizes.neighbors, err = c.split.longestPrefix(&c.construction, most)
	return err
}

// rankOwn allocates the memory of the graph, and numbers the rows of the device.
func (c *partConstruction) rankOwn() (err error) {
	most, err := c.mostRows()
	if err != nil {
		return err
	}
	numbers := numbersOf(c.devices, most)
	if numbers > mostNumbers {
		return fmt.Errorf("graph: %d rows on one of %d devices, which hold at most %d each", most, c.devices, mostNumbers/c.devices)
	}
	if c.g.held, err = c.d.Take(c.g.group(c.sizes, numbers)); err != nil {
		return err
	}
	if c.split != nil { // while rank has degrees
		if c.placed, err = c.d.Borrow(c.placesGroup(c.sizes)); err != nil {
			return err
		}
		if err := c.split.place(&c.construction, c.g.Prefix, c.starts, c.g.Arcs); err != nil {
			return err
		}
	}
	sorting, err := c.d.Borrow(c.partGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorting.Free()) }()
	return c.numberRows()
}

// mostRows returns the number of rows of the device that has most.
func (c *partConstruction) mostRows() (most uint64, err error) {
	for _, r := range c.ranges {
		first, end := r.ofTiles()
		before, errBefore := c.rowsBeforeTile(first)
		after, errAfter := c.rowsBeforeTile(end)
		if err := errors.Join(errBefore, errAfter); err != nil {
			return 0, err
		}
		most = max(most, after-before)
	}
	return most, nil
}

// numberRows writes the index, and the numbers and labels of the rows of the device.
func (c *partConstruction) numberRows() error {
	labels, rows := c.sizes.labels, c.sizes.rows
	if labels.End > labels.First {
		first, end := labels.ofTiles()
		if err := c.launch.run("index", "construct_index_part", end-first, tileLabels,
			c.rank.Address(), c.sizes.vertices, c.sums.Address(), uint64(c.facts.MaxTuples), c.g.IndexAddress(), c.keys.Address(), first, c.rowsBefore); err != nil {
			return err
		}
		if err := c.run("construct_part_clear", labels.End-labels.First, labels.First, labels.End, c.rank.Address()); err != nil {
			return err
		}
	}
	if err := c.g.Labels.Fill(0xff); err != nil || rows == 0 {
		return err
	}
	if err := c.sort(rows, 32, bits.Len32(c.facts.MaxTuples)); err != nil {
		return err
	}
	const maxColumns = 1 << 10 // as in rankRows
	return c.run("construct_part_rank", rows, c.keys.Address(), rows, min(rows/64, maxColumns), largestApart,
		uint64(c.devices), uint64(c.number), c.g.Labels.Address(), c.rank.Address())
}

// run launches a kernel with a thread for each of count elements; none is no work.
func (c *partConstruction) run(kernel string, count uint64, args ...uint64) error {
	if count == 0 {
		return nil
	}
	return c.launch.run("weightedparts", kernel, tilesOf(count, rowThreads), rowThreads, args...)
}

// copyRanks copies the numbers of the rows of the other devices.
func (c *partConstruction) copyRanks(ranks []device.Array[uint32]) error {
	for j := range c.ranges[1:] {
		k := (c.number + 1 + j) % len(c.ranges)
		r := c.ranges[k]
		if err := c.run("construct_part_copy", r.End-r.First, ranks[k].Address(), r.First, r.End, c.rank.Address(), c.g.Labels.Address()); err != nil {
			return err
		}
	}
	return nil
}

// buildRows builds the rows once all rows are numbered.
func (c *partConstruction) buildRows() (err error) {
	sorting, err := c.d.Borrow(c.partGroup(c.sizes))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorting.Free()) }()
	return c.steps(func() error { return c.sortGroups(c.storeRows) }, c.finish)
}

// storeRows is that of weightedConstruction.
func (c *partConstruction) storeRows(first, arcs, base uint64) error {
	if c.split != nil {
		return c.launch.run("weightedsplit", "construct_weighted_split_rows", tilesOf(arcs, rowThreads), rowThreads,
			c.keys.Address(), c.values[0].Address(), arcs, base+c.arcsBefore(), first, weightBits,
			c.g.IndexAddress(), c.rank.Address(), c.starts.Address(), c.split.fronts.Address(), uint64(c.g.Prefix),
			c.g.Arcs.Address(), c.g.Tails.Address())
	}
	return c.launch.run("weighted", "construct_weighted_rows", tilesOf(arcs, rowThreads), rowThreads,
		c.keys.Address(), c.values[0].Address(), arcs, base, first, weightBits,
		c.g.IndexAddress(), c.rank.Address(), c.starts.Address(), c.g.Arcs.Address())
}

// arcsBefore returns the number of arcs of all devices before those of this one.
func (c *partConstruction) arcsBefore() uint64 {
	first, _ := c.sizes.labels.ofTiles()
	return c.tiles[first]
}

// finish completes the rows and the facts of the graph.
func (c *partConstruction) finish() error {
	labels, rows := c.sizes.labels, c.sizes.rows
	fronts, total := c.starts.Address(), uint64(c.stored)
	if c.split != nil {
		fronts, total = c.split.fronts.Address(), total+c.arcsBefore()
	}
	if rows > 0 {
		if err := c.run("construct_part_heads", labels.End-labels.First,
			c.g.IndexAddress(), c.rank.Address(), labels.First, labels.End, c.starts.Address(), rows, total, fronts,
			c.g.Arcs.Address(), c.g.Labels.Address(), uint64(c.number), c.g.Rows.Address(), c.g.Heads.Address(),
			c.g.HeadLabels.Address(), c.g.Thirds.Address(), c.g.Order.Address(), c.deviceFacts.Address()); err != nil {
			return err
		}
	}
	all := c.ownNumbers()
	if err := errors.Join(c.run("construct_part_pad", all-rows, c.g.Rows.Address(), rows, all, uint64(c.devices), uint64(c.number)), c.readFacts()); err != nil {
		return err
	}
	c.g.Info = c.info()
	if c.split != nil {
		c.g.Info.Prefix, c.g.Info.HostBytes = int64(c.g.Prefix), int64(arcBytes*SectorArcs*c.split.sectors)
	}
	return nil
}

// ownNumbers returns the number of numbers of each device.
func (c *partConstruction) ownNumbers() uint64 { return uint64(c.g.Rows.Len() / c.devices) }

// copyRows copies the rows of the other devices, of all of which rows are the arrays.
func (c *partConstruction) copyRows(rows []device.Array[WeightedRow]) error {
	errs := []error{}
	for j := range rows[1:] {
		k := (c.number + 1 + j) % len(rows)
		errs = append(errs, c.run("construct_part_rows", 2*c.ownNumbers(), rows[k].Address(), c.ownNumbers(), uint64(c.devices), uint64(k), c.g.Rows.Address()))
	}
	return errors.Join(append(errs, c.d.Synchronize())...)
}

// joinRows gives each device the rows of all.
func joinRows(team *device.Team, parts []*partConstruction) error {
	own := make([]device.Array[WeightedRow], len(parts))
	for i, c := range parts {
		own[i] = c.g.Rows
	}
	rows, err := device.Reach(team, own)
	if err != nil {
		return err
	}
	return team.Together(func(i int) error { return parts[i].copyRows(rows[i]) })
}

// joinPartMeans gives the graphs the mean weight of all samples.
func joinPartMeans(team *device.Team, parts []*partConstruction) error {
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
