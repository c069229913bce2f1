// Package validate checks the results of searches against the input tuples by the
// rules of the Graph500 specification ("Validation" of kernels 2 and 3) and counts
// the facts that the benchmark reports. It uses only tuples, roots, parents and
// distances, and no constructed graph, so that it also detects errors of the
// construction.
//
// The results of a batch of searches are checked with one pass over the tuples,
// because the random accesses of this pass dominate the cost of validation. The pass
// only confirms correct results. A search that it does not confirm is checked again
// on its own, rule by rule.
//
// Each rank checks its own tuples, and the depths of its own vertices. Over several ranks searches are
// checked one by one, and each rank has the results of all vertices for it.
//
// # Shortest paths
//
// A distance is a sum in float32 along a path from the root, rounded at each step.
// The rules of SSSP admit only the least such sums, without a tolerance. Let D(v) be
// the least sum of v over all paths, and d(v) the claimed distance.
//
//   - d(v) >= D(v): by rule Path, the parents of v lead to the root. By rule Tight, the
//     sum along this path is d(v) at v, starting with 0 at the root (rule Distance).
//   - d(v) <= D(v): let u0 = root, u1, ..., v be any path. By rule Relaxed, d(u1) <=
//     d(u0) + w1, and so on. Rounded addition is monotone: d(u) <= s implies d(u) + w
//     <= s + w. So d(v) is at most the sum along this path.
//   - The tree is the component of the root: by rules Path and Tight nothing else is in
//     it, and by rule Relaxed no tuple leads out of it.
//
// With Config.Integers distances are sums of whole numbers, exact, and the same rules hold.
//
// Rule Path uses the parents only. The distances cannot replace it: where a weight is
// 0, or less than half of the last place of a distance, d + w == d, and vertices can
// be parents of each other in a cycle. In the same way, a component without the root
// could claim distances of 1e9. The reference implementation accepts such results.
package validate

