//go:build cuda

package techniques

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"graph500/conformance"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/construct/constructtest"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kronecker"
	"graph500/parallel"
	"graph500/validate"
)

// pathCase is a weighted graph on the host and on the device.
type pathCase struct {
	device    *device.Device
	vertices  int
	tuples    engine.Tuples
	checker   *validate.Checker
	graph     *construct.Graph
	parents   device.Array[engine.Label]
	distances device.Array[float32]
}

// newPathCase returns a case that lives until the test ends.
func newPathCase(t *testing.T, d *device.Device, vertices int, tuples engine.Tuples) *pathCase {
	t.Helper()
	c := &pathCase{device: d, vertices: vertices, tuples: tuples}
	team := parallel.NewTeam(1)
	t.Cleanup(team.Close)
	var err error
	if c.checker, err = validate.New(team, validate.Alone(uint64(vertices), engine.SSSP)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { devicetest.Close(t, c.checker) })
	onDevice := generatetest.Load(t, d, generate.Config{}, tuples)
	t.Cleanup(func() { devicetest.Close(t, onDevice) })
	if c.graph, err = constructtest.OnOne(t, d, vertices, onDevice, construct.Form{Order: construct.ByWeight}, construct.Input{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { devicetest.Close(t, c.graph) })
	c.parents = devicetest.Array[engine.Label](t, d, vertices)
	c.distances = devicetest.Array[float32](t, d, vertices)
	return c
}

// new prepares a search in memory with arbitrary contents and closes it when the test
// ends. It checks that the memory in use equals the plan.
func (c *pathCase) new(t *testing.T, technique Technique, delta float32, counted bool) *Search {
	t.Helper()
	devicetest.Dirty(t, c.device, 2<<20)
	free := c.device.Free()
	s, err := technique.NewPaths(t.Context(), c.device, c.graph, c.parents, c.distances, delta, counted)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		devicetest.Close(t, s)
		if c.device.Free() != free {
			t.Errorf("%d bytes are free after %d", c.device.Free(), free)
		}
	})
	plan := technique.Plan(uint64(c.vertices), uint64(c.graph.ByWeight.Rows.Len()), uint64(c.graph.ByWeight.Arcs.Len()))
	if taken, want := free-c.device.Free(), engine.Peak(plan, engine.DeviceMemory); taken != want {
		t.Errorf("%d bytes are used, %d planned", taken, want)
	}
	return s
}

// clear presets the results.
func (c *pathCase) clear(t *testing.T) {
	t.Helper()
	unreached := slices.Repeat([]float32{engine.Unreached}, c.vertices)
	if err := errors.Join(c.parents.Fill(0xFF), c.distances.Write(0, unreached)); err != nil {
		t.Fatal(err)
	}
}

// search searches from root, compares the distances with the least ones, validates them and
// the parents on the tuples, and checks the profile, which it returns.
func (c *pathCase) search(t *testing.T, s *Search, root engine.Label) engine.Profile {
	t.Helper()
	c.clear(t)
	if err := s.Search(t.Context(), root); err != nil {
		t.Fatal(err)
	}
	result := validate.Search{Root: engine.Vertex(root), Parents: devicetest.Host(t, c.parents), Distances: devicetest.Host(t, c.distances)}
	for v, want := range conformance.AnswerOf(c.vertices, c.tuples, root).Distances {
		if got := result.Distances[v]; math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("root %d: vertex %d has distance %v, want %v", root, v, got, want)
		}
	}
	trees, err := c.checker.Check(t.Context(), c.tuples, []validate.Search{result})
	if err != nil {
		t.Fatal(err)
	}
	profile, err := s.Profile()
	if err != nil {
		t.Fatal(err)
	}
	checkRounds(t, profile, trees[0])
	return profile
}

// checkRounds checks the profile of a search with the given tree.
func checkRounds(t *testing.T, profile engine.Profile, tree engine.Tree) {
	t.Helper()
	if profile.DeviceSeconds <= 0 || profile.LevelCount == 0 || profile.Levels[0].Frontier != 1 {
		t.Fatalf("profile %+v", profile)
	}
	improved := int64(1) // the root
	for _, l := range profile.Levels {
		if l.Direction != "" || l.Step == "" || l.Frontier < 1 || l.Examined < l.Found {
			t.Fatalf("round %+v", l)
		}
		improved += l.Found
	}
	if profile.LevelCount <= engine.MaxLevels && improved < tree.Visited {
		t.Fatalf("%d of %d vertices are in the rounds", improved, tree.Visited)
	}
}

// someDeltas are widths of a bucket for graphs with weights around 1.
var someDeltas = []float32{0.1, math.SmallestNonzeroFloat32, 1e-3, 3, math.MaxFloat32, float32(math.Inf(1))}

// run searches from the given roots with every technique and delta, several times with the
// same Search, and then with its instrumented form.
func (c *pathCase) run(t *testing.T, list []Technique, deltas []float32, roots ...engine.Label) {
	t.Helper()
	for _, technique := range list {
		for i, delta := range deltas {
			if i > 0 && !technique.UsesDelta {
				break
			}
			t.Run(fmt.Sprint(technique.Name, delta), func(t *testing.T) {
				s := c.new(t, technique, delta, false)
				for _, root := range roots {
					c.search(t, s, root)
				}
				if i > 0 {
					return
				}
				counted := c.new(t, technique, delta, true)
				for _, root := range roots {
					profile := c.search(t, counted, root)
					n, err := counted.Counts()
					if err != nil || n.Examined != profile.Examined || n.Atomics < profile.LevelCount || n.Launches <= profile.LevelCount {
						t.Errorf("root %d: %+v counted in %d rounds with %d arcs, %v", root, n, profile.LevelCount, profile.Examined, err)
					}
				}
			})
		}
	}
}

// officialPaths returns the official graph of a scale.
func officialPaths(t *testing.T, d *device.Device, scale int) *pathCase {
	t.Helper()
	spec := devicetest.Official(scale)
	weights := make([]float32, spec.Tuples())
	kronecker.New(spec).Weights(weights, 0)
	return newPathCase(t, d, int(spec.Vertices()), engine.Tuples{Edges: devicetest.OfficialTuples(scale), Weights: weights})
}

// Each technique with buckets of each width.
func TestOfficialPaths(t *testing.T) {
	c := officialPaths(t, devicetest.Open(t), devicetest.Sized(12, 8))
	c.run(t, techniquesOf(engine.SSSP), someDeltas, c.tuples.Edges[0].U, c.tuples.Edges[1].V)
}
