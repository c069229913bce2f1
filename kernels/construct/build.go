//go:build cuda

package construct

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// Input is what Build makes a graph of. The slices have an element for each device of this
// process.
type Input struct {
	Vertices uint64 // at most 2^31; all labels are below

	// Tuples has the shares of the tuples that the devices hold, in order; on distributed devices
	// (Form.Distributed) a view of all tuples for each.
	Tuples []*generate.Tuples

	// Tails or ArcTails is the host's memory for split rows, by the order of the form: of ByHubs
	// Tails, for all neighbours while the graph is built, and then for lists. It stays the caller's.
	// That of ByHubs all devices reach (device.IntroduceHost).
	Tails    []*device.HostArray[engine.Label]
	ArcTails []*device.HostArray[Arc]
}

// Build builds the graph of the tuples (kernel 1) on the devices of a team. It drops self
// loops and vertices without edges, and duplicate edges but for ByWeight. It returns the
// graphs of the devices of this process: device k has the rows of range k of the labels, whose
// lists are the same as on one device. They must be closed in reverse order. Weights must be
// finite, 0 or more, and not -0. The tuples are not changed. The result is the same in every
// run and for every number of groups, but for the order of arcs of equal weight.
//
// Build returns a *device.MemoryError if an array does not fit, or LeastPrefix entries of
// split rows.
//
// Method: the devices count the tuples at each vertex. Each counts its share, and the counts
// are added up, each range of labels on its own device, and copied to all; distributed devices
// count all tuples. Each device then ranks the vertices by these numbers, and sorts the arcs
// of its rows as keys (label of the row, rank of the neighbour; ByWeight: label, weight, with
// the neighbour as a value). The sort is a stable radix sort, whose time does not depend on
// the distribution of the arcs over the rows. The arcs are sorted in groups of rows: the two
// key buffers take 16 bytes per arc of a group, so with four groups they need no more memory
// than the neighbours, with more groups less. For each group a device reads the tuples of all
// devices; those that are not in memory are regenerated once to count them and once per group.
func Build(ctx context.Context, team *device.Team, in Input, f Form) ([]*Graph, error) {
	b, err := newBuild(ctx, team, in, f)
	if err != nil {
		return nil, err
	}
	err = b.run()
	graphs := make([]*Graph, len(b.parts))
	for i, c := range b.parts {
		graphs[i] = c.g
	}
	if err != nil {
		for _, g := range slices.Backward(graphs) {
			err = errors.Join(err, g.Close())
		}
		return nil, err
	}
	return graphs, nil
}

// build is the state of one call of Build. Slices of one dimension without another note are
// by index of the device in this process.
type build struct {
	ctx    context.Context
	team   *device.Team
	form   Form
	shares []*generate.Tuples
	parts  []*construction
	ranges []Range                  // by number of the device: whose counts it adds up, later its rows
	counts [][]device.Array[uint32] // degrees on all devices, by index and number, if they reach them
	loops  uint64                   // self loops of all shares
}

// newBuild checks what Build is given, and prepares the construction on each device.
func newBuild(ctx context.Context, team *device.Team, in Input, f Form) (*build, error) {
	if f.Devices != team.Count() {
		return nil, fmt.Errorf("graph: the form is for %d devices, the team has %d", f.Devices, team.Count())
	}
	count, tails := len(team.Devices()), len(in.Tuples)
	if f.splits() {
		tails = map[Order]int{ByDegree: len(in.Tails), ByHubs: len(in.Tails), ByWeight: len(in.ArcTails)}[f.Order]
	}
	if count == 0 || len(in.Tuples) != count || tails != count {
		return nil, fmt.Errorf("graph: %d shares of the tuples, split in %d memories, on %d devices; there must be one each", len(in.Tuples), tails, count)
	}
	if f.Order == ByHubs && f.Distributed {
		return nil, errors.New("graph: rows by hubs are on devices that access each other's memory")
	}
	if f.Order == ByWeight && f.splits() && (f.Distributed || f.Split.NoPrefix) {
		return nil, errors.New("graph: arcs by weight can be split only with a prefix, and not on distributed devices")
	}
	lists, err := allTuples(team, in.Tuples, f)
	if err != nil {
		return nil, err
	}
	b := &build{ctx: ctx, team: team, form: f, shares: in.Tuples, ranges: Ranges(in.Vertices, f.Devices)}
	for i, d := range team.Devices() {
		if err := check(in.Vertices, lists[i], f); err != nil {
			return nil, err
		}
		c := newConstruction(f)
		c.ctx, c.d, c.launch, c.tuples, c.number, c.ranges = ctx, d, launcher{d}, lists[i], team.First()+i, b.ranges
		c.sizes = sizes{vertices: in.Vertices, labels: b.ranges[c.number], tuples: lists[i].Len()}
		c.g.vertexQueries.device = d
		if f.splits() {
			c.rows.into(in, i)
		}
		b.parts = append(b.parts, c)
	}
	return b, nil
}

