//go:build cuda

package device

import (
	"errors"
	"fmt"

	"graph500/device/driver"
)

// LaunchGraph is a cooperative launch that is prepared as a CUDA graph of one kernel
// node. On an H200 it starts one to two microseconds earlier than
// LaunchCooperative. It must be closed before its device.
type LaunchGraph struct {
	kernel     *Kernel
	parameters int
	graph      *driver.LaunchGraph // nil once closed
}

// NewLaunchGraph prepares cooperative launches of a kernel with that many
// parameters. grid, block and shared are those of LaunchCooperative.
func (k *Kernel) NewLaunchGraph(grid, block, shared, parameters int) (*LaunchGraph, error) {
	perSM, err := k.BlocksPerSM(block, shared)
	if err != nil {
		return nil, err
	}
	if p := k.device.properties; grid > perSM*p.SMs {
		return nil, fmt.Errorf("cooperative launch of %d blocks of %s: only %d fit on %s at once", grid, k.name, perSM*p.SMs, p.Name)
	}
	l := &LaunchGraph{k, parameters, &driver.LaunchGraph{}}
	if call, err := l.graph.Prepare(k.device.context, k.function, grid, block, shared, k.device.stream, parameters); err != nil {
		return nil, errors.Join(failed(call+" "+k.name, err), l.Close())
	}
	return l, nil
}

// Launch queues the kernel in the stream and returns at once. Each argument holds
// the bits of one parameter of at most 8 bytes.
func (l *LaunchGraph) Launch(args ...uint64) error {
	if l.graph == nil {
		return fmt.Errorf("launch of %s after its launch graph was closed", l.kernel.name)
	}
	if len(args) != l.parameters {
		return fmt.Errorf("%d arguments for the %d parameters of %s", len(args), l.parameters, l.kernel.name)
	}
	call, err := l.graph.Launch(args...)
	if err != nil {
		return failed(call+" "+l.kernel.name, err)
	}
	return nil
}

// Close destroys the graph. Close of a nil or closed graph does nothing.
func (l *LaunchGraph) Close() error {
	if l == nil || l.graph == nil {
		return nil
	}
	call, err := l.graph.Close()
	l.graph = nil
	return failed(call+" "+l.kernel.name, err)
}
