//go:build cuda

package generate

import (
	"errors"

	"graph500/device"
	"graph500/kronecker"
)

// RegenerateShare returns share first..first+count-1 of the tuples of an official graph, for
// a device that cannot read those of others, and a view of all tuples. Both regenerate the
// tuples in each pass, if weighted with their weights, at most capacity at a time, in the
// memory of the share.
func RegenerateShare(d *device.Device, spec kronecker.Spec, first, count, capacity uint64, weighted bool) (share, all *Tuples, err error) {
	return (&Tuples{first: first, count: count, weighted: weighted}).regenerate(d, spec, capacity)
}

// regenerate is RegenerateShare for a share whose tuples, weights and labels are given.
func (t *Tuples) regenerate(d *device.Device, spec kronecker.Spec, capacity uint64) (share, all *Tuples, err error) {
	if t.count == 0 || capacity == 0 {
		return nil, nil, errors.New("a share without tuples has no memory to regenerate the others")
	}
	if share, err = t.newShare(d, spec, capacity); err != nil {
		return nil, nil, err
	}
	share.whole = false
	view := *share
	view.first, view.count, view.held = 0, spec.Tuples(), nil
	return share, &view, nil
}
