//go:build cuda

package construct

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/generate"
)

// ConstructTogether is Construct on the devices of a team, from a share of the tuples on
// each. It takes the shares and returns the graphs of the devices of this process. Device k
// gets the rows of range k of Ranges, whose lists are the same as on one device. The number of
// groups may be as small as 1: in each group every device reads the tuples of all others. The
// graphs must be closed in reverse order.
//
// Method: each device counts its share of the tuples. The counts are added up, each range
// of labels on its own device, and copied to all. Each device then ranks all vertices, and
// builds its own rows from the tuples of all shares.
func ConstructTogether(ctx context.Context, team *device.Team, vertices uint64, shares []*generate.Tuples, groups int, hubs uint64) ([]*Graph, error) {
	return buildTogether(ctx, team, vertices, shares, groups, hubs, nil)
}

// SplitTogether is ConstructTogether with the rows of each device in its memory and the host's,
// as ConstructSplit has them, with the same prefix on all devices. into is the memory for the
// devices of this process.
func SplitTogether(ctx context.Context, team *device.Team, vertices uint64, shares []*generate.Tuples, groups int, hubs uint64, into []Split) ([]*Graph, error) {
	return buildTogether(ctx, team, vertices, shares, groups, hubs, into)
}

// buildTogether is SplitTogether, or ConstructTogether if into is nil.
func buildTogether(ctx context.Context, team *device.Team, vertices uint64, shares []*generate.Tuples, groups int, hubs uint64, into []Split) ([]*Graph, error) {
	if len(team.Devices()) != len(shares) || len(shares) == 0 || into != nil && len(into) != len(shares) {
		return nil, fmt.Errorf("graph: %d shares of the tuples, split in %d memories, on %d devices; there must be one each", len(shares), len(into), len(team.Devices()))
	}
	lists, err := generate.Shares(team, shares)
	if err != nil {
		return nil, err
	}
	t := &together{ctx: ctx, team: team, shares: shares, ranges: Ranges(vertices, team.Count())}
	for i, d := range team.Devices() {
		tuples, err := generate.Join(lists[i], team.First()+i)
		if err == nil {
			err = checkScale(vertices, tuples)
		}
		if err != nil {
			return nil, err
		}
		t.parts = append(t.parts, newConstruction(ctx, d, vertices, t.ranges[team.First()+i], tuples, groups, hubs))
	}
	graphs := make([]*Graph, len(t.parts))
	for i, c := range t.parts {
		graphs[i] = c.g
		if into != nil {
			c.split, c.sizes.noPrefix, c.g.Tails = &splitting{Split: into[i]}, into[i].NoPrefix, into[i].Tails
		}
	}
	if err = t.build(
		t.each(func(i int) error { return t.parts[i].measure() }),
		t.agreePrefix(into != nil, func(i int) uint32 { return t.parts[i].g.Prefix }, func(i int, most uint32) error { return t.parts[i].choosePrefix(most) }),
		t.each(func(i int) error { return t.parts[i].buildRows() })); err == nil {
		err = joinInfos(t.team, func(i int) *engine.Graph { return &graphs[i].Info })
	}
	if err != nil {
		for _, g := range slices.Backward(graphs) {
			err = errors.Join(err, g.Close())
		}
		return nil, err
	}
	return graphs, nil
}

// together is the state of one call of ConstructTogether or WeightedParts. Slices of one
// dimension without another note are by index of the device in this process.
type together struct {
	ctx    context.Context
	team   *device.Team
	shares []*generate.Tuples
	parts  []*construction
	ranges []Range                  // by number of the device
	counts [][]device.Array[uint32] // degrees on all devices, by index and number
	loops  uint64                   // self loops of all shares
}

