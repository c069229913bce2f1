//go:build cuda

package main

import (
	"context"
	"fmt"

	"graph500/cluster"
	"graph500/engine"
	"graph500/gpu"
)

// newGPURank starts the engine on the GPUs of this rank, together with those of the others.
func newGPURank(ctx context.Context, w *cluster.World, o *options) (Engine, error) {
	count, given := int(o.GPUs), -1
	if o.GPUs == allGPUs {
		count = gpu.AllGPUs
	}
	if o.deviceGiven {
		given = o.Device
	}
	ordinals, err := gpu.Choose(ctx, w, count, given)
	if err != nil {
		return nil, err
	}
	return gpu.NewPeers(ctx, w, ordinals, uint64(o.GPUMemory))
}

// newGPU starts the engine on the GPUs of -device and -gpus.
func newGPU(ctx context.Context, w *cluster.World, o *options) (Engine, error) {
	count, err := o.countGPUs()
	if err != nil {
		return nil, err
	}
	if count > 1 {
		var ordinals []int
		for i := range count {
			ordinals = append(ordinals, o.Device+i)
		}
		e, err := gpu.NewPeers(ctx, w, ordinals, uint64(o.GPUMemory))
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
