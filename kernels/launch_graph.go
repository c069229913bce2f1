//go:build cuda

package kernels

import (
	"errors"
	"fmt"

	"graph500/kernels/driver"
)

// LaunchGraph is a cooperative launch of a kernel that was prepared as a CUDA
// graph of one node, which starts a microsecond earlier on an H200 than one that
// was not.
type LaunchGraph struct {
	kernel              *Kernel
	grid, block, shared int
	parameters          int
	graph               *driver.LaunchGraph // nil if there is none
}

// NewLaunchGraph prepares launches as those of LaunchCooperative, of a kernel
// with that many parameters. With a driver that lacks a function for it they are
// LaunchCooperative.
func (k *Kernel) NewLaunchGraph(grid, block, shared, parameters int) (*LaunchGraph, error) {
	each, err := k.BlocksPerSM(block, shared)
	if err != nil {
		return nil, err
	}
	if p := k.device.properties; grid > each*p.SMs {
		return nil, fmt.Errorf("a cooperative launch of %d blocks of %s: %s holds %d at once", grid, k.name, p.Name, each*p.SMs)
	}
	g := &driver.LaunchGraph{}
	call, err := g.Prepare(k.function, grid, block, shared, k.device.stream, parameters)
	l := &LaunchGraph{k, grid, block, shared, parameters, g}
	if err == nil {
		return l, nil
	}
	closed := l.Close() // which leaves no graph
	if errors.Is(err, driver.Missing) {
		return l, closed
	}
	return nil, errors.Join(failed(call+" "+k.name, err), closed)
}

// Launch starts the kernel after everything before it and returns at once. Each
// argument is the bits of one parameter of at most 8 bytes.
func (l *LaunchGraph) Launch(args ...uint64) error {
	if len(args) != l.parameters {
		return fmt.Errorf("%d arguments for the %d parameters of %s", len(args), l.parameters, l.kernel.name)
	}
	if l.graph == nil {
		return l.kernel.LaunchCooperative(l.grid, l.block, l.shared, args...)
	}
	if call, err := l.graph.Launch(args...); err != nil {
		return failed(call+" "+l.kernel.name, err)
	}
	return nil
}

// Close gives the graph back; later launches are LaunchCooperative. A nil one, and
// one that was closed, stay as they are.
func (l *LaunchGraph) Close() error {
	if l == nil || l.graph == nil {
		return nil
	}
	call, err := l.graph.Close()
	l.graph = nil
	return failed(call+" "+l.kernel.name, err)
}
