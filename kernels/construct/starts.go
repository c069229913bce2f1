//go:build cuda

package construct

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"graph500/device"
	"graph500/kernels/hubs"
)

// startsOf turns the lengths of lists into their starts and the end, which it returns. All must be below 2^32.
func (c *byHubs) startsOf(lengths device.Array[uint32]) (end uint64, err error) {
	if end, err = c.lowStartsOf(lengths); err == nil && end > math.MaxUint32 {
		err = fmt.Errorf("graph: lists of a GPU have %d pieces, which must be below 2^32", end)
	}
	return end, err
}

// lowStartsOf is startsOf with the low 32 bits of the starts. c.tileSums becomes the starts of the tiles, and the end.
func (c *byHubs) lowStartsOf(lengths device.Array[uint32]) (end uint64, err error) {
	count := uint64(lengths.Len() - 1)
	tiles := tilesOf(count+1, hubTile)
	total := make([]uint64, 1)
	err = errors.Join(
		c.each("construct_hub_tally", count+1, hubTile, lengths.Address(), count, c.tileSums.Address()),
		c.scan(c.tileSums, 0, tiles), c.tileSums.Read(int(tiles), total),
		c.each("construct_hub_scan", count+1, hubTile, lengths.Address(), count, c.tileSums.Address()))
	return total[0], err
}

// wrapOf returns the wrap of starts that lowStartsOf has made, before it makes others.
func (c *byHubs) wrapOf(starts device.Array[uint32]) (hubs.Wrap, error) {
	tiles := make([]uint64, tilesOf(uint64(starts.Len()), hubTile)+1)
	if err := c.tileSums.Read(0, tiles); err != nil {
		return hubs.NoWrap, err
	}
	if end := tiles[len(tiles)-1]; end>>33 > 0 {
		return hubs.NoWrap, fmt.Errorf("graph: lists of rows of a GPU have %d pieces, which must be below 2^33", end)
	}
	tile := sort.Search(len(tiles)-1, func(t int) bool { return tiles[t+1] >= 1<<32 }) // that ends there
	if tile == len(tiles)-1 {
		return hubs.NoWrap, nil
	}
	low := make([]uint32, min(hubTile, starts.Len()-tile*hubTile))
	if err := starts.Read(tile*hubTile, low); err != nil {
		return hubs.NoWrap, err
	}
	for i, before := 0, uint32(tiles[tile]); i < len(low); i++ {
		if low[i] < before {
			return hubs.Wrap(tile*hubTile + i), nil
		}
		before = low[i]
	}
	return hubs.Wrap((tile + 1) * hubTile), nil
}

// wrapOfTails returns the wrap of the pieces of rows before that are in host memory.
func (c *byHubs) wrapOfTails() (hubs.Wrap, error) {
	g := c.g.ByHubs
	if g.Sizes.OnHost.RowLists < 1<<32 {
		return hubs.NoWrap, nil
	}
	var err error
	whole := func(starts device.Array[uint32], w hubs.Wrap, row int) uint64 {
		low := make([]uint32, 1)
		err = errors.Join(err, starts.Read(row, low))
		return w.Whole(low[0], row)
	}
	row := sort.Search(g.RowListAt.Len()-1, func(row int) bool {
		return whole(g.RowListAt, c.listWrap, row)-whole(g.RowPrefixAt, g.PrefixWrap, row) >= 1<<32
	})
	return hubs.Wrap(row), err
}
