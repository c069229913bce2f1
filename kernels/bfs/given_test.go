//go:build cuda

package bfs

import (
	"cmp"
	"errors"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/graph"
	"graph500/kernels/construct"
	"graph500/kernels/construct/constructtest"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/parallel"
)

// mostConstructed is the number of tuples from which on short tests search a graph that the
// host has built. On the emulated GPU the construction of such a graph takes ten times as
// long as a search, and package construct tests it.
const mostConstructed = 1 << 18

// hostRows is a graph in the form of construct.Graph.
type hostRows struct {
	info      engine.Graph
	index     []uint64
	rows      []construct.Row
	neighbors []engine.Label
	hubs      []engine.Label
}

// rowsOf builds the graph that construct.Build builds from tuples.
func rowsOf(t testing.TB, vertices int, tuples []engine.Edge) (h hostRows) {
	t.Helper()
	team := parallel.NewTeam(1)
	defer team.Close()
	g, err := graph.Build(t.Context(), team, graph.WholeGraph(uint64(vertices)), engine.Tuples{Edges: tuples})
	if err != nil {
		t.Fatal(err)
	}
	h.info = g.Info
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	count := make([]int, vertices)
	for _, e := range tuples {
		if e.U != e.V {
			count[e.U]++
			count[e.V]++
		}
	}
	byCount := func(a, b engine.Label) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	}
	start, all := adjacency(vertices, tuples)
	h.index = make([]uint64, (vertices+1023)/1024*32) // 32 words per tile of labels
	arcs := 0
	for v := range vertices {
		if v%32 == 0 {
			h.index[v/32] = uint64(len(h.rows)) << 32
		}
		if arcs += count[v]; count[v] == 0 {
			continue
		}
		h.index[v/32] |= 1 << (v % 32)
		list := slices.DeleteFunc(slices.Clone(all[start[v]:start[v+1]]), func(w engine.Label) bool { return int(w) == v })
		slices.SortFunc(list, byCount)
		list = slices.Compact(list)
		h.rows = append(h.rows, construct.Row{Start: uint64(len(h.neighbors)), Degree: uint32(len(list)), Label: engine.Label(v)})
		h.neighbors = append(h.neighbors, list...)
		h.hubs = append(h.hubs, engine.Label(v))
	}
	for w := (vertices + 31) / 32; w < len(h.index); w++ {
		h.index[w] = uint64(len(h.rows)) << 32
	}
	h.neighbors = append(h.neighbors, make([]engine.Label, arcs-len(h.neighbors))...) // room of repeated arcs
	slices.SortFunc(h.hubs, byCount)
	h.hubs = h.hubs[:min(len(h.hubs), MostHubs)]
	return h
}

// give puts the graph of the tuples, built by the host, on the device.
func (c *searchCase) give(t testing.TB, vertices int, tuples []engine.Edge) (*construct.Graph, error) {
	t.Helper()
	edge := generatetest.Load(t, c.device, generate.Config{}, engine.Tuples{Edges: []engine.Edge{{U: 0, V: 1}}})
	g, err := constructtest.OnOne(t, c.device, 2, edge, construct.Form{Hubs: MostHubs}, construct.Input{})
	if err != nil {
		return nil, err
	}
	h := rowsOf(t, vertices, tuples)
	g.Info, g.Labels = h.info, construct.All(uint64(vertices))
	frees := []func(){
		lend(t, c.device, &g.Index, h.index), lend(t, c.device, &g.ByDegree.Rows, h.rows),
		lend(t, c.device, &g.ByDegree.Neighbors, h.neighbors), lend(t, c.device, &g.ByDegree.Hubs, h.hubs),
	}
	c.takeBack = func() error {
		for _, free := range slices.Backward(frees) {
			free()
		}
		return errors.Join(g.Close(), edge.Close())
	}
	return g, nil
}

// lend makes an array of the elements, until free is called.
func lend[T any](t testing.TB, d *device.Device, to *device.Array[T], elements []T) (free func()) {
	t.Helper()
	*to, free = devicetest.Borrowed[T](t, d, len(elements))
	if err := to.Write(0, elements); err != nil {
		t.Fatal(err)
	}
	return free
}

// The host builds what the device constructs.
func TestGiven(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(21, 22))
	check := func(name string, vertices int, tuples []engine.Edge) {
		c := newSearchCase(t, d, vertices, tuples)
		defer c.close(t)
		h := rowsOf(t, vertices, tuples)
		n := c.graph.Info.Arcs
		if h.info != c.graph.Info || !slices.Equal(h.index, devicetest.Host(t, c.graph.Index)) ||
			!slices.Equal(h.rows, devicetest.Host(t, c.graph.ByDegree.Rows)) || len(h.neighbors) != c.graph.ByDegree.Neighbors.Len() ||
			!slices.Equal(h.neighbors[:n], devicetest.First(t, c.graph.ByDegree.Neighbors, int(n))) || !slices.Equal(h.hubs, devicetest.Host(t, c.graph.ByDegree.Hubs)) {
			t.Errorf("%s: the host has built another graph", name)
		}
		rows := 0
		for _, word := range h.index {
			rows += bits.OnesCount32(uint32(word))
		}
		if int64(rows) != h.info.Connected {
			t.Errorf("%s: the index has %d rows, not %d", name, rows, h.info.Connected)
		}
	}
	check("official", 1<<10, devicetest.OfficialTuples(10))
	check("star", 1500, star(1500, 77))
	for range devicetest.Sized(100, 10) {
		vertices := 2 + r.IntN(1<<(1+r.IntN(12)))
		check("random", vertices, devicetest.RandomTuples(r, vertices))
	}
}
