package gpu

import (
	"graph500/engine"
	"graph500/techniques"
)

// defaultStrategy is the name of the fastest strategy of a kernel.
const defaultStrategy = "default"

// StrategyNames returns the names of the engine's strategies for a kernel in the order
// of Strategies. It is part of every build, so that a program without the GPU engine can
// still list them.
func StrategyNames(k engine.Kernel) (names []string) {
	for _, t := range techniques.Texts() {
		if t.Kernel == k {
			names = append(names, t.Name)
		}
	}
	return append(names, defaultStrategy)
}
