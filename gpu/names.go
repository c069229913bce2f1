package gpu

import (
	"graph500/engine"
	"graph500/techniques"
)

// defaultStrategy is the name of the search of kernels/bfs, the fastest strategy.
const defaultStrategy = "default"

// StrategyNames returns the names of the engine's strategies in the order of
// Strategies. It is part of every build, so that a program without the GPU engine can
// still list them.
func StrategyNames() (names []string) {
	for _, t := range techniques.Texts() {
		if t.Kernel == engine.BFS {
			names = append(names, t.Name)
		}
	}
	return append(names, defaultStrategy)
}
