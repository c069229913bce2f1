//go:build cuda

package construct

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/graph"
	"graph500/kernels/generate"
	"graph500/kernels/generate/generatetest"
	"graph500/kronecker"
	"graph500/parallel"
)

// forms lists all forms but for numbers of groups, hubs and words: on 1, 2 and 3 devices, whose
// memory is reached or not, in both orders, whole or split with a prefix or without, of labels of
// 32 and 48 bits. Ranges of 3 devices are balanced.
func forms() (list []Form) {
	for _, devices := range []int{1, 2, 3} {
		for _, distributed := range []bool{false, true} {
			for _, wide := range []bool{false, true} {
				for _, f := range []Form{
					{Order: ByDegree},
					{Order: ByDegree, Split: Split{Words: 1}},
					{Order: ByDegree, Split: Split{Words: 1, NoPrefix: true}},
					{Order: ByWeight},
					{Order: ByWeight, Split: Split{Words: 1}},
				} {
					f.Devices, f.Distributed, f.Wide, f.Groups, f.Hubs = devices, distributed, wide, LeastGroups, 5000
					f.Balanced = devices == 3
					if f.Order == ByDegree || !distributed || !f.splits() {
						list = append(list, f)
					}
				}
			}
		}
	}
	return list
}

// name names a form for a test.
func (f Form) name() string {
	text := fmt.Sprintf("%s,%d devices", []string{"degree", "weight"}[f.Order], f.Devices)
	for _, option := range []struct {
		name string
		set  bool
	}{{"distributed", f.Distributed}, {"48 bits", f.Wide}, {"split", f.splits()}, {"no prefix", f.Split.NoPrefix}} {
		if option.set {
			text += "," + option.name
		}
	}
	return text
}

// list is a list of tuples on the devices of a test, which are one device several times.
type list struct {
	input  Input
	owned  []*generate.Tuples
	device *device.Device
}

// load copies tuples to the device as the form wants them.
func load(t *testing.T, d *device.Device, f Form, vertices uint64, tuples engine.Tuples) *list {
	t.Helper()
	if f.Order == ByDegree {
		tuples.Weights = nil
	}
	l := &list{device: d, input: Input{Vertices: vertices}}
	config, devices := generate.Config{Wide: f.Wide}, slices.Repeat([]*device.Device{d}, f.Devices)
	if !f.Distributed {
		l.owned = generatetest.LoadShares(t, devices, config, tuples)
	}
	for len(l.owned) < f.Devices {
		l.owned = append(l.owned, generatetest.Load(t, d, config, tuples))
	}
	l.input.Tuples = l.owned
	return l
}

// generated makes official tuples on the device as the form wants them, at most capacity of a
// share at a time.
func generated(t *testing.T, d *device.Device, f Form, spec kronecker.Spec, capacity uint64) *list {
	t.Helper()
	l := &list{device: d, input: Input{Vertices: spec.Vertices()}}
	for k := range f.Devices {
		config := generate.Config{Capacity: capacity, Weighted: f.Order == ByWeight, Wide: f.Wide, Regenerated: f.Distributed}
		config.First, config.Count = generate.ShareOf(spec.Tuples(), f.Devices, k)
		share := generatetest.Generate(t, d, spec, config)
		seen := share
		if f.Distributed {
			var err error
			if seen, err = share.All(); err != nil {
				t.Fatal(err)
			}
		}
		l.owned, l.input.Tuples = append(l.owned, share), append(l.input.Tuples, seen)
	}
	return l
}

// split gives the form as many words as the least prefix takes on the device that needs most, and
// more; and the list poisoned memory for tails.
func (l *list) split(t *testing.T, f *Form, r *reference, more uint64) {
	t.Helper()
	if !f.splits() {
		return
	}
	f.Split.Words = 1
	for _, labels := range r.ranges(*f) {
		degrees := r.counts[labels.First:labels.End]
		words, _ := needOf(degrees, LeastPrefix)
		if f.Split.NoPrefix {
			words, _ = needOf(degrees, 0)
		}
		f.Split.Words = max(f.Split.Words, uint64(words)+more)
		tails, errTails := device.Uncleared[engine.Label](l.device, int(1+MostWithoutPrefix(uint64(len(degrees)), uint64(len(r.tuples.Edges)))))
		arcs, errArcs := device.Uncleared[Arc](l.device, int(1+MostTails(uint64(len(degrees)), uint64(len(r.tuples.Edges)), 0)))
		if err := errors.Join(errTails, errArcs); err != nil {
			t.Fatal(err)
		}
		for i := range tails.Host() {
			tails.Host()[i] = engine.None
		}
		for i := range arcs.Host() {
			arcs.Host()[i] = Arc{math.MaxUint32, -1}
		}
		l.input.Tails, l.input.ArcTails = append(l.input.Tails, tails), append(l.input.ArcTails, arcs)
	}
}

