package divide

import (
	"context"
	"errors"
	"fmt"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
)

// group is the arcs of a row that a part gets.
type group struct{ Row, Arcs uint32 }

// arrival is what a part gets, in the order of the rows: groups, and the destinations and weights
// of their arcs.
type arrival struct {
	groups  []group
	arcs    []uint32
	weights []float32 // none without weights
}

func (a *arrival) close() error {
	err := errors.Join(memory.Free(a.groups), memory.Free(a.arcs), memory.Free(a.weights))
	*a = arrival{}
	return err
}

// Allocate allocates the memory for the arcs of the own parts, after it has found that the parts
// fit into the memory of all ranks. All ranks call it.
func (d *Division) Allocate(ctx context.Context) error {
	if err := d.world.Agree(ctx, d.checkMemory()); err != nil {
		return err
	}
	return d.world.Agree(ctx, d.allocate())
}

// checkMemory returns an error if the own parts do not fit into this rank's share of the memory.
// It does nothing if that is unknown.
func (d *Division) checkMemory() error {
	free, err := memory.Available()
	if err != nil {
		return nil
	}
	free.Bytes /= d.world.OnHost()
	return d.misfit(free)
}

// misfit returns an error if the own parts do not fit into that memory.
func (d *Division) misfit(free memory.Limit) error {
	if need := engine.Peak(d.Memory(), engine.HostMemory); need > free.Bytes {
		return fmt.Errorf("the parts of rank %d need %s of memory, %s are available to it (%s): choose a policy with more even parts, more ranks or a smaller graph",
			d.world.Rank(), memory.Size(need), memory.Size(free.Bytes), free.Source)
	}
	return nil
}

func (d *Division) allocate() (err error) {
	for part := d.lo; part < d.hi; part++ {
		t := d.received(part)
		d.arrived = append(d.arrived, arrival{})
		a := &d.arrived[part-d.lo]
		if a.groups, err = memory.Alloc[group](int(t.Groups)); err != nil {
			return err
		}
		if a.arcs, err = memory.Alloc[uint32](int(t.Arcs)); err != nil {
			return err
		}
		if !d.rows.Weighted {
			continue
		}
		if a.weights, err = memory.Alloc[float32](int(t.Arcs)); err != nil {
			return err
		}
	}
	return nil
}

// before returns what a part gets from the streams before one.
func (d *Division) before(stream, part int) (t tally) {
	for _, of := range d.counts[:stream] {
		t.add(of[part])
	}
	return t
}

// exchange is the state of Exchange.
type exchange struct {
	*Division
	next    [][]tally // by rank and own part: where the next groups and arcs from there belong
	staged  []arrival // by part of other ranks: what they get in this round
	tallies *cluster.Exchanger[tally]
	groups  *cluster.Exchanger[group]
	arcs    *cluster.Exchanger[uint32]
	weights *cluster.Exchanger[float32]
}

// Exchange sends the arcs to their owners, in rounds of about pieceArcs arcs of each rank. The
// steps of progress are arcs of this rank. Afterwards, the owners of arcs are forgotten.
func (d *Division) Exchange(ctx context.Context, progress Progress) error {
	x := &exchange{Division: d, staged: make([]arrival, d.props.Parts),
		tallies: cluster.NewExchanger[tally](d.world), groups: cluster.NewExchanger[group](d.world), arcs: cluster.NewExchanger[uint32](d.world), weights: cluster.NewExchanger[float32](d.world)}
	for rank := range d.world.Size() {
		first, _ := PartsOf(d.props.Parts, d.world, rank)
		next := make([]tally, d.hi-d.lo)
		for i := range next {
			next[i] = d.before(first, d.lo+i)
		}
		x.next = append(x.next, next)
	}
	batches := d.batches()
	rounds := []int64{int64(len(batches))}
	if err := d.world.Max(ctx, rounds); err != nil {
		return err
	}
	for round := range rounds[0] {
		var batch []chunk
		if round < int64(len(batches)) {
			batch = batches[round]
		}
		if err := x.round(ctx, batch); err != nil {
			return err
		}
		if len(batch) > 0 {
			progress.report(int64(d.rows.Offsets[batch[len(batch)-1].hi]))
		}
	}
	err := memory.Free(d.owners)
	d.owners, d.chunks = nil, nil
	return err
}

// batches divides the chunks into those of each round.
func (d *Division) batches() (batches [][]chunk) {
	offsets := d.rows.Offsets
	for lo := 0; lo < len(d.chunks); {
		hi := lo + 1
		for hi < len(d.chunks) && offsets[d.chunks[hi].lo]-offsets[d.chunks[lo].lo] < pieceArcs {
			hi++
		}
		batches = append(batches, d.chunks[lo:hi])
		lo = hi
	}
	return batches
}

