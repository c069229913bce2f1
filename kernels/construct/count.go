//go:build cuda

package construct

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"

	"graph500/device"
	"graph500/kernels/generate"
)

// count counts the tuples at each vertex that are in a list, or a share of it.
func (c *construction) count(list *generate.Tuples) error {
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
	if c.form.Balanced {
		c.ranges = balanced(c.ranges, c.tiles)
		c.sizes.labels = c.ranges[c.number]
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

// checkWeights returns an error for the first invalid weight of a list of loaded tuples, or a
// share of it.
func (c *construction) checkWeights(tuples *generate.Tuples) error {
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

// sum writes to the counts at the labels the sums of those in arrays at these addresses.
func (c *construction) sum(labels Range, from []uint64) error {
	count := labels.End - labels.First
	if count == 0 {
		return nil
	}
	args := append([]uint64{c.rank.Address(), labels.First, count, uint64(len(from))}, from...)
	args = append(args, make([]uint64, device.MostTogether-len(from))...)
	return c.launch.run("index", "construct_sum", tilesOf(count, rowThreads), rowThreads, args...)
}