func (l *list) close(t *testing.T) {
	t.Helper()
	for i := range l.input.Tails {
		if err := errors.Join(l.input.Tails[i].Free(), l.input.ArcTails[i].Free()); err != nil {
			t.Error(err)
		}
	}
	closeBackward(t, l.owned)
}

// closeBackward closes the list in reverse order.
func closeBackward[T interface{ Close() error }](t *testing.T, list []T) {
	t.Helper()
	for _, x := range slices.Backward(list) {
		devicetest.Close(t, x)
	}
}

// build is Build on the device of the list.
func (l *list) build(t *testing.T, f Form) ([]*Graph, error) {
	return Build(t.Context(), devicetest.Team(t, slices.Repeat([]*device.Device{l.device}, f.Devices)), l.input, f)
}

// check builds the graph in memory that is poisoned before, compares it with the reference, and
// closes it.
func (l *list) check(t *testing.T, r *reference, f Form) {
	t.Helper()
	free := l.device.Free()
	devicetest.Dirty(t, l.device, 64*len(r.tuples.Edges)+64*int(r.vertices)+1<<20)
	graphs, err := l.build(t, f)
	if err != nil {
		t.Fatal(err)
	}
	r.check(t, graphs, f)
	closeBackward(t, graphs)
	closeBackward(t, graphs)
	if l.device.Free() != free {
		t.Fatalf("%d bytes are free after %d", l.device.Free(), free)
	}
}

// smallGraphs returns graphs that expose typical errors, by name, with their numbers of vertices.
func smallGraphs() map[string]reference {
	edge := func(u, v int) engine.Edge { return engine.Edge{U: engine.Label(u), V: engine.Label(v)} }
	var star, path, complete []engine.Edge
	for i := range 3000 {
		path = append(path, edge(i, i+1))
		star = append(star, []engine.Edge{edge(7, i), edge(i, 7)}[i%2])
	}
	for u := range 150 {
		for v := range u + 1 {
			complete = append(complete, edge(u, v))
		}
	}
	graphs := map[string]reference{}
	add := func(name string, vertices uint64, edges ...engine.Edge) {
		graphs[name] = reference{vertices: vertices, tuples: engine.Tuples{Edges: edges}}
	}
	add("empty", 0)
	add("one vertex", 1)
	add("one vertex with a loop", 1, edge(0, 0))
	add("no tuples", 5000)
	add("self loops only", 3000, edge(1, 1), edge(2999, 2999), edge(1, 1))
	add("one edge", 2, edge(1, 0))
	add("one edge, ends of the index", 1025, edge(1024, 0))
	add("one edge often", 70, edge(69, 0), edge(0, 69), edge(69, 0), edge(69, 69))
	add("duplicates only", 5000, slices.Repeat([]engine.Edge{edge(7, 4033), edge(4033, 7)}, 500)...)
	add("two components", 5000, edge(1, 2), edge(2, 3), edge(4998, 4999))
	add("star", 3000, star...)
	add("star twice", 3000, append(star, star...)...)
	add("star in few of many tiles", 1<<18, star[:2000]...)
	add("path", 3001, path...)
	add("complete", 150, complete...)
	return graphs
}

// weigh gives the edges weights, which are often equal.
func weigh(r *rand.Rand, edges []engine.Edge) engine.Tuples {
	tuples := engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))}
	for i := range tuples.Weights {
		tuples.Weights[i] = []float32{0, 1, r.Float32(), r.Float32() * math.MaxFloat32}[r.IntN(4)]
	}
	return tuples
}

