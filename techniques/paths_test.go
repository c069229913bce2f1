//go:build cuda

package techniques

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

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

// hostArc is an arc to a label.
type hostArc struct {
	to     engine.Label
	weight float32
}

// pathCase is a weighted graph on the host and on the device.
type pathCase struct {
	device    *device.Device
	vertices  int
	tuples    engine.Tuples
	rows      [][]hostArc // by label
	checker   *validate.Checker
	graph     *construct.Graph
	parents   device.Array[engine.Label]
	distances device.Array[float32]
}

// newPathCase returns a case that lives until the test ends.
func newPathCase(t *testing.T, d *device.Device, vertices int, tuples engine.Tuples) *pathCase {
	t.Helper()
	c := &pathCase{device: d, vertices: vertices, tuples: tuples, rows: make([][]hostArc, vertices)}
	for i, e := range tuples.Edges {
		if e.U != e.V {
			c.rows[e.U] = append(c.rows[e.U], hostArc{to: e.V, weight: tuples.Weights[i]})
			c.rows[e.V] = append(c.rows[e.V], hostArc{to: e.U, weight: tuples.Weights[i]})
		}
	}
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

// least returns the least distances by a serial search.
func (c *pathCase) least(root engine.Label) []float32 {
	distances := slices.Repeat([]float32{engine.Unreached}, c.vertices)
	distances[root] = 0
	waiting := make([]bool, c.vertices)
	for queue := []engine.Label{root}; len(queue) > 0; queue = queue[1:] {
		u := queue[0]
		waiting[u] = false
		for _, a := range c.rows[u] {
			if sum := distances[u] + a.weight; distances[a.to] < 0 || sum < distances[a.to] {
				distances[a.to] = sum
				if !waiting[a.to] {
					waiting[a.to] = true
					queue = append(queue, a.to)
				}
			}
		}
	}
	return distances
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
	for v, want := range c.least(root) {
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

// weightings returns weights of n tuples by kind.
func weightings(n int, r *rand.Rand) map[string][]float32 {
	w := map[string][]float32{}
	for range n {
		u := r.Float32()
		w["uniform"] = append(w["uniform"], u)
		w["zero"] = append(w["zero"], 0)
		w["equal"] = append(w["equal"], 0.5)
		w["tiny"] = append(w["tiny"], u*math.SmallestNonzeroFloat32*100)
		w["largest"] = append(w["largest"], u*engine.LargestWeight(uint64(n)+1))
		w["mixed"] = append(w["mixed"], float32(math.Exp(80*float64(u)-60)))
		// Sums of large weights absorb the others.
		w["absorbed"] = append(w["absorbed"], []float32{1e9, 1, 0, 30}[r.IntN(4)])
	}
	return w
}

// pathGraph is a graph with roots of searches.
type pathGraph struct {
	vertices int
	edges    []engine.Edge
	roots    []engine.Label
}

// nastyPathGraphs returns graphs by name.
func nastyPathGraphs() map[string]pathGraph {
	leaves, side, long := devicetest.Sized(2000, 300), devicetest.Sized(40, 9), devicetest.Sized(3000, 150)
	var star, grid, twice, complete []engine.Edge
	for v := range engine.Label(leaves) {
		star = append(star, engine.Edge{U: engine.Label(leaves / 2), V: v})
	}
	for y := range side {
		for x := range side - 1 {
			grid = append(grid,
				engine.Edge{U: engine.Label(y*side + x), V: engine.Label(y*side + x + 1)},
				engine.Edge{U: engine.Label(x*side + y), V: engine.Label((x+1)*side + y)})
		}
	}
	for range 100 {
		twice = append(twice, engine.Edge{U: 7, V: 3}, engine.Edge{U: 3, V: 7}, engine.Edge{U: 3, V: 9}, engine.Edge{U: 3, V: 3})
	}
	for u := range engine.Label(40) {
		for v := range u + 1 {
			complete = append(complete, engine.Edge{U: u, V: v})
		}
	}
	return map[string]pathGraph{
		"one edge":                     {2, []engine.Edge{{U: 0, V: 1}}, []engine.Label{0, 1}},
		"one edge among many vertices": {1000, []engine.Edge{{U: 999, V: 31}, {U: 31, V: 999}, {U: 5, V: 5}, {U: 999, V: 999}}, []engine.Label{31, 999}},
		"repeated edges":               {10, twice, []engine.Label{3, 7}},
		"two components":               {70, []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 64, V: 69}}, []engine.Label{1, 69}},
		"path":                         {long, path(long), []engine.Label{0, engine.Label(long / 2)}},
		"star":                         {leaves, star, []engine.Label{0, engine.Label(leaves / 2)}},
		"grid":                         {side * side, grid, []engine.Label{0, engine.Label(side*side/2 + side/2)}},
		"complete":                     {40, complete, []engine.Label{0, 39}},
	}
}

func TestNastyPaths(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(3, 4))
	for name, g := range nastyPathGraphs() {
		for kind, weights := range weightings(len(g.edges), r) {
			if testing.Short() && r.IntN(3) > 0 {
				continue
			}
			t.Run(name+" "+kind, func(t *testing.T) {
				newPathCase(t, d, g.vertices, engine.Tuples{Edges: g.edges, Weights: weights}).run(t, techniquesOf(engine.SSSP), someDeltas, g.roots...)
			})
		}
	}
}

