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
	"graph500/kronecker"
)

// pathCase is a graph with weights in host memory, which ranks of this process search.
type pathCase struct {
	vertices   int
	tuples     engine.Tuples
	bufferSize int // bytes for lists on a device
	roots      []engine.Label
}

// newPathCase returns a graph that is searched from the given vertices that have an edge.
func newPathCase(vertices int, edges []engine.Edge, weights []float32, roots ...engine.Label) *pathCase {
	c := &pathCase{vertices: vertices, tuples: engine.Tuples{Edges: edges, Weights: weights}, bufferSize: 1 << 16}
	for _, root := range roots {
		if devicetest.HasEdge(edges, root) {
			c.roots = append(c.roots, root)
		}
	}
	return c
}

// run searches from the roots on all ranks, and checks the results. It returns the names of the
// parts of all searches, and "refused" if one has considered the pull and gone on without it.
func (c *pathCase) run(t *testing.T, d division) map[string]bool {
	t.Helper()
	profiles := make([][]engine.Profile, d.ranks)
	results := make([]engine.Results, len(c.roots)) // each rank writes its ranges
	for i := range results {
		results[i] = engine.Results{Parents: make([]engine.Label, c.vertices), Distances: make([]float32, c.vertices)}
	}
	if err := errors.Join(cluster.RunInProcess(t.Context(), d.ranks, func(ctx context.Context, w *cluster.World) (err error) {
		profiles[w.Rank()], err = c.searchOn(ctx, w, d.devices[w.Rank()*d.each:][:d.each], results)
		return err
	})...); err != nil {
		t.Fatal(err)
	}
	parts := make(map[string]bool)
	for i, root := range c.roots {
		c.check(t, root, results[i])
		for _, ofRank := range profiles {
			p, first := ofRank[i], profiles[0][i]
			if p.LevelCount == 0 || p.LevelCount != first.LevelCount || p.Examined == 0 || p.Examined != first.Examined || p.DeviceSeconds <= 0 {
				t.Fatalf("root %d: profile %+v, of the first rank %+v", root, p, first)
			}
			considered := 0
			for _, l := range p.Levels {
				parts[l.Step] = true
				if l.Step == "near" {
					considered++
				}
			}
			if considered > 1 || considered > 0 && p.Levels[len(p.Levels)-1].Step == "push" {
				parts["refused"] = true
			}
		}
	}
	return parts
}

// check compares distances with the least ones, bit for bit, and checks the parents.
func (c *pathCase) check(t *testing.T, root engine.Label, r engine.Results) {
	t.Helper()
	if err := conformance.AnswerOf(c.vertices, c.tuples, root).Judge(engine.SSSP, r.Parents, r.Distances); err != nil {
		t.Fatal(err)
	}
}

// searchOn searches on the devices of a rank and copies the results of their ranges.
func (c *pathCase) searchOn(ctx context.Context, w *cluster.World, devices []*device.Device, results []engine.Results) (profiles []engine.Profile, err error) {
	s, graphs, closeAll, err := c.open(ctx, w, devices)
	defer func() { err = errors.Join(err, closeAll()) }()
	if err != nil {
		return nil, err
	}
	for i, root := range c.roots {
		if err := c.poison(s, i == 0); err != nil {
			return nil, err
		}
		if err := s.Search(ctx, root); err != nil {
			return nil, err
		}
		p, err := s.Profile()
		if err != nil {
			return nil, err
		}
		p.Levels = slices.Clone(p.Levels)
		profiles = append(profiles, p)
		for j, g := range graphs {
			first, end := g.Labels.First, g.Labels.End
			st := &s.members[j].state
			if err := errors.Join(st.Parents.Read(int(first), results[i].Parents[first:end]), st.Distances.Read(int(first), results[i].Distances[first:end])); err != nil {
				return nil, err
			}
		}
	}
	return profiles, nil
}

