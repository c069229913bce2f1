package cpu

import (
	"context"
	"slices"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// strategy is a search algorithm that -strategy selects by name.
type strategy struct {
	engine.Strategy
	method   func() method
	integers func() method // of one rank with engine.Job.Integers; nil if there is none
	byHubs   bool          // it searches the graph ordered by hubs, not its rows, unless a policy divides them
}

// searchesByHubs reports whether it searches the graph ordered by hubs on a number of ranks and with
// a policy of that name.
func (s strategy) searchesByHubs(ranks int, policy string) bool {
	_, divided := partition.Find(policy)
	return s.byHubs && (ranks == 1 || !divided)
}

// writesWide reports whether it writes results of 64 bits itself, like searchesByHubs.
func (s strategy) writesWide(ranks int, policy string) bool {
	_, divided := partition.Find(policy)
	return s.searchesByHubs(ranks, policy) || ranks > 1 && divided
}

// on returns what makes the method for a number of ranks, for a graph that a policy of that
// name divides between them, and for weights that are whole numbers; nil if there is none.
func (s strategy) on(ranks int, policy string, integers bool) func() method {
	switch {
	case integers && s.Kernel == engine.SSSP && ranks > 1:
		return nil
	case integers && s.Kernel == engine.SSSP:
		return s.integers
	case ranks > 1 && !s.OverRanks:
		return nil
	}
	if p, divided := partition.Find(policy); divided && ranks > 1 {
		return newMirrored(p)
	}
	return s.method
}

// A method holds the state of one strategy.
type method interface {
	// arrays declares the memory of searches of a graph of that size. A plan asks for it
	// before there is a graph.
	arrays(z size) memory.Group

	// start prepares searches once the arrays are allocated. All ranks call it together.
	start(ctx context.Context, in *input) error

	// search sets the parent, and for SSSP the distance, of every vertex reachable
	// from root. Before the call all parents are engine.None and all distances
	// engine.Unreached.
	search(ctx context.Context, root engine.Label) error

	// levels returns the profile of the last search, valid until the next one.
	// Its time is not part of the timed search.
	levels() engine.Profile

	// close frees what start has taken, but not the arrays.
	close() error
}

// input holds the arrays and workers that a method uses.
type input struct {
	g         *graph.CSR         // nil for SSSP, and for strategies that need byHubs only
	byHubs    *graph.ByHubs      // nil if no strategy needs it
	weighted  *graph.WeightedCSR // nil for BFS
	tuples    engine.Tuples
	team      *parallel.Team
	world     *cluster.World
	ranges    partition.Ranges // of vertices, by rank
	parents   []engine.Label   // of the own vertices
	wide      []int64          // of the own vertices, for methods that write 64 bits; nil with results of 32 bits
	distances []float32        // of the own vertices; nil for BFS
	exact     []uint64         // with engine.Job.Integers, instead of distances
	delta     float32          // width of a bucket, for SSSP
}

// table lists all strategies by kernel, from the simplest to the fastest. A new strategy
// needs a method and an entry here.
func table() []strategy {
	return []strategy{
		bfs("push", "vertex-centric top-down: each level scans all vertices and visits the neighbours of the frontier",
			"PMPP 15.3", "CSR", newPush),
		bfs("pull", "vertex-centric bottom-up: in each level, every unvisited vertex looks for a neighbour in the frontier",
			"PMPP 15.3", "CSC", newPull),
		bfs("edge", "edge-centric: each level examines both directions of all tuples",
			"PMPP 15.4", "COO", newEdge),
		bfs("frontier", "top-down from a frontier queue; vertices are claimed by compare-and-swap",
			"PMPP 15.5", "CSR", newFrontier),
		bfs("asynchronous", "label-correcting, without levels: vertices come from a chunked bag with topology-aware stealing",
			"DepGraph 6", "CSR", newAsynchronous),
		bfs("direction-half", "direction-optimizing: bottom-up when the frontier holds half of the vertices",
			"DepGraph 5.3", "CSR, CSC", newDirectionHalf),
		bfs("direction", "direction-optimizing: switched by the numbers of frontier arcs and unexplored arcs",
			"Beamer et al. 2012", "CSR, CSC", newDirection),
		usingHubs(usingRanks(bfs("default", "direction-optimizing: the hubs of the large levels first, then one pass over all rows settles both",
			"Beamer et al. 2012", "rows by hub", newByHubs))),
		sssp("bellman-ford", "each round relaxes all arcs of the vertices that the last round has improved",
			"Bellman 1958, Ford 1956", newBellmanFord),
		usingDelta(sssp("delta-stepping", "one bucket of width delta after the other: light arcs in rounds, then the heavy arcs once",
			"Meyer and Sanders 2003", newDeltaStepping)),
		usingDelta(sssp("obim", "label-correcting, without rounds: vertices come from chunked bags in the order of distance / delta",
			"DepGraph 6", newOBIM)),
		usingIntegers(usingRanks(sssp("default", "pushes of arcs below a bound, then one pull from the lightest arcs of every other vertex",
			"Chakaravarthy et al. 2014", newBounded)), newIntegerPaths),
	}
}

// bfs returns an entry of the table for BFS.
func bfs(name, doc, source, structure string, method func() method) strategy {
	return entry(engine.BFS, name, doc, source, structure, method)
}

// sssp returns an entry of the table for SSSP.
func sssp(name, doc, source string, method func() method) strategy {
	return entry(engine.SSSP, name, doc, source, "CSR by weight", method)
}

// usingRanks returns s as a strategy that also runs over several ranks.
func usingRanks(s strategy) strategy {
	s.OverRanks = true
	return s
}

// usingIntegers returns s as a strategy that also takes weights that are whole numbers.
func usingIntegers(s strategy, method func() method) strategy {
	s.integers = method
	return s
}

// usingHubs returns s as a strategy that searches a graph.ByHubs.
func usingHubs(s strategy) strategy {
	s.byHubs = true
	return s
}

// usingDelta returns s as a strategy whose buckets have the width delta.
func usingDelta(s strategy) strategy {
	s.UsesDelta = true
	return s
}

// entry returns an entry of the table. Its memory estimate assumes the largest
// possible number of rows.
func entry(kernel engine.Kernel, name, doc, source, structure string, method func() method) strategy {
	return strategy{Strategy: engine.Strategy{
		Kernel: kernel, Name: name, Doc: doc, Source: source, Structure: structure,
		Memory: func(vertices, tuples uint64) []engine.Allocation {
			return method().arrays(largest(engine.Job{Vertices: vertices, Tuples: tuples}, 1)).Plan()
		},
	}, method: method}
}

// Strategies lists all strategies by kernel, from the simplest to the fastest.
func Strategies() (list []engine.Strategy) {
	for _, s := range table() {
		list = append(list, s.Strategy)
	}
	return list
}

// lookUp returns the strategy with the kernel and name of another.
func lookUp(of engine.Strategy) (strategy, bool) {
	all := table()
	i := slices.IndexFunc(all, func(s strategy) bool { return s.Kernel == of.Kernel && s.Name == of.Name })
	if i < 0 {
		return strategy{}, false
	}
	return all[i], true
}
