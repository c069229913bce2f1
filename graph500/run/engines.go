package run

import (
	"context"
	"fmt"

	"graph500/cluster"
	"graph500/cpu"
	"graph500/engine"
	"graph500/gpu"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
)

// newEngine starts the engine that the flags select. If auto selects the CPU, it
// prints the reason to the console. Several ranks take GPUs if all of them have some.
func newEngine(ctx context.Context, w *cluster.World, o *commandline.Options, c *output.Console) (Engine, error) {
	name, why := o.Engine, ""
	if name != "cpu" {
		switch err := w.Agree(ctx, gpu.Available()); {
		case err == nil:
			name = "gpu"
		case name == "gpu":
			return nil, fmt.Errorf("flag -engine=gpu: %w", err)
		case o.CheckEngine:
			return nil, fmt.Errorf("flag -check-engine: there is no GPU engine to check: %w", err)
		case o.RequiresGPU:
			return nil, fmt.Errorf("flag -%s: %w", flagOfGPU(o), err)
		case engine.Residency(o.Residency) != engine.AutoResidency:
			return nil, fmt.Errorf("flag -residency=%s: %w", o.Residency, err)
		case o.Exchange != commandline.AutoExchange:
			return nil, fmt.Errorf("flag -exchange=%s: %w", o.Exchange, err)
		case o.GPUMemory != 0:
			return nil, fmt.Errorf("flag -gpu-memory=%s: %w", o.GPUMemory, err)
		default:
			name, why = "cpu", fmt.Sprintf(": %v", err)
			if c.Phases || c.Progress {
				c.Printf("the cpu engine searches: %v", err)
			}
		}
	}
	for _, k := range o.Kernels() {
		if err := o.Catalogue.Check(name, k, o.StrategyOf(k)); err != nil {
			return nil, commandline.Usagef("flag -strategy: %s%s", err, why)
		}
	}
	switch {
	case name == "gpu":
		return newGPU(ctx, w, o)
	}
	threads, err := w.Threads(ctx, o.Threads)
	if err != nil {
		return nil, err
	}
	return cpu.New(w, threads), nil
}

// flagOfGPU returns the flag that requires a GPU, with its value.
func flagOfGPU(o *commandline.Options) string {
	if o.GPUs != 1 {
		return "gpus=" + o.GPUs.String()
	}
	return fmt.Sprintf("device=%d", o.Device)
}

// newReference starts the reference engine of -check-engine. It returns nil without that
// flag, and on all ranks but the first.
func newReference(w *cluster.World, o *commandline.Options) *reference {
	if !o.CheckEngine || w.Rank() > 0 {
		return nil
	}
	return &reference{engine: cpu.New(cluster.Alone(), o.Threads), catalogue: o.Catalogue}
}
