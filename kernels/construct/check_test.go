//go:build cuda

package construct

import (
	"math"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// check compares the graphs of all devices with the reference.
func (r *reference) check(t *testing.T, graphs []*Graph, f Form) {
	t.Helper()
	want := r.infoOf(f)
	want.Regenerated, want.HostTuples = graphs[0].Info.Regenerated, graphs[0].Info.HostTuples
	prefix := math.MaxUint32
	if f.splits() {
		prefix = r.longestPrefix(f)
		want.Prefix = int64(prefix)
	}
	if f.splits() {
		size := int64(4)
		if f.Order == ByWeight {
			size = 8
		}
		for v := range r.vertices {
			_, sectors := needOf([]int{r.degree(f, v)}, prefix)
			want.HostBytes += size * SectorArcs * int64(sectors)
		}
	}
	ranges := r.ranges(f)
	for k, g := range graphs {
		if g.Labels != ranges[k] || !slices.Equal(g.Ranges, ranges) || g.Info != want || int(g.Prefix) != prefix || g.IsSplit() != f.splits() {
			t.Fatalf("graph %d of %d has the labels %v, the prefix %d of %d and the facts %+v, want %+v", k, f.Devices, g.Labels, g.Prefix, prefix, g.Info, want)
		}
		r.checkIndex(t, g)
		r.checkHas(t, g)
		switch {
		case f.Order == ByDegree:
			r.checkNeighbors(t, g, f)
		case f.Distributed:
			r.checkByLabel(t, g)
		default:
			r.checkByNumber(t, g, f, k)
		}
		if mean := graphs[0].ByWeight.MeanWeight; g.ByWeight.MeanWeight != mean || f.Order == ByWeight && !r.plausibleMean(mean) {
			t.Fatalf("graph %d has the mean weight %v, graph 0 %v", k, g.ByWeight.MeanWeight, mean)
		}
	}
	if f.numbered() {
		for k, g := range graphs {
			a, b := g.ByWeight, graphs[0].ByWeight
			if !slices.Equal(devicetest.Host(t, a.Rows), devicetest.Host(t, b.Rows)) || !slices.Equal(devicetest.Host(t, a.Labels), devicetest.Host(t, b.Labels)) {
				t.Fatalf("graph %d has other rows or labels than graph 0", k)
			}
		}
	}
}

// plausibleMean reports whether a mean of samples lies within the weights.
func (r *reference) plausibleMean(mean float32) bool {
	least, most := float32(math.Inf(1)), float32(0)
	for i, e := range r.tuples.Edges {
		if e.U != e.V {
			least, most = min(least, r.tuples.Weights[i]), max(most, r.tuples.Weights[i])
		}
	}
	return mean >= min(least, most)*0.999 && mean <= most*1.001
}

// checkIndex compares the index of a range, all words of it.
func (r *reference) checkIndex(t *testing.T, g *Graph) {
	t.Helper()
	index, rows := devicetest.Host(t, g.Index), uint64(0)
	if uint64(len(index)) != 32*g.Labels.tiles() {
		t.Fatalf("the index of %v has %d words", g.Labels, len(index))
	}
	for w, word := range index {
		want := rows << 32
		for b := range uint64(32) {
			if v := g.Labels.First + uint64(32*w) + b; v < g.Labels.End && r.counts[v] > 0 {
				want |= 1 << b
				rows++
			}
		}
		if word != want {
			t.Fatalf("word %d of the index of %v is %x, want %x", w, g.Labels, word, want)
		}
	}
}

// checkHas looks up the first and the last vertices of the range and some between.
func (r *reference) checkHas(t *testing.T, g *Graph) {
	t.Helper()
	var asked []engine.Vertex
	var want []bool
	for v := g.Labels.First; v < g.Labels.End; v += 1 + (g.Labels.End-v)/9 {
		asked, want = append(asked, engine.Vertex(v)), append(want, r.counts[v] > 0)
	}
	if got, err := g.Has(asked); err != nil || !slices.Equal(got, want) {
		t.Fatalf("vertices %v: %v, want %v (%v)", asked, got, want, err)
	}
	for _, v := range []uint64{g.Labels.First - 1, g.Labels.End} {
		if _, err := g.Has([]engine.Vertex{engine.Vertex(v)}); err == nil {
			t.Fatalf("vertex %d is in %v", v, g.Labels)
		}
	}
}

// checkNeighbors compares rows of the order ByDegree, and the hubs.
func (r *reference) checkNeighbors(t *testing.T, g *Graph, f Form) {
	t.Helper()
	if hubs := r.hubs[:min(len(r.hubs), int(f.Hubs))]; !slices.Equal(devicetest.Host(t, g.ByDegree.Hubs), hubs) {
		t.Fatalf("%d hubs, want the vertices %v", g.ByDegree.Hubs.Len(), hubs)
	}
	room, used := 0, 0 // duplicates leave words at the end
	for _, count := range r.counts[g.Labels.First:g.Labels.End] {
		words, _ := needOf([]int{count}, int(g.Prefix))
		room += words
	}
	for _, list := range r.lists[g.Labels.First:g.Labels.End] {
		words, _ := needOf([]int{len(list)}, int(g.Prefix))
		used += words
	}
	if g.ByDegree.Neighbors.Len() != room {
		t.Fatalf("room for %d words, want %d", g.ByDegree.Neighbors.Len(), room)
	}
	rows, front := devicetest.Host(t, g.ByDegree.Rows), devicetest.First(t, g.ByDegree.Neighbors, used)
	at, place := uint64(0), 0
	for v := g.Labels.First; v < g.Labels.End; v++ {
		list := r.lists[v]
		if len(list) == 0 {
			continue
		}
		if want := (Row{at, uint32(len(list)), engine.Label(v)}); place >= len(rows) || rows[place] != want {
			t.Fatalf("row %d of %d is not %+v", place, len(rows), want)
		}
		inFront := min(uint64(len(list)), uint64(g.Prefix))
		got := slices.Clone(front[at:][:inFront])
		at += inFront
		if rest := len(list) - int(inFront); rest > 0 {
			got = append(got, g.ByDegree.Tails.Host()[TailAt(uint32(front[at])):][:rest]...)
			at++
		}
		if !slices.Equal(got, list) {
			t.Fatalf("vertex %d has the neighbours %v, want %v", v, got, list)
		}
		place++
	}
	if place != len(rows) {
		t.Fatalf("%d rows, want %d", len(rows), place)
	}
}

// hostArcs is the rows of the order ByWeight of a device, in host memory.
type hostArcs struct {
	arcs, tails []Arc
	rows        []WeightedRow
	labels      []engine.Label
	heads       []Head
	headLabels  [][2]engine.Label
	thirds      []Third
	order       []engine.Label
}

// copyArcs copies the arrays of rows with numbers.
func copyArcs(t *testing.T, g *Graph) *hostArcs {
	t.Helper()
	r := &g.ByWeight
	h := &hostArcs{devicetest.Host(t, r.Arcs), nil, devicetest.Host(t, r.Rows), devicetest.Host(t, r.Labels), devicetest.Host(t, r.Heads),
		devicetest.Host(t, r.HeadLabels), devicetest.Host(t, r.Thirds), devicetest.Host(t, r.Order)}
	if g.IsSplit() {
		h.tails = r.Tails.Host()
	}
	return h
}

// checkByNumber compares rows of the order ByWeight that have numbers, those of device k.
func (r *reference) checkByNumber(t *testing.T, g *Graph, f Form, k int) {
	t.Helper()
	h, numberOf := copyArcs(t, g), func(at int) int { return at }
	if f.numbered() {
		numberOf = func(at int) int { return (at/32*f.Devices+k)*32 + at%32 }
		if len(h.rows)%(32*f.Devices) != 0 {
			t.Fatalf("%d rows on %d devices", len(h.rows), f.Devices)
		}
	}
	var front, used uint64
	place := 0
	for v := g.Labels.First; v < g.Labels.End; v++ {
		want := r.arcs[v]
		if len(want) == 0 {
			continue
		}
		number := h.thirds[place].Row
		if h.order[place] != engine.Label(v) || h.labels[number] != engine.Label(v) {
			t.Fatalf("vertex %d: place %d is that of %d, row %d that of %d", v, place, h.order[place], number, h.labels[number])
		}
		row := h.rows[number]
		if start := front | uint64(k)<<ownerShift; row.Start.Offset() != start || int(row.Degree) != len(want) || int(row.Place) != place {
			t.Fatalf("vertex %d at place %d has the row %+v, want %d arcs at %#x", v, place, row, len(want), start)
		}
		own := slices.Clone(h.arcs[front:][:min(uint64(len(want)), uint64(g.Prefix))])
		front += uint64(len(own))
		if rest := uint64(len(want) - len(own)); rest > 0 {
			tail := h.arcs[front]
			if at := uint64(tail.To) | uint64(math.Float32bits(tail.Weight))<<32; at != used {
				t.Fatalf("the tail of vertex %d begins at %d, want %d", v, at, used)
			}
			own = append(own, h.tails[used:][:rest]...)
			front, used = front+1, used+(rest+SectorArcs-1)/SectorArcs*SectorArcs
		}
		h.checkRow(t, place, row, own, want)
		place++
	}
	if len(h.order) != place || uint64(len(h.arcs)) != front {
		t.Fatalf("%d rows and %d arcs, want %d and %d", len(h.order), len(h.arcs), place, front)
	}
	h.checkNumbers(t, len(h.rows)/f.Devices, place, numberOf)
}

// checkRow compares the row at a place, which has own arcs that lead to numbers.
func (h *hostArcs) checkRow(t *testing.T, place int, row WeightedRow, own, want []Arc) {
	t.Helper()
	head, third := headOf(own)
	labels := [2]engine.Label{h.labels[head.First.To], h.labels[head.Second.To]}
	if h.heads[place] != head || row.Head != head || h.headLabels[place] != labels || h.thirds[place].Weight != third ||
		uint64(row.Start)>>40 != uint64(math.Float32bits(third)>>7) {
		t.Fatalf("place %d: head %v of %v, labels %v, third weight %v, row %+v", place, h.heads[place], own, h.headLabels[place], h.thirds[place], row)
	}
	for i := range own {
		own[i].To = h.labels[own[i].To]
	}
	checkArcs(t, own, want)
}

// headOf returns the head of a row and its third weight.
func headOf(arcs []Arc) (Head, float32) {
	infinite := float32(math.Inf(1))
	head, third := Head{arcs[0], Arc{arcs[0].To, infinite}}, infinite
	if len(arcs) > 1 {
		head.Second = arcs[1]
	}
	if len(arcs) > 2 {
		third = arcs[2].Weight
	}
	return head, third
}

// checkArcs compares arcs to labels, of which those of equal weight can have any order.
func checkArcs(t *testing.T, got, want []Arc) {
	t.Helper()
	if !slices.IsSortedFunc(got, func(a, b Arc) int { return compareArcs(Arc{0, a.Weight}, Arc{0, b.Weight}) }) {
		t.Fatalf("the arcs %v are not in the order of the weights", got)
	}
	if sorted := slices.SortedFunc(slices.Values(got), compareArcs); !slices.Equal(sorted, want) {
		t.Fatalf("the arcs are %v, want %v", got, want)
	}
}

// checkNumbers checks that the rows of a device fall in degree, those of the largest degrees
// dealt out, and that numbers that are not used have rows without arcs and no label. The device
// has rows rows and all numbers.
func (h *hostArcs) checkNumbers(t *testing.T, all, rows int, numberOf func(at int) int) {
	t.Helper()
	columns := min(rows/64, 1<<10)
	for i, before := 0, uint32(math.MaxUint32); i < all; i++ {
		at := i
		if i < largestApart*columns {
			at = i%columns*largestApart + i/columns
		}
		row, label := h.rows[numberOf(at)], h.labels[numberOf(at)]
		if row.Degree > before || (i < rows) != (row.Degree > 0) || (i < rows) != (label != engine.None) {
			t.Fatalf("row %d of %d is %+v of vertex %d, the one before has %d arcs", i, rows, row, label, before)
		}
		if i >= rows && !math.IsInf(float64(row.Head.First.Weight), 1) {
			t.Fatalf("row %d of %d is %+v", i, rows, row)
		}
		before = row.Degree
	}
}

// checkByLabel compares rows of the order ByWeight whose arcs lead to labels.
func (r *reference) checkByLabel(t *testing.T, g *Graph) {
	t.Helper()
	starts, heads, all := devicetest.Host(t, g.ByWeight.Starts), devicetest.Host(t, g.ByWeight.Heads), devicetest.Host(t, g.ByWeight.Arcs)
	place, at := 0, uint64(0)
	for v := g.Labels.First; v < g.Labels.End; v++ {
		want := r.arcs[v]
		if len(want) == 0 {
			continue
		}
		if starts[place] != at {
			t.Fatalf("vertex %d begins at %d, want %d", v, starts[place], at)
		}
		own := all[at:][:len(want)]
		if head, _ := headOf(own); heads[place] != head {
			t.Fatalf("vertex %d has the head %v, want %v", v, heads[place], head)
		}
		checkArcs(t, own, want)
		place, at = place+1, at+uint64(len(want))
	}
	if len(heads) != place || uint64(len(all)) != at || len(starts) != place+1 || starts[place] != at {
		t.Fatalf("%d rows and %d arcs, want %d and %d", len(heads), len(all), place, at)
	}
}
