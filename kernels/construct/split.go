//go:build cuda

package construct

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"graph500/device"
	"graph500/engine"
)

const (
	// LeastPrefix is the least number of first entries of each split row in the device's
	// memory: packing for a search reads that many.
	LeastPrefix = 5

	// wholeRows is the prefix of graphs whose rows are not split.
	wholeRows = math.MaxUint32

	// rowBytes is the size of a Row.
	rowBytes = 16
)

// LeastWords returns an upper bound on the least entries of device memory of split rows, which
// are all if they are short.
func LeastWords(rows, tuples uint64) uint64 { return min(rows*(LeastPrefix+1), 2*tuples) }

// MostTails returns an upper bound on the length of the tails of a graph with the longest prefix
// whose rows take at most that many words of the device's memory. A row that has a tail takes a
// word more than its prefix and leaves part of a sector unused; the next longer prefix, which
// did not fit, would have taken up to a word more for each such row.
func MostTails(rows, tuples, words uint64) uint64 {
	arcs := 2 * tuples
	withTail := min(rows, arcs/(LeastPrefix+1))
	return arcs - min(arcs, words) + withTail*(1+SectorArcs)
}

// MostWithoutPrefix returns an upper bound on the length of the tails of a graph without a
// prefix (Split.NoPrefix). Its rows take a word each.
func MostWithoutPrefix(rows, tuples uint64) uint64 {
	return 2*tuples + min(rows, 2*tuples)*(SectorArcs-1)
}

// TailAt returns the index in NeighborRows.Tails of the first neighbour of a sector.
func TailAt(sector uint32) uint64 { return SectorArcs * uint64(sector) }

// splitRoom is the room for split rows in the host's memory.
type splitRoom struct {
	name  string // of the entries of a row
	size  uint64 // of an entry, in bytes
	tails uint64 // entries
}

// needed declares the array of what split rows take.
func (c *construction) needed() device.Declared { return device.Of(&c.need, "need of split rows", 2) }

// choosePrefix sets the prefix of the graph, the largest with which its rows have room and that
// is at most that one, and with it the number of entries in the device's memory. It must follow
// sumTiles, while rank has degrees.
func (c *construction) choosePrefix(most uint32) (err error) {
	held, err := c.d.Borrow(device.Group{Alive: engine.Construction, Arrays: []device.Declared{c.needed()}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Free()) }()
	first, last := LeastPrefix, max(LeastPrefix, int(min(c.facts.MaxTuples, most)))
	if c.form.Split.NoPrefix {
		first, last = 0, 0
	}
	room, words := c.rows.room(), c.form.Split.Words
	fitting := sort.Search(last-first+1, func(i int) bool { // of the prefixes that are too long, the first
		if err != nil {
			return true
		}
		var need [2]uint64
		need, err = c.splitNeed(first + i)
		return err != nil || need[0] > words
	})
	if err != nil {
		return err
	}
	longest := first + max(0, fitting-1)
	need, err := c.splitNeed(longest)
	if err != nil {
		return err
	}
	if need[0] > words {
		return &device.MemoryError{Name: room.name + ", first ones", Needed: room.size * need[0], Available: room.size * words, Reserved: c.d.Reserved()}
	}
	if need[1]*SectorArcs > room.tails {
		return fmt.Errorf("graph: %s in host memory take %d bytes, there is room for %d", room.name, room.size*need[1]*SectorArcs, room.size*room.tails)
	}
	c.g.Prefix, c.sizes.entries = uint32(longest), need[0]
	return nil
}

// splitNeed returns the words of device memory and the sectors of host memory that all rows
// take with a prefix.
func (c *construction) splitNeed(prefix int) (need [2]uint64, err error) {
	if err := c.need.Fill(0); err != nil {
		return need, err
	}
	if labels := c.sizes.labels; labels.tiles() > 0 {
		blocks := min(labels.tiles(), 1<<10)
		if err := c.launch.run("split", "construct_split_need", blocks, tileLabels,
			c.rank.Address()+4*labels.First, labels.End-labels.First, uint64(prefix), c.need.Address()); err != nil {
			return need, err
		}
	}
	err = c.need.Read(0, need[:])
	return need, err
}