// TestBuildSmall builds small graphs in all forms; a short test builds each graph in some, in
// turn.
func TestBuildSmall(t *testing.T) {
	d, all, n := devicetest.Open(t), forms(), 0
	random := rand.New(rand.NewPCG(1, 2))
	graphs := smallGraphs()
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range graphs {
			if !yield(name) {
				return
			}
		}
	}) {
		r := newReference(graphs[name].vertices, weigh(random, graphs[name].tuples.Edges))
		for _, f := range all {
			if n++; testing.Short() && (n%11 != 0 || r.vertices > 1<<14 && n%55 != 0) {
				continue
			}
			t.Run(name+"/"+f.name(), func(t *testing.T) {
				l := load(t, d, f, r.vertices, r.tuples)
				l.split(t, &f, r, uint64(n%2*len(r.tuples.Edges)))
				l.check(t, r, f)
				l.close(t)
			})
		}
	}
}

// randomTuples returns random tuples, of which often many have few sources or a label of few
// tiles. Numbers of vertices and tuples of all magnitudes below 2^bits are equally likely.
func randomTuples(r *rand.Rand, vertexBits, tupleBits uint) (vertices uint64, edges []engine.Edge) {
	vertices = 1 + r.Uint64N(1<<r.UintN(vertexBits))
	edges = make([]engine.Edge, r.IntN(1<<r.UintN(tupleBits)))
	spread, skewed := 1+r.Uint64N(vertices), r.IntN(2) > 0
	draw := func(spread uint64) engine.Label {
		if skewed {
			return engine.Label(float64(spread) * r.Float64() * r.Float64() * r.Float64())
		}
		return engine.Label(r.Uint64N(spread))
	}
	for i := range edges {
		edges[i] = engine.Edge{U: draw(spread), V: draw(vertices)}
	}
	return vertices, edges
}

// TestBuildRandom builds random graphs in forms in turn, on up to 16 devices, with random
// numbers of groups and hubs.
func TestBuildRandom(t *testing.T) {
	d, all := devicetest.Open(t), forms()
	random := rand.New(rand.NewPCG(3, 4))
	bits := devicetest.Sized[uint](17, 13)
	for i := range devicetest.Sized(6*len(all), len(all)) {
		vertices, edges := randomTuples(random, bits, bits)
		f := all[i%len(all)]
		if f.Devices == 3 && random.IntN(4) == 0 {
			f.Devices = 4 + random.IntN(device.MostTogether-3)
		}
		f.Groups, f.Hubs = 1+random.IntN(20), random.Uint64N(1+2*vertices)
		more := uint64(random.IntN(len(edges) + 1))
		t.Run(fmt.Sprint(i, ",", f.name()), func(t *testing.T) {
			r := newReference(vertices, weigh(random, edges))
			l := load(t, d, f, vertices, r.tuples)
			l.split(t, &f, r, more)
			l.check(t, r, f)
			l.close(t)
		})
	}
}

// TestBuildOfficial builds official graphs in all forms, from tuples in memory and from
// regenerated ones, with few groups of rows and with more than useful.
func TestBuildOfficial(t *testing.T) {
	d := devicetest.Open(t)
	for _, c := range []struct {
		scale, groups int
		capacity      uint64
	}{{4, LeastGroups, 1}, {9, 1, 1001}, {11, MostGroups, 1 << 40}, {13, 3, 1 << 15}, {16, LeastGroups, 100_003}, {18, LeastGroups, 1 << 40}} {
		if testing.Short() && c.scale > 9 && c.scale != 11 {
			continue
		}
		spec := devicetest.Official(c.scale)
		r := newReference(spec.Vertices(), devicetest.OfficialWeighted(c.scale))
		for i, f := range forms() {
			if c.scale > 13 && i%(c.scale-3) != 0 || testing.Short() && i%(2*c.scale-5) != 0 { // of scale 4 every third
				continue
			}
			f.Groups = c.groups
			t.Run(fmt.Sprint(c.scale, ",", f.name()), func(t *testing.T) {
				l := generated(t, d, f, spec, c.capacity)
				l.split(t, &f, r, spec.Tuples()/2)
				l.check(t, r, f)
				if regenerated := f.Distributed || c.capacity < spec.Tuples()/uint64(f.Devices); regenerated == l.input.Tuples[0].Whole() {
					t.Error("the tuples are not those of the test")
				}
				l.close(t)
			})
		}
	}
}