// open constructs the graph and a search of it on the devices of a rank. The function that it
// returns closes all.
func (c *pathCase) open(ctx context.Context, w *cluster.World, devices []*device.Device) (s *Paths, graphs []*construct.Graph, closeAll func() error, err error) {
	var list []interface{ Close() error }
	closeAll = func() (err error) {
		for _, one := range slices.Backward(list) {
			err = errors.Join(err, one.Close())
		}
		return err
	}
	team, err := device.NewTeam(ctx, w, devices, device.Distributed)
	if err != nil {
		return nil, nil, closeAll, err
	}
	x, err := exchange.OverHost(ctx, w, team)
	if err != nil {
		return nil, nil, closeAll, err
	}
	list = append(list, team, x)
	var all []*generate.Tuples
	for _, d := range devices {
		tuples, err := generate.New(ctx, d, generate.Config{Count: uint64(c.tuples.Len()), Weighted: true, Loaded: true}, generate.Source{Loaded: c.tuples})
		if err != nil {
			return nil, nil, closeAll, err
		}
		all, list = append(all, tuples), append(list, tuples)
	}
	if graphs, err = construct.Build(ctx, team, construct.Input{Vertices: uint64(c.vertices), Tuples: all},
		construct.Form{Order: construct.ByWeight, Devices: team.Count(), Distributed: true, Groups: construct.LeastGroups}); err != nil {
		return nil, nil, closeAll, err
	}
	n := len(devices)
	parents, distances, buffers := make([]device.Array[engine.Label], n), make([]device.Array[float32], n), make([]device.Array[byte], n)
	for i, d := range devices {
		list = append(list, graphs[i])
		held, err := d.Take(device.Group{Alive: engine.Search, Arrays: []device.Declared{
			device.Of(&parents[i], "parents", uint64(c.vertices)), device.Of(&distances[i], "distances", uint64(c.vertices)), device.Of(&buffers[i], "buffer", uint64(c.bufferSize)),
		}})
		if err != nil {
			return nil, nil, closeAll, err
		}
		list = append(list, freed{held})
	}
	if s, err = NewPaths(ctx, team, x, graphs, parents, distances, buffers); err == nil {
		list = append(list, s)
	}
	return s, graphs, closeAll, err
}

// poison empties the results of the own ranges, and fills with garbage what a search must not
// rely on. Pairs are left empty by a search that ended.
func (c *pathCase) poison(s *Paths, first bool) error {
	parents, distances := make([]engine.Label, c.vertices), make([]float32, c.vertices)
	for v := range parents {
		parents[v], distances[v] = engine.None, engine.Unreached
	}
	for _, m := range s.members {
		st, labels := &m.state, m.graph.Labels
		if err := errors.Join(st.Parents.Fill(devicetest.Poison), st.Distances.Fill(devicetest.Poison),
			st.Parents.Write(int(labels.First), parents[labels.First:labels.End]), st.Distances.Write(int(labels.First), distances[labels.First:labels.End]),
			st.Buffer.Fill(devicetest.Poison), st.Queues[0].Fill(devicetest.Poison), st.Queues[1].Fill(devicetest.Poison), st.Outgoing.Fill(devicetest.Poison),
			st.Log.Fill(devicetest.Poison), st.Changed[0].Fill(devicetest.Poison), st.Changed[1].Fill(devicetest.Poison), st.Degrees.Fill(devicetest.Poison), st.Counts.Fill(devicetest.Poison)); err != nil {
			return err
		}
		if first {
			if err := st.Pairs.Fill(devicetest.Poison); err != nil {
				return err
			}
		}
	}
	return nil
}

// spread gives the vertices of a graph labels in many ranges.
func spread(edges []engine.Edge, vertices int) []engine.Edge {
	to := make([]engine.Edge, len(edges))
	for i, e := range edges {
		to[i] = engine.Edge{U: e.U * 2741 % engine.Label(vertices), V: e.V * 2741 % engine.Label(vertices)}
	}
	return to
}

func TestPathsOnOfficialGraphs(t *testing.T) {
	eachDivision(t, func(t *testing.T, d division) {
		for _, scale := range devicetest.Sized([]int{8, 9, 10, 11, 12, 14}, []int{11}) {
			spec := devicetest.Official(scale)
			weights := make([]float32, spec.Tuples())
			kronecker.New(spec).Weights(weights, 0)
			var roots []engine.Label
			for root := engine.Label(3); root < 1<<scale; root += 1<<scale/5 + 1 {
				roots = append(roots, root)
			}
			c := newPathCase(1<<scale, devicetest.OfficialTuples(scale), weights, roots...)
			parts := c.run(t, d)
			for _, part := range []string{"push", "near", "pull", "tail"} {
				if !parts[part] && scale >= 10 {
					t.Errorf("scale %d: no search has a part %q", scale, part)
				}
			}
		}
	})
}

func TestPathsOnRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachDivision(t, func(t *testing.T, d division) {
		pulled := 0
		for i := range devicetest.Sized(10, 5) {
			vertices := 2 + r.IntN(1<<(1+r.IntN(13)))
			edges := make([]engine.Edge, 1+r.IntN(12*vertices))
			for j := range edges { // the product turns low labels into hubs
				edges[j] = engine.Edge{U: engine.Label(r.IntN(vertices) * r.IntN(vertices) / vertices), V: engine.Label(r.IntN(vertices))}
			}
			if i%2 == 0 {
				edges = spread(edges, vertices)
			}
			for kind, weights := range devicetest.Weightings(len(edges), r) {
				if testing.Short() && r.IntN(3) > 0 {
					continue
				}
				c := newPathCase(vertices, edges, weights, engine.Label(r.IntN(vertices)), engine.Label(r.IntN(vertices)))
				c.bufferSize = 12 * len(d.devices) * (1 + r.IntN(300)) // lists in many pieces
				t.Run(fmt.Sprint(i, " ", kind), func(t *testing.T) {
					if c.run(t, d)["pull"] {
						pulled++
					}
				})
			}
		}
		if pulled == 0 {
			t.Error("no search has pulled")
		}
	})
}

// The pull would decide few vertices of a grid.
func TestPathsOnAGrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const vertices = 4 * 1024
	eachDivision(t, func(t *testing.T, d division) {
		edges := spread(devicetest.SmallGraphs()["grid"], vertices)
		weights := devicetest.Weightings(len(edges), r)["uniform"]
		if parts := newPathCase(vertices, edges, weights, edges[0].U, edges[len(edges)/2].V).run(t, d); !parts["refused"] {
			t.Errorf("parts %v", parts)
		}
	})
}

// Rows longer than a block, all of whose arcs end at once, and a component that ends before the
// pull.
func TestPathsOfHubs(t *testing.T) {
	const vertices = 3 * 1024
	var edges []engine.Edge
	var weights []float32
	for v := range engine.Label(vertices - 10) {
		edges = append(edges, engine.Edge{U: 5, V: v}, engine.Edge{U: 1500, V: v}, engine.Edge{U: v, V: v ^ 1})
		weights = append(weights, 1, float32(v%7), 3)
	}
	edges, weights = append(edges, engine.Edge{U: vertices - 1, V: vertices - 2}), append(weights, 2)
	newPathCase(vertices, edges, weights, 5, 1500, 7, vertices-1).run(t, divide(t, 2, 1))
}

// The end of the context ends a search with its cause, and the next search is right.
func TestPathsEnd(t *testing.T) {
	const vertices = 2048
	edges, weights := make([]engine.Edge, 200), make([]float32, 200) // a path: many rounds
	for i := range edges {
		edges[i], weights[i] = engine.Edge{U: engine.Label(i), V: engine.Label(i + 1)}, 1
	}
	c := newPathCase(vertices, spread(edges, vertices), weights, 0)
	s, graphs, closeAll, err := c.open(t.Context(), cluster.Alone(), openDevices(t, 2))
	t.Cleanup(func() {
		if err := closeAll(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	cause := errors.New("ended")
	for polls := range 6 {
		if err := c.poison(s, false); err != nil {
			t.Fatal(err)
		}
		if err := s.Search(&endingContext{t.Context(), 3 * polls, cause}, 0); !errors.Is(err, cause) {
			t.Errorf("after %d checks: %v", 3*polls, err)
		}
	}
	if err := errors.Join(c.poison(s, false), s.Search(t.Context(), 0)); err != nil {
		t.Fatal(err)
	}
	r := engine.Results{Parents: make([]engine.Label, vertices), Distances: make([]float32, vertices)}
	for j, g := range graphs {
		first, end := g.Labels.First, g.Labels.End
		st := &s.members[j].state
		if err := errors.Join(st.Parents.Read(int(first), r.Parents[first:end]), st.Distances.Read(int(first), r.Distances[first:end])); err != nil {
			t.Fatal(err)
		}
	}
	c.check(t, 0, r)
}

// endingContext ends after that many checks.
type endingContext struct {
	context.Context
	left  int
	cause error
}

func (c *endingContext) Err() error {
	if c.left--; c.left < 0 {
		return c.cause
	}
	return nil
}

// The plan is what a search takes.
func TestPathsPlan(t *testing.T) {
	devices := openDevices(t, 2)
	c := newPathCase(4096, devicetest.OfficialTuples(12), make([]float32, 16<<12), 1)
	s, graphs, closeAll, err := c.open(t.Context(), cluster.Alone(), devices)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range s.members {
		before := devices[i].Free()
		if err := m.held.Free(); err != nil {
			t.Fatal(err)
		}
		m.held = nil
		g := graphs[i]
		if want := engine.Peak(PathsPlan(4096, uint64(g.Info.Connected), uint64(g.ByWeight.Heads.Len())), engine.DeviceMemory); devices[i].Free()-before != want {
			t.Errorf("device %d: %d bytes, planned %d", i, devices[i].Free()-before, want)
		}
	}
	if err := closeAll(); err != nil {
		t.Fatal(err)
	}
}
