//go:build !cuda

package main

import (
	"fmt"

	"graph500/gpu"
)

// newGPU says why there is no GPU engine.
func newGPU(*options) (Engine, error) {
	return nil, fmt.Errorf("flag -engine=gpu: %w", gpu.Available())
}

func gpuStrategies() []strategy { return nil }
