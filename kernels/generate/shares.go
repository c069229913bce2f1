//go:build cuda

package generate

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"graph500/device"
)

// ShareOf returns the tuples first..first+n-1 that share k of a list of count tuples has.
// The lengths of all shares differ by at most one.
func ShareOf(count uint64, shares, k int) (first, n uint64) {
	first = part(count, shares, k)
	return first, part(count, shares, k+1) - first
}

// part returns count k / shares, rounded down.
func part(count uint64, shares, k int) uint64 {
	high, low := bits.Mul64(count, uint64(k))
	quotient, _ := bits.Div64(high, low, uint64(shares))
	return quotient
}

// Shares returns for each device of this process's part of a team, by index, the shares of
// all devices in order as it accesses them. own are the shares of the devices of this
// process. Those of other ranks can be joined and read, and are not closed.
func Shares(team *device.Team, own []*Tuples) ([][]*Tuples, error) {
	if team.Alone() {
		return slices.Repeat([][]*Tuples{own}, len(own)), nil
	}
	type share struct {
		first, count uint64
		whole        bool
	}
	shares := make([]share, len(own))
	for i, t := range own {
		shares[i] = share{t.config.First, t.config.Count, t.whole}
	}
	all, err := device.Gather(team, shares)
	if err != nil {
		return nil, err
	}
	edges, weights := make([]device.Array[uint32], len(own)), make([]device.Array[float32], len(own))
	for i, t := range own {
		edges[i], weights[i] = t.edges, t.weights
	}
	seenEdges, err := device.Reach(team, edges)
	if err != nil {
		return nil, err
	}
	seenWeights, err := device.Reach(team, weights)
	if err != nil {
		return nil, err
	}
	lists := make([][]*Tuples, len(own))
	for i, t := range own {
		for k, s := range all {
			if at := k - team.First(); at >= 0 && at < len(own) {
				lists[i] = append(lists[i], own[at])
				continue
			}
			other := Tuples{device: t.device, config: t.config, whole: s.whole, generator: t.generator, edges: seenEdges[i][k], weights: seenWeights[i][k]}
			other.config.First, other.config.Count = s.first, s.count
			lists[i] = append(lists[i], &other)
		}
	}
	return lists, nil
}

// Join returns a view of the whole list, whose shares are given in order, for the device
// of share number own. If all tuples are in memory, Each calls look with the arrays of
// all devices, which must be able to read each other's memory. It begins with the own
// share and goes round, so that the devices do not all read the memory of the same device
// at a time. Otherwise it regenerates all tuples, in order, in the memory of the own share.
//
// The view is valid as long as the shares. If some of them are not whole, none is
// afterwards. Len, Scale, Whole and At speak of the whole list.
func Join(shares []*Tuples, own int) (*Tuples, error) {
	if own < 0 || own >= len(shares) {
		return nil, fmt.Errorf("no share %d of %d", own, len(shares))
	}
	view := *shares[own]
	view.config.First, view.config.Count, view.whole, view.shares, view.own, view.held = 0, 0, true, shares, own, nil
	for k, s := range shares {
		switch {
		case s.shares != nil || s.config.First != view.config.Count:
			return nil, fmt.Errorf("share %d of the tuples begins at tuple %d, not %d", k, s.config.First, view.config.Count)
		case s.config.Weighted != view.config.Weighted || s.config.Wide != view.config.Wide || s.Scale() != view.Scale():
			return nil, fmt.Errorf("share %d of the tuples is of another graph than share %d", k, own)
		}
		view.config.Count += s.config.Count
		view.whole = view.whole && s.whole
	}
	for _, s := range shares {
		s.whole = view.whole
	}
	if view.room() == 0 && !view.whole {
		return nil, fmt.Errorf("share %d of the tuples has no memory to regenerate the others", own)
	}
	return &view, nil
}

// All returns a view of the whole list, for a device that cannot read the shares of others. If
// the share has Config.Regenerated, each pass generates all tuples, in order, in its memory.
// The view is valid as long as the share.
func (t *Tuples) All() (*Tuples, error) {
	if !t.config.Regenerated || t.generator == nil {
		return nil, errors.New("a share whose tuples are kept has no memory to regenerate the others")
	}
	view := *t
	view.config.First, view.config.Count, view.held = 0, t.generator.tuples, nil
	return &view, nil
}

// eachShare is Each for a view of shares that are in memory.
func (t *Tuples) eachShare(ctx context.Context, look func(Part) error) error {
	for k := range t.shares {
		if err := t.shares[(t.own+k)%len(t.shares)].Each(ctx, look); err != nil {
			return err
		}
	}
	return nil
}

// shareWith returns the share with tuple number i of the list, or the last one if there
// is no such tuple.
func (t *Tuples) shareWith(i uint64) *Tuples {
	for _, s := range t.shares {
		if i < s.config.First+s.config.Count {
			return s
		}
	}
	return t.shares[len(t.shares)-1]
}
