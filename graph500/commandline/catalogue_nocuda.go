//go:build !cuda

package commandline

import (
	"graph500/engine"
)

// gpuStrategies lists the strategies of the GPU engine, none in a build without it.
func gpuStrategies() []engine.Strategy { return nil }