import (
	"context"
	"fmt"
	"unsafe"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// MaxVertices is the largest number of vertices that a Checker supports. It stores
// depth+1 in 32 bits; the largest value marks a vertex without a path to the root.
const MaxVertices = noPath - 1

// A pass over the tuples checks up to Config.Batch searches, from MinBatch to MaxBatch for BFS.
// For SSSP and for counts it is MinBatch. Over ranks, and with integer weights, a pass checks one search.
const (
	MinBatch = 8
	MaxBatch = 64 // bytes of a cache line
)

const (
	vertexGrain = 1 << 15 // vertices that a worker takes at a time, a multiple of 64 (a word of marks)
	tupleGrain  = 1 << 14 // tuples that a worker takes at a time in the order of the list, about 50 µs between tests of the context
	// block is the number of tuples that pass one stage before the next stage
	// begins. It is a power of two, so that a mask replaces the bounds check.
	block = 1024
)

// never is larger than every vertex or tuple index.
const never = 1<<63 - 1

// Config says what a Checker is for. The tuples and the results of searches can be distributed over
// ranks, in which case all ranks make the same calls and get the same facts and errors.
type Config struct {
	Kernel   engine.Kernel
	World    *cluster.World
	Ranges   partition.Ranges // the vertices whose results each rank has
	First    uint64           // index of the first of this rank's tuples in the list
	Batch    int              // searches to check with one pass over the tuples, in one process; MinBatch if it is less
	Integers bool             // weights and distances of SSSP are those of engine.Job.Integers, in one process; each search is checked alone
}

// Alone returns the configuration of a checker that has all tuples and results.
func Alone(vertices uint64, kernel engine.Kernel) Config {
	return Config{Kernel: kernel, World: cluster.Alone(), Ranges: partition.NewRanges(vertices, 1)}
}

// Most returns the largest number of searches of a kernel that one pass over the tuples checks.
func Most(k engine.Kernel) int {
	if k == engine.SSSP {
		return MinBatch
	}
	return MaxBatch
}

// together returns the number of searches that are checked with one pass over the tuples.
func (c Config) together() int {
	if c.Integers || c.Ranges.Ranks() > 1 {
		return 1
	}
	return max(MinBatch, min(c.Batch, Most(c.Kernel)))
}

// Plan lists the memory of a checker.
func (c Config) Plan() []engine.Allocation { return new(Checker).arrays(c).Plan() }

// Checker validates searches of one graph with one kernel. It must not be used
// concurrently. The only process of a run checks several searches with one pass over the tuples.
type Checker struct {
	part
	kernel   engine.Kernel
	together int      // searches that are checked with one pass over the tuples
	words    []uint64 // memory shared by batch, single and counter, which work one at a time
	batch    batch    // not used over several ranks
	groups   groups   // of batch
	single   single
	counter  counter
	held     memory.Group // words, and of several ranks the results of all vertices
}

// arrays declares the memory of a checker. In one process it is for SSSP one row per vertex.
func (c *Checker) arrays(of Config) memory.Group {
	n := int(of.Ranges.Vertices())
	words := wordsOf(n) + (n+1)/2 + (n+7)/8
	name := fmt.Sprintf("validation (%s)", of.Kernel)
	g := memory.Group{Alive: engine.Searching}
	switch {
	case of.Ranges.Ranks() > 1:
		g.Arrays = append(c.single.arrays(of, name), memory.Grown(name, exchangeBytes(of.Ranges)))
	default:
		rowBytes := 8 * rowWords(of.together())
		if of.Kernel == engine.SSSP {
			rowBytes = int(unsafe.Sizeof(row{}))
		}
		words = max(words, rowBytes/8*n)
		if of.Batch > 1 && of.together() > 1 {
			g.Arrays = c.groups.arrays(name, n, rowBytes, of.Kernel == engine.SSSP)
		}
	}
	g.Arrays = append(g.Arrays, memory.Of(&c.words, name, uint64(words)))
	return g
}

// exchangeBytes returns the size of the buffers of exchanges: own depths, all of them on the way (cluster.Gather), and marks
// on the way in and out, which take up to a quarter more than they need.
func exchangeBytes(r partition.Ranges) uint64 {
	bytes := 4*64*uint64(r.MostWords()) + 2*8*min(markWords, partition.Words(r.Vertices()))*5/4
	if 4*r.Vertices() > cluster.GatherBytes {
		bytes += cluster.GatherBytes
	}
	return bytes
}

// New returns a checker, which runs on team.
func New(team *parallel.Team, of Config) (*Checker, error) {
	if vertices := of.Ranges.Vertices(); vertices > MaxVertices {
		return nil, fmt.Errorf("validate: %d vertices, at most %d can be checked", vertices, uint64(MaxVertices))
	}
	c := &Checker{part: partOf(of), kernel: of.Kernel, together: of.together()}
	c.held = c.arrays(of)
	if err := c.held.Alloc(); err != nil {
		return nil, err
	}
	n := int(of.Ranges.Vertices())
	marks := wordsOf(n)
	depths := marks + (n+1)/2
	if c.isAll() {
		var paths []row
		if c.kernel == engine.SSSP {
			paths = view[row](c.words, n)
		}
		c.groups.least, c.groups.window = leastTable, windowBytes
		c.batch = newBatch(team, c.kernel, n, c.words, paths, &c.groups)
	}
	c.single.use(team, of, &c.part, c.words[:marks], view[uint32](c.words[marks:], n), view[uint8](c.words[depths:], n))
	c.counter = newCounter(team, &c.part, view[uint8](c.words, n))
	return c, nil
}

// wordsOf returns the number of words in a bitmap of n vertices.
func wordsOf(n int) int { return (n + 63) / 64 }

// view returns the memory of words as n elements of another type.
func view[T uint8 | uint32 | row](words []uint64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// Close frees the memory.
func (c *Checker) Close() error {
	err := c.held.Free()
	*c = Checker{}
	return err
}

// Search is the result of a search. Of several ranks, each has the entries of its own vertices.
type Search struct {
	Root      engine.Vertex
	Parents   []engine.Label // N entries; nil if Forest has them
	Distances []float32      // of SSSP, N entries; nil for BFS
	Exact     []uint64       // with Config.Integers, instead of Distances

	Forest *Forest // of BFS in one process; nil if Parents has the parents
	Tree   int     // of Forest
}

// size returns the number of vertices that have a parent or None.
func (s *Search) size() int {
	if s.Forest != nil {
		return s.Forest.vertices
	}
	return len(s.Parents)
}

// parent returns the parent of v.
func (s *Search) parent(v engine.Label) engine.Label {
	if s.Forest != nil {
		return s.Forest.parent(s.Tree, v)
	}
	return s.Parents[v]
}

// part returns the parents of vertices lo..hi-1, a block of fillBlock vertices or the last one, in
// buffer if the Forest has them.
func (s *Search) part(lo, hi int, buffer *[fillBlock]engine.Label) []engine.Label {
	if s.Forest != nil {
		s.Forest.block(s.Tree, lo/fillBlock, buffer)
		return buffer[:hi-lo]
	}
	return s.Parents[lo:hi]
}

// Alone returns the search with its parents in an array, valid until the next call for the same
// Forest.
func (s Search) Alone() Search {
	if s.Forest != nil {
		s.Parents, s.Forest = s.Forest.Parents(s.Tree), nil
	}
	return s
}

// Check checks that the parents of each search are a tree of the whole component of
// its root in the graph of the tuples: for BFS a breadth-first tree, for SSSP a tree of
// shortest paths with the given distances. SSSP needs the weights of the tuples. Check
// returns the facts of the trees in order. If a search is wrong, it returns an *Error
// and the facts of the trees before it. The error describes the first wrong search: its
// first broken rule in the order of the constants, at the smallest vertex or tuple
// index. It does not depend on the number of workers. If ctx ends, Check returns its
// cause. The tree of a root without neighbours has one vertex and is valid. Each of several ranks
// gives its own tuples.
func (c *Checker) Check(ctx context.Context, tuples engine.Tuples, searches []Search) (trees []engine.Tree, err error) {
	if err := c.checkKernel(ctx, tuples, searches); err != nil {
		return nil, err
	}
	for len(searches) > 0 {
		some := searches[:min(c.together, len(searches))]
		searches = searches[len(some):]
		confirmed := make([]engine.Tree, len(some))
		if len(some) > 1 && c.batch.isFaster(len(some)) {
			if confirmed, err = c.batch.check(ctx, tuples, some); err != nil {
				return trees, err
			}
		}
		for i, s := range some {
			tree := confirmed[i]
			if tree.Visited == 0 { // unconfirmed
				if tree, err = c.single.check(ctx, tuples, s.Alone()); err != nil {
					return trees, err
				}
			}
			trees = append(trees, tree)
		}
	}
	return trees, nil
}

// checkKernel checks that SSSP has weights and that BFS has no distances.
func (c *Checker) checkKernel(ctx context.Context, tuples engine.Tuples, searches []Search) error {
	if c.kernel == engine.SSSP {
		sums := []int64{int64(len(tuples.Weights)), int64(tuples.Len()), 0}
		if sums[0] != sums[1] {
			sums[2] = 1
		}
		if err := c.world.Sum(ctx, sums); err != nil || sums[2] == 0 {
			return err
		}
		return fmt.Errorf("validate: %d weights for %d tuples", sums[0], sums[1])
	}
	for _, s := range searches {
		if s.Distances != nil {
			return fmt.Errorf("validate: the search of root %d has distances, but this checker is for %s", s.Root, c.kernel)
		}
	}
	return nil
}

// CountEdges returns the facts of the trees without validation. Visited is the
// number of entries other than engine.None. Depth and MaxDistance are 0.
func (c *Checker) CountEdges(ctx context.Context, tuples engine.Tuples, searches []Search) (trees []engine.Tree, err error) {
	for len(searches) > 0 {
		some := searches[:min(MinBatch, len(searches))]
		searches = searches[len(some):]
		for i, s := range some {
			if err = c.checkSize(ctx, s.Root, "parents", s.size()); err != nil {
				some, searches = some[:i], nil
				break
			}
		}
		found, countErr := c.counter.count(ctx, tuples, some)
		if countErr != nil {
			return trees, countErr
		}
		trees = append(trees, found...)
	}
	return trees, err
}
