package cpu

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/partition"
)

// hubRanks is what a search by depths of hubs exchanges with other ranks; one rank exchanges
// nothing. Ranks send each other what their own rows reach: pairs of a vertex in the upper half, a
// row of the whole graph or graph.HubBit and a hub, and its parent. All of them have the bits of all
// hubs. Of hubs and rows they exchange those that are new, as a list or as bits, whichever is shorter.
type hubRanks struct {
	world    *cluster.World
	ranges   partition.Ranges
	owner    []uint16   // by hub: its rank; nil of one rank
	hubsOf   [][]uint16 // by rank: its hubs in the order of their labels
	order    []uint16   // by own hub: its index in that order
	rowsFrom []uint32   // by rank: its first row, and the end
	hubsFrom []int      // by rank: where its hubs begin in hubBits, and the length
	rowWords []int      // by rank: where its rows begin in a bitmap of the rows of all, and the length
	incoming *cluster.Exchanger[uint64]
	outgoing [][][]uint64 // by worker and rank

	counts     []int64  // sums of all ranks, then for each rank its number of hubs
	ownHubList []uint16 // sent
	hubLists   []uint16 // received
	ownHubBits []uint64 // sent
	hubBits    []uint64 // received
	gathered   []uint32 // hubs of all ranks
	spare      []uint32 // those of the call before
	ownRowBits []uint64 // sent
	rowLists   []uint32 // received
}

// mostSums is the largest number of values that sum adds up.
const mostSums = 2

// join prepares exchanges.
func (x *hubRanks) join(in *input, g *graph.ByHubs, workers []*hubWorker) {
	x.world, x.ranges = in.world, in.ranges
	ranks := in.world.Size()
	if ranks == 1 {
		return
	}
	x.incoming, x.counts = cluster.NewExchanger[uint64](in.world), make([]int64, mostSums+ranks)
	x.owner, x.order, x.hubsOf = make([]uint16, len(g.Hubs)), make([]uint16, len(g.Hubs)), make([][]uint16, ranks)
	for _, h := range g.HubsByLabel {
		rank := in.ranges.Owner(g.Hubs[h].Label)
		x.owner[h], x.order[h] = uint16(rank), uint16(len(x.hubsOf[rank]))
		x.hubsOf[rank] = append(x.hubsOf[rank], h)
	}
	x.hubsFrom = make([]int, ranks+1)
	for rank, hubs := range x.hubsOf {
		x.hubsFrom[rank+1] = x.hubsFrom[rank] + (len(hubs)+63)/64
	}
	words, own := x.hubsFrom[ranks], x.hubsFrom[in.world.Rank()+1]-x.hubsFrom[in.world.Rank()]
	x.ownHubList, x.hubLists = make([]uint16, 4*words), make([]uint16, 4*words)
	x.ownHubBits, x.hubBits = make([]uint64, own), make([]uint64, words)
	for _, first := range g.FirstRows {
		x.rowsFrom, x.rowWords = append(x.rowsFrom, uint32(first)), append(x.rowWords, first/64)
	}
	for _, w := range workers {
		x.outgoing = append(x.outgoing, w.outgoing)
	}
}

// isAlone reports whether there is one rank.
func (x *hubRanks) isAlone() bool { return x.incoming == nil }

func (x *hubRanks) isOwnHub(h uint32) bool {
	return x.isAlone() || int(x.owner[h]) == x.world.Rank()
}

// startOf returns the vertex at which a search from root begins, which all ranks learn: the root,
// or if it is a leaf, its neighbour.
func (s *byHubs) startOf(ctx context.Context, root engine.Label) (start engine.Label, fromLeaf, connected bool, err error) {
	told := []int64{0} // 1 more than twice the label, and 1 more if the root is a leaf
	if own := root - s.g.FirstLabel; s.g.Has(own) {
		told[0] = 1 + 2*int64(root)
		if _, ok := s.g.Find(root); !ok {
			told[0] = 2 + 2*int64(s.g.First[own])
		}
	}
	if err := s.world.Max(ctx, told); err != nil {
		return 0, false, false, err
	}
	return engine.Label((told[0] - 1) >> 1), told[0]&1 == 0, told[0] > 0, nil
}

