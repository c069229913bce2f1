// Package divide divides a graph between parts by a policy of package partition, in the phases
// of CuSP (Hoang et al., IPDPS 2019): reading, masters, counting, allocation, exchange and
// construction. The ranks of a world have the parts, each about the same number of them; one
// rank has all. The result is the same for any number of ranks and threads.
//
// It knows neither searches nor flags, nor what a rule does.
package divide

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
)

// pieceArcs is the number of arcs of a rank in one round of exchanges.
const pieceArcs = 1 << 20

// Share is a rank's part of the rows of a graph before the division: those of its range of
// labels, numbered from 0.
type Share struct {
	Ranges partition.Ranges
	Index  *graph.Index

	// The row of an own vertex with number r in Index has neighbours
	// Neighbors[Offsets[r]:Offsets[r+1]], labels that ascend without repetition.
	Offsets   []uint64
	Neighbors []engine.Label
	Weighted  bool      // on all ranks
	Weights   []float32 // of the neighbours
}

// Plain returns the share of a graph without weights.
func Plain(ranges partition.Ranges, g *graph.CSR) Share {
	return Share{Ranges: ranges, Index: &g.Index, Offsets: g.Offsets, Neighbors: g.Neighbors}
}

// Lightest returns the share of a graph with weights that has the lightest arc to each
// neighbour. Free frees it.
func Lightest(ctx context.Context, team *parallel.Team, ranges partition.Ranges, g *graph.WeightedCSR) (s Share, err error) {
	s = Share{Ranges: ranges, Index: &g.Index, Offsets: make([]uint64, len(g.Offsets)), Weighted: true}
	rows := len(g.Offsets) - 1
	sorted, err := memory.Alloc[graph.Arc](len(g.Arcs))
	if err != nil {
		return s, err
	}
	err = team.For(ctx, rows, 1<<8, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			row := sorted[g.Offsets[r]:g.Offsets[r+1]]
			copy(row, g.Arcs[g.Offsets[r]:g.Offsets[r+1]])
			slices.SortFunc(row, func(a, b graph.Arc) int {
				return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.Weight, b.Weight))
			})
			s.Offsets[r+1] = uint64(len(slices.CompactFunc(row, func(a, b graph.Arc) bool { return a.To == b.To })))
		}
	})
	for r := range rows {
		s.Offsets[r+1] += s.Offsets[r]
	}
	if err == nil {
		s.Neighbors, err = memory.Alloc[engine.Label](int(s.Offsets[rows]))
	}
	if err == nil {
		s.Weights, err = memory.Alloc[float32](int(s.Offsets[rows]))
	}
	if err == nil {
		err = team.For(ctx, rows, 1<<8, func(_, lo, hi int) {
			for r := lo; r < hi; r++ {
				for i := range s.Offsets[r+1] - s.Offsets[r] {
					arc := sorted[g.Offsets[r]+i]
					s.Neighbors[s.Offsets[r]+i], s.Weights[s.Offsets[r]+i] = arc.To, arc.Weight
				}
			}
		})
	}
	if err = errors.Join(err, memory.Free(sorted)); err != nil {
		return s, errors.Join(err, s.Free())
	}
	return s, nil
}

// Free frees the share of Lightest.
func (s *Share) Free() error { return errors.Join(memory.Free(s.Neighbors), memory.Free(s.Weights)) }

// Rows are the rows of a graph, and the arcs of those that this rank reads. Rows are the
// vertices with an edge to another vertex, numbered from 0 in the order of their labels.
type Rows struct {
	Vertices uint64
	Labels   []engine.Label // of all rows
	Degrees  []uint32       // of all rows
	Arcs     uint64         // of all rows

	// Streams has the first row of each part's stream, the rows that it reads, and at the end
	// the number of rows.
	Streams []uint32

	// The arcs of own rows First..First+len(Offsets)-2 are Neighbors[Offsets[i]:Offsets[i+1]]:
	// numbers of rows, ascending, each once.
	First     uint32
	Offsets   []uint64
	Neighbors []uint32
	Weighted  bool
	Weights   []float32 // of the neighbours

	readers []uint64 // first arc that each rank reads, of all arcs in order, and at the end their number
}

