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
	return newTogether(ctx, w, o, ordinals)
}

// newTogether starts the engine on several GPUs, those of this rank and of the others: with
// access to each other's memory if they have it and -exchange does not say otherwise.
func newTogether(ctx context.Context, w *cluster.World, o *options, ordinals []int) (Engine, error) {
	why, err := gpu.Reach(ctx, w, ordinals)
	if err != nil {
		return nil, o.namingGPUs(err)
	}
	switch {
	case o.Exchange == string(engine.PeerExchange) && why != "":
		return nil, fmt.Errorf("flag -exchange=peer: not all GPUs access each other's memory: %s", why)
	case o.Exchange == string(engine.PeerExchange), o.Exchange == autoExchange && why == "":
		e, err := gpu.NewPeers(ctx, w, ordinals, uint64(o.GPUMemory), engine.Residency(o.Residency))
		if err != nil {
			return nil, o.namingGPUs(err)
		}
		return e, nil
	}
	if o.Residency == string(engine.Prefix) {
		return nil, fmt.Errorf("flag -residency=%s: GPUs that do not access each other's memory need all neighbours in their own: %s", o.Residency, why)
	}
	var kind engine.Exchange
	if o.Exchange != autoExchange {
		kind = engine.Exchange(o.Exchange)
	}
	e, err := gpu.NewDistributed(ctx, w, ordinals, uint64(o.GPUMemory), kind)
	switch {
	case err != nil && kind != "":
		return nil, fmt.Errorf("flag -exchange=%s: %w", kind, err)
	case err != nil:
		return nil, o.namingGPUs(err)
	}
	return e, nil
}

// namingGPUs adds the flag -gpus to an error, if it has a value of its own.
func (o *options) namingGPUs(err error) error {
	if o.GPUs == 1 {
		return err
	}
	return fmt.Errorf("flag -gpus=%s: %w", o.GPUs, err)
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
		return newTogether(ctx, w, o, ordinals)
	}
	if o.Exchange != autoExchange {
		return nil, usagef("flag -exchange=%s: one GPU has no other to exchange data with; give -gpus, or start ranks", o.Exchange)
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
