package divide

import (
	"context"
	"errors"

	"graph500/cluster"
	"graph500/memory"
	"graph500/partition"
)

// ChooseMasters chooses the master of each row. The steps of progress are rows of all ranks.
func (d *Division) ChooseMasters(ctx context.Context, progress Progress) (err error) {
	if d.masters, err = memory.Alloc[uint8](len(d.rows.Labels)); err != nil {
		return err
	}
	if d.policy.Masters.Streams {
		return d.chooseInRounds(ctx, progress)
	}
	arcs := uint64(0)
	for row, degree := range d.rows.Degrees {
		r := partition.Row{Number: uint64(row), FirstArc: arcs, Degree: uint64(degree)}
		d.masters[row] = uint8(d.policy.Masters.Master(&d.props, r, nil, nil))
		arcs += r.Degree
	}
	progress.report(int64(len(d.masters)))
	return context.Cause(ctx)
}

// stream is a part that chooses the masters of the rows that it reads.
type stream struct {
	d      *Division
	loads  []partition.Load // as the stream knows them
	near   [1 << 8]uint32   // by part, of the current row; the last one counts neighbours without a master
	lo, hi uint32           // rows of this round
	chosen []uint8          // of them
}

// piece returns the rows of a stream that come in a round.
func (d *Division) piece(part, round int) (lo, hi uint32) {
	first := d.rows.Streams[part]
	n := int(d.rows.Streams[part+1] - first)
	size := max(1, (n+d.rounds-1)/d.rounds)
	return first + uint32(min(round*size, n)), first + uint32(min((round+1)*size, n))
}

// chooseInRounds lets all streams choose masters at the same time. In a round, each goes
// through a piece of its rows. After the round, all know all choices, and the loads.
func (d *Division) chooseInRounds(ctx context.Context, progress Progress) error {
	for row := range d.masters {
		d.masters[row] = unknown
	}
	streams := make([]stream, d.hi-d.lo)
	for i := range streams {
		streams[i].d = d
	}
	most := 0 // rows of a rank in a round
	for rank := range d.world.Size() {
		n := 0
		for part, hi := PartsOf(d.props.Parts, d.world, rank); part < hi; part++ {
			lo, hi := d.piece(part, 0) // the first piece is the longest
			n += int(hi - lo)
		}
		most = max(most, n)
	}
	own, err := memory.Alloc[uint8](most)
	if err != nil {
		return err
	}
	all, err := memory.Alloc[uint8](most * d.world.Size())
	if err != nil {
		return errors.Join(err, memory.Free(own))
	}
	loads := make([]partition.Load, d.props.Parts)
	for round := range d.rounds {
		if err := d.round(ctx, round, streams, loads, own); err != nil {
			return err // MPI may still use the memory
		}
		if err := cluster.Allgather(ctx, d.world, own, all); err != nil {
			return err
		}
		if err := d.publish(ctx, round, streams, loads, all); err != nil {
			return err
		}
		_, done := d.piece(d.lo, round)
		progress.report(int64(done-d.rows.Streams[d.lo]) * int64(d.props.Parts))
	}
	return errors.Join(memory.Free(own), memory.Free(all))
}

// round lets the own streams choose the masters of their rows of a round, in chosen one after
// the other.
func (d *Division) round(ctx context.Context, round int, streams []stream, loads []partition.Load, chosen []uint8) error {
	for i := range streams {
		s := &streams[i]
		s.lo, s.hi = d.piece(d.lo+i, round)
		s.chosen, chosen = chosen[:s.hi-s.lo], chosen[s.hi-s.lo:]
		s.loads = append(s.loads[:0], loads...)
	}
	return d.team.For(ctx, len(streams), 1, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			streams[i].choose()
		}
	})
}

// choose chooses the masters of a stream's rows of this round.
func (s *stream) choose() {
	d, row := s.d, s.lo
	near := func() []uint32 {
		s.countNear(row)
		return s.near[:]
	}
	first := d.rows.First
	arcs := d.rows.readers[d.world.Rank()]
	for ; row < s.hi; row++ {
		from := d.rows.Offsets[row-first]
		r := partition.Row{Number: uint64(row), FirstArc: arcs + from, Degree: d.rows.Offsets[row-first+1] - from}
		s.chosen[row-s.lo] = uint8(d.policy.Masters.Master(&d.props, r, near, s.loads))
	}
}

// countNear counts the neighbours of a row by master.
func (s *stream) countNear(row uint32) {
	d := s.d
	masters, lo, before, chosen := d.masters, s.lo, row-s.lo, s.chosen
	clear(s.near[:d.props.Parts])
	i := row - d.rows.First
	for _, u := range d.rows.Neighbors[d.rows.Offsets[i]:d.rows.Offsets[i+1]] {
		m := masters[u]
		if u-lo < before { // one of this stream and round, above
			m = chosen[u-lo]
		}
		s.near[m]++
	}
}

// publish stores the masters that the streams of all ranks have chosen in a round, and adds
// what that changed to the loads.
func (d *Division) publish(ctx context.Context, round int, streams []stream, loads []partition.Load, all []uint8) error {
	size := len(all) / d.world.Size()
	for rank := range d.world.Size() {
		of := all[rank*size:]
		for part, hi := PartsOf(d.props.Parts, d.world, rank); part < hi; part++ {
			lo, hi := d.piece(part, round)
			of = of[copy(d.masters[lo:hi], of):]
		}
	}
	changes := make([]int64, 2*len(loads))
	for _, s := range streams {
		for part, l := range s.loads {
			changes[2*part] += int64(l.Rows - loads[part].Rows)
			changes[2*part+1] += int64(l.Arcs - loads[part].Arcs)
		}
	}
	if err := d.world.Sum(ctx, changes); err != nil {
		return err
	}
	for part := range loads {
		loads[part].Rows += uint64(changes[2*part])
		loads[part].Arcs += uint64(changes[2*part+1])
	}
	return nil
}
