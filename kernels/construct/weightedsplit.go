//go:build cuda

package construct

import (
	"context"
	"errors"
	"math"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// arcBytes is the size of an Arc.
const arcBytes = 8

// SplitArcs is the memory for rows in the order of the weights that are split between the
// device and the host.
type SplitArcs struct {
	Arcs  uint64                 // of the device's memory, at most
	Tails *device.HostArray[Arc] // the host's memory
}

// LoadWeightedSplit loads the modules of WeightedSplit, so that it does not load them.
func LoadWeightedSplit(d *device.Device) error {
	_, err := d.Load("construct", images, "weightedsplit")
	return errors.Join(err, LoadSplit(d), LoadWeighted(d))
}

// WeightedSplit is Weighted with the rows in both memories: the first arcs of each row, the
// lightest ones, as many as fit, in WeightedGraph.Arcs, and the others, the row's tail, in
// WeightedGraph.Tails. The number is the same for all rows: WeightedGraph.Prefix. A pull,
// which ends at the first arc that is too heavy, seldom reads a tail. If fewer than
// LeastPrefix fit, WeightedSplit returns a *device.MemoryError. The caller still owns the
// tails.
func WeightedSplit(ctx context.Context, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int, into SplitArcs) (*WeightedGraph, error) {
	c := newWeighted(ctx, d, vertices, tuples, groups)
	c.split = &weightedSplitting{SplitArcs: into}
	c.g.Tails = into.Tails
	return c.graph()
}

// WeightedSplitPlan lists the memory of WeightedSplit, of a graph of at most that many rows,
// which take that many arcs of the device's memory.
func WeightedSplitPlan(vertices, rows, tuples uint64, groups int, arcs uint64) []engine.Allocation {
	z := worstSizes(vertices, All(vertices), tuples, groups)
	z.rows, z.connected, z.neighbors = min(z.rows, rows), min(z.connected, rows), arcs
	c := &weightedConstruction{split: new(weightedSplitting)}
	plan := new(WeightedGraph).group(z).Plan()
	plan = append(plan, c.countingGroup(z).Plan()...)
	plan = append(plan, c.weightedGroup(z).Plan()...)
	return append(plan, c.split.group(z).Plan()...)
}

// IsSplit reports whether the rows are split (WeightedSplit).
func (g *WeightedGraph) IsSplit() bool { return g.Prefix != wholeRows }

// weightedSplitting is the part of a construction that splits rows in the order of the
// weights.
type weightedSplitting struct {
	SplitArcs
	need    device.Array[uint64] // words and sectors of all rows
	sums    device.Array[uint64] // the same by tile of labels, two arrays, each with its total
	fronts  device.Array[uint64] // of the rows in Arcs, in the order of the labels
	sectors uint64               // of all rows
}

// group declares the memory for splitting rows.
func (s *weightedSplitting) group(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(&s.sums, "sums of split rows by weight", 2*(z.labels.tiles()+1)),
		device.Of(&s.fronts, "starts of split rows", z.rows),
	}}
}

// choosePrefix sets the prefix of the graph, the largest that fits, and with it the length
// of Arcs. It must follow sumTiles, while rank has degrees.
func (c *weightedConstruction) choosePrefix() (err error) {
	c.g.Prefix, c.sizes.neighbors, err = c.split.longestPrefix(&c.construction, math.MaxUint32)
	return err
}

// longestPrefix is that of the construction for these arcs, of at most that length.
func (s *weightedSplitting) longestPrefix(c *construction, most uint32) (prefix uint32, arcs uint64, err error) {
	return c.longestPrefix(&s.need, splitRoom{"arcs by weight", s.Arcs, uint64(len(s.Tails.Host())), arcBytes, false, most})
}

// placeRows computes where the rows begin. It must precede index, while rank has degrees and
// sums has the rows and arcs before each tile.
func (c *weightedConstruction) placeRows() error {
	return c.split.place(&c.construction, c.g.Prefix, c.starts, c.g.Arcs)
}

// place computes where the rows of the device begin: in starts, among the arcs of all devices,
// and in fronts, in the device's arcs, to which it writes where the tails begin.
func (s *weightedSplitting) place(c *construction, longest uint32, starts device.Array[uint64], to device.Array[Arc]) error {
	labels, prefix := c.sizes.labels, uint64(longest)
	first, end := labels.ofTiles()
	all, tiles := tilesOf(c.sizes.vertices, tileLabels), end-first
	if tiles == 0 {
		return nil
	}
	rows, words := c.sums.Address()+8*first, s.sums.Address()
	arcs, sectors := rows+8*(all+1), words+8*(tiles+1)
	degrees, count := c.rank.Address()+4*labels.First, labels.End-labels.First
	for _, run := range []struct {
		module, kernel string
		blocks         uint64
		threads        int
		args           []uint64
	}{
		{"weightedsplit", "construct_weighted_sizes", tiles, tileLabels, []uint64{degrees, count, prefix, words, sectors}},
		{"index", "construct_scan", 1, 1024, []uint64{words, tiles}},
		{"index", "construct_scan", 1, 1024, []uint64{sectors, tiles}},
		{"weightedsplit", "construct_weighted_place", tiles, tileLabels, []uint64{
			degrees, count, prefix, rows, arcs, words, sectors, starts.Address() - 8*c.rowsBefore, s.fronts.Address() - 8*c.rowsBefore, to.Address(),
		}},
	} {
		if err := c.launch.run(run.module, run.kernel, run.blocks, run.threads, run.args...); err != nil {
			return err
		}
	}
	var total [1]uint64
	err := s.sums.Read(int(2*tiles+1), total[:])
	s.sectors = total[0]
	return err
}

// splitRows writes the rows of a group of labels from first on, which have that many sorted
// arcs, behind base arcs of other groups.
func (c *weightedConstruction) splitRows(first, arcs, base uint64) error {
	return c.launch.run("weightedsplit", "construct_weighted_split_rows", tilesOf(arcs, rowThreads), rowThreads,
		c.keys.Address(), c.values[0].Address(), arcs, base, first, weightBits,
		c.g.Index.Address(), c.rank.Address(), c.starts.Address(), c.split.fronts.Address(), uint64(c.g.Prefix),
		c.g.Arcs.Address(), c.g.Tails.Address())
}
