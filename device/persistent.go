//go:build cuda

package device

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
)

// MaxBlocks is the largest number of blocks of a persistent kernel: its grid barrier
// counts arrivals in 10 bits (kernels/barrier.cuh).
const MaxBlocks = 1<<10 - 1

// endPolls is the number of times that the host polls for the end of a kernel before it
// checks the driver for faults, and the context.
const endPolls = 1 << 14

// Persistent launches a kernel whose blocks are all on the device at the same time, and
// those that must follow it. It waits for their end by polling, because to be woken up takes
// longer than many searches.
type Persistent struct {
	Blocks int

	// Stop is 1 while the host asks the kernels to stop. Done is 0 until one of them sets
	// it to another value when the results are complete. It may still write its own working
	// memory then, so only what follows in the stream may use that. The kernels get both
	// words in their state.
	Stop, Done *HostArray[uint32]

	device *Device
	launch *LaunchGraph
}

// NewPersistent prepares launches of a kernel with one parameter, the root, in blocks of that many
// threads and of the dynamic shared memory that the variable sharedBytes of the module
// gives. There are as many blocks as fit. Without a root (noRoot) the kernel must only set Done.
func (m *Module) NewPersistent(kernel string, threads int) (*Persistent, error) {
	p := &Persistent{device: m.device}
	if err := p.prepare(m, kernel, threads); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

func (p *Persistent) prepare(m *Module, name string, threads int) error {
	kernel, err := m.Kernel(name)
	if err != nil {
		return err
	}
	image := make([]byte, 4)
	if err := m.Read("sharedBytes", image); err != nil {
		return err
	}
	shared := int(binary.NativeEndian.Uint32(image))
	if err = kernel.AllowShared(shared); err != nil {
		return err
	}
	each, err := kernel.BlocksPerSM(threads, shared)
	if err != nil {
		return err
	}
	properties := p.device.Properties()
	if p.Blocks = min(each*properties.SMs, MaxBlocks); p.Blocks == 0 {
		return fmt.Errorf("the search needs blocks of %d threads and %d bytes of shared memory, which %s does not have",
			threads, shared, properties.Name)
	}
	if p.Stop, err = Pinned[uint32](p.device, 1); err != nil {
		return err
	}
	if p.Done, err = Pinned[uint32](p.device, 1); err != nil {
		return err
	}
	p.launch, err = kernel.NewLaunchGraph(p.Blocks, threads, shared, 1)
	return err
}

// Then adds a kernel of the module without parameters, which each Run launches behind the
// others, in as many blocks of that many threads as fit. It returns the number of blocks.
func (p *Persistent) Then(m *Module, name string, threads int) (blocks int, err error) {
	kernel, err := m.Kernel(name)
	if err != nil {
		return 0, err
	}
	each, err := kernel.BlocksPerSM(threads, 0)
	if err != nil {
		return 0, err
	}
	blocks = min(each*p.device.Properties().SMs, MaxBlocks)
	return blocks, p.launch.Then(kernel, blocks, threads)
}

// noRoot is no root, engine.None: a kernel then sets Done and returns (tellsWithoutRoot in kernels/barrier.cuh).
const noRoot = 1<<32 - 1

// Ready makes ready for a Run that follows at once: it launches the kernels without a root and waits for
// them. A launch and a wait that follow other work of the host take it up to 10 µs longer, until driver and program
// are in its caches again (docs/notebook.md).
func (p *Persistent) Ready() error { return p.Run(context.Background(), noRoot) }

// Run launches the kernels and waits for their results. It asks the kernel to stop when ctx ends,
// and then returns the cause.
func (p *Persistent) Run(ctx context.Context, argument uint64) error {
	if err := p.start(argument); err != nil {
		return err
	}
	return p.wait(ctx)
}

// start launches the kernels.
func (p *Persistent) start(argument uint64) error {
	atomic.StoreUint32(&p.Done.Host()[0], 0)
	return p.launch.Launch(argument)
}

// wait waits for the end of the kernels' work, as Run does. A kernel that is asked to stop can end with a
// fault (kernels/peerbarrier.cuh), which is no cause.
func (p *Persistent) wait(ctx context.Context) error {
	ended := ctx.Done()
	stopped := false
	for {
		done, err := p.device.Await(p.Done, endPolls)
		if err != nil && !stopped {
			return err
		}
		if done || err != nil {
			break
		}
		select {
		case <-ended:
			ended, stopped = nil, true
			p.ask(1)
		default:
		}
	}
	if stopped {
		p.ask(0)
		return context.Cause(ctx)
	}
	return nil
}

// ask sets the flag Stop.
func (p *Persistent) ask(stop uint32) { atomic.StoreUint32(&p.Stop.Host()[0], stop) }

// Close frees the memory. Close of nil does nothing.
func (p *Persistent) Close() error {
	if p == nil {
		return nil
	}
	return errors.Join(p.launch.Close(), p.Stop.Free(), p.Done.Free())
}
