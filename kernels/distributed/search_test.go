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

// graphCase is a graph in host memory, which ranks of this process search.
type graphCase struct {
	vertices   int
	tuples     []engine.Edge
	bufferSize int // bytes for lists on a device
	roots      []engine.Label
}

func newCase(vertices int, tuples []engine.Edge, roots ...engine.Label) *graphCase {
	return &graphCase{vertices: vertices, tuples: tuples, roots: roots, bufferSize: 1 << 16}
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

// run searches from the roots on all ranks, and compares the trees with the graph. It returns
// the profile of the first search.
func (c *graphCase) run(t *testing.T, d division) engine.Profile {
	t.Helper()
	profiles, parents := make([][]engine.Profile, d.ranks), make([][]engine.Label, len(c.roots))
	for i := range parents {
		parents[i] = slices.Repeat([]engine.Label{engine.None}, c.vertices)
	}
	if err := errors.Join(cluster.RunInProcess(t.Context(), d.ranks, func(ctx context.Context, w *cluster.World) (err error) {
		profiles[w.Rank()], err = c.searchOn(ctx, w, d.devices[w.Rank()*d.each:][:d.each], parents)
		return err
	})...); err != nil {
		t.Fatal(err)
	}
	for i, root := range c.roots {
		answer := conformance.AnswerOf(c.vertices, engine.Tuples{Edges: c.tuples}, root)
		if err := answer.Judge(engine.BFS, parents[i], nil); err != nil {
			t.Fatal(err)
		}
		for _, of := range profiles {
			p := of[i]
			idle := slices.ContainsFunc(p.Levels, func(l engine.Level) bool { return l.Examined <= 0 })
			if err := answer.JudgeLevels(p); err != nil || p.DeviceSeconds <= 0 || idle {
				t.Fatalf("%+v: %v", p, err)
			}
		}
	}
	return profiles[0][0]
}

// searchOn searches on the devices of a rank and copies the parents of their ranges.
func (c *graphCase) searchOn(ctx context.Context, w *cluster.World, devices []*device.Device, parents [][]engine.Label) (profiles []engine.Profile, err error) {
	team, err := device.NewTeam(ctx, w, devices, device.Distributed)
	if err != nil {
		return nil, err
	}
	x, err := exchange.OverHost(ctx, w, team)
	if err != nil {
		return nil, err
	}
	var close []interface{ Close() error }
	defer func() {
		for _, one := range slices.Backward(close) {
			err = errors.Join(err, one.Close())
		}
	}()
	close = append(close, team, x)
	var all []*generate.Tuples
	for _, d := range devices {
		tuples, err := generate.New(ctx, d, generate.Config{Count: uint64(len(c.tuples)), Loaded: true}, generate.Source{Loaded: engine.Tuples{Edges: c.tuples}})
		if err != nil {
			return nil, err
		}
		all, close = append(all, tuples), append(close, tuples)
	}
	graphs, err := construct.Build(ctx, team, construct.Input{Vertices: uint64(c.vertices), Tuples: all},
		construct.Form{Devices: team.Count(), Distributed: true, Groups: construct.LeastGroups})
	if err != nil {
		return nil, err
	}
	arrays, buffers := make([]device.Array[engine.Label], len(devices)), make([]device.Array[byte], len(devices))
	for i, d := range devices {
		held, err := d.Take(device.Group{Alive: engine.Search, Arrays: []device.Declared{
			device.Of(&arrays[i], "parents", uint64(c.vertices)), device.Of(&buffers[i], "buffer", uint64(c.bufferSize)),
		}})
		if err != nil {
			return nil, err
		}
		close = append(close, graphs[i], freed{held})
	}
	s, err := New(ctx, team, x, graphs, arrays, buffers)
	if err != nil {
		return nil, err
	}
	close = append(close, s)
	for i, root := range c.roots {
		for j := range devices {
			if err := errors.Join(arrays[j].Fill(0xFF), buffers[j].Fill(devicetest.Poison), s.members[j].found.Fill(devicetest.Poison),
				s.members[j].visited[1].Fill(devicetest.Poison), s.members[j].queue.Fill(devicetest.Poison)); err != nil {
				return nil, err
			}
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
			if err := arrays[j].Read(int(g.Labels.First), parents[i][g.Labels.First:g.Labels.End]); err != nil {
				return nil, err
			}
		}
	}
	return profiles, nil
}

type freed struct{ held *device.Held }

func (f freed) Close() error { return f.held.Free() }

func TestSearchOnRandomGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	eachDivision(t, func(t *testing.T, d division) {
		for range devicetest.Sized(10, 3) {
			vertices := 1 + r.IntN(1<<(1+r.IntN(14)))
			tuples := devicetest.RandomTuples(r, vertices+1)
			c := newCase(vertices+1, tuples, tuples[0].U, tuples[0].V)
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
	profile := newCase(vertices, tuples, 0, 5, vertices-1).run(t, divide(t, 2, 1))
	l := profile.Levels[1]
	if unvisited := int64(vertices - 1 - roots); l.Direction != engine.BottomUp || l.Examined < (ownNeighbors+1)*unvisited {
		t.Errorf("level 1: %+v", l)
	}
}

// The end of the context ends a search with its cause.
func TestSearchEnds(t *testing.T) {
	cause := errors.New("ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	devices := openDevices(t, 2)
	c := newCase(4096, devicetest.OfficialTuples(12), 1)
	c.bufferSize = 1 << 12
	cancel(cause)
	if _, err := c.searchOn(ctx, cluster.Alone(), devices, [][]engine.Label{make([]engine.Label, c.vertices)}); !errors.Is(err, cause) {
		t.Error(err)
	}
}
