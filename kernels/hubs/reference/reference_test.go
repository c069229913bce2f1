package reference

import (
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/conformance"
	"graph500/engine"
)

// randomTuples draws tuples among a random number of the vertices, with loops, duplicates,
// leaves and several components.
func randomTuples(r *rand.Rand, vertices int) (tuples []engine.Edge) {
	used := 1 + r.IntN(vertices)
	for range r.IntN(3 * vertices) {
		u, v := r.IntN(used), r.IntN(used)
		if r.IntN(2) == 0 {
			v = r.IntN(1 + r.IntN(used)) // some vertices have many neighbours
		}
		tuples = append(tuples, engine.Edge{U: engine.Label(u), V: engine.Label(v)})
	}
	return tuples
}

// The search of the parts is right on random graphs, whatever the numbers of hubs, labels in a
// chunk and parts.
func TestSearch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		vertices := 1 + r.IntN(100)
		tuples := randomTuples(r, vertices)
		hubs, chunkLabels := r.IntN(1+r.IntN(20)), uint64(1)<<r.IntN(7)
		ends := []uint64{uint64(vertices)}
		for range r.IntN(3) {
			ends = append(ends, r.Uint64N(uint64(vertices)+1))
		}
		slices.Sort(ends)
		parts := Build(uint64(vertices), tuples, hubs, chunkLabels, ends)
		for _, p := range parts {
			checkPart(t, p)
		}
		root := uint32(r.IntN(vertices))
		if (&search{parts: parts}).vertex(root) == NoVertex {
			continue
		}
		var parents []engine.Label
		for _, p := range Search(parts, root) {
			parents = append(parents, engine.Label(p))
		}
		if err := conformance.AnswerOf(vertices, engine.Tuples{Edges: tuples}, engine.Label(root)).Judge(engine.BFS, parents, nil); err != nil {
			t.Fatalf("%d vertices, %d hubs, %d labels a chunk, parts to %v, %v: %v", vertices, hubs, chunkLabels, ends, tuples, err)
		}
	}
}

// checkPart checks lengths and orders that the search of the parts does not need.
func checkPart(t *testing.T, p *Part) {
	t.Helper()
	rows := int(p.Rows())
	lengths := []int{len(p.RowLabels), rows, len(p.RowListAt), rows + 1, len(p.Heads), int(p.HubRows), len(p.Seconds), int(p.HubRows),
		len(p.FurtherAt), int(p.HubRows) + 1, len(p.SingleHub), int(p.SingleRows), len(p.FirstRows), int(p.OtherRows),
		len(p.LeavesAt), int(p.OtherRows) + 1, len(p.ChunkRows), int(p.Chunks()) + 1, len(p.FirstAt), int(p.Chunks()) + 1, len(p.FirstPlaces), len(p.Firsts),
		len(p.HubLabels), int(p.Hubs), len(p.HubListAt), int(p.Hubs) + 1, len(p.HubRowAt), int(p.Hubs) + 1}
	for i := 0; i < len(lengths); i += 2 {
		if lengths[i] != lengths[i+1] {
			t.Fatalf("length %d of the arrays is %d, not %d", i/2, lengths[i], lengths[i+1])
		}
	}
	if rows%PartAlign != 0 || p.HubRows%RowAlign != 0 || p.SingleRows%RowAlign != 0 {
		t.Fatalf("rows are not aligned: %d, %d, %d", p.HubRows, p.SingleRows, p.OtherRows)
	}
	for c, start := range p.ChunkRows[:len(p.ChunkRows)-1] {
		start := uint64(start) - p.FirstRow
		heads := p.Heads[start : uint64(p.ChunkRows[c+1])-p.FirstRow]
		if !slices.IsSortedFunc(heads, func(a, b Head) int { return int(a.Hub) - int(b.Hub) }) {
			t.Fatalf("the rows of a chunk are not in the order of their hubs")
		}
		for i, h := range heads {
			label := p.RowLabels[int(start)+i]
			if (label == None) != (h.Hub == NoHub) || label != None && uint64(label) != p.FirstLabel+uint64(c)*p.ChunkLabels+uint64(h.Place) {
				t.Fatalf("row of label %d has head %v in chunk %d", label, h, c)
			}
		}
	}
	if !slices.IsSorted(p.SingleHub) {
		t.Fatalf("rows with one hub are not in its order")
	}
	checkFirsts(t, p)
}

