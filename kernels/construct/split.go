//go:build cuda

package construct

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sort"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

const (
	// LeastPrefix is the least number of first neighbours of each row in the device's
	// memory: packing for a search reads that many.
	LeastPrefix = 5

	// wholeRows is the prefix of graphs whose rows are not split.
	wholeRows = math.MaxUint32

	// rowBytes is the size of a Row.
	rowBytes = 16
)

// Split is the memory for rows that are split between the device and the host.
type Split struct {
	Words uint64                          // of 4 bytes of the device's memory, at most
	Tails *device.HostArray[engine.Local] // the host's memory

	// NoPrefix sets the prefix to 0: all neighbours are in the host's memory, and a row has
	// one word. Else it is as long as fits.
	NoPrefix bool
}

// LoadSplit loads the modules of ConstructSplit, so that it does not load them.
func LoadSplit(d *device.Device) error {
	_, err := d.Load("construct", images, "split")
	return errors.Join(err, Load(d))
}

// ConstructSplit is Construct with the rows in both memories: the first neighbours of
// each row, as many as fit, in Graph.Neighbors, and the others, the row's tail, in
// Graph.Tails. The number is the same for all rows: Graph.Prefix. A search bottom-up, which
// ends at the first visited neighbour, seldom reads a tail. If fewer than LeastPrefix fit,
// ConstructSplit returns a *device.MemoryError. The caller still owns the tails.
func ConstructSplit(ctx context.Context, d *device.Device, vertices uint64, tuples *generate.Tuples, groups int, hubs uint64, into Split) (*Graph, error) {
	if err := checkScale(vertices, tuples); err != nil {
		return nil, err
	}
	c := newConstruction(ctx, d, vertices, All(vertices), tuples, groups, hubs)
	c.split, c.sizes.noPrefix = &splitting{Split: into}, into.NoPrefix
	c.g.Tails = into.Tails
	if err := c.build(); err != nil {
		return nil, errors.Join(err, c.g.Close())
	}
	return c.g, nil
}

// SplitPlan lists the memory of ConstructSplit, of a graph of at most that many rows. The
// rows take words of the device's memory.
func SplitPlan(vertices, rows, tuples uint64, groups int, hubs uint64, into Split) []engine.Allocation {
	return SplitPlanRange(vertices, All(vertices), rows, rows, tuples, groups, hubs, into)
}

// SplitPlanRange lists the memory of SplitTogether on the device that gets the rows of those
// labels, at most ownRows of all rows, under the assumptions of PlanRange.
func SplitPlanRange(vertices uint64, labels Range, rows, ownRows, tuples uint64, groups int, hubs uint64, into Split) []engine.Allocation {
	z := worstSizes(vertices, labels, tuples, groups)
	z.hubs, z.rows, z.connected, z.neighbors = hubs, min(z.rows, ownRows), min(z.connected, rows), into.Words
	z.noPrefix = into.NoPrefix
	c := &construction{split: new(splitting)}
	plan := new(Graph).group(z).Plan()
	plan = append(plan, c.countingGroup(z).Plan()...)
	plan = append(plan, c.sortingGroup(z).Plan()...)
	return append(plan, c.split.group(z).Plan()...)
}

// LeastWords returns an upper bound on the least words of device memory of the rows, which
// are all their neighbours if they are short. For WeightedSplit, a word is an arc.
func LeastWords(rows, tuples uint64) uint64 { return min(rows*(LeastPrefix+1), 2*tuples) }

// MostTails returns an upper bound on the length of the tails of a graph with the longest prefix
// whose rows take at most that many words of the device's memory, arcs for WeightedSplit. A row that has a tail takes a word more than
// its prefix and leaves part of a sector unused; the next longer prefix, which did not fit,
// would have taken up to a word more for each such row.
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

// MostRangeArcs returns the number of arcs that SplitPlanRange and PlanRange assume for the
// rows of those labels.
func MostRangeArcs(vertices uint64, labels Range, tuples uint64) uint64 {
	return worstSizes(vertices, labels, tuples, LeastGroups).arcs
}

// TailAt returns the index in Graph.Tails of the first neighbour of a sector.
func TailAt(sector uint32) uint64 { return SectorArcs * uint64(sector) }

// IsSplit reports whether the rows are split (ConstructSplit).
func (g *Graph) IsSplit() bool { return g.Prefix != wholeRows }

// splitting is the part of a construction that splits rows.
type splitting struct {
	Split
	need    device.Array[uint64] // words and sectors of all rows
	sums    device.Array[uint64] // the same by tile of rows, two arrays, and the totals
	words   uint64               // of the rows built so far
	sectors uint64
}

// group declares the memory for splitting rows.
func (s *splitting) group(z sizes) device.Group {
	return device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(&s.need, "need of split rows", 2),
		device.Of(&s.sums, "sums of split rows", 2*(tilesOf(z.connected, tileLabels)+1)),
	}}
}

// choosePrefix sets the prefix of the graph, the largest that fits and is at most that one, and
// with it the number of neighbours in the device's memory. It must follow sumTiles, while rank
// has degrees.
func (c *construction) choosePrefix(most uint32) error {
	// The words of rows number the sectors of the tails with 32 bits.
	tails := min(uint64(len(c.split.Tails.Host())), math.MaxUint32*SectorArcs)
	prefix, words, err := c.longestPrefix(&c.split.need, splitRoom{"neighbours", c.split.Words, tails, 4, c.split.NoPrefix, most})
	c.g.Prefix, c.sizes.neighbors = prefix, words
	return err
}

// splitRoom is the room for split rows, in entries of a row.
type splitRoom struct {
	name         string // of the entries
	words, tails uint64 // of the device's memory and of the host's
	size         uint64 // of an entry, in bytes
	noPrefix     bool   // Split.NoPrefix
	most         uint32 // the largest prefix
}

