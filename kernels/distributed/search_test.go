//go:build cuda

package distributed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/device/exchange"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
)

// graphCase is a graph in host memory, which ranks of this process search: with weights for shortest
// paths.
type graphCase struct {
	vertices   int
	tuples     engine.Tuples
	bufferSize int // bytes for lists on a device
	roots      []engine.Label
}

// newCase returns a graph that is searched from the given vertices that have an edge.
func newCase(vertices int, tuples engine.Tuples, roots ...engine.Label) *graphCase {
	c := &graphCase{vertices: vertices, tuples: tuples, bufferSize: 1 << 16}
	for _, root := range roots {
		if devicetest.HasEdge(tuples.Edges, root) {
			c.roots = append(c.roots, root)
		}
	}
	return c
}

func (c *graphCase) kernel() engine.Kernel {
	if c.tuples.Weights != nil {
		return engine.SSSP
	}
	return engine.BFS
}

// eachDivision runs a test with 1 to 4 ranks, with one or several devices.
func eachDivision(t *testing.T, test func(t *testing.T, d division)) {
	for _, d := range devicetest.Sized([][2]int{{1, 3}, {2, 1}, {4, 1}, {2, 2}}, [][2]int{{1, 3}, {2, 1}, {2, 2}}) {
		t.Run(fmt.Sprintf("%d ranks with %d devices", d[0], d[1]), func(t *testing.T) { test(t, divide(t, d[0], d[1])) })
	}
}

// division is devices of ranks, each rank with as many.
type division struct {
	ranks, each int
	devices     []*device.Device
}

func divide(t *testing.T, ranks, each int) division {
	t.Helper()
	return division{ranks, each, openDevices(t, ranks*each)}
}

