package divide

import (
	"context"
	"errors"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// Division is a graph on its way to parts. Its phases are ChooseMasters, Count, Allocate,
// Exchange and Construct, in this order. All ranks call them.
type Division struct {
	world  *cluster.World
	team   *parallel.Team
	rows   *Rows
	props  partition.Props
	policy partition.Policy
	rounds int // of masters
	lo, hi int // own parts lo..hi-1

	masters []uint8   // by row
	owners  []uint8   // by own arc, in order
	chunks  []chunk   // of own rows
	counts  [][]tally // by stream and part
	cut     uint64    // arcs between rows with different masters, of all ranks
	arrived []arrival // by own part
	parts   []*Part   // own ones
}

// unknown is the master of a row that has none yet.
const unknown = 1<<8 - 1

// tally is a number of groups and of their arcs. A group is the arcs of one row that one part
// gets.
type tally struct{ Groups, Arcs uint64 }

func (t *tally) add(o tally) { *t = tally{t.Groups + o.Groups, t.Arcs + o.Arcs} }

// New returns a division of rows by a policy. Rules that choose masters in streams do so in
// the given number of rounds.
func New(w *cluster.World, team *parallel.Team, rows *Rows, props partition.Props, policy partition.Policy, rounds int) *Division {
	d := &Division{world: w, team: team, rows: rows, props: props, policy: policy, rounds: rounds}
	d.lo, d.hi = PartsOf(props.Parts, w, w.Rank())
	return d
}

// Masters returns the part of the master of each row, after ChooseMasters.
func (d *Division) Masters() []uint8 { return d.masters }

// Parts returns the own parts, after Construct.
func (d *Division) Parts() []*Part { return d.parts }

// TakeParts is Parts, and makes the caller their owner.
func (d *Division) TakeParts() []*Part {
	parts := d.parts
	d.parts = nil
	return parts
}

// Run runs all phases.
func (d *Division) Run(ctx context.Context) error {
	for _, phase := range []func() error{
		func() error { return d.ChooseMasters(ctx, nil) },
		func() error { return d.Count(ctx, nil) },
		func() error { return d.Allocate(ctx) },
		func() error { return d.Exchange(ctx, nil) },
		func() error { return d.Construct(ctx, nil) },
	} {
		if err := phase(); err != nil {
			return err
		}
	}
	return nil
}

// CountMemory lists the memory of masters and counting.
func CountMemory(rows, arcs uint64, ranks int) []engine.Allocation {
	return []engine.Allocation{
		{Name: "masters of all rows", Bytes: rows, Phase: engine.Searching},
		{Name: "owners of the arcs that the rank reads", Bytes: arcs / uint64(ranks), Phase: engine.Searching},
	}
}

// PartMemory lists the memory of all parts of a rank together, which have that many masters,
// proxies, groups and arcs of perArc bytes, of a graph with so many rows. The largest part has
// largest arcs.
func PartMemory(rows, proxies, groups, arcs, largest, perArc uint64) []engine.Allocation {
	return []engine.Allocation{
		{Name: "arcs of the parts", Bytes: perArc*arcs + 8*groups, Phase: engine.Searching},
		{Name: "arcs of the part under construction", Bytes: perArc * largest, Phase: engine.Searching},
		{Name: "proxies", Bytes: 12 * proxies, Phase: engine.Searching},
		{Name: "local numbers of all rows", Bytes: 4*rows + rows/8, Phase: engine.Searching},
	}
}

// Memory lists the exact memory of this rank's parts but for their proxies, of which it assumes
// the most, after Count.
func (d *Division) Memory() []engine.Allocation {
	var all, largest tally
	var proxies uint64
	for part := d.lo; part < d.hi; part++ {
		t := d.received(part)
		all.add(t)
		largest.Arcs = max(largest.Arcs, t.Arcs)
		proxies += min(d.props.Rows, uint64(d.mastersOf(part))+t.Groups+t.Arcs)
	}
	perArc := uint64(4)
	if d.rows.Weighted {
		perArc += 4
	}
	return PartMemory(d.props.Rows, proxies, all.Groups, all.Arcs, largest.Arcs, perArc)
}

// received returns what a part gets from all streams.
func (d *Division) received(part int) (t tally) {
	for _, of := range d.counts {
		t.add(of[part])
	}
	return t
}

// mastersOf returns the number of masters of a part.
func (d *Division) mastersOf(part int) (n int) {
	for _, m := range d.masters {
		if int(m) == part {
			n++
		}
	}
	return n
}

// Close frees the memory of the division and of its parts, but not of the rows.
func (d *Division) Close() error {
	errs := []error{memory.Free(d.masters), memory.Free(d.owners)}
	for i := range d.arrived {
		errs = append(errs, d.arrived[i].close())
	}
	for _, p := range d.parts {
		errs = append(errs, p.Close())
	}
	*d = Division{}
	return errors.Join(errs...)
}

// Progress tells how many of the steps of a phase are done.
type Progress func(done int64)

func (p Progress) report(done int64) {
	if p != nil {
		p(done)
	}
}
