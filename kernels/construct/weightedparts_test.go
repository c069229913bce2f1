//go:build cuda

package construct

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kronecker"
)

// weightedShares copies the tuples to the device as that many shares.
func weightedShares(t *testing.T, d *device.Device, tuples engine.Tuples, number int) []*generate.Tuples {
	t.Helper()
	return generatetest.LoadShares(t, slices.Repeat([]*device.Device{d}, number), generate.Config{}, tuples)
}

// hostPart is what checkPart compares of a part.
type hostPart struct {
	index      []uint64
	rows       []WeightedRow
	labels     []engine.Local
	arcs       []Arc
	heads      []Head
	headLabels [][2]engine.Local
	thirds     []Third
	order      []engine.Local
	prefix     int
	tails      []Arc
}

// arcsOf returns the arcs of a row of that degree from an index of the arcs on.
func (h *hostPart) arcsOf(start uint64, degree int) []Arc {
	if degree <= h.prefix {
		return h.arcs[start:][:degree]
	}
	place := h.arcs[int(start)+h.prefix]
	tail := uint64(place.To) | uint64(math.Float32bits(place.Weight))<<32
	return append(slices.Clone(h.arcs[start:][:h.prefix]), h.tails[tail:][:degree-h.prefix]...)
}

// checkPart compares part k of a graph on that many devices with the arcs of all vertices,
// which lead to labels. It returns the numbers of rows and arcs.
func checkPart(t *testing.T, g *WeightedPart, k, devices int, want [][]Arc) (rows, arcs int) {
	t.Helper()
	h := hostPart{devicetest.Host(t, g.Index), devicetest.Host(t, g.Rows), devicetest.Host(t, g.Labels), devicetest.Host(t, g.Arcs),
		devicetest.Host(t, g.Heads), devicetest.Host(t, g.HeadLabels), devicetest.Host(t, g.Thirds), devicetest.Host(t, g.Order), math.MaxInt, nil}
	if g.IsSplit() {
		h.prefix, h.tails = int(g.Prefix), g.Tails.Host()
	}
	if len(h.rows)%(32*devices) != 0 || len(h.labels) != len(h.rows) {
		t.Fatalf("%d rows and %d labels on one of %d devices", len(h.rows), len(h.labels), devices)
	}
	for v := g.Range.First; v < g.Range.End; v++ {
		has, err := g.Has([]engine.Vertex{engine.Vertex(v)})
		if word := h.index[(v-g.Range.First)/32]; err != nil || has[0] != (len(want[v]) > 0) || has[0] != (word>>(v%32)&1 > 0) {
			t.Fatalf("vertex %d of degree %d: %v, word %x, %v", v, len(want[v]), has, word, err)
		}
		if !has[0] {
			continue
		}
		number := h.thirds[rows].Row
		if h.order[rows] != engine.Local(v) || h.labels[number] != engine.Local(v) || int(number)/32%devices != k {
			t.Fatalf("vertex %d is at place %d of vertex %d, and its row %d is that of vertex %d", v, rows, h.order[rows], number, h.labels[number])
		}
		h.checkRow(t, h.rows[number], rows, k, want[v])
		rows, arcs = rows+1, arcs+len(want[v])
	}
	if len(h.order) != rows || !g.IsSplit() && len(h.arcs) != arcs {
		t.Fatalf("%d rows and %d arcs, want %d and %d", len(h.order), len(h.arcs), rows, arcs)
	}
	h.checkNumbers(t, k, devices, rows)
	return rows, arcs
}