// openDevices opens that many devices; several are on one GPU if there are fewer GPUs.
func openDevices(t *testing.T, count int) (devices []*device.Device) {
	t.Helper()
	there, err := device.Count()
	if err != nil {
		t.Skip(err)
	}
	for i := range count {
		d, err := device.Open(i%there, device.Options{})
		if err == nil {
			t.Cleanup(func() {
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
			err = d.Reserve(64 << 20)
		}
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, d)
	}
	return devices
}

// run searches from the roots on all ranks, and compares the results with the graph. It returns
// the profiles of the searches.
func (c *graphCase) run(t *testing.T, d division) []engine.Profile {
	t.Helper()
	profiles := make([][]engine.Profile, d.ranks)
	results := make([]engine.Results, len(c.roots)) // each rank writes its ranges
	for i := range results {
		results[i] = c.emptyResults()
	}
	if err := errors.Join(cluster.RunInProcess(t.Context(), d.ranks, func(ctx context.Context, w *cluster.World) (err error) {
		profiles[w.Rank()], err = c.searchOn(ctx, w, d.devices[w.Rank()*d.each:][:d.each], results)
		return err
	})...); err != nil {
		t.Fatal(err)
	}
	for i, root := range c.roots {
		answer := conformance.AnswerOf(c.vertices, c.tuples, root)
		if err := answer.Judge(c.kernel(), results[i].Parents, results[i].Distances); err != nil {
			t.Fatal(err)
		}
		for _, of := range profiles {
			p, first := of[i], profiles[0][i]
			if p.LevelCount == 0 || p.LevelCount != first.LevelCount || p.Examined == 0 || p.Examined != first.Examined || p.DeviceSeconds <= 0 {
				t.Fatalf("root %d: profile %+v, of the first rank %+v", root, p, first)
			}
			if c.kernel() == engine.BFS {
				idle := slices.ContainsFunc(p.Levels, func(l engine.Level) bool { return l.Examined <= 0 })
				if err := answer.JudgeLevels(p); err != nil || idle {
					t.Fatalf("%+v: %v", p, err)
				}
			}
		}
	}
	return profiles[0]
}

// emptyResults returns results that reach no vertex.
func (c *graphCase) emptyResults() engine.Results {
	return engine.Results{Parents: slices.Repeat([]engine.Label{engine.None}, c.vertices), Distances: slices.Repeat([]float32{engine.Unreached}, c.vertices)}
}

// searchOn searches on the devices of a rank and copies the results of their ranges.
func (c *graphCase) searchOn(ctx context.Context, w *cluster.World, devices []*device.Device, results []engine.Results) (profiles []engine.Profile, err error) {
	s, err := c.open(ctx, w, devices)
	defer func() { err = errors.Join(err, s.close()) }()
	if err != nil {
		return nil, err
	}
	for i, root := range c.roots {
		if err := errors.Join(s.poison(i == 0), s.search.Search(ctx, root)); err != nil {
			return nil, err
		}
		p, err := s.search.Profile()
		if err != nil {
			return nil, err
		}
		p.Levels = slices.Clone(p.Levels)
		profiles = append(profiles, p)
		if err := s.read(results[i]); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

// openCase is a graph with a search of it on the devices of a rank.
type openCase struct {
	*graphCase
	graphs    []*construct.Graph
	parents   []device.Array[engine.Label]
	distances []device.Array[float32] // of shortest paths
	search    interface {
		Search(ctx context.Context, root engine.Label) error
		Profile() (engine.Profile, error)
	}
	list []interface{ Close() error } // what close closes, in the order of creation
}

func (o *openCase) close() (err error) {
	for _, one := range slices.Backward(o.list) {
		err = errors.Join(err, one.Close())
	}
	return err
}

// open constructs the graph and a search of it on the devices of a rank.
func (c *graphCase) open(ctx context.Context, w *cluster.World, devices []*device.Device) (o *openCase, err error) {
	o = &openCase{graphCase: c}
	team, err := device.NewTeam(ctx, w, devices, device.Distributed)
	if err != nil {
		return o, err
	}
	o.list = append(o.list, team)
	x, err := exchange.OverHost(ctx, w, team)
	if err != nil {
		return o, err
	}
	o.list = append(o.list, x)
	paths := c.kernel() == engine.SSSP
	var all []*generate.Tuples
	for _, d := range devices {
		tuples, err := generate.New(ctx, d, generate.Config{Count: uint64(c.tuples.Len()), Weighted: paths, Loaded: true}, generate.Source{Loaded: c.tuples})
		if err != nil {
			return o, err
		}
		all, o.list = append(all, tuples), append(o.list, tuples)
	}
	form := construct.Form{Devices: team.Count(), Distributed: true, Groups: construct.LeastGroups}
	if paths {
		form.Order = construct.ByWeight
	}
	if o.graphs, err = construct.Build(ctx, team, construct.Input{Vertices: uint64(c.vertices), Tuples: all}, form); err != nil {
		return o, err
	}
	n := len(devices)
	o.parents, o.distances = make([]device.Array[engine.Label], n), make([]device.Array[float32], n)
	buffers := make([]device.Array[byte], n)
	for i, d := range devices {
		o.list = append(o.list, o.graphs[i])
		arrays := []device.Declared{device.Of(&o.parents[i], "parents", uint64(c.vertices)), device.Of(&buffers[i], "buffer", uint64(c.bufferSize))}
		if paths {
			arrays = append(arrays, device.Of(&o.distances[i], "distances", uint64(c.vertices)))
		}
		held, err := d.Take(device.Group{Alive: engine.Search, Arrays: arrays})
		if err != nil {
			return o, err
		}
		o.list = append(o.list, freed{held})
	}
	if paths {
		s, err := NewPaths(ctx, team, x, o.graphs, o.parents, o.distances, buffers)
		if err == nil {
			o.search, o.list = s, append(o.list, s)
		}
		return o, err
	}
	s, err := New(ctx, team, x, o.graphs, o.parents, buffers)
	if err == nil {
		o.search, o.list = s, append(o.list, s)
	}
	return o, err
}

// read copies the results of the own ranges.
func (o *openCase) read(into engine.Results) (err error) {
	for j, g := range o.graphs {
		first, end := int(g.Labels.First), g.Labels.End
		err = errors.Join(err, o.parents[j].Read(first, into.Parents[first:end]))
		if o.kernel() == engine.SSSP {
			err = errors.Join(err, o.distances[j].Read(first, into.Distances[first:end]))
		}
	}
	return err
}

// poison empties the results of the own ranges, and fills with garbage what a search must not
// rely on. Pairs are left empty by a search of shortest paths that ended.
func (o *openCase) poison(first bool) (err error) {
	empty, garbage := o.emptyResults(), []interface{ Fill(byte) error }{}
	for j, g := range o.graphs {
		from, end := int(g.Labels.First), g.Labels.End
		err = errors.Join(err, o.parents[j].Fill(devicetest.Poison), o.parents[j].Write(from, empty.Parents[from:end]))
		if o.kernel() == engine.SSSP {
			err = errors.Join(err, o.distances[j].Fill(devicetest.Poison), o.distances[j].Write(from, empty.Distances[from:end]))
		}
	}
	switch s := o.search.(type) {
	case *Search:
		for _, m := range s.members {
			garbage = append(garbage, m.found, m.visited[1], m.queue, m.buffer)
		}
	case *Paths:
		for _, m := range s.members {
			st := &m.state
			if garbage = append(garbage, st.Buffer, st.Queues[0], st.Queues[1], st.Outgoing, st.Log, st.Changed[0], st.Changed[1], st.Degrees, st.Counts); first {
				garbage = append(garbage, st.Pairs)
			}
		}
	}
	for _, a := range garbage {
		err = errors.Join(err, a.Fill(devicetest.Poison))
	}
	return err
}

type freed struct{ held *device.Held }

func (f freed) Close() error { return f.held.Free() }

func TestSearchOnRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachDivision(t, func(t *testing.T, d division) {
		for range devicetest.Sized(10, 3) {
			vertices := 1 + r.IntN(1<<(1+r.IntN(14)))
			tuples := devicetest.RandomTuples(r, vertices+1)
			c := newCase(vertices+1, engine.Tuples{Edges: tuples}, tuples[0].U, tuples[0].V)
			c.bufferSize = 8 * len(d.devices) * (1 + r.IntN(300)) // lists in many pieces
			c.run(t, d)
		}
	})
}

// Rows with many neighbours, of which only the last one is visited, go through both parts of
// a bottom-up level.
func TestSearchOfLongRows(t *testing.T) {
	const vertices, roots, leaves = 1 << 13, 1500, 12
	var tuples []engine.Edge
	// Vertex 0 has roots neighbours. These are joined to all others, which have many
	// neighbours of a higher degree.
	next := engine.Label(roots + 1)
	for v := engine.Label(1); v <= roots; v++ {
		tuples = append(tuples, engine.Edge{U: 0, V: v})
		for range leaves {
			tuples = append(tuples, engine.Edge{U: v, V: next})
			next = roots + 1 + (next-roots)%(vertices-roots-1)
		}
	}
	for v := engine.Label(roots + 1); v < vertices; v++ {
		for j := range engine.Label(20) {
			tuples = append(tuples, engine.Edge{U: v, V: roots + 1 + (v*31+j*977)%(vertices-roots-1)})
		}
	}
	l := newCase(vertices, engine.Tuples{Edges: tuples}, 0, 5, vertices-1).run(t, divide(t, 2, 1))[0].Levels[1]
	if unvisited := int64(vertices - 1 - roots); l.Direction != engine.BottomUp || l.Examined < (ownNeighbors+1)*unvisited {
		t.Errorf("level 1: %+v", l)
	}
}

// The end of the context ends a search with its cause.
func TestSearchEnds(t *testing.T) {
	cause := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	devices := openDevices(t, 2)
	c := newCase(4096, engine.Tuples{Edges: devicetest.OfficialTuples(12)}, 1)
	c.bufferSize = 1 << 12
	cancel(cause)
	if _, err := c.searchOn(ctx, cluster.Alone(), devices, []engine.Results{c.emptyResults()}); !errors.Is(err, cause) {
		t.Error(err)
	}
}
