//go:build cuda

package construct

import (
	"errors"
	"fmt"
	"math"

	"graph500/device"
	"graph500/kernels/hubs"
)

// startsOf turns the lengths of lists into their starts and the end, which it returns. All must be below 2^32.
func (c *byHubs) startsOf(lengths device.Array[uint32]) (end uint64, err error) {
	if end, err = c.lowStartsOf(lengths); err == nil {
		err = checkStarts(end)
	}
	return end, err
}

// checkStarts returns an error if starts up to that end have more than 32 bits.
func checkStarts(end uint64) error {
	if end > math.MaxUint32 {
		return fmt.Errorf("graph: lists have %d pieces; at most 2^32 are possible", end)
	}
	return nil
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

// wrapsOf returns the wraps of starts that lowStartsOf has made, before it makes others.
func (c *byHubs) wrapsOf(starts device.Array[uint32]) (wraps hubs.Wraps, err error) {
	wraps = hubs.NoWraps()
	tiles := make([]uint64, tilesOf(uint64(starts.Len()), hubTile)+1)
	if err := c.tileSums.Read(0, tiles); err != nil {
		return wraps, err
	}
	found := 0
	for t, at := range tiles[:len(tiles)-1] {
		if at>>32 == tiles[t+1]>>32 && at>>32 == uint64(found) {
			continue
		}
		first := t * hubTile
		low := make([]uint32, min(hubTile, starts.Len()-first))
		if err := starts.Read(first, low); err != nil {
			return wraps, err
		}
		for i, next := range low {
			if next < uint32(at) {
				at += 1 << 32
			}
			for at = at>>32<<32 | uint64(next); at>>32 > uint64(found); found++ {
				if found == len(wraps) {
					return wraps, fmt.Errorf("graph: lists of rows have more than %d pieces on a device", uint64(found+1)<<32)
				}
				wraps[found] = uint32(first + i)
			}
		}
	}
	return wraps, nil
}
