package cpu

import (
	"context"
	"slices"

	"graph500/engine"
	"graph500/graph"
	"graph500/parallel"
)

// A Strategy is one way to search, selectable by name.
type Strategy struct {
	Name      string
	Doc       string // one line: what it does
	Source    string // where it is described
	Structure string // the form of the graph that it needs: CSR, CSC or COO

	make func(*input) (searcher, error)

	// memory returns what a search takes for N vertices and n rows.
	memory func(vertices, rows uint64) []engine.Allocation
}

// Memory lists what a search takes beside graph and parents for N = vertices and
// M = tuples. As many rows as there can be are assumed.
func (s Strategy) Memory(vertices, tuples uint64) []engine.Allocation {
	return s.memory(vertices, min(vertices, 2*tuples))
}

// A searcher holds the state of one strategy. It writes the parent of every
// vertex reachable from root; all parents are engine.None before. The levels
// are valid until the next search.
type searcher interface {
	search(ctx context.Context, root engine.Vertex) (engine.Profile, error)
	close() error
}

// input is what a searcher works on.
type input struct {
	g       *graph.CSR
	tuples  []engine.Edge
	team    *parallel.Team
	parents []engine.Vertex
}

// DefaultStrategy is the name of the fastest strategy.
const DefaultStrategy = "default"

// Strategies lists all strategies, from the plainest to the fastest. To add
// one, write its searcher and name it here.
func Strategies() []Strategy {
	return []Strategy{
		{"push", "vertex-centric top-down: every level looks at all vertices and marks the neighbours of those reached last",
			"PMPP 15.3", "CSR", newPush, sweepMemory},
		{"pull", "vertex-centric bottom-up: every unvisited vertex looks for a neighbour reached last",
			"PMPP 15.3", "CSC", newPull, sweepMemory},
		{"edge", "edge-centric: every level looks at both directions of all tuples",
			"PMPP 15.4", "COO", newEdge, sweepMemory},
		{"frontier", "top-down from a queue of the vertices reached last, claimed by compare-and-swap",
			"PMPP 15.5", "CSR", newFrontier, switchingMemory},
		{"direction-half", "queue and bottom-up, switched when the queue holds half the vertices",
			"DepGraph 5.3", "CSR, CSC", newDirectionHalf, switchingMemory},
		{"direction", "queue and bottom-up, switched by arcs of frontier and unexplored part",
			"Beamer et al. 2012", "CSR, CSC", newDirection, switchingMemory},
		{DefaultStrategy, "direction-optimizing with a table of hubs, packed neighbours and bottom-up in three batched steps",
			"Beamer et al. 2012", "CSR, CSC", newHybrid, hybridMemory},
	}
}

// lookUp returns the strategy of the given name.
func lookUp(name string) (Strategy, bool) {
	all := Strategies()
	i := slices.IndexFunc(all, func(s Strategy) bool { return s.Name == name })
	if i < 0 {
		return Strategy{}, false
	}
	return all[i], true
}
