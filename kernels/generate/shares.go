//go:build cuda

package generate

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kronecker"
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

// NewShare is New for the tuples first..first+count-1 of the graph.
func NewShare(d *device.Device, spec kronecker.Spec, first, count, capacity uint64, weighted bool) (*Tuples, error) {
	return (&Tuples{first: first, count: count, weighted: weighted}).newShare(d, spec, capacity)
}

// newShare is NewShare for a share whose tuples, weights and labels are given.
func (t *Tuples) newShare(d *device.Device, spec kronecker.Spec, capacity uint64) (*Tuples, error) {
	if length := spec.Tuples(); t.first > length || t.count > length-t.first {
		return nil, fmt.Errorf("a share of %d tuples from tuple %d: the list has %d tuples", t.count, t.first, length)
	}
	t.device, t.whole, t.generator = d, capacity >= t.count, &Generator{weighted: t.weighted, wide: t.wide}
	var err error
	if t.held, err = d.Take(t.group(t.count, capacity)); err != nil {
		return nil, err
	}
	if err := t.generator.prepare(d, spec); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// FromShare is From for tuples of a list, the first of which has number first.
func FromShare(d *device.Device, tuples engine.Tuples, first uint64) (*Tuples, error) {
	return (&Tuples{first: first}).from(d, tuples)
}

// from is FromShare for a share whose first tuple and labels are given.
func (t *Tuples) from(d *device.Device, tuples engine.Tuples) (*Tuples, error) {
	if tuples.Weights != nil && len(tuples.Weights) != len(tuples.Edges) {
		return nil, fmt.Errorf("%d weights for %d tuples", len(tuples.Weights), len(tuples.Edges))
	}
	t.device, t.count, t.whole, t.weighted = d, uint64(len(tuples.Edges)), true, tuples.Weights != nil
	var err error
	if t.held, err = d.Take(t.group(t.count, t.count)); err != nil {
		return nil, err
	}
	if t.wide {
		err = writeWide(t.edges48, tuples.Edges)
	} else {
		err = t.edges.Write(0, tuples.Edges)
	}
	if t.weighted {
		err = errors.Join(err, t.weights.Write(0, tuples.Weights))
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
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
		shares[i] = share{t.first, t.count, t.whole}
	}
	all, err := device.Gather(team, shares)
	if err != nil {
		return nil, err
	}
	seen, err := reachParts(team, own)
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
			lists[i] = append(lists[i], &Tuples{
				device: t.device, first: s.first, count: s.count, whole: s.whole, weighted: t.weighted, wide: t.wide,
				edges: seen[i][k].Edges, edges48: seen[i][k].Edges48, weights: seen[i][k].Weights, generator: t.generator,
			})
		}
	}
	return lists, nil
}

// reachParts returns the arrays of all devices, by number, as each device of this process
// accesses them.
func reachParts(team *device.Team, own []*Tuples) ([][]Part, error) {
	edges, edges48, weights := make([]device.Array[engine.Edge], len(own)), make([]device.Array[engine.Edge48], len(own)), make([]device.Array[float32], len(own))
	for i, t := range own {
		edges[i], edges48[i], weights[i] = t.edges, t.edges48, t.weights
	}
	seen, err := device.Reach(team, edges)
	if err != nil {
		return nil, err
	}
	seen48, err := device.Reach(team, edges48)
	if err != nil {
		return nil, err
	}
	seenWeights, err := device.Reach(team, weights)
	if err != nil {
		return nil, err
	}
	parts := make([][]Part, len(own))
	for i := range parts {
		for k := range seen[i] {
			parts[i] = append(parts[i], Part{Edges: seen[i][k], Edges48: seen48[i][k], Weights: seenWeights[i][k]})
		}
	}
	return parts, nil
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
	view.first, view.count, view.whole, view.shares, view.own, view.held = 0, 0, true, shares, own, nil
	for k, s := range shares {
		switch {
		case s.shares != nil || s.first != view.count:
			return nil, fmt.Errorf("share %d of the tuples begins at tuple %d, not %d", k, s.first, view.count)
		case s.weighted != view.weighted || s.wide != view.wide || s.Scale() != view.Scale():
			return nil, fmt.Errorf("share %d of the tuples is of another graph than share %d", k, own)
		}
		view.count += s.count
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
		if i < s.first+s.count {
			return s
		}
	}
	return t.shares[len(t.shares)-1]
}