// longestPrefix returns the largest prefix with which the rows of the degrees in rank have
// room, and the words of the device's memory that they take.
func (c *construction) longestPrefix(array *device.Array[uint64], room splitRoom) (prefix uint32, words uint64, err error) {
	held, err := c.d.Borrow(device.Group{Alive: engine.Construction, Arrays: []device.Declared{
		device.Of(array, "need of split rows", 2),
	}})
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, held.Free()) }()
	least, most := LeastPrefix, max(LeastPrefix, int(min(c.facts.MaxTuples, room.most)))
	if room.noPrefix {
		least, most = 0, 0
	}
	fitting := sort.Search(most-least+1, func(i int) bool { // of the prefixes that are too long, the first
		if err != nil {
			return true
		}
		var need [2]uint64
		need, err = c.splitNeed(array, least+i)
		return err != nil || need[0] > room.words
	})
	if err != nil {
		return 0, 0, err
	}
	longest := least + max(0, fitting-1)
	need, err := c.splitNeed(array, longest)
	if err != nil {
		return 0, 0, err
	}
	if need[0] > room.words {
		return 0, 0, &device.MemoryError{Name: room.name + ", first ones", Needed: room.size * need[0], Available: room.size * room.words, Reserved: c.d.Reserved()}
	}
	if need[1]*SectorArcs > room.tails {
		return 0, 0, fmt.Errorf("graph: %s in host memory take %d bytes, there is room for %d", room.name, room.size*need[1]*SectorArcs, room.size*room.tails)
	}
	return uint32(longest), need[0], nil
}

// splitNeed returns the words of device memory and the sectors of host memory that all rows
// take with a prefix.
func (c *construction) splitNeed(array *device.Array[uint64], prefix int) (need [2]uint64, err error) {
	if err := array.Fill(0); err != nil {
		return need, err
	}
	if labels := c.sizes.labels; labels.tiles() > 0 {
		blocks := min(labels.tiles(), 1<<10)
		if err := c.launch.run("split", "construct_split_need", blocks, tileLabels,
			c.rank.Address()+4*labels.First, labels.End-labels.First, uint64(prefix), array.Address()); err != nil {
			return need, err
		}
	}
	err = array.Read(0, need[:])
	return need, err
}

// splitRows writes the rows of a group of labels, whose sorted keys have the given number
// of distinct ones. c.sums has the distinct keys before each tile.
func (c *construction) splitRows(first, labels, arcs, distinct uint64, rankBits int) error {
	firstRow, rows, err := c.rowsOf(first, labels)
	if err != nil {
		return err
	}
	s, g, tiles, tilesOfRows := c.split, c.g, tilesOf(arcs, rowTile), tilesOf(rows, tileLabels)
	starts := c.sorted.Address() // free between two sorts, and there are no more rows than keys
	rowsAt := g.Rows.Address() + firstRow*rowBytes
	words := s.sums.Address()
	sectors := words + 8*(tilesOfRows+1)
	for _, run := range []struct {
		module, kernel string
		blocks         uint64
		threads        int
		args           []uint64
	}{
		{"split", "construct_starts", tiles, rowThreads, []uint64{
			c.keys.Address(), arcs, c.sums.Address(), first, uint64(rankBits), g.IndexAddress(), firstRow, g.Rows.Address(), starts,
		}},
		{"split", "construct_split_sizes", tilesOfRows, tileLabels, []uint64{starts, rows, distinct, uint64(g.Prefix), words, sectors}},
		{"index", "construct_scan", 1, 1024, []uint64{words, tilesOfRows}},
		{"index", "construct_scan", 1, 1024, []uint64{sectors, tilesOfRows}},
		{"split", "construct_split_place", tilesOfRows, tileLabels, []uint64{
			starts, rows, distinct, uint64(g.Prefix), words, sectors, s.words, s.sectors, rowsAt, g.Neighbors.Address(), c.deviceFacts.Address(),
		}},
		{"split", "construct_split_rows", tiles, rowThreads, []uint64{
			c.keys.Address(), arcs, c.sums.Address(), first, uint64(rankBits), c.order.Address(), g.IndexAddress(), firstRow, starts,
			g.Rows.Address(), uint64(g.Prefix), g.Neighbors.Address(), g.Tails.Address(),
		}},
	} {
		if err := c.launch.run(run.module, run.kernel, run.blocks, run.threads, run.args...); err != nil {
			return err
		}
	}
	return c.addSplit(tilesOfRows)
}

// addSplit adds what the rows of a group take.
func (c *construction) addSplit(tilesOfRows uint64) error {
	var words, sectors [1]uint64
	if err := errors.Join(c.split.sums.Read(int(tilesOfRows), words[:]), c.split.sums.Read(int(2*tilesOfRows+1), sectors[:])); err != nil {
		return err
	}
	c.split.words += words[0]
	c.split.sectors += sectors[0]
	return nil
}

// rowsOf returns the first row of a range of labels, which begins with a tile, and their
// number. The row index must be complete.
func (c *construction) rowsOf(first, labels uint64) (firstRow, rows uint64, err error) {
	var word [1]uint64
	at := first - c.sizes.labels.First
	if err := c.g.Index.Read(int(at/32), word[:]); err != nil {
		return 0, 0, err
	}
	firstRow, end := word[0]>>32, c.sizes.rows
	if next := int(at+labels) / 32; next < c.g.Index.Len() {
		if err := c.g.Index.Read(next, word[:]); err != nil {
			return 0, 0, err
		}
		end = word[0] >> 32
	}
	return firstRow, end - firstRow, nil
}