// TestBuildInItsPlan builds official graphs in an arena of the planned size, on one device that is
// several in one of the sum. The memory that they take is that of the plan for their sizes.
func TestBuildInItsPlan(t *testing.T) {
	for i, f := range forms() {
		if testing.Short() && i%2 != 0 {
			continue
		}
		t.Run(f.name(), func(t *testing.T) {
			scale := devicetest.Sized(14, 9)
			spec := devicetest.Official(scale)
			r := newReference(spec.Vertices(), devicetest.OfficialWeighted(scale))
			d := devicetest.OpenWith(t, device.Options{})
			l := &list{device: d}
			l.split(t, &f, r, 5000)
			bytes := uint64(f.Devices) * (2 + spec.Tuples()) * 24
			for _, labels := range r.ranges(f) {
				own, _ := needOf(r.counts[labels.First:labels.End], 0)
				if f.Balanced {
					labels = All(spec.Vertices())
				}
				s := Sizes{spec.Vertices(), spec.Tuples(), uint64(len(r.hubs)), uint64(own)}
				bytes += engine.Peak(Plan(s, f, labels), engine.DeviceMemory)
			}
			if err := d.Reserve(bytes); err != nil {
				t.Fatal(err)
			}
			made := generated(t, d, f, spec, 1<<12)
			made.input.Tails, made.input.ArcTails = l.input.Tails, l.input.ArcTails
			used := d.Reserved() - d.Free()
			graphs, err := made.build(t, f)
			if err != nil {
				t.Fatal(err)
			}
			r.check(t, graphs, f)
			for k, g := range graphs {
				c, z := newConstruction(f), r.sizes(f, g)
				used += c.counting(z).Bytes() + c.rows.graph(z).Bytes() + c.rows.work(z).Bytes()
				worst := worstSizes(z.vertices, z.labels, z.tuples, f.Devices)
				if z.rows > worst.rows || z.arcs > worst.arcs || z.largestTile > worst.largestTile || z.connected > worst.connected {
					t.Errorf("range %d has %+v, planned %+v", k, z, worst)
				}
			}
			if d.Peak() != used {
				t.Errorf("%d bytes are used, want %d", d.Peak(), used)
			}
			closeBackward(t, graphs)
			made.close(t)
		})
	}
}

// sizes returns the sizes of a graph, from the tuples.
func (r *reference) sizes(f Form, g *Graph) sizes {
	z := sizes{vertices: r.vertices, tuples: uint64(len(r.tuples.Edges)), labels: g.Labels, connected: uint64(len(r.hubs))}
	var most uint64 // rows of a device
	for _, labels := range r.ranges(f) {
		rows, _ := needOf(r.counts[labels.First:labels.End], 0)
		most = max(most, uint64(rows))
	}
	own := r.counts[g.Labels.First:g.Labels.End]
	rows, _ := needOf(own, 0)
	entries, _ := needOf(own, int(g.Prefix))
	z.rows, z.entries, z.numbers = uint64(rows), uint64(entries), f.numbersOf(most)
	for tile := range slices.Chunk(own, tileLabels) {
		arcs, _ := needOf(tile, math.MaxInt)
		z.arcs, z.largestTile = z.arcs+uint64(arcs), max(z.largestTile, uint64(arcs))
	}
	if !f.numbered() {
		z.numbers = z.rows
	}
	return z
}

// TestLoad: Build loads no module that Load has not loaded, and Load none that Build of another
// form needs only.
func TestLoad(t *testing.T) {
	r := newReference(3000, officialSmall())
	names, err := fs.Glob(images, "compiled/*.ptx")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for i, f := range forms() {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(f.name(), func(t *testing.T) {
			d := devicetest.Open(t)
			if err := Load(d, f); err != nil {
				t.Fatal(err)
			}
			l := load(t, d, f, r.vertices, r.tuples)
			l.split(t, &f, r, 0)
			l.check(t, r, f)
			l.close(t)
			for _, name := range names {
				name = strings.TrimSuffix(strings.TrimPrefix(name, "compiled/"), ".ptx")
				_, err := d.Load("construct", noFiles{}, name) // fails unless it is loaded
				if want := slices.Contains(f.modules(), name); (err == nil) != want {
					t.Errorf("module %s is loaded: %v, want %v", name, err == nil, want)
				}
			}
		})
	}
}

// noFiles is a file system without files.
type noFiles struct{}

func (noFiles) Open(name string) (fs.File, error) { return nil, fs.ErrNotExist }

// officialSmall returns a few tuples with weights.
func officialSmall() engine.Tuples {
	r := rand.New(rand.NewPCG(5, 6))
	return weigh(r, devicetest.RandomTuples(r, 3000))
}