// checkRow compares the row at a place with its arcs.
func (h *hostPart) checkRow(t *testing.T, row WeightedRow, place, device int, want []Arc) {
	t.Helper()
	offset := row.Start.Offset()
	if offset>>ownerShift != uint64(device) || int(row.Degree) != len(want) || int(row.Place) != place {
		t.Fatalf("place %d of device %d has the row %+v, want %d arcs", place, device, row, len(want))
	}
	own := h.arcsOf(offset&(1<<ownerShift-1), int(row.Degree))
	if !slices.IsSortedFunc(own, func(a, b Arc) int { return cmp.Compare(a.Weight, b.Weight) }) {
		t.Fatalf("the row at place %d is not in the order of the weights: %v", place, own)
	}
	head := Head{own[0], Arc{own[0].To, float32(math.Inf(1))}}
	if len(own) > 1 {
		head.Second = own[1]
	}
	third := float32(math.Inf(1))
	if len(own) > 2 {
		third = own[2].Weight
	}
	labels := [2]engine.Local{h.labels[head.First.To], h.labels[head.Second.To]}
	if h.heads[place] != head || row.Head != head || h.headLabels[place] != labels || h.thirds[place].Weight != third {
		t.Fatalf("place %d: head %v of %v, labels %v, third weight %v", place, h.heads[place], own, h.headLabels[place], h.thirds[place])
	}
	got := make([]Arc, len(own))
	for i, a := range own {
		got[i] = Arc{h.labels[a.To], a.Weight}
	}
	compare := func(a, b Arc) int { return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(a.To, b.To)) }
	slices.SortFunc(got, compare)
	if slices.SortFunc(want, compare); !slices.Equal(got, want) {
		t.Fatalf("place %d has the arcs %v, want %v", place, got, want)
	}
}

// checkNumbers checks that the rows of a device, but the largest ones, fall in degree, and
// that rows without a vertex have no arcs and no label.
func (h *hostPart) checkNumbers(t *testing.T, k, devices, rows int) {
	t.Helper()
	dealt := min(rows/64, 1<<10) * largestApart
	for at, before := 0, uint32(math.MaxUint32); at < len(h.rows)/devices; at++ {
		number := (at/32*devices+k)*32 + at%32
		row := h.rows[number]
		if at > dealt && at < rows && row.Degree > before {
			t.Fatalf("row %d has degree %d, the one before %d", at, row.Degree, before)
		}
		before = row.Degree
		if at >= rows && (row.Degree != 0 || !math.IsInf(float64(row.Head.First.Weight), 1) || h.labels[number] != engine.None) {
			t.Fatalf("row %d of %d is %+v of vertex %d", at, rows, row, h.labels[number])
		}
	}
}

// checkWeightedParts builds the graph of the tuples from shares that all lie on one device,
// and compares all parts with the tuples. The rows are split if into is not nil.
func checkWeightedParts(t *testing.T, d *device.Device, vertices uint64, tuples engine.Tuples, shares []*generate.Tuples, groups int, into []SplitArcs) {
	t.Helper()
	devicetest.Dirty(t, d, 64*int(vertices)+1<<20)
	free := d.Free()
	graphs, err := buildParts(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{d}, len(shares))), vertices, shares, groups, into)
	if err != nil {
		t.Fatal(err)
	}
	if graphs[0].IsSplit() != (into != nil) {
		t.Fatalf("prefix %d", graphs[0].Prefix)
	}
	want := make([][]Arc, vertices)
	info := engine.Graph{Vertices: int64(vertices), Tuples: int64(len(tuples.Edges)), Regenerated: graphs[0].Info.Regenerated}
	info.Prefix, info.HostBytes = graphs[0].Info.Prefix, graphs[0].Info.HostBytes
	for i, e := range tuples.Edges {
		if e.U == e.V {
			info.SelfLoops++
			continue
		}
		want[e.U] = append(want[e.U], Arc{e.V, tuples.Weights[i]})
		want[e.V] = append(want[e.V], Arc{e.U, tuples.Weights[i]})
	}
	for _, row := range want {
		info.MaxDegree = max(info.MaxDegree, int64(len(row)))
	}
	for k, g := range graphs {
		if g.Range != Ranges(vertices, len(graphs))[k] || g.MeanWeight != graphs[0].MeanWeight {
			t.Fatalf("graph %d has the labels %v and the mean weight %v", k, g.Range, g.MeanWeight)
		}
		rows, arcs := checkPart(t, g, k, len(graphs), want)
		info.Connected, info.Arcs = info.Connected+int64(rows), info.Arcs+int64(arcs)
	}
	for k, g := range graphs {
		if !slices.Equal(devicetest.Host(t, g.Rows), devicetest.Host(t, graphs[0].Rows)) || !slices.Equal(devicetest.Host(t, g.Labels), devicetest.Host(t, graphs[0].Labels)) {
			t.Errorf("graph %d has other rows or labels than graph 0", k)
		}
		if g.Info != info {
			t.Errorf("facts of graph %d: %+v, want %+v", k, g.Info, info)
		}
	}
	closeBackward(t, graphs)
	if d.Free() != free {
		t.Fatalf("%d bytes are free after %d", d.Free(), free)
	}
}

