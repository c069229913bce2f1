// Package divide divides a graph between parts by a policy of package partition, in the phases
// of CuSP (Hoang et al., IPDPS 2019): reading, masters, counting, allocation, exchange and
// construction. The ranks of a world have the parts, each about the same number of them; one
// rank has all. The result is the same for any number of ranks and threads.
//
// It knows neither searches nor flags, nor what a rule does.
package divide

import (
	"context"
	"errors"

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
// labels, numbered from 0 in Graph.
type Share struct {
	Ranges partition.Ranges
	Graph  *graph.CSR
}

// Rows are the rows of a graph, and the arcs of those that this rank reads. Rows are the
// vertices with an edge to another vertex, numbered from 0 in the order of their labels.
type Rows struct {
	Vertices uint64
	Labels   []engine.Local // of all rows
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
	if ranks > 1 {
		plan = append(plan, engine.Allocation{Name: "arcs on their way to their reader", Bytes: 4*own + 3*4*pieceArcs, Phase: engine.Preparation})
	}
	return plan
}

// Read returns the rows that this rank reads, as props says. It completes Rows and Arcs of
// props. All ranks call it.
func Read(ctx context.Context, w *cluster.World, team *parallel.Team, of Share, props *partition.Props) (*Rows, error) {
	r := &Rows{Vertices: of.Ranges.Vertices()}
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
		own, err = renumber(ctx, team, of.Graph.Neighbors, numbers)
	}
	err = errors.Join(err, memory.Free(numbers))
	if err == nil && w.Size() > 1 {
		own, err = r.move(ctx, w, own)
	}
	if err != nil {
		return nil, errors.Join(err, memory.Free(own), r.Close())
	}
	r.Neighbors = own
	return r, nil
}

// number finds the rows of all ranks and returns the numbers of all labels.
func (r *Rows) number(ctx context.Context, w *cluster.World, of Share) ([]uint32, error) {
	size := 64 * of.Ranges.Words()
	own, err := memory.Alloc[uint32](size)
	if err != nil {
		return nil, err
	}
	g := of.Graph
	for v := range engine.Local(64 * len(g.Present)) {
		if g.Has(v) {
			row := g.Row(v)
			own[v] = uint32(g.Offsets[row+1] - g.Offsets[row])
		}
	}
	numbers, err := memory.Alloc[uint32](size * w.Size()) // first the degrees
	if err == nil {
		err = cluster.Allgather(ctx, w, own, numbers)
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
	if r.Labels, err = memory.Alloc[engine.Local](rows); err != nil {
		return numbers, err
	}
	if r.Degrees, err = memory.Alloc[uint32](rows); err != nil {
		return numbers, err
	}
	n := 0
	for v, d := range numbers {
		if d > 0 {
			r.Labels[n], r.Degrees[n], numbers[v] = engine.Local(v), d, uint32(n)
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
func renumber(ctx context.Context, team *parallel.Team, labels []engine.Local, numbers []uint32) ([]uint32, error) {
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

// move sends the arcs of this rank's share to the ranks that read them and returns those that
// this rank reads. It frees own. All arcs have an order, that of their rows; each rank has
// consecutive ones before and after.
func (r *Rows) move(ctx context.Context, w *cluster.World, own []uint32) ([]uint32, error) {
	shares := make([]uint64, w.Size()) // arcs of each rank's share
	err := cluster.Allgather(ctx, w, []uint64{uint64(len(own))}, shares)
	if err != nil {
		return own, err
	}
	before, longest := make([]uint64, w.Size()+1), uint64(0)
	for rank, n := range shares {
		before[rank+1], longest = before[rank]+n, max(longest, n)
	}
	lo, hi := r.readers[w.Rank()], r.readers[w.Rank()+1]
	all, err := memory.Alloc[uint32](int(hi - lo))
	if err != nil {
		return own, err
	}
	x := cluster.NewExchanger[uint32](w)
	parts := make([][]uint32, w.Size())
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
			from, to := piece(w.Rank(), r.readers[rank], r.readers[rank+1])
			parts[rank] = nil
			if from < to {
				parts[rank] = own[from-first : to-first]
			}
		}
		got, err := x.Exchange(ctx, parts)
		if err != nil {
			return nil, errors.Join(err, memory.Free(all)) // MPI may still use own
		}
		for rank := range parts {
			if from, to := piece(rank, lo, hi); from < to {
				got = got[copy(all[from-lo:to-lo], got):]
			}
		}
	}
	return all, memory.Free(own)
}

// Close frees the memory.
func (r *Rows) Close() error {
	err := errors.Join(memory.Free(r.Labels), memory.Free(r.Degrees), memory.Free(r.Neighbors))
	*r = Rows{}
	return err
}
