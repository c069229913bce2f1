//go:build cuda

package main

import (
	"fmt"

	"graph500/engine"
	"graph500/gpu"
)

// newGPU starts the engine on the GPUs of -device and -gpus.
func newGPU(o *options) (Engine, error) {
	count, err := o.countGPUs()
	if err != nil {
		return nil, err
	}
	if count > 1 {
		e, err := gpu.NewPeers(o.Device, count, uint64(o.GPUMemory))
		if err != nil {
			return nil, fmt.Errorf("flag -gpus=%s: %w", o.GPUs, err)
		}
		return e, nil
	}
	e, err := gpu.New(o.Device, uint64(o.GPUMemory), engine.Residency(o.Residency))
	switch {
	case err != nil && o.requiresGPU:
		return nil, fmt.Errorf("flag -device=%d: %w", o.Device, err)
	case err != nil:
		return nil, err
	}
	return e, nil
}

// countGPUs returns the number of GPUs that the run takes.
func (o *options) countGPUs() (int, error) {
	if o.GPUs == 1 {
		return 1, nil
	}
	there, err := gpu.Count()
	if err != nil {
		return 0, err
	}
	usable := max(0, there-o.Device)
	count := int(o.GPUs)
	if o.GPUs == allGPUs {
		count = max(1, usable)
	}
	if count > max(1, usable) {
		return 0, fmt.Errorf("flag -gpus=%s: there are %d GPUs from GPU %d on", o.GPUs, usable, o.Device)
	}
	return count, nil
}

func gpuStrategies() []engine.Strategy { return gpu.Strategies() }
