//go:build cuda

package techniques

import (
	"graph500/device"
	"graph500/engine"
)

const (
	warpDegree  = 32                  // smallest degree of a vertex that a warp expands
	blockDegree = device.BlockThreads // smallest degree of a vertex that a block expands
)

func init() {
	implementations["degree-buckets"] = implementation{
		modules:   []string{"degree_buckets"},
		newSearch: func() search { return &degreeBucketsSearch{} },
	}
}

// bucketCapacity returns the largest possible length of each bucket: there are at most
// arcs/d vertices of degree d or more.
func bucketCapacity(rows, arcs uint64) [3]uint64 {
	return [3]uint64{rows, min(rows, arcs/warpDegree), min(rows, arcs/blockDegree)}
}

// bucketSizes has the lengths of the buckets of a frontier.
type bucketSizes [3]uint32

// degreeBucketsSearch is a search with two frontiers of three buckets each.
type degreeBucketsSearch struct {
	*host
	start   *device.Kernel
	expand  [3]*device.Kernel // by a thread, a warp and a block
	buckets [2][3]device.Array[engine.Label]
	counted counters[bucketSizes]
	sizes   bucketSizes // of the frontier
}

func (s *degreeBucketsSearch) arrays(z sizes) []device.Declared {
	list := []device.Declared{s.counted.declare()}
	capacity := bucketCapacity(z.rows, z.arcs)
	for i, frontier := range [2]string{"", "next "} {
		for b, unit := range bucketUnits {
			list = append(list, device.Of(&s.buckets[i][b], frontier+"bucket of each "+unit, capacity[b]))
		}
	}
	return list
}

// bucketUnits names the unit that expands a vertex of each bucket.
var bucketUnits = [3]string{"thread", "warp", "block"}

func (s *degreeBucketsSearch) prepare(h *host) error {
	s.host = h
	if err := h.kernel(&s.start, "degree_buckets_start"); err != nil {
		return err
	}
	for b, unit := range bucketUnits {
		if err := h.kernel(&s.expand[b], "degree_buckets_"+unit); err != nil {
			return err
		}
	}
	return nil
}

// arguments returns the last arguments of every kernel: the buckets to fill and the degree
// limits.
func (s *degreeBucketsSearch) arguments(to [3]device.Array[engine.Label], sizes uint64) []uint64 {
	return []uint64{to[0].Address(), to[1].Address(), to[2].Address(), sizes, warpDegree, blockDegree}
}

func (s *degreeBucketsSearch) begin(root engine.Label) error {
	s.counted.rewind()
	at, err := s.counted.take()
	if err != nil {
		return err
	}
	args := []uint64{s.graph.Index.Address(), s.graph.ByDegree.Rows.Address(), s.parents.Address(), uint64(root)}
	if err := s.LaunchBlocks(s.start, 1, 1, 0, append(args, s.arguments(s.buckets[0], at)...)...); err != nil {
		return err
	}
	s.sizes, err = s.counted.read()
	return err
}

func (s *degreeBucketsSearch) step() (more bool, err error) {
	turn := s.Levels() % 2
	from, to := s.buckets[turn], s.buckets[1-turn]
	at, err := s.counted.take()
	if err != nil {
		return false, err
	}
	for b, n := range s.sizes {
		if n == 0 {
			continue
		}
		threads := uint64(n) * [3]uint64{1, 32, device.BlockThreads}[b]
		args := []uint64{s.graph.Index.Address(), s.graph.ByDegree.Rows.Address(), s.graph.ByDegree.Neighbors.Address(), s.parents.Address(),
			from[b].Address(), uint64(n)}
		if err := s.Launch(s.expand[b], threads, append(args, s.arguments(to, at)...)...); err != nil {
			return false, err
		}
	}
	count := s.sizes.sum()
	if s.sizes, err = s.counted.read(); err != nil {
		return false, err
	}
	s.AddLevel(engine.Level{Direction: engine.TopDown, Frontier: count, Found: s.sizes.sum()})
	return s.sizes.sum() > 0, nil
}

// sum returns the number of vertices in all buckets.
func (b bucketSizes) sum() int64 { return int64(b[0]) + int64(b[1]) + int64(b[2]) }