// randomTuples returns a random graph in which 0 and 1 are neighbours, with its number of
// vertices.
func randomTuples(r *rand.Rand) (vertices int, edges []engine.Edge) {
	vertices = 2 + r.IntN(1<<(1+r.IntN(devicetest.Sized(12, 9))))
	edges = make([]engine.Edge, 1+r.IntN(8*vertices))
	for i := range edges { // the product turns low labels into hubs
		edges[i] = engine.Edge{U: engine.Label(r.IntN(vertices) * r.IntN(vertices) / vertices), V: engine.Label(r.IntN(vertices))}
	}
	edges[0] = engine.Edge{U: 0, V: 1}
	return vertices, edges
}

func TestRandomPaths(t *testing.T) {
	d := devicetest.Open(t)
	r := rand.New(rand.NewPCG(1, 2))
	for range devicetest.Sized(10, 3) {
		vertices, edges := randomTuples(r)
		for kind, weights := range weightings(len(edges), r) {
			t.Run(kind, func(t *testing.T) {
				c := newPathCase(t, d, vertices, engine.Tuples{Edges: edges, Weights: weights})
				c.run(t, techniquesOf(engine.SSSP), []float32{0.1, math.SmallestNonzeroFloat32, weights[r.IntN(len(weights))] + 1e-40}, 0, 1)
			})
		}
	}
}

// pathFacts are facts of a search of an official graph (kronecker/testdata).
type pathFacts struct {
	Root  engine.Label `json:"root"`
	Check string       `json:"sssp_dist_check"` // empty if not computed
}

// distanceCheck returns the checksum of the distances that testdata/README.md defines.
func distanceCheck(distances []float32) (sum uint64) {
	for v, d := range distances {
		if d != engine.Unreached {
			x := uint64(v)*0x9E3779B97F4A7C15 + uint64(math.Float32bits(d))
			x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
			x = (x ^ x>>27) * 0x94D049BB133111EB
			sum += x ^ x>>31
		}
	}
	return sum
}

// officialPaths returns the official graph of a scale.
func officialPaths(t *testing.T, d *device.Device, scale int) *pathCase {
	t.Helper()
	spec := devicetest.Official(scale)
	weights := make([]float32, spec.Tuples())
	kronecker.New(spec).Weights(weights, 0)
	return newPathCase(t, d, int(spec.Vertices()), engine.Tuples{Edges: devicetest.OfficialTuples(scale), Weights: weights})
}

func TestOfficialPaths(t *testing.T) {
	d := devicetest.Open(t)
	for _, scale := range devicetest.Sized([]int{8, 10, 14}, []int{8, 10}) {
		data, err := os.ReadFile(fmt.Sprintf("../kronecker/testdata/perkey-scale%d.json", scale))
		if errors.Is(err, os.ErrNotExist) {
			t.Skip("no sources here")
		}
		var facts []pathFacts
		if err == nil {
			err = json.Unmarshal(data, &facts)
		}
		if err != nil {
			t.Fatal(err)
		}
		facts = slices.DeleteFunc(facts, func(f pathFacts) bool { return f.Check == "" })
		facts = facts[:devicetest.Sized(len(facts), 3)]
		c := officialPaths(t, d, scale)
		for _, technique := range techniquesOf(engine.SSSP) {
			t.Run(fmt.Sprint(scale, technique.Name), func(t *testing.T) {
				s := c.new(t, technique, 0.1, false)
				for _, f := range facts {
					c.search(t, s, f.Root)
					if got := fmt.Sprintf("%#016x", distanceCheck(devicetest.Host(t, c.distances))); got != f.Check {
						t.Fatalf("root %d: checksum %s of the distances, want %s", f.Root, got, f.Check)
					}
				}
			})
		}
	}
}