// splitParts returns memory for split rows of the devices: for the least prefix on one of them, and
// for longer ones on the others.
func splitParts(t *testing.T, r *rand.Rand, d *device.Device, vertices uint64, edges []engine.Edge, number int) (into []SplitArcs) {
	t.Helper()
	degrees, shortest := tupleDegrees(vertices, edges), r.IntN(number)
	for k, labels := range Ranges(vertices, number) {
		least, _ := needOf(degrees[labels.First:labels.End], LeastPrefix)
		arcs := uint64(least)
		if k != shortest || r.IntN(2) > 0 {
			arcs += r.Uint64N(uint64(2*len(edges)) + 1)
		}
		into = append(into, SplitArcs{arcs, newArcTails(t, d, MostTails(labels.End-labels.First, uint64(len(edges)), 0))})
	}
	return into
}

func TestWeightedParts(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(4, 3))
	for range devicetest.Sized(40, 4) {
		vertices := 1 + r.IntN(6000)
		tuples := engine.Tuples{Edges: devicetest.RandomTuples(r, vertices)}
		tuples.Edges = append(tuples.Edges, tuples.Edges[:len(tuples.Edges)/3]...) // with other weights
		for i := range tuples.Edges {
			tuples.Weights = append(tuples.Weights, []float32{r.Float32(), 0, 0.5, 1e20}[i%(1+r.IntN(4))])
		}
		shares := weightedShares(t, d, tuples, 1+r.IntN(4))
		checkWeightedParts(t, d, uint64(vertices), tuples, shares, 1+r.IntN(9), nil)
		checkWeightedParts(t, d, uint64(vertices), tuples, shares, 1+r.IntN(9), splitParts(t, r, d, uint64(vertices), tuples.Edges, len(shares)))
		closeBackward(t, shares)
	}
}

// Tuples of official graphs are kept, or generated again for each group.
func TestWeightedPartsOfficial(t *testing.T) {
	d := devicetest.Open(t)
	spec := devicetest.Official(12)
	tuples := engine.Tuples{Edges: devicetest.OfficialTuples(12), Weights: make([]float32, spec.Tuples())}
	kronecker.New(spec).Weights(tuples.Weights, 0)
	for _, capacity := range []uint64{1 << 40, 1001} {
		var shares []*generate.Tuples
		for k := range 3 {
			first, count := generate.ShareOf(spec.Tuples(), 3, k)
			shares = append(shares, generatetest.Generate(t, d, spec, generate.Config{First: first, Count: count, Capacity: capacity, Weighted: true}))
		}
		checkWeightedParts(t, d, spec.Vertices(), tuples, shares, 3, nil)
		checkWeightedParts(t, d, spec.Vertices(), tuples, shares, 3, splitParts(t, rand.New(rand.NewPCG(8, 9)), d, spec.Vertices(), tuples.Edges, len(shares)))
		closeBackward(t, shares)
	}
}

func TestWeightedPartsErrors(t *testing.T) {
	d := devicetest.Open(t)
	team := devicetest.Team(t, []*device.Device{d, d})
	edges := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 9)
	weighted := weightedShares(t, d, engine.Tuples{Edges: edges, Weights: []float32{1, 1, 1, 1, 1, 1, 1, -3, 1}}, 2)
	plain := weightedShares(t, d, engine.Tuples{Edges: edges}, 2)
	free := d.Free()
	for _, c := range []struct {
		shares []*generate.Tuples
		want   string
	}{{weighted, "tuple 7 has weight -3"}, {plain, "no weights"}, {weighted[:1], "1 shares"}} {
		if _, err := WeightedParts(t.Context(), team, 3, c.shares, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if d.Free() != free {
		t.Errorf("%d bytes are free after %d", d.Free(), free)
	}
	closeBackward(t, plain)
	closeBackward(t, weighted)
}