// allTuples returns for each device of this process the list of all tuples as it reads them.
func allTuples(team *device.Team, own []*generate.Tuples, f Form) ([]*generate.Tuples, error) {
	if !f.reaches() {
		return own, nil
	}
	shares, err := generate.Shares(team, own)
	if err != nil {
		return nil, err
	}
	lists := make([]*generate.Tuples, len(own))
	for i := range lists {
		if lists[i], err = generate.Join(shares[i], team.First()+i); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// check requires that the tuples are of a graph of the form with that many vertices.
func check(vertices uint64, tuples *generate.Tuples, f Form) error {
	if f.Order == ByWeight && !tuples.Weighted() {
		return errors.New("graph: the tuples have no weights")
	}
	if scale := tuples.Scale(); vertices < 1<<scale && scale > 0 {
		return fmt.Errorf("graph: tuples of scale %d have more than %d vertices", scale, vertices)
	}
	return nil
}

// run builds the graphs.
func (b *build) run() (err error) {
	defer func() { err = errors.Join(err, b.free()) }()
	return b.inOrder(
		b.each(true, (*construction).borrowCounting),
		b.each(b.form.Order == ByWeight, func(c *construction) error { return c.checkWeights(b.shareOf(c)) }),
		b.each(true, func(c *construction) error { return c.count(b.shareOf(c)) }),
		b.reachCounts,
		b.each(b.form.reaches(), b.addCounts),
		b.each(b.form.reaches(), b.copyCounts),
		b.each(true, (*construction).measure),
		b.takeRanges,
		b.agreePrefix,
		b.each(true, (*construction).index),
		b.each(b.form.numbered(), b.copyNumbers),
		b.each(true, (*construction).writeRows),
		b.convertToHubs,
		b.joinRows, b.joinInfos, b.joinMeans,
	)
}

// free frees the temporary memory. A device can be in the team several times, so that all its
// parts free what they have borrowed last before any frees what it has borrowed first.
func (b *build) free() error {
	errs := []error{b.freeSortedRows()} // of a construction that has failed
	for _, c := range slices.Backward(b.parts) {
		errs = append(errs, c.working.Free(), c.keeping.Free())
	}
	for _, c := range slices.Backward(b.parts) {
		errs = append(errs, c.counters.Free())
	}
	return errors.Join(errs...)
}

// shareOf returns the tuples that a device counts.
func (b *build) shareOf(c *construction) *generate.Tuples { return b.shares[c.number-b.team.First()] }

// inOrder executes steps until one fails or the context ends.
func (b *build) inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		if err := context.Cause(b.ctx); err != nil {
			return err
		}
	}
	return nil
}

// each returns a step for all devices, which is left out unless it is needed. Without an error
// it ends when all devices have done it.
func (b *build) each(needed bool, do func(c *construction) error) func() error {
	return func() error {
		if !needed {
			return nil
		}
		return b.team.Together(func(i int) error {
			err := do(b.parts[i])
			// Memory of other devices must not be freed, nor changed, while this one reads it.
			return cmp.Or(err, b.parts[i].d.Synchronize())
		})
	}
}

// reachCounts finds the counts of all devices, and adds up the self loops of all shares.
func (b *build) reachCounts() (err error) {
	if !b.form.reaches() {
		return nil
	}
	own, loops := make([]device.Array[uint32], len(b.parts)), make([]int64, 1)
	for i, c := range b.parts {
		own[i] = c.rank
		loops[0] += int64(c.facts.Loops)
	}
	if b.counts, err = device.Reach(b.team, own); err != nil {
		return err
	}
	err = b.team.Sum(loops)
	b.loops = uint64(loops[0])
	return err
}

