//go:build cuda

package commandline

import (
	"graph500/engine"
	"graph500/gpu"
)

// gpuStrategies lists the strategies of the GPU engine, none in a build without it.
func gpuStrategies() []engine.Strategy { return gpu.Strategies() }
