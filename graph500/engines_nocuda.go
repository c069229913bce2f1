//go:build !cuda

package main

import (
	"graph500/engine"
	"graph500/gpu"
)

// newGPU returns the reason why there is no GPU engine.
func newGPU(*options) (Engine, error) { return nil, gpu.Available() }

func gpuStrategies() []engine.Strategy { return nil }