// sendHub sends a claimed hub to its rank. It returns false if it is an own one.
func (x *hubRanks) sendHub(w *hubWorker, h uint32, parent engine.Label) bool {
	if x.isOwnHub(h) {
		return false
	}
	r := x.owner[h]
	w.outgoing[r] = append(w.outgoing[r], uint64(graph.HubBit|h)<<32|uint64(parent))
	return true
}

// sendRow sends a claimed row of another rank there.
func (s *byHubs) sendRow(w *hubWorker, row uint32, parent engine.Label) {
	r := sort.Search(s.world.Size()-1, func(r int) bool { return row < s.rowsFrom[r+1] })
	w.outgoing[r] = append(w.outgoing[r], uint64(row)<<32|uint64(parent))
}

// sendRows sends those of the claimed rows that are on other ranks there. It returns the others, by
// their own numbers, in the same memory.
func (s *byHubs) sendRows(w *hubWorker, rows []uint32, parent engine.Label) []uint32 {
	if s.isAlone() {
		return rows
	}
	own := rows[:0]
	for _, r := range rows {
		if r -= s.g.FirstRow; uint64(r) < uint64(len(s.g.Records)) {
			own = append(own, r)
		} else {
			s.sendRow(w, r+s.g.FirstRow, parent)
		}
	}
	return own
}

// sendHubs sends those of the claimed hubs that are on other ranks there. It returns the others in the
// same memory.
func (x *hubRanks) sendHubs(w *hubWorker, hubs []uint32, parent engine.Label) []uint32 {
	if x.isAlone() {
		return hubs
	}
	return slices.DeleteFunc(hubs, func(id uint32) bool { return x.sendHub(w, id&^graph.HubBit, parent) })
}

// sendLeaf sends the parent of a leaf to its rank. It returns false if it is an own one.
func (x *hubRanks) sendLeaf(w *hubWorker, leaf, parent engine.Label) bool {
	if x.isAlone() {
		return false
	}
	r := x.ranges.Owner(leaf)
	if r == x.world.Rank() {
		return false
	}
	w.outgoing[r] = append(w.outgoing[r], uint64(leaf)<<32|uint64(parent))
	return true
}

// exchange sends the pairs of all workers and returns those received.
func (x *hubRanks) exchange(ctx context.Context) ([]uint64, error) {
	pairs, err := x.incoming.Exchange(ctx, x.outgoing...)
	for _, parts := range x.outgoing {
		for r := range parts {
			parts[r] = parts[r][:0]
		}
	}
	return pairs, err
}

// exchangeClaims sends what this rank has reached on others, and claims what they have reached here.
func (s *byHubs) exchangeClaims(ctx context.Context, claim func(w *hubWorker, id uint32, parent engine.Label)) error {
	if s.isAlone() {
		return nil
	}
	pairs, err := s.exchange(ctx)
	if err != nil {
		return err
	}
	s.parallelFor(len(pairs), func(w *hubWorker, lo, hi int) {
		for _, pair := range pairs[lo:hi] {
			claim(w, uint32(pair>>32), engine.Label(pair))
		}
		s.flush(w, s.queue)
	})
	return nil
}

// exchangeParents sends the parents of leaves of other ranks, and sets those of own leaves.
func (s *byHubs) exchangeParents(ctx context.Context) error {
	return s.exchangeClaims(ctx, func(_ *hubWorker, leaf uint32, parent engine.Label) { s.setParent(leaf, parent) })
}

// sum replaces values by their sums over all ranks, and returns the given own hubs of all ranks,
// valid until the call after the next, or until own changes. There are at most mostSums values.
func (x *hubRanks) sum(ctx context.Context, own []uint32, values []int64) (hubs []uint32, err error) {
	if x.isAlone() {
		return own, context.Cause(ctx)
	}
	all := x.counts[:len(values)+x.world.Size()]
	counts := all[len(values):]
	clear(counts)
	copy(all, values)
	counts[x.world.Rank()] = int64(len(own))
	if err := x.world.Sum(ctx, all); err != nil {
		return nil, err
	}
	copy(values, all)
	x.gathered, x.spare = x.spare[:0], x.gathered
	bounds := boundsOf(counts)
	switch found := bounds[len(counts)]; {
	case found == 0:
		return nil, nil
	case found <= len(x.hubLists):
		err = x.gatherHubLists(ctx, own, bounds)
	default:
		err = x.gatherHubBits(ctx, own)
	}
	return x.gathered, err
}

