//go:build cuda

package device

import (
	"errors"
	"fmt"

	"graph500/device/driver"
)

// LaunchGraph is a cooperative launch, or several, one behind the other, that are prepared
// as a CUDA graph. On an H200 the first kernel starts one to two microseconds earlier than
// by LaunchCooperative, and the next one a microsecond earlier than in a graph of its own. It
// must be closed before its device.
type LaunchGraph struct {
	kernel     *Kernel
	parameters int
	graph      *driver.LaunchGraph // nil once closed
}

// NewLaunchGraph prepares cooperative launches of a kernel with that many
// parameters. grid, block and shared are those of LaunchCooperative.
func (k *Kernel) NewLaunchGraph(grid, block, shared, parameters int) (*LaunchGraph, error) {
	if err := k.fits(grid, block, shared); err != nil {
		return nil, err
	}
	l := &LaunchGraph{k, parameters, &driver.LaunchGraph{}}
	if call, err := l.graph.Prepare(k.device.context, k.function, grid, block, shared, k.device.stream, parameters); err != nil {
		return nil, errors.Join(failed(call+" "+k.name, err), l.Close())
	}
	return l, nil
}

// fits returns an error if the blocks of a launch do not fit on the device at once.
func (k *Kernel) fits(grid, block, shared int) error {
	perSM, err := k.BlocksPerSM(block, shared)
	if p := k.device.properties; err == nil && grid > perSM*p.SMs {
		return fmt.Errorf("cooperative launch of %d blocks of %s: only %d fit on %s at once", grid, k.name, perSM*p.SMs, p.Name)
	}
	return err
}

// Then adds the launch of a kernel without parameters, and without dynamic shared memory,
// behind the others. After an error the graph can only be closed.
func (l *LaunchGraph) Then(k *Kernel, grid, block int) error {
	if l.graph == nil {
		return fmt.Errorf("%s added to a launch graph that was closed", k.name)
	}
	if err := k.fits(grid, block, 0); err != nil {
		return err
	}
	call, err := l.graph.Then(k.function, grid, block, 0)
	return failed(call+" "+k.name, err)
}

// Launch queues the kernels in the stream and returns at once. Each argument holds
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