// TestBuildOutside expects the error of package graph for the first label out of range, in
// every share.
func TestBuildOutside(t *testing.T) {
	d := devicetest.Open(t)
	edges := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 10_000)
	edges[7_777], edges[2_600], edges[2_601] = engine.Edge{U: 4, V: 9}, engine.Edge{U: 3, V: 9}, engine.Edge{U: 12, V: 0}
	tuples := engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))}
	team := parallel.NewTeam(1)
	defer team.Close()
	for _, f := range forms() {
		for _, vertices := range []uint64{0, 2, 9, 10} {
			_, want := graph.Build(t.Context(), team, graph.WholeGraph(vertices), engine.Tuples{Edges: edges})
			l := load(t, d, f, vertices, tuples)
			l.split(t, &f, newReference(vertices, engine.Tuples{}), 20_000)
			l.refuse(t, f, want.Error())
			l.close(t)
		}
	}
}

// refuse expects an error of Build, and that all memory is free afterwards.
func (l *list) refuse(t *testing.T, f Form, want string) {
	t.Helper()
	free := l.device.Free()
	if _, err := l.build(t, f); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: error %v, want %q", f.name(), err, want)
	}
	if l.device.Free() != free {
		t.Errorf("%s: %d bytes are free after %d", f.name(), l.device.Free(), free)
	}
}

// TestBuildOutsideWide: a label whose low 32 bits are those of a vertex, in the last tuple.
func TestBuildOutsideWide(t *testing.T) {
	d := devicetest.Open(t)
	edges := []engine.Edge{{U: 1, V: 2}, {U: 3, V: 4}, {U: 5, V: 6}, {U: 1, V: 7}}
	for _, f := range forms() {
		if !f.Wide || f.splits() {
			continue
		}
		for _, high := range []uint32{1, 1 << 15, 1 << 16, 1 << 31} {
			l := load(t, d, f, 10, engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))})
			for _, share := range l.owned {
				if err := share.Each(t.Context(), func(part generate.Part) error {
					return device.As[engine.Edge48](part.Edges).Write(part.Count-1, []engine.Edge48{{ULow: 1, VLow: 7, High: high}})
				}); err != nil && share.Len() > 0 {
					t.Fatal(err)
				}
			}
			l.refuse(t, f, "names a vertex beyond the last one")
			l.close(t)
		}
	}
}

// TestBuildRefuses expects errors for bad weights, and for input that does not belong together.
func TestBuildRefuses(t *testing.T) {
	d := devicetest.Open(t)
	edges := slices.Repeat([]engine.Edge{{U: 1, V: 2}}, 5000)
	spec := devicetest.Official(6)
	for _, f := range forms() {
		if f.splits() {
			continue
		}
		good := engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))}
		if f.Order == ByWeight {
			for _, bad := range []float32{-1, float32(math.NaN()), float32(math.Inf(1)), float32(math.Copysign(0, -1))} {
				tuples := engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))}
				tuples.Weights[4321], tuples.Weights[4322] = bad, bad
				l := load(t, d, f, 3, tuples)
				l.refuse(t, f, fmt.Sprint("tuple 4321 has weight ", bad))
				l.close(t)
			}
			plain := f
			plain.Order = ByDegree
			l := load(t, d, plain, 3, good)
			l.refuse(t, f, "the tuples have no weights")
			l.close(t)
		}
		l := load(t, d, f, 3, good)
		if f.Devices++; f.Devices > 0 {
			if _, err := Build(t.Context(), devicetest.Team(t, []*device.Device{d}), l.input, f); err == nil || f.Devices == 1 {
				t.Errorf("%s: built on one device: %v", f.name(), err)
			}
		}
		f.Devices--
		split := f
		split.Split.Words = 100
		l.refuse(t, split, "split in 0 memories")
		l.input.Tuples = l.input.Tuples[1:]
		l.refuse(t, f, "there must be one each")
		l.close(t)

		l = generated(t, d, f, spec, 1<<40)
		l.input.Vertices--
		l.refuse(t, f, "tuples of scale 6 have more than 63 vertices")
		l.close(t)
	}
	l := load(t, d, Form{Devices: 1, Order: ByWeight}, 3, engine.Tuples{Edges: edges, Weights: make([]float32, len(edges))})
	defer l.close(t)
	l.input.ArcTails = make([]*device.HostArray[Arc], 1)
	for _, f := range []Form{
		{Order: ByWeight, Devices: 1, Distributed: true, Split: Split{Words: 1}},
		{Order: ByWeight, Devices: 1, Split: Split{Words: 1, NoPrefix: true}},
	} {
		l.refuse(t, f, "can be split only with a prefix")
	}
}