// boundsOf returns the bounds of lists of these lengths, one after the other.
func boundsOf(counts []int64) []int {
	bounds := make([]int, len(counts)+1)
	for r, n := range counts {
		bounds[r+1] = bounds[r] + int(n)
	}
	return bounds
}

// gatherHubLists gathers the lists of hubs of all ranks, which have these bounds.
func (x *hubRanks) gatherHubLists(ctx context.Context, own []uint32, bounds []int) error {
	for i, id := range own {
		x.ownHubList[i] = uint16(id)
	}
	all := x.hubLists[:bounds[x.world.Size()]]
	err := cluster.Gather(ctx, x.world, x.ownHubList[:len(own)], all, bounds)
	for _, h := range all {
		x.gathered = append(x.gathered, graph.HubBit|uint32(h))
	}
	return err
}

// gatherHubBits is gatherHubLists with a bit for each hub of a rank.
func (x *hubRanks) gatherHubBits(ctx context.Context, own []uint32) error {
	clear(x.ownHubBits)
	for _, id := range own {
		at := x.order[id&^graph.HubBit]
		x.ownHubBits[at>>6] |= 1 << (at & 63)
	}
	err := cluster.Gather(ctx, x.world, x.ownHubBits, x.hubBits, x.hubsFrom)
	for r, order := range x.hubsOf {
		for i, m := range x.hubBits[x.hubsFrom[r]:x.hubsFrom[r+1]] {
			for ; m != 0; m &= m - 1 {
				x.gathered = append(x.gathered, graph.HubBit|uint32(order[i<<6+bits.TrailingZeros64(m)]))
			}
		}
	}
	return err
}

// shareVisited brings the visited rows of all ranks together.
func (s *byHubs) shareVisited(ctx context.Context) error { return s.gatherRows(ctx, s.visited) }

// gatherRows brings the own parts of a bitmap of the rows of all ranks together: as bits, or as
// lists of rows where these are shorter.
func (s *byHubs) gatherRows(ctx context.Context, rows []uint64) error {
	if s.isAlone() {
		return nil
	}
	rank, ranks := s.world.Rank(), s.world.Size()
	own := rows[s.rowWords[rank]:s.rowWords[rank+1]]
	copied := s.ownRowBits[:len(own)]
	counts := s.counts[:ranks]
	clear(counts)
	for _, m := range own {
		counts[rank] += int64(bits.OnesCount64(m))
	}
	if err := s.world.Sum(ctx, counts); err != nil {
		return err
	}
	copy(copied, own)
	bounds, words := boundsOf(counts), s.rowWords[ranks]
	if bounds[ranks] > 2*words {
		return cluster.Gather(ctx, s.world, copied, rows[:words], s.rowWords)
	}
	return s.gatherRowLists(ctx, rows, copied, bounds)
}

// gatherRowLists gathers the rows of all ranks as lists, which have these bounds.
func (s *byHubs) gatherRowLists(ctx context.Context, rows, own []uint64, bounds []int) error {
	rank, ranks := s.world.Rank(), s.world.Size()
	list := make([]uint32, 0, bounds[rank+1]-bounds[rank])
	for i, m := range own {
		for ; m != 0; m &= m - 1 {
			list = append(list, s.g.FirstRow+uint32(i<<6+bits.TrailingZeros64(m)))
		}
	}
	all := s.rowLists[:bounds[ranks]]
	if err := cluster.Gather(ctx, s.world, list, all, bounds); err != nil {
		return err
	}
	clear(rows)
	for _, row := range all {
		rows[row>>6] |= 1 << (row & 63)
	}
	return nil
}

// claimBit sets a bit. It returns false if it was set already.
func claimBit(word *uint64, bit uint64) bool {
	// The load avoids the atomic OR, which costs twice as much.
	return atomic.LoadUint64(word)&bit == 0 && atomic.OrUint64(word, bit)&bit == 0
}
