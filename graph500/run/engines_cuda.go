//go:build cuda

package run

import (
	"context"
	"errors"
	"fmt"

	"graph500/cluster"
	"graph500/engine"
	"graph500/gpu"
	"graph500/graph500/commandline"
)

// newGPU starts the engine on the GPUs of -device and -gpus, together with those of the other
// ranks.
func newGPU(ctx context.Context, w *cluster.World, o *commandline.Options) (Engine, error) {
	ordinals, err := chooseGPUs(ctx, w, o)
	if err != nil {
		return nil, err
	}
	alone := w.Size()*len(ordinals) == 1
	if alone && o.Exchange != commandline.AutoExchange {
		return nil, commandline.Usagef("flag -exchange=%s: one GPU has no other to exchange data with; give -gpus, or start ranks", o.Exchange)
	}
	of := gpu.Options{MaxBytes: uint64(o.GPUMemory), Residency: engine.Residency(o.Residency), Weighted: o.Weighted()}
	if o.Exchange != commandline.AutoExchange {
		of.Exchange = engine.Exchange(o.Exchange)
	}
	e, err := gpu.New(ctx, w, ordinals, of)
	if err == nil {
		return e, nil
	}
	var refused *gpu.OptionError
	switch {
	case errors.As(err, &refused):
		values := map[string]string{gpu.ExchangeOption: o.Exchange, gpu.ResidencyOption: o.Residency}
		return nil, fmt.Errorf("flag -%s=%s: %w", refused.Option, values[refused.Option], err)
	case !alone:
		return nil, namingGPUs(o, err)
	case o.RequiresGPU:
		return nil, fmt.Errorf("flag -device=%d: %w", o.Device, err)
	}
	return nil, err
}

// chooseGPUs returns the ordinals of the GPUs that this rank takes.
func chooseGPUs(ctx context.Context, w *cluster.World, o *commandline.Options) (ordinals []int, err error) {
	if w.Size() > 1 {
		count, given := int(o.GPUs), -1
		if o.GPUs == commandline.AllGPUs {
			count = gpu.AllGPUs
		}
		if o.DeviceGiven {
			given = o.Device
		}
		return gpu.Choose(ctx, w, count, given)
	}
	count, err := usableGPUs(o)
	for i := range count {
		ordinals = append(ordinals, o.Device+i)
	}
	return ordinals, err
}

// namingGPUs adds the flag -gpus to an error, if it has a value of its own.
func namingGPUs(o *commandline.Options, err error) error {
	if o.GPUs == 1 {
		return err
	}
	return fmt.Errorf("flag -gpus=%s: %w", o.GPUs, err)
}

// usableGPUs returns the number of GPUs that the run takes.
func usableGPUs(o *commandline.Options) (int, error) {
	if o.GPUs == 1 {
		return 1, nil
	}
	there, err := gpu.Count()
	if err != nil {
		return 0, err
	}
	usable := max(0, there-o.Device)
	count := int(o.GPUs)
	if o.GPUs == commandline.AllGPUs {
		count = max(1, usable)
	}
	if count > max(1, usable) {
		return 0, fmt.Errorf("flag -gpus=%s: there are %d GPUs from GPU %d on", o.GPUs, usable, o.Device)
	}
	return count, nil
}