// checkFirsts checks the lists of first neighbours: they have all leaves and rows of classes 2 and
// 3, and those next to a hub have it.
func checkFirsts(t *testing.T, p *Part) {
	t.Helper()
	for c := range p.Chunks() {
		places, firsts := p.FirstPlaces[p.FirstAt[c]:p.FirstAt[c+1]], p.Firsts[p.FirstAt[c]:p.FirstAt[c+1]]
		if len(places)%FirstAlign != 0 {
			t.Fatalf("a chunk has %d first neighbours", len(places))
		}
		begin := c * p.ChunkLabels
		for v := begin; v < min(begin+p.ChunkLabels, p.EndLabel-p.FirstLabel); v++ {
			x := p.Vertices[v]
			row := uint64(x) - p.FirstRow
			isRow := x&(HubFlag|LeafFlag) == 0
			if x == NoVertex || x&(HubFlag|LeafFlag) == HubFlag || isRow && row < p.HubRows {
				continue
			}
			if len(places) == 0 || uint64(places[0]) != v-begin {
				t.Fatalf("vertex %#x has no first neighbour in the list of its chunk", x)
			}
			hub := uint64(NoHub)
			if isRow && row < p.HubRows+p.SingleRows {
				hub = uint64(p.SingleHub[row-p.HubRows])
			} else if !isRow && x&HubFlag != 0 {
				hub = uint64(x &^ (HubFlag | LeafFlag))
			}
			if hub != NoHub && firsts[0] != p.HubLabels[hub] {
				t.Fatalf("first neighbour %d is not hub %d", firsts[0], hub)
			}
			places, firsts = places[1:], firsts[1:]
		}
		for i := range places {
			if places[i] != 0 || firsts[i] != None {
				t.Fatalf("an unused entry is %d of label %d", firsts[i], places[i])
			}
		}
		if len(places) >= FirstAlign {
			t.Fatalf("a chunk has %d unused entries", len(places))
		}
	}
}

// Ranges cover the rows, are aligned and not too large, and those of the largest part are not too many.
func TestRangesOf(t *testing.T) {
	const largest = 1<<29 + RowAlign*(1<<19+1)
	for _, rows := range []uint64{0, 1, 127, 128, 129, LeastRanges * RangeAlign, LeastRanges*RangeAlign + 1, LeastRanges * NotedRows, MostRanges * (MostNotes - RangeAlign), 1 << 28, largest} {
		count := RangesOf(rows/2, 0).Count // the plan of the memory relies on it that more rows have no fewer ranges
		for _, single := range []uint64{0, rows / 3, rows / 2} {
			several := rows - single
			r := RangesOf(several, single)
			if r.Count*r.Several < several || r.Count*r.Single < single || r.Several+r.Single > MostRangeRows || r.Several%RangeAlign != 0 || r.Single%RangeAlign != 0 ||
				r.Count%LeastRanges != 0 || r.Count == 0 || r.Count > MostRanges || r.Small() != (rows < 1<<28) || r.Count < count {
				t.Errorf("%d rows, %d of them with one hub, have the ranges %+v", rows, single, r)
			}
		}
	}
	r := RangesOf(1000, 500)
	for row, want := range map[uint64]uint64{0: 0, r.Several - 1: 0, r.Several: 1, 999: 999 / r.Several, 1000: 0, 1000 + r.Single - 1: 0, 1000 + r.Single: 1} {
		if got := r.Of(row, 1000); got != want {
			t.Errorf("row %d is in range %d, not %d, of %+v", row, got, want, r)
		}
	}
}
