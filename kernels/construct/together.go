//go:build cuda

package construct

import (
	"context"
	"errors"
	"fmt"

	"graph500/device"
	"graph500/kernels/generate"
)

// ConstructTogether is Construct on several devices, which must be able to access each
// other's memory. The device of share k gets the rows of range k of Ranges, whose lists are
// the same as on one device. The number of groups may be as small as 1: in each group every
// device reads the tuples of all others. The graphs must be closed in reverse order.
//
// Method: each device counts its share of the tuples. The counts are added up, each range
// of labels on its own device, and copied to all. Each device then ranks all vertices, and
// builds its own rows from the tuples of all shares.
func ConstructTogether(ctx context.Context, devices []*device.Device, vertices uint64, shares []*generate.Tuples, groups int, hubs uint64) ([]*Graph, error) {
	if len(devices) != len(shares) || len(devices) == 0 || len(devices) > device.MostTogether {
		return nil, fmt.Errorf("graph: %d shares of the tuples on %d devices; there must be one each, and at most %d", len(shares), len(devices), device.MostTogether)
	}
	t := &together{ctx: ctx, devices: devices, shares: shares}
	for k, labels := range Ranges(vertices, len(devices)) {
		tuples, err := generate.Join(shares, k)
		if err == nil {
			err = checkScale(vertices, tuples)
		}
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, newConstruction(ctx, devices[k], vertices, labels, tuples, groups, hubs))
	}
	err := t.build()
	graphs := make([]*Graph, len(t.parts))
	for k, c := range t.parts {
		graphs[k] = c.g
	}
	if err != nil {
		for k := range graphs {
			err = errors.Join(err, graphs[len(graphs)-1-k].Close())
		}
		return nil, err
	}
	joinInfos(graphs)
	return graphs, nil
}

// together is the state of one call of ConstructTogether.
type together struct {
	ctx     context.Context
	devices []*device.Device
	shares  []*generate.Tuples
	parts   []*construction // by device
}

func (t *together) build() (err error) {
	for _, c := range t.parts {
		counting, e := c.d.Borrow(c.countingGroup(c.sizes))
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, counting.Free()) }()
	}
	for _, step := range []func(k int) error{t.count, t.addCounts, t.copyCounts, t.buildRows} {
		if err := device.Together(t.devices, step); err != nil {
			return err
		}
		if err := context.Cause(t.ctx); err != nil {
			return err
		}
	}
	return nil
}

// count counts the tuples of share k.
func (t *together) count(k int) error { return t.parts[k].countTuples(t.shares[k]) }

// addCounts adds up the counts of all devices at the vertices of range k.
func (t *together) addCounts(k int) error {
	from := make([]uint64, len(t.parts))
	for j, c := range t.parts {
		from[j] = c.rank.Address()
	}
	return errors.Join(t.parts[k].sum(t.parts[k].sizes.labels, from), t.devices[k].Synchronize())
}

// copyCounts copies the sums at the vertices of all other ranges, and adds up the self
// loops of all shares.
func (t *together) copyCounts(k int) error {
	all := facts{Outside: ^uint64(0)}
	for _, c := range t.parts {
		all.Loops += c.facts.Loops
	}
	errs := []error{t.parts[k].deviceFacts.Write(0, []facts{all})}
	for i := range t.parts[1:] {
		from := t.parts[(k+1+i)%len(t.parts)]
		errs = append(errs, t.parts[k].sum(from.sizes.labels, []uint64{from.rank.Address()}))
	}
	// Ranks replace the counts, so all devices must have copied them before.
	return errors.Join(append(errs, t.devices[k].Synchronize())...)
}

// sum writes to the counts at the labels the sums of those in arrays at these addresses.
func (c *construction) sum(labels Range, from []uint64) error {
	count := labels.End - labels.First
	if count == 0 {
		return nil
	}
	args := append([]uint64{c.rank.Address(), labels.First, count, uint64(len(from))}, from...)
	args = append(args, make([]uint64, device.MostTogether-len(from))...)
	return c.launch.run("index", "construct_sum", tilesOf(count, rowThreads), rowThreads, args...)
}

// buildRows builds the rows of range k.
func (t *together) buildRows(k int) error {
	// Tuples of other devices must not be closed while this device reads them.
	return errors.Join(t.parts[k].buildRows(), t.devices[k].Synchronize())
}

// joinInfos gives all graphs the facts of the whole graph, from those of their rows.
func joinInfos(graphs []*Graph) {
	whole := graphs[0].Info
	whole.Arcs, whole.MaxDegree = 0, 0
	for _, g := range graphs {
		whole.Arcs += g.Info.Arcs
		whole.MaxDegree = max(whole.MaxDegree, g.Info.MaxDegree)
	}
	whole.Duplicates = whole.Tuples - whole.SelfLoops - whole.Arcs/2
	for _, g := range graphs {
		g.Info = whole
	}
}
