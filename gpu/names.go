package gpu

import "graph500/techniques"

// defaultStrategy is the search of kernels/bfs, the fastest.
const defaultStrategy = "default"

// StrategyNames lists the names of the engine's strategies in the order of
// Strategies, in every build: a program without the engine knows what it lacks.
func StrategyNames() (names []string) {
	for _, t := range techniques.Texts() {
		names = append(names, t.Name)
	}
	return append(names, defaultStrategy)
}
