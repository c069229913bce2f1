package divide

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"graph500/engine"
	"graph500/partition"
)

// plain divides a graph with maps and one thread. It
// has rules of its own.
func plain(in input, masters, owner string, parts int, threshold uint64, rounds int) result {
	near := map[engine.Label]map[engine.Label]bool{} // neighbours by label
	for _, e := range in.edges {
		for _, a := range []engine.Edge{e, {U: e.V, V: e.U}} {
			if a.U != a.V {
				if near[a.U] == nil {
					near[a.U] = map[engine.Label]bool{}
				}
				near[a.U][a.V] = true
			}
		}
	}
	var r result
	number := map[engine.Label]int{}
	for v := range engine.Label(in.vertices) {
		if near[v] != nil {
			number[v] = len(r.labels)
			r.labels = append(r.labels, v)
		}
	}
	n := len(r.labels)
	rows, firstArc, arcs := make([][]int, n), make([]int, n), 0
	for i, v := range r.labels {
		for u := range near[v] {
			rows[i] = append(rows[i], number[u])
		}
		slices.Sort(rows[i])
		firstArc[i] = arcs
		arcs += len(rows[i])
	}
	block := func(x, all int) int { return x / ((all + parts - 1) / parts) }
	reader := func(v int) int { return block(firstArc[v], arcs+1) }
	master := make([]int, n)
	switch masters {
	case "contiguous":
		for v := range master {
			master[v] = block(v, n)
		}
	case "contiguous-eb":
		for v := range master {
			master[v] = reader(v)
		}
	default:
		master = plainFennel(rows, reader, parts, arcs, int(threshold), rounds, masters == "fennel-eb")
	}
	columns := int(math.Sqrt(float64(parts)))
	for parts%columns != 0 {
		columns--
	}
	type arc struct{ from, to int }
	owned := make([][]arc, parts)
	groups := map[[2]int]bool{}
	for v, row := range rows {
		for _, u := range row {
			p := master[v]
			switch {
			case owner == "hybrid" && len(row) > int(threshold):
				p = master[u]
			case owner == "cartesian":
				p = master[v]/columns*columns + master[u]%columns
			}
			owned[p] = append(owned[p], arc{v, u})
			if master[v] != master[u] {
				r.Cut++
			}
			if p != reader(v) {
				r.Moved++
				groups[[2]int{v, p}] = true
			}
		}
	}
	r.Rows, r.AllArcs, r.Groups = uint64(n), uint64(arcs), uint64(len(groups))
	for _, m := range master {
		r.masters = append(r.masters, uint8(m))
	}
	r.MastersCheck = Check(r.masters)
	for p := range parts {
		part := &Part{Number: p}
		proxies := map[int]bool{}
		for v, m := range master {
			if m == p {
				proxies[v] = true
			}
		}
		for _, a := range owned[p] {
			proxies[a.from], proxies[a.to] = true, true
		}
		local := map[int]uint32{}
		for i := range parts + 1 { // own masters, then each part's
			of := (i - 1)
			if i == 0 {
				of = p
			} else {
				part.First = append(part.First, uint32(len(part.Rows)))
			}
			mirrors := len(part.Rows)
			for v := range n {
				if proxies[v] && master[v] == of && !(i > 0 && of == p) {
					local[v] = uint32(len(part.Rows))
					part.Rows = append(part.Rows, uint32(v))
				}
			}
			if i == 0 {
				part.Masters = len(part.Rows)
			} else if mirrors < len(part.Rows) {
				r.Pairs++
			}
		}
		part.First = append(part.First, uint32(len(part.Rows)))
		part.Offsets = []uint64{0}
		for _, v := range part.Rows {
			for _, a := range owned[p] {
				if a.from == int(v) {
					part.Neighbors = append(part.Neighbors, local[a.to])
				}
			}
			part.Offsets = append(part.Offsets, uint64(len(part.Neighbors)))
		}
		r.parts = append(r.parts, part)
		r.Figures.Masters, r.Proxies, r.Arcs = append(r.Figures.Masters, uint64(part.Masters)), append(r.Proxies, uint64(len(part.Rows))), append(r.Arcs, uint64(len(part.Neighbors)))
	}
	return r
}

// plainFennel chooses masters by the rules of Fennel, all streams one after the other in a round.
func plainFennel(rows [][]int, reader func(v int) int, parts, arcs, threshold, rounds int, byArcs bool) []int {
	n := len(rows)
	streams := make([][]int, parts)
	for v := range rows {
		streams[reader(v)] = append(streams[reader(v)], v)
	}
	master := make([]int, n)
	for v := range master {
		master[v] = -1
	}
	loads := make([][2]float64, parts)
	alpha := float64(arcs) * math.Sqrt(float64(parts)) / (float64(n) * math.Sqrt(float64(n)))
	w, mu := alpha*1.5, float64(n)/float64(arcs)
	for round := range rounds {
		after, total := slices.Clone(master), slices.Clone(loads)
		for _, rowsOf := range streams {
			known, own := slices.Clone(master), slices.Clone(loads)
			size := max(1, (len(rowsOf)+rounds-1)/rounds)
			for _, v := range rowsOf[min(round*size, len(rowsOf)):min((round+1)*size, len(rowsOf))] {
				if byArcs && len(rows[v]) > threshold {
					known[v], after[v] = reader(v), reader(v)
					continue
				}
				best, top := 0, math.Inf(-1)
				for p := range parts {
					load := own[p][0]
					if byArcs {
						product := mu * own[p][1]
						load = (load + product) / 2
					}
					score := 0.0
					for _, u := range rows[v] {
						if known[u] == p {
							score++
						}
					}
					penalty := w * math.Sqrt(load)
					if score -= penalty; score >= top {
						best, top = p, score
					}
				}
				known[v], after[v] = best, best
				for _, l := range [][][2]float64{own, total} {
					l[best][0]++
					l[best][1] += float64(len(rows[v]))
				}
			}
		}
		master, loads = after, total
	}
	return master
}