// build counts the tuples and calls steps, one after the other, which build the rows.
func (t *together) build(steps ...func() error) (err error) {
	ranks := make([]device.Array[uint32], len(t.parts))
	for i, c := range t.parts {
		counting, e := c.d.Borrow(c.countingGroup(c.sizes))
		if e != nil {
			return e
		}
		defer func() { err = errors.Join(err, counting.Free()) }()
		ranks[i] = c.rank
	}
	if t.counts, err = device.Reach(t.team, ranks); err != nil {
		return err
	}
	if err := t.inTurn(t.count); err != nil {
		return err
	}
	if err := t.addLoops(); err != nil {
		return err
	}
	if err := t.inTurn(t.addCounts, t.copyCounts); err != nil {
		return err
	}
	return t.inOrder(steps...)
}

// inOrder executes steps of build until one fails.
func (t *together) inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// each returns a step of build for all devices.
func (t *together) each(step func(i int) error) func() error {
	return func() error {
		return t.inTurn(func(i int) error {
			// Tuples of other devices must not be closed while this device reads them.
			return errors.Join(step(i), t.team.Devices()[i].Synchronize())
		})
	}
}

// agreePrefix returns a step of build that gives split rows the longest prefix that fits on
// every device: choose the least of what longest returns.
func (t *together) agreePrefix(split bool, longest func(i int) uint32, choose func(i int, most uint32) error) func() error {
	return func() error {
		if !split {
			return nil
		}
		own := make([]uint32, len(t.parts))
		for i := range own {
			own[i] = longest(i)
		}
		all, err := device.Gather(t.team, own)
		if err != nil {
			return err
		}
		return t.inTurn(func(i int) error { return choose(i, slices.Min(all)) })
	}
}

// inTurn executes steps on all devices, one after the other.
func (t *together) inTurn(steps ...func(i int) error) error {
	for _, step := range steps {
		if err := t.team.Together(step); err != nil {
			return err
		}
		if err := context.Cause(t.ctx); err != nil {
			return err
		}
	}
	return nil
}

// count counts the tuples of a device's share.
func (t *together) count(i int) error { return t.parts[i].countTuples(t.shares[i]) }

// addLoops adds up the self loops of all shares.
func (t *together) addLoops() error {
	sum := make([]int64, 1)
	for _, c := range t.parts {
		sum[0] += int64(c.facts.Loops)
	}
	err := t.team.Sum(sum)
	t.loops = uint64(sum[0])
	return err
}

// addCounts adds up the counts of all devices at the vertices of a device's range.
func (t *together) addCounts(i int) error {
	from := make([]uint64, len(t.ranges))
	for k, counts := range t.counts[i] {
		from[k] = counts.Address()
	}
	return errors.Join(t.parts[i].sum(t.parts[i].sizes.labels, from), t.team.Devices()[i].Synchronize())
}

// copyCounts copies the sums at the vertices of all other ranges.
func (t *together) copyCounts(i int) error {
	errs := []error{t.parts[i].deviceFacts.Write(0, []facts{{Outside: ^uint64(0), Loops: t.loops}})}
	for j := range t.ranges[1:] {
		from := (t.team.First() + i + 1 + j) % len(t.ranges)
		errs = append(errs, t.parts[i].sum(t.ranges[from], []uint64{t.counts[i][from].Address()}))
	}
	// Ranks replace the counts, so all devices must have copied them before.
	return errors.Join(append(errs, t.team.Devices()[i].Synchronize())...)
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

// joinInfos gives the graphs of this process the facts of the whole graph, from those of the
// rows of all devices.
func joinInfos(team *device.Team, of func(i int) *engine.Graph) error {
	own := make([]engine.Graph, len(team.Devices()))
	for i := range own {
		own[i] = *of(i)
	}
	all, err := device.Gather(team, own)
	if err != nil {
		return err
	}
	whole := all[0]
	whole.Arcs, whole.MaxDegree, whole.HostBytes = 0, 0, 0
	for _, info := range all {
		whole.Arcs += info.Arcs
		whole.HostBytes += info.HostBytes
		whole.MaxDegree = max(whole.MaxDegree, info.MaxDegree)
	}
	whole.Duplicates = whole.Tuples - whole.SelfLoops - whole.Arcs/2
	for i := range own {
		*of(i) = whole
	}
	return nil
}
