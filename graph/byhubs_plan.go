package graph

import (
	"math/bits"
	"slices"

	"graph500/engine"
)

// HubForm are the parameters of a ByHubs.
type HubForm struct {
	ChunkBits uint // log2 of the labels in a chunk, 6 to 16; fewer if the lists of a chunk are long
	Hubs      int  // largest number of hubs, at most MostHubs
}

const (
	leastChunkBits = 6 // a chunk is at least one word of Present
	mostChunkBits  = 16
	usualChunkBits = 12 // least of HubFormOf
	rowsPerHub     = 5  // there is one hub for so many vertices with a neighbour, or fewer
)

// HubFormOf returns the form of a graph for searches by a number of workers: each gets several
// chunks, but chunks are as long as possible, because that makes runs long.
func HubFormOf(vertices uint64, workers int) HubForm {
	chunks := uint64(8 * workers)
	chunk := bits.Len64(vertices/chunks) - 1
	return HubForm{ChunkBits: uint(min(max(chunk, usualChunkBits), mostChunkBits)), Hubs: MostHubs}
}

// PlanByHubs lists the memory of Build followed by ByHubs, for a share of a graph with these numbers
// of rows and arcs in it, and of words of its lists, at most one an arc, under the assumptions of Plan and
// chunks of equally many arcs.
func PlanByHubs(form HubForm, of Share, rows, arcs, lists uint64, workers int, keep bool) []engine.Allocation {
	plan := Plan(of, rows, arcs, workers)
	b := &hubBuilder{form: form, of: of, to: new(ByHubs)}
	chunks := of.Owned>>form.ChunkBits + 1
	numbers, ofAll := of.RowNumbers(rows)
	kept := slices.Concat(b.to.vertices(of.Owned).Plan(), b.to.hubs(uint64(min(form.Hubs, MostHubs))).Plan(), b.to.byRow(numbers).Plan(), b.to.runs(rows).Plan())
	if of.isPart() {
		kept = append(kept, slices.Concat(b.to.rowLabels(ofAll).Plan(), b.to.hubLists(arcs).Plan())...)
	}
	if keep {
		kept = append(kept, engine.Allocation{Name: "lists of rows and hubs", Bytes: 4 * lists})
	}
	during := b.temporary().Plan()
	during = append(during, engine.Allocation{Bytes: 5 * (arcs / chunks) * min(chunks, uint64(workers))})
	converting, sorting := uint64(0), uint64(0) // bytes of the conversion, and of what is freed before it
	for i, a := range kept {
		converting += a.Bytes
		kept[i].Phase = engine.Searching
	}
	for _, a := range during {
		converting += a.Bytes
	}
	for i, a := range plan {
		switch {
		case a.Phase == engine.Construction: // freed before
			sorting += a.Bytes
		case a.Phase == engine.Searching: // of the rows
			converting += a.Bytes
		}
		if !keep && a.Name != neighborsName {
			plan[i].Phase = engine.Construction
		}
		if !keep && a.Phase == engine.Searching {
			plan[i].Bytes = 0
		}
		if !keep && a.Name == neighborsName { // the lists take over their memory
			plan[i].Bytes = 4 * lists
			plan = append(plan, engine.Allocation{Name: a.Name, Bytes: 4 * (arcs - lists), Phase: engine.Construction})
		}
	}
	plan = slices.DeleteFunc(plan, func(a engine.Allocation) bool { return a.Bytes == 0 })
	if converting > sorting {
		plan = append(plan, engine.Allocation{Name: "order by hubs", Bytes: converting - sorting, Phase: engine.Construction})
	}
	return append(plan, kept...)
}

// RowNumbers returns the largest number of row numbers of a share with a number of rows, and of all
// shares if none has more.
func (of Share) RowNumbers(rows uint64) (own, ofAll uint64) {
	own = rowNumbers(of.Owned, rows)
	if !of.isPart() {
		return own, own
	}
	const padding = 126 // of the first and the last chunk of a share
	shares := uint64(of.Shares)
	return own, min(shares*own, rowNumbers(of.Vertices, min(of.Vertices, shares*rows))+padding*shares)
}

// rowNumbers returns the largest number of row numbers for a number of rows, in chunks of at least
// 2^12 labels.
func rowNumbers(vertices, rows uint64) uint64 {
	return (rows + 63*min(rows, vertices>>usualChunkBits+1) + 63) &^ 63
}