// round sends the arcs of chunks, and stores those that arrive.
func (x *exchange) round(ctx context.Context, batch []chunk) error {
	ends := make([]tally, x.props.Parts) // in arrived or staged
	for i := range x.arrived {
		ends[x.lo+i] = x.next[x.world.Rank()][i]
	}
	starts := make([][]tally, len(batch)) // of each chunk in each part
	for i, c := range batch {
		starts[i] = append(starts[i], ends...)
		for part, t := range c.counts {
			ends[part].add(t)
		}
	}
	for part := range x.staged {
		if part < x.lo || part >= x.hi {
			s := &x.staged[part]
			s.groups, s.arcs = grown(s.groups, ends[part].Groups), grown(s.arcs, ends[part].Arcs)
			if x.rows.Weighted {
				s.weights = grown(s.weights, ends[part].Arcs)
			}
		}
	}
	err := x.team.For(ctx, len(batch), 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			x.sort(&batch[i], starts[i])
		}
	})
	if err != nil {
		return err
	}
	copy(x.next[x.world.Rank()], ends[x.lo:x.hi])
	if x.world.Size() == 1 {
		return nil
	}
	return x.send(ctx)
}

// grown returns s with n elements of any value.
func grown[T any](s []T, n uint64) []T {
	if uint64(cap(s)) < n {
		s = make([]T, n, n+n/4)
	}
	return s[:n]
}

// target returns where the arcs of a part go.
func (x *exchange) target(part int) *arrival {
	if part >= x.lo && part < x.hi {
		return &x.arrived[part-x.lo]
	}
	return &x.staged[part]
}

// sort stores the arcs of a chunk by part, from starts on.
func (x *exchange) sort(c *chunk, starts []tally) {
	r := x.rows
	targets, next := make([]*arrival, len(starts)), starts
	for part := range targets {
		targets[part] = x.target(part)
	}
	lengths := make([]uint32, len(starts)) // of the row's group
	for i := c.lo; i < c.hi; i++ {
		owners := x.owners[r.Offsets[i]:r.Offsets[i+1]]
		var at uint64 // set of parts
		for k, u := range r.Neighbors[r.Offsets[i]:r.Offsets[i+1]] {
			part := owners[k]
			targets[part].arcs[next[part].Arcs] = u
			if r.Weighted {
				targets[part].weights[next[part].Arcs] = r.Weights[r.Offsets[i]+uint64(k)]
			}
			next[part].Arcs++
			lengths[part]++
			at |= 1 << part
		}
		for part := range lengths {
			if at>>part&1 != 0 {
				targets[part].groups[next[part].Groups] = group{r.First + i, lengths[part]}
				next[part].Groups++
				lengths[part] = 0
			}
		}
	}
}

// send sends what is staged to the ranks of the parts, and stores what arrives.
func (x *exchange) send(ctx context.Context) error {
	ranks := x.world.Size()
	most := (x.props.Parts + ranks - 1) / ranks // parts of a rank
	var tallies [][]tally
	groups, arcs, weights := make([][][]group, most), make([][][]uint32, most), make([][][]float32, most) // by place of a part in its rank, and rank
	for i := range most {
		groups[i], arcs[i], weights[i] = make([][]group, ranks), make([][]uint32, ranks), make([][]float32, ranks)
	}
	for rank := range ranks {
		lo, hi := PartsOf(x.props.Parts, x.world, rank)
		var own []tally
		for part := lo; part < hi && rank != x.world.Rank(); part++ {
			s := &x.staged[part]
			groups[part-lo][rank], arcs[part-lo][rank], weights[part-lo][rank] = s.groups, s.arcs, s.weights
			own = append(own, tally{uint64(len(s.groups)), uint64(len(s.arcs))})
		}
		tallies = append(tallies, own)
	}
	counts, err := x.tallies.Exchange(ctx, tallies)
	if err != nil {
		return err
	}
	gotGroups, err := x.groups.Exchange(ctx, groups...)
	if err != nil {
		return err
	}
	gotArcs, err := x.arcs.Exchange(ctx, arcs...)
	if err != nil {
		return err
	}
	var gotWeights []float32
	if x.rows.Weighted {
		if gotWeights, err = x.weights.Exchange(ctx, weights...); err != nil {
			return err
		}
	}
	for rank, next := range x.next {
		for i := 0; i < len(next) && rank != x.world.Rank(); i++ {
			gotGroups = gotGroups[copy(x.arrived[i].groups[next[i].Groups:], gotGroups[:counts[0].Groups]):]
			gotArcs = gotArcs[copy(x.arrived[i].arcs[next[i].Arcs:], gotArcs[:counts[0].Arcs]):]
			if x.rows.Weighted {
				gotWeights = gotWeights[copy(x.arrived[i].weights[next[i].Arcs:], gotWeights[:counts[0].Arcs]):]
			}
			next[i].add(counts[0])
			counts = counts[1:]
		}
	}
	return nil
}
