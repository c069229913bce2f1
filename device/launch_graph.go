//go:build cuda

package device

import (
	"errors"
	"fmt"

	"graph500/device/driver"
)

// LaunchGraph is a cooperative launch of a kernel that was prepared as a CUDA
// graph of one node, which starts one to two microseconds earlier on an H200 than
// one that was not. It is to be closed before its device.
type LaunchGraph struct {
	kernel     *Kernel
	parameters int
	graph      *driver.LaunchGraph // nil once it is closed
}

// NewLaunchGraph prepares launches as those of LaunchCooperative, of a kernel
// with that many parameters.
func (k *Kernel) NewLaunchGraph(grid, block, shared, parameters int) (*LaunchGraph, error) {
	each, err := k.BlocksPerSM(block, shared)
	if err != nil {
		return nil, err
	}
	if p := k.device.properties; grid > each*p.SMs {
		return nil, fmt.Errorf("a cooperative launch of %d blocks of %s: %s holds %d at once", grid, k.name, p.Name, each*p.SMs)
	}
	l := &LaunchGraph{k, parameters, &driver.LaunchGraph{}}
	if call, err := l.graph.Prepare(k.device.context, k.function, grid, block, shared, k.device.stream, parameters); err != nil {
		return nil, errors.Join(failed(call+" "+k.name, err), l.Close())
	}
	return l, nil
}

// Launch starts the kernel after everything before it and returns at once. Each
// argument is the bits of one parameter of at most 8 bytes.
func (l *LaunchGraph) Launch(args ...uint64) error {
	if l.graph == nil {
		return fmt.Errorf("a launch of %s that was closed", l.kernel.name)
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

// Close gives the graph back. A nil one, and one that was closed, stay as they
// are.
func (l *LaunchGraph) Close() error {
	if l == nil || l.graph == nil {
		return nil
	}
	call, err := l.graph.Close()
	l.graph = nil
	return failed(call+" "+l.kernel.name, err)
}
