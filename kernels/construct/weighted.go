//go:build cuda

package construct

import (
	"math"
	"math/bits"

	"graph500/device"
	"graph500/kernels/generate"
)

// weightBits is the number of bits of a weight of 0 or more, without the sign.
const weightBits = 31

// weighted is what the forms of the order ByWeight have in common.
type weighted struct {
	*construction
	values [2]device.Array[uint32] // neighbours of keys and of sorted
}

// sorting declares the memory for sorting rows, of which the keys can be that many.
func (c *weighted) sorting(z sizes, rows uint64) []device.Declared {
	arcs := groupCapacity(z.arcs, z.largestTile, rows, c.form.Groups)
	return append([]device.Declared{
		device.Of(&c.keys, "weighted arcs to sort", arcs),
		device.Of(&c.sorted, "sorted weighted arcs", arcs),
		device.Of(&c.values[0], "neighbours to sort", arcs),
		device.Of(&c.values[1], "sorted neighbours", arcs),
		device.Of(&c.cursor, "cursor of construction", 1),
	}, c.sorter.arrays(arcs)...)
}

func (c *weighted) into(in Input, i int) { c.g.ByWeight.Tails = in.ArcTails[i] }

func (c *weighted) room() splitRoom {
	return splitRoom{"arcs by weight", 8, uint64(len(c.g.ByWeight.Tails.Host()))}
}

// sortGroups sorts the arcs in groups that fit in keys, and calls store for each with the
// group's first label, and the numbers of its arcs and of those before.
func (c *weighted) sortGroups(store func(first, arcs, base uint64) error) error {
	maxLabels := uint64(1) << (64 - weightBits - 1) // a label above the weight in a key
	return c.eachGroup(maxLabels, func(first, labels, arcs uint64) error {
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
func (c *weighted) sortArcs(first, labels, arcs uint64) error {
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