// countsOf returns the counts of all devices as one of this process reads them.
func (b *build) countsOf(c *construction) []device.Array[uint32] {
	return b.counts[c.number-b.team.First()]
}

// addCounts adds up the counts of all devices at the vertices of a device's range.
func (b *build) addCounts(c *construction) error {
	from := make([]uint64, len(b.ranges))
	for k, counts := range b.countsOf(c) {
		from[k] = counts.Address()
	}
	return c.sum(c.sizes.labels, from)
}

// copyCounts copies the sums at the vertices of all other ranges.
func (b *build) copyCounts(c *construction) error {
	errs := []error{c.deviceFacts.Write(0, []facts{{Outside: ^uint64(0), Loops: b.loops}})}
	for from := range c.others() {
		errs = append(errs, c.sum(b.ranges[from], []uint64{b.countsOf(c)[from].Address()}))
	}
	return errors.Join(errs...)
}

// copyNumbers copies the numbers of the rows of the other devices.
func (b *build) copyNumbers(c *construction) error { return c.copyNumbers(b.countsOf(c)) }

// takeRanges takes over the ranges, which all devices have found alike.
func (b *build) takeRanges() error {
	b.ranges = b.parts[0].ranges
	for _, c := range b.parts {
		c.g.Labels, c.g.Ranges = c.sizes.labels, c.ranges
	}
	return nil
}

// agreePrefix gives split rows the longest prefix that fits on every device.
func (b *build) agreePrefix() error {
	if !b.form.hasPrefix() || b.form.Devices == 1 {
		return nil
	}
	own := make([]uint32, len(b.parts))
	for i, c := range b.parts {
		own[i] = c.g.Prefix
	}
	all, err := device.Gather(b.team, own)
	if err != nil {
		return err
	}
	return b.each(true, func(c *construction) error {
		if least := slices.Min(all); c.g.Prefix != least {
			return c.choosePrefix(least)
		}
		return nil
	})()
}

// joinRows gives each device the numbered rows of all.
func (b *build) joinRows() error {
	if !b.form.numbered() {
		return nil
	}
	own := make([]device.Array[WeightedRow], len(b.parts))
	for i, c := range b.parts {
		own[i] = c.g.ByWeight.Rows
	}
	rows, err := device.Reach(b.team, own)
	if err != nil {
		return err
	}
	return b.each(true, func(c *construction) error { return c.copyRows(rows[c.number-b.team.First()]) })()
}

// joinInfos gives the graphs the facts of the whole graph.
func (b *build) joinInfos() error {
	own := make([]engine.Graph, len(b.parts))
	for i, c := range b.parts {
		own[i] = c.g.Info
	}
	all, err := device.Gather(b.team, own)
	if err != nil {
		return err
	}
	whole := all[0]
	whole.Arcs, whole.MaxDegree, whole.HostBytes = 0, 0, 0
	for _, info := range all {
		whole.Arcs += info.Arcs
		whole.HostBytes += info.HostBytes
		whole.MaxDegree = max(whole.MaxDegree, info.MaxDegree)
	}
	whole.Duplicates = whole.Tuples - whole.SelfLoops - whole.Arcs/2
	for _, c := range b.parts {
		c.g.Info = whole
	}
	return nil
}

// joinMeans gives the graphs the mean of the mean weights of all devices.
func (b *build) joinMeans() error {
	if b.form.Order != ByWeight {
		return nil
	}
	own := make([]float64, len(b.parts))
	for i, c := range b.parts {
		own[i] = c.mean
	}
	all, err := device.Gather(b.team, own)
	if err != nil {
		return err
	}
	var sum, samples float64
	for _, mean := range all {
		if !math.IsNaN(mean) { // of a range without arcs
			sum, samples = sum+mean, samples+1
		}
	}
	for _, c := range b.parts {
		c.g.ByWeight.MeanWeight = float32(sum / max(samples, 1))
	}
	return nil
}
