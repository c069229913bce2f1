//go:build !cuda

package main

import (
	"context"

	"graph500/cluster"
	"graph500/gpu"
)

// newGPU returns the reason why there is no GPU engine.
func newGPU(context.Context, *cluster.World, *options) (Engine, error) { return nil, gpu.Available() }
