package cpu

import (
	"context"
	"slices"

	"graph500/engine"
	"graph500/graph"
	"graph500/parallel"
)

// strategy is one way to search, selectable by name.
type strategy struct {
	engine.Strategy
	make   func(*input) (method, error)
	memory func(vertices, rows uint64) []engine.Allocation // of a search, beyond graph and parents
}

// A method holds the state of one strategy.
type method interface {
	// search writes the parent of every vertex reachable from root; all parents
	// are engine.None before.
	search(ctx context.Context, root engine.Local) error

	// levels returns what was noted of the last search, valid until the next. It
	// is called outside the clock.
	levels() engine.Profile

	close() error
}

// input is what a method works on.
type input struct {
	g       *graph.CSR
	tuples  []engine.Edge
	team    *parallel.Team
	parents []engine.Local
}

// table lists all strategies, from the plainest to the fastest. To add one, write
// its method and name it here.
func table() []strategy {
	return []strategy{
		bfs("push", "vertex-centric top-down: every level looks at all vertices and marks the neighbours of those reached last",
			"PMPP 15.3", "CSR", newPush, sweepMemory),
		bfs("pull", "vertex-centric bottom-up: every unvisited vertex looks for a neighbour reached last",
			"PMPP 15.3", "CSC", newPull, sweepMemory),
		bfs("edge", "edge-centric: every level looks at both directions of all tuples",
			"PMPP 15.4", "COO", newEdge, sweepMemory),
		bfs("frontier", "top-down from a queue of the vertices reached last, claimed by compare-and-swap",
			"PMPP 15.5", "CSR", newFrontier, switchingMemory),
		bfs("direction-half", "queue and bottom-up, switched when the queue holds half the vertices",
			"DepGraph 5.3", "CSR, CSC", newDirectionHalf, switchingMemory),
		bfs("direction", "queue and bottom-up, switched by arcs of frontier and unexplored part",
			"Beamer et al. 2012", "CSR, CSC", newDirection, switchingMemory),
		bfs("default", "direction-optimizing with a table of hubs, packed neighbours and bottom-up in three batched steps",
			"Beamer et al. 2012", "CSR, CSC", newHybrid, hybridMemory),
	}
}

// bfs makes an entry of the table. Where the number of rows is not known, as many
// as there can be are assumed.
func bfs(name, doc, source, structure string, make func(*input) (method, error), memory func(vertices, rows uint64) []engine.Allocation) strategy {
	return strategy{engine.Strategy{
		Kernel: engine.BFS, Name: name, Doc: doc, Source: source, Structure: structure,
		Memory: func(vertices, tuples uint64) []engine.Allocation { return memory(vertices, min(vertices, 2*tuples)) },
	}, make, memory}
}

// Strategies lists all strategies, from the plainest to the fastest.
func Strategies() (list []engine.Strategy) {
	for _, s := range table() {
		list = append(list, s.Strategy)
	}
	return list
}

// lookUp returns the strategy of the given name.
func lookUp(name string) (strategy, bool) {
	all := table()
	i := slices.IndexFunc(all, func(s strategy) bool { return s.Name == name })
	if i < 0 {
		return strategy{}, false
	}
	return all[i], true
}