// PartsOf returns the parts lo..hi-1 that a rank has.
func PartsOf(parts int, w *cluster.World, rank int) (lo, hi int) {
	return parallel.Split(parts, w.Size(), rank)
}

// ReadMemory lists the memory of the rows of a graph of that size on a rank: of reading them, and
// of all later phases.
func ReadMemory(vertices, rows, arcs uint64, ranks int) []engine.Allocation {
	own := arcs / uint64(ranks)
	plan := []engine.Allocation{
		{Name: "degrees and labels of all rows", Bytes: 8 * rows},
		{Name: "arcs that the rank reads", Bytes: 4*own + 8*rows/uint64(ranks)},
		{Name: "numbers of all vertices", Bytes: 8 * vertices, Phase: engine.Preparation},
	}
	return append(plan, engine.Allocation{Name: "arcs on their way to their reader", Bytes: 4*own + 3*4*pieceArcs, Phase: engine.Preparation})
}

// Read returns the rows that this rank reads, as props says. It completes Rows and Arcs of
// props. All ranks call it.
func Read(ctx context.Context, w *cluster.World, team *parallel.Team, of Share, props *partition.Props) (*Rows, error) {
	r := &Rows{Vertices: of.Ranges.Vertices(), Weighted: of.Weighted}
	numbers, err := r.number(ctx, w, of)
	if err == nil {
		props.Rows, props.Arcs = uint64(len(r.Labels)), r.Arcs
		if r.Arcs == 0 {
			err = errors.New("the graph has no edge between two vertices: there is nothing to divide")
		}
	}
	var own []uint32 // neighbours of the share's rows
	if err == nil {
		r.stream(w, props)
		own, err = renumber(ctx, team, of.Neighbors, numbers)
	}
	err = errors.Join(err, memory.Free(numbers))
	if err == nil && w.Size() == 1 {
		r.Neighbors, own = own, nil
	} else if err == nil {
		r.Neighbors, err = move(ctx, w, r.readers, own)
	}
	if err = errors.Join(err, memory.Free(own)); err == nil && of.Weighted {
		r.Weights, err = move(ctx, w, r.readers, of.Weights)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// number finds the rows of all ranks and returns the numbers of all labels.
func (r *Rows) number(ctx context.Context, w *cluster.World, of Share) ([]uint32, error) {
	bounds := of.Ranges.Bounds()
	own, err := memory.Alloc[uint32](64 * of.Ranges.Words(w.Rank()))
	if err != nil {
		return nil, err
	}
	for v := range engine.Label(64 * len(of.Index.Present)) {
		if of.Index.Has(v) {
			row := of.Index.Row(v)
			own[v] = uint32(of.Offsets[row+1] - of.Offsets[row])
		}
	}
	numbers, err := memory.Alloc[uint32](bounds[w.Size()]) // first the degrees
	if err == nil {
		err = cluster.Gather(ctx, w, own, numbers, bounds)
	}
	if err = errors.Join(err, memory.Free(own)); err != nil {
		return numbers, err
	}
	rows := 0
	for _, d := range numbers {
		if d > 0 {
			rows++
		}
	}
	if r.Labels, err = memory.Alloc[engine.Label](rows); err != nil {
		return numbers, err
	}
	if r.Degrees, err = memory.Alloc[uint32](rows); err != nil {
		return numbers, err
	}
	n := 0
	for v, d := range numbers {
		if d > 0 {
			r.Labels[n], r.Degrees[n], numbers[v] = engine.Label(v), d, uint32(n)
			r.Arcs += uint64(d)
			n++
		}
	}
	return numbers, nil
}

// stream finds the rows that each part and this rank read.
func (r *Rows) stream(w *cluster.World, p *partition.Props) {
	arcsBefore := make([]uint64, p.Parts+1) // of each stream
	r.Streams = make([]uint32, p.Parts+1)
	next, arcs := 0, uint64(0)
	for row, d := range r.Degrees {
		for s := p.Reader(partition.Row{Number: uint64(row), FirstArc: arcs, Degree: uint64(d)}); next <= s; next++ {
			r.Streams[next], arcsBefore[next] = uint32(row), arcs
		}
		arcs += uint64(d)
	}
	for ; next <= p.Parts; next++ {
		r.Streams[next], arcsBefore[next] = uint32(len(r.Degrees)), arcs
	}
	for rank := range w.Size() {
		lo, _ := PartsOf(p.Parts, w, rank)
		r.readers = append(r.readers, arcsBefore[lo])
	}
	r.readers = append(r.readers, arcs)
	lo, hi := PartsOf(p.Parts, w, w.Rank())
	r.First = r.Streams[lo]
	r.Offsets = make([]uint64, r.Streams[hi]-r.First+1)
	for i, d := range r.Degrees[r.First:r.Streams[hi]] {
		r.Offsets[i+1] = r.Offsets[i] + uint64(d)
	}
}

// renumber returns the numbers of labels.
func renumber(ctx context.Context, team *parallel.Team, labels []engine.Label, numbers []uint32) ([]uint32, error) {
	all, err := memory.Alloc[uint32](len(labels))
	if err != nil {
		return nil, err
	}
	return all, team.For(ctx, len(labels), 1<<16, func(_, lo, hi int) {
		for i, v := range labels[lo:hi] {
			all[lo+i] = numbers[v]
		}
	})
}

// move sends what this rank's share has for each arc to the ranks that read the arcs, and
// returns that of the arcs that this rank reads. All arcs have an order, that of their rows; each
// rank has consecutive ones before and after. readers has the first arc that each rank reads, and
// the number of arcs.
func move[T any](ctx context.Context, w *cluster.World, readers []uint64, own []T) ([]T, error) {
	shares := make([]uint64, w.Size()) // arcs of each rank's share
	err := cluster.Allgather(ctx, w, []uint64{uint64(len(own))}, shares)
	if err != nil {
		return nil, err
	}
	before, longest := make([]uint64, w.Size()+1), uint64(0)
	for rank, n := range shares {
		before[rank+1], longest = before[rank]+n, max(longest, n)
	}
	lo, hi := readers[w.Rank()], readers[w.Rank()+1]
	all, err := memory.Alloc[T](int(hi - lo))
	if err != nil {
		return nil, err
	}
	x := cluster.NewExchanger[T](w)
	parts := make([][]T, w.Size())
	for at := uint64(0); at < longest; at += pieceArcs {
		// piece returns what a rank sends to the reader of arcs lo..hi-1 in this round.
		piece := func(rank int, lo, hi uint64) (uint64, uint64) {
			from := min(before[rank]+at, before[rank+1])
			to := min(from+pieceArcs, before[rank+1])
			from, to = max(from, lo), min(to, hi)
			return from, max(from, to)
		}
		first := before[w.Rank()]
		for rank := range parts {
			from, to := piece(w.Rank(), readers[rank], readers[rank+1])
			parts[rank] = nil
			if from < to {
				parts[rank] = own[from-first : to-first]
			}
		}
		got, err := x.Exchange(ctx, parts)
		if err != nil {
			return nil, errors.Join(err, memory.Free(all))
		}
		for rank := range parts {
			if from, to := piece(rank, lo, hi); from < to {
				got = got[copy(all[from-lo:to-lo], got):]
			}
		}
	}
	return all, nil
}

// Close frees the memory.
func (r *Rows) Close() error {
	err := errors.Join(memory.Free(r.Labels), memory.Free(r.Degrees), memory.Free(r.Neighbors), memory.Free(r.Weights))
	*r = Rows{}
	return err
}