// TestBuildDoesNotFit gives split rows too little memory on the device, and on the host.
func TestBuildDoesNotFit(t *testing.T) {
	d := devicetest.Open(t)
	spec, scale := devicetest.Official(10), 10
	r := newReference(spec.Vertices(), devicetest.OfficialWeighted(scale))
	for _, f := range forms() {
		if !f.splits() {
			continue
		}
		free := d.Free()
		l := load(t, d, f, r.vertices, r.tuples)
		l.split(t, &f, r, 0)
		small := f
		small.Split.Words = 100
		size := uint64(4)
		if f.Order == ByWeight {
			size = 8
		}
		_, err := l.build(t, small)
		if memory := new(device.MemoryError); !errors.As(err, &memory) || memory.Available != 100*size {
			t.Errorf("%s in 100 words: %v", f.name(), err)
		}
		tails, arcs := l.input.Tails, l.input.ArcTails
		few, errFew := device.Uncleared[engine.Label](d, 32)
		fewArcs, errArcs := device.Uncleared[Arc](d, 32)
		if err := errors.Join(errFew, errArcs); err != nil {
			t.Fatal(err)
		}
		l.input.Tails, l.input.ArcTails = slices.Repeat([]*device.HostArray[engine.Label]{few}, f.Devices), slices.Repeat([]*device.HostArray[Arc]{fewArcs}, f.Devices)
		l.refuse(t, f, "in host memory take")
		l.input.Tails, l.input.ArcTails = tails, arcs
		l.close(t)
		if err := errors.Join(few.Free(), fewArcs.Free()); err != nil || d.Free() != free {
			t.Errorf("%d bytes are free after %d: %v", d.Free(), free, err)
		}
	}
}

// TestBuildOutOfMemory increases the free memory until construction succeeds.
func TestBuildOutOfMemory(t *testing.T) {
	const scale = 7
	spec := devicetest.Official(scale)
	r := newReference(spec.Vertices(), devicetest.OfficialWeighted(scale))
	for i, f := range forms() {
		if testing.Short() && i%4 != 0 {
			continue
		}
		t.Run(f.name(), func(t *testing.T) {
			d := devicetest.OpenWith(t, device.Options{})
			if err := d.Reserve(4 << 20); err != nil {
				t.Fatal(err)
			}
			l := load(t, d, f, r.vertices, r.tuples)
			l.split(t, &f, r, 10)
			failed, enough := make(map[string]bool), false
			for room := uint64(0); room < d.Free() && !enough; room += 16 * device.Alignment {
				_, free := devicetest.Borrowed[byte](t, d, int(d.Free()-room))
				graphs, err := l.build(t, f)
				var full *device.MemoryError
				switch {
				case err == nil:
					enough = true
					r.check(t, graphs, f)
					closeBackward(t, graphs)
				case !errors.As(err, &full):
					t.Errorf("%d bytes are free: %v", room, err)
				default:
					failed[full.Name] = true
				}
				if d.Free() != room {
					t.Fatalf("%d bytes are free after %d", d.Free(), room)
				}
				free()
			}
			names := map[Order][]string{ByDegree: {"degrees and ranks", "arcs to sort"}, ByWeight: {"degrees and ranks", "weighted arcs to sort"}}[f.Order]
			for _, name := range names {
				if !failed[name] {
					t.Errorf("the allocation of the %s never failed: %v", name, failed)
				}
			}
			if !enough {
				t.Errorf("construction never succeeded")
			}
			l.close(t)
		})
	}
}

func TestBuildStops(t *testing.T) {
	d := devicetest.Open(t)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	for _, f := range forms() {
		l := load(t, d, f, 10, engine.Tuples{Weights: []float32{}})
		l.split(t, &f, newReference(10, engine.Tuples{}), 0)
		free := d.Free()
		if _, err := Build(ctx, devicetest.Team(t, slices.Repeat([]*device.Device{d}, f.Devices)), l.input, f); !errors.Is(err, stop) {
			t.Errorf("error %v of an ended context", err)
		}
		if d.Free() != free {
			t.Errorf("%d bytes are free after %d", d.Free(), free)
		}
		l.close(t)
	}
}
