//go:build !cuda

package run

import (
	"context"

	"graph500/cluster"
	"graph500/gpu"
	"graph500/graph500/commandline"
)

// newGPU returns the reason why there is no GPU engine.
func newGPU(context.Context, *cluster.World, *commandline.Options) (Engine, error) {
	return nil, gpu.Available()
}