// nasty lists small graphs with an edge.
func nasty() map[string]input {
	graphs := map[string]input{
		"edge":        {2, []engine.Edge{{U: 1, V: 0}}},
		"path":        {70, nil},
		"star":        {130, nil},
		"duplicates":  {5, []engine.Edge{{U: 1, V: 3}, {U: 3, V: 1}, {U: 1, V: 3}, {U: 2, V: 2}, {U: 4, V: 4}}},
		"far":         {1000, []engine.Edge{{U: 0, V: 999}, {U: 64, V: 63}, {U: 500, V: 500}}},
		"two cliques": {12, nil},
	}
	fill := func(name string, edge func(i engine.Label) engine.Edge, n engine.Label) {
		g := graphs[name]
		for i := range n {
			g.edges = append(g.edges, edge(i))
		}
		graphs[name] = g
	}
	fill("path", func(i engine.Label) engine.Edge { return engine.Edge{U: i, V: i + 1} }, 69)
	fill("star", func(i engine.Label) engine.Edge { return engine.Edge{U: 77, V: i} }, 130)
	fill("two cliques", func(i engine.Label) engine.Edge { return engine.Edge{U: i % 6, V: i / 6} }, 36)
	fill("two cliques", func(i engine.Label) engine.Edge { return engine.Edge{U: 6 + i%6, V: 6 + i/6} }, 36)
	return graphs
}

// Any policy makes the same parts on any number of ranks and threads, those of the plain form.
func TestPlain(t *testing.T) {
	graphs := nasty()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 12 {
		g := input{vertices: 2 + random.Uint64N(300)}
		for range random.IntN(1500) + 1 {
			u, v := random.Float64(), random.Float64()
			g.edges = append(g.edges, engine.Edge{U: engine.Label(u * u * float64(g.vertices)), V: engine.Label(v * v * v * float64(g.vertices))})
		}
		g.edges = append(g.edges, engine.Edge{U: 0, V: 1})
		graphs[fmt.Sprint("random ", i)] = g
	}
	for name, in := range graphs {
		parts := 1 + random.IntN(9)
		if name == "star" {
			parts = partition.MostParts
		}
		threshold, rounds := uint64(random.IntN(12)), 100
		for _, m := range partition.MasterRules() {
			for _, o := range partition.OwnerRules() {
				if o.Ordered {
					continue
				}
				want := plain(in, m.Name, o.Name, parts, threshold, rounds)
				policy, props := with(t, m.Name+"-"+o.Name, parts, threshold)
				ranks, threads := 1+random.IntN(4), 1+random.IntN(2)
				got := divided(t, in, policy, props, ranks, threads)
				compare(t, fmt.Sprintf("%s, %s, %d parts, threshold %d, %d ranks, %d threads", name, policy.Name(), parts, threshold, ranks, threads), got, want)
			}
		}
	}
}

// compare compares two divisions.
func compare(t *testing.T, what string, got, want result) {
	t.Helper()
	if !reflect.DeepEqual(got.Figures, want.Figures) {
		t.Errorf("%s: %+v instead of %+v", what, got.Figures, want.Figures)
	}
	if !slices.Equal(got.masters, want.masters) || !slices.Equal(got.labels, want.labels) {
		t.Errorf("%s: other masters or rows", what)
	}
	for i, p := range want.parts {
		if q := got.parts[i]; q == nil || q.Number != p.Number || q.Masters != p.Masters || !slices.Equal(q.First, p.First) ||
			!slices.Equal(q.Rows, p.Rows) || !slices.Equal(q.Offsets, p.Offsets) || !slices.Equal(q.Neighbors, p.Neighbors) {
			t.Errorf("%s: part %d: %+v instead of %+v", what, i, q, p)
		}
	}
}

// One to four ranks with one or two threads make the same parts of a larger graph, by rules with
// a state, too.
func TestRanksAndThreads(t *testing.T) {
	scale := 11
	if testing.Short() {
		scale = 9
	}
	in := kroneckerGraph(scale)
	for _, p := range partition.Policies() {
		_, props := with(t, p.Name(), 5, 60)
		want := divided(t, in, p, props, 1, 1)
		for ranks := 1; ranks <= 4; ranks++ {
			threads := 1 + ranks%2
			compare(t, fmt.Sprintf("%s, %d ranks, %d threads", p.Name(), ranks, threads), divided(t, in, p, props, ranks, threads), want)
		}
	}
}

// Reading goes by the work of rows and arcs.
func TestReading(t *testing.T) {
	in := kroneckerGraph(10)
	policy, props := with(t, "contiguous-eb-source", 4, 60)
	props.RowWeight, props.ArcWeight = 1, 0
	r := divided(t, in, policy, props, 2, 1)
	if rows := uint32(len(r.labels)); r.streams[1] != (rows+4)/4 || r.streams[4] != rows || MaxMean(r.Figures.Masters) > 1.02 {
		t.Errorf("%d rows, streams %v", rows, r.streams)
	}
	props.RowWeight, props.ArcWeight = 0, 3
	if r := divided(t, in, policy, props, 3, 1); MaxMean(r.Arcs) > 1.1 {
		t.Errorf("arcs %v", r.Arcs)
	}
}
