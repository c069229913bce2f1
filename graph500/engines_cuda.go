//go:build cuda

package main

import (
	"fmt"

	"graph500/engine"
	"graph500/gpu"
)

// newGPU starts the GPU engine.
func newGPU(o *options) (Engine, error) {
	e, err := gpu.New(o.Device, uint64(o.GPUMemory))
	switch {
	case err != nil && o.requiresGPU:
		return nil, fmt.Errorf("flag -device=%d: %w", o.Device, err)
	case err != nil:
		return nil, err
	}
	return e, nil
}

func gpuStrategies() []engine.Strategy { return gpu.Strategies() }
