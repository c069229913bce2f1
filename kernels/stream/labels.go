//go:build cuda

package stream

import (
	"graph500/device"
	"graph500/engine"
)

// Labels converts the parents of a search to results of 64 bits, with -1 for an unvisited
// vertex, and back for validation.
type Labels struct{ widen, narrow *device.Kernel }

// LoadLabels loads the module of NewLabels, so that NewLabels does not load it.
func LoadLabels(d *device.Device) error {
	_, err := d.Load("stream", images, "labels")
	return err
}

// NewLabels finds the kernels.
func NewLabels(d *device.Device) (*Labels, error) {
	m, err := d.Load("stream", images, "labels")
	if err != nil {
		return nil, err
	}
	l := &Labels{}
	if l.widen, err = m.Kernel("labels_widen"); err != nil {
		return nil, err
	}
	l.narrow, err = m.Kernel("labels_narrow")
	return l, err
}

// labelThreads is the number of threads per block in labels.cu.
const labelThreads = 256

// Widen sets each element of to, which is as long as from. It queues the work in the stream.
func (l *Labels) Widen(to device.Array[int64], from device.Array[engine.Label]) error {
	n := from.Len()
	return launchOver(l.widen, max(n/4, n%4), to.Address(), from.Address(), uint64(n))
}

// Narrow sets each element of to, which is as long as from, to engine.Beyond if it is neither
// a label of 32 bits nor -1. It queues the work in the stream.
func (l *Labels) Narrow(to device.Array[engine.Label], from device.Array[int64]) error {
	return launchOver(l.narrow, from.Len(), to.Address(), from.Address(), uint64(from.Len()))
}

// launchOver launches a kernel with a thread for each of n items.
func launchOver(k *device.Kernel, n int, args ...uint64) error {
	if n == 0 {
		return nil
	}
	return k.Launch((n-1)/labelThreads+1, labelThreads, 0, args...)
}
