//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/validate"
)

// One GPU and several find what the CPU finds, on all ranks the same: in every arrangement, of kept
// and regenerated tuples, by each kernel and by both. A short test takes both kernels of one GPU,
// and one case in 41, so that each value comes up with many others.
func TestTeams(t *testing.T) {
	graphs := []string{"kept", "regenerated"}
	kernels := [][]engine.Kernel{{engine.BFS}, {engine.SSSP}, engine.Kernels()}
	number := 0
	one := arrangement{ranks: 1, each: 1, exchange: engine.PeerExchange}
	wide := one
	wide.wide = true
	for _, a := range append([]arrangement{one, wide}, arrangements()...) {
		for _, graph := range graphs {
			for _, of := range kernels {
				if number++; testing.Short() && number%41 != 0 && (a.each > 1 || a.ranks > 1 || len(of) == 1) {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, %s", a, graph, of), func(t *testing.T) { searchOn(t, a, graph, of) })
			}
		}
	}
}

// searchOn searches a graph in an arrangement.
func searchOn(t *testing.T, a arrangement, graph string, kernels []engine.Kernel) {
	o, g := Options{part: 5003}, a.officialGraph()
	if graph == "regenerated" {
		o.MaxBytes = minimalMemory
	}
	r := startTeam(t, a, o)
	job := g.job(a, kernels, 2)
	cpus, want := g.onCPU(t, kernels)
	want.Regenerated = graph == "regenerated" || a.distributed()
	if info := r.build(t, g, job); info != want {
		t.Errorf("%+v, want %+v", info, want)
	}
	r.checkUsable(t, g)
	for n, c := range cpus {
		edges := g.tuples.Edges
		r.compare(t, n, c, []engine.Label{edges[0].V, edges[20].U, edges[len(edges)/2].U})
	}
	r.closeSearchers(t)
}

// Changed results are refused on all ranks with the error that the CPU gives for shortest paths,
// and one GPU for trees.
func TestTeamsRefuseWrongResults(t *testing.T) {
	for number, a := range arrangements() {
		if testing.Short() && number%24 != 0 {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			g := a.officialGraph()
			root := g.tuples.Edges[0].V
			r := startTeam(t, a, Options{part: 5003})
			one := startTeam(t, arrangement{ranks: 1, each: 1}, Options{})
			r.build(t, g, g.job(a, engine.Kernels(), 1))
			one.build(t, g, g.job(one.arrangement, engine.Kernels(), 1))
			for n := range engine.Kernels() {
				for name, wrong := range wrongResults(t, one.searchers[0][n], root, a.ranks*a.each) {
					want, err := refusal(t, one.searchers[0][n], root, wrong)
					if err != nil || (want == "") != (name == "unchanged") {
						t.Fatalf("%s: one GPU gives %q, %v", name, want, err)
					}
					r.do(t, func(rank int) error {
						if got, err := refusal(t, r.searchers[rank][n], root, wrong); err != nil || got != want {
							return fmt.Errorf("%s: rank %d gives %q, one GPU %q, %w", name, rank, got, want, err)
						}
						return nil
					})
				}
			}
		})
	}
}

// refusal returns the text of the error with which a searcher refuses results.
func refusal(t *testing.T, s engine.Searcher, root engine.Label, wrong engine.Results) (string, error) {
	defer s.Drop()
	if err := s.Set(engine.Vertex(root), func(r engine.Results) error {
		copy(r.Parents, wrong.Parents)
		copy(r.Distances, wrong.Distances)
		return nil
	}); err != nil {
		return "", err
	}
	_, err := s.Check(t.Context())
	if broken := (*validate.Error)(nil); errors.As(err, &broken) {
		return err.Error(), nil
	}
	return "", err
}

// wrongResults returns changed results of a search, and the results, "unchanged". In each of some
// ranges of the vertices one is wrong.
func wrongResults(t *testing.T, s engine.Searcher, root engine.Label, ranges int) map[string]engine.Results {
	t.Helper()
	if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(root)), s.Keep()); err != nil {
		t.Fatal(err)
	}
	kept, err := s.AllResults(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	right := cloned(kept)
	s.Drop()
	wrong := make(map[string]engine.Results)
	change := func(name string, how func(r engine.Results)) {
		r := cloned(right)
		how(r)
		wrong[name] = r
	}
	change("unchanged", func(engine.Results) {})
	change("root without parent", func(r engine.Results) { r.Parents[root] = engine.None })
	for k := range ranges {
		from := k * len(right.Parents) / ranges
		at := from + slices.IndexFunc(right.Parents[from:], func(p engine.Label) bool { return p != engine.None && p != root })
		change(fmt.Sprintf("vertex %d is its parent", at), func(r engine.Results) { r.Parents[at] = engine.Label(at) })
		change(fmt.Sprintf("vertex %d has another parent", at), func(r engine.Results) { r.Parents[at] = engine.Label(at) ^ 1 })
		change(fmt.Sprintf("vertex %d has no such parent", at), func(r engine.Results) { r.Parents[at] = engine.Label(len(r.Parents)) + 5 })
		if right.Distances == nil {
			change(fmt.Sprintf("vertex %d is missing", at), func(r engine.Results) { r.Parents[at] = engine.None })
			continue
		}
		change(fmt.Sprintf("vertex %d is missing", at), func(r engine.Results) { r.Parents[at], r.Distances[at] = engine.None, engine.Unreached })
		change(fmt.Sprintf("vertex %d is farther", at), func(r engine.Results) { r.Distances[at] *= 2 })
		change(fmt.Sprintf("vertex %d is nearer", at), func(r engine.Results) { r.Distances[at] /= 2 })
	}
	return wrong
}

// No wrong entry of the results of 64 bits of any GPU of any rank is valid because of its low
// 32 bits.
func TestTeamsRefuseWideParents(t *testing.T) {
	g := officialGraph(12)
	root := engine.Vertex(g.tuples.Edges[0].U)
	changes := []func(int64) int64{
		func(p int64) int64 { return p | 1<<32 }, func(p int64) int64 { return p | 1<<47 }, func(p int64) int64 { return p | -1<<32 },
		func(int64) int64 { return -2 },
	}
	if testing.Short() { // the least and the most of the wrong bits
		changes = changes[1:3]
	}
	for number, a := range arrangements() {
		if !a.wide || testing.Short() && number%9 != 0 {
			continue
		}
		t.Run(a.String(), func(t *testing.T) {
			r := startTeam(t, a, Options{part: 5003})
			r.build(t, g, g.job(a, engine.Kernels()[:1], 1))
			for k := range a.ranks * a.each {
				for _, change := range changes {
					texts, vertex := make([]string, a.ranks), -1
					r.do(t, func(rank int) error {
						s := r.searchers[rank][0].(*Searcher)
						defer s.Drop()
						if err := errors.Join(s.Clear(), s.Search(t.Context(), root)); err != nil {
							return err
						}
						if k/a.each == rank { // its GPU has the wrong entry
							parents := s.members[k%a.each].wide.parents
							host := make([]int64, parents.Len())
							if err := parents.Read(0, host); err != nil {
								return err
							}
							at := slices.IndexFunc(host, func(p int64) bool { return p >= 0 && p != int64(root) })
							vertex = int(s.engine.ranges[k].First) + at
							if err := parents.Write(at, []int64{change(host[at])}); err != nil {
								return err
							}
						}
						if err := s.Keep(); err != nil {
							return err
						}
						_, err := s.Check(t.Context())
						if broken := (*validate.Error)(nil); errors.As(err, &broken) {
							texts[rank] = err.Error()
						}
						return nil
					})
					wanted := fmt.Sprintf("vertex %d has a parent of more than 32 bits", vertex)
					if slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(text, wanted) }) {
						t.Errorf("GPU %d, %s: %q", k, wanted, texts)
					}
				}
			}
		})
	}
}

// A run with only the memory that a layout needs ends, and takes no more.
func TestPlansOfTeams(t *testing.T) {
	g, number := officialGraph(12), 0
	for _, a := range arrangements() {
		for _, kernels := range [][]engine.Kernel{{engine.BFS}, {engine.SSSP}, engine.Kernels()} {
			byHubs := whole(1<<12, 4, 1)
			byHubs.byHubs = true
			for _, l := range []layout{whole(1<<16, 1, 1), whole(1<<12, 4, 1), whole(1<<12, 6, 3), whole(1<<12, 4, maxBatch), byHubs} {
				number++
				inShort := number%83 == 0 || number == 5 // the first by hubs
				if a.ranks > 1 || l.byHubs && (a.distributed() || kernels[0] != engine.BFS) || testing.Short() && !inShort {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, %+v", a, kernels, l), func(t *testing.T) {
					job := g.job(a, kernels, maxBatch)
					p := planner{part: 1 << 12, devices: a.each, distributed: a.distributed(), alone: true, l2: defaultL2}
					if there := startTeam(t, a, Options{}); there != nil {
						p.l2 = there.engines[0].planner.l2
					}
					most := engine.Peak(p.required(job, l), engine.DeviceMemory)
					r := startTeam(t, a, Options{MaxBytes: most, part: 1 << 12})
					if l.byHubs {
						r.engines[0].planner.hubsFrom = 1
					}
					r.build(t, g, job)
					if r.engines[0].layout.byHubs != l.byHubs {
						t.Fatalf("the layout is %+v", r.engines[0].layout)
					}
					root := engine.Vertex(g.tuples.Edges[0].U)
					for _, s := range r.searchers[0] {
						for range s.Capacity() {
							if err := errors.Join(s.Clear(), s.Search(t.Context(), root), s.Keep()); err != nil {
								t.Fatal(err)
							}
						}
						if trees, err := s.Check(t.Context()); err != nil || len(trees) != s.Capacity() {
							t.Fatalf("%d trees of %d, %v", len(trees), s.Capacity(), err)
						}
					}
					r.checkTaken(t, job)
					if limit := r.engines[0].limit.Bytes; limit != most/device.Alignment*device.Alignment {
						t.Errorf("the limit is %d, not %d", limit, most)
					}
				})
			}
		}
	}
}

// Tuples take 12 bytes with labels of 48 bits, and parents 8 bytes for a GPU's range. An exchange
// over the hosts takes memory of the host.
func TestLinesOfTeamPlans(t *testing.T) {
	for _, a := range []arrangement{{1, 2, engine.PeerExchange, true}, {1, 2, engine.HostExchange, true}} {
		e := startTeam(t, a, Options{}).engines[0]
		job := engine.Job{Vertices: 1 << 12, Tuples: 1 << 16, Connected: connected(12), Strategies: []engine.Strategy{named("default"), shortestPaths()}, Searches: 1}
		bytesOf := func(name string, place engine.Place) (bytes uint64) {
			for _, a := range e.Plan(job).Memory {
				if a.Name == name && a.Place == place {
					bytes += a.Bytes
				}
			}
			return bytes
		}
		for _, job.Loaded = range []bool{false, true} {
			own := map[bool]uint64{false: 1 << 11, true: 1 << 12}[job.Loaded] // balanced ranges can have nearly all labels
			job.Wide = false
			tuples := bytesOf("tuples", engine.DeviceMemory)
			job.Wide = true
			if got := bytesOf("tuples with labels of 48 bits", engine.DeviceMemory); got != tuples/8*12 || tuples < 8<<15 || bytesOf("tuples", engine.DeviceMemory) != 0 {
				t.Errorf("%s, loaded %v: %d bytes of tuples, with 32 bits %d", a, job.Loaded, got, tuples)
			}
			for _, k := range engine.Kernels() {
				if got := bytesOf(parentsName(k)+" of 64 bits", engine.DeviceMemory); got != 8*own {
					t.Errorf("%s, loaded %v: %d bytes of %s", a, job.Loaded, got, parentsName(k))
				}
			}
			if job.Loaded {
				for _, job.LoadedWide = range []bool{true, false} {
					want := map[bool]uint64{false: 8 << 16, true: 12 << 16}[job.LoadedWide]
					if got := bytesOf("tuples, as read", engine.HostMemory); got != want {
						t.Errorf("%s, read with 48 bits: %v: %d bytes on the host, want %d", a, job.LoadedWide, got, want)
					}
				}
			}
			if host := bytesOf("exchange of the GPUs", engine.HostMemory); (host > 0) != a.distributed() {
				t.Errorf("%s: %d bytes of the host for the exchange", a, host)
			}
		}
	}
}

// Options that cannot be are refused with the name of the option.
func TestRefusalsOfTeams(t *testing.T) {
	a := arrangement{ranks: 1, each: 2, exchange: engine.PeerExchange}
	e := startTeam(t, a, Options{}).engines[0]
	job := testGraph{vertices: 2047}.job(a, engine.Kernels()[:1], 1)
	if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err == nil || err.Error() != "flag -gpus: 2 GPUs search graphs of at least 2048 vertices together, this one has 2047" {
		t.Error(err)
	}
	there, err := Count()
	if err != nil {
		t.Fatal(err)
	}
	if there < device.MostTogether {
		if _, err := New(t.Context(), cluster.Alone(), ordinals(there+1), Options{}); err == nil || !strings.Contains(err.Error(), "no such GPU: ") || strings.Contains(err.Error(), "\n") {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		count  int
		o      Options
		option string
	}{
		{device.MostTogether + 1, Options{Exchange: engine.PeerExchange}, ExchangeOption},
		{2, Options{Exchange: engine.HostExchange, Residency: engine.Prefix}, ResidencyOption},
	} {
		list := slices.Repeat([]int{0}, c.count)
		_, err := New(t.Context(), cluster.Alone(), list, c.o)
		if refused := (*OptionError)(nil); !errors.As(err, &refused) || refused.Option != c.option {
			t.Errorf("%d GPUs, %+v: %v", c.count, c.o, err)
		}
	}
	g := officialGraph(11)
	r := startTeam(t, a, Options{})
	r.build(t, g, g.job(a, engine.Kernels()[:1], 1))
	if _, err := r.engines[0].NewSearcher(t.Context(), named("push")); err == nil || !strings.Contains(err.Error(), "does not run on several GPUs") {
		t.Error(err)
	}
}

// Several GPUs take labels of one bit more than one GPU does. The width of the labels of the
// tuples is reported.
func TestLabelsOfTeams(t *testing.T) {
	for _, a := range []arrangement{{1, 2, engine.PeerExchange, false}, {1, 2, engine.HostExchange, true}} {
		e := startTeam(t, a, Options{}).engines[0]
		want := map[bool]int{false: 31, true: 48}[a.wide]
		job := testGraph{vertices: 1 << 11}.job(a, engine.Kernels()[:1], 1)
		if err := e.Prepare(t.Context(), []engine.Plan{e.Plan(job)}); err != nil {
			t.Fatal(err)
		}
		if info := e.Info(); info.LabelBits != want || info.MaxVertices != 1<<31 || info.Exchange != a.exchange || len(info.Devices) != 2 {
			t.Errorf("%+v", info)
		}
		for vertices, fits := range map[uint64]bool{1 << 31: true, 1<<31 + 1: false} {
			err := e.begin(vertices)
			if tooWide := err != nil && strings.Contains(err.Error(), "need labels of more than 31 bits"); tooWide == fits {
				t.Errorf("%d vertices: %v", vertices, err)
			}
		}
	}
}

// Rows are split where they must be or shall be, alone and beside each other, and results, tuples
// and facts are those of the CPU.
func TestTeamsWithSplitRows(t *testing.T) {
	for number, c := range []struct {
		arrangement
		kernels   []engine.Kernel
		residency engine.Residency
		place     uint64 // of the memory between the least and that of whole rows, or twice the least, in tenths
	}{
		{arrangement{1, 2, engine.PeerExchange, false}, engine.Kernels()[:1], engine.Prefix, 0},
		{arrangement{1, 3, engine.PeerExchange, true}, engine.Kernels()[:1], engine.Prefix, 5},
		{arrangement{2, 1, engine.PeerExchange, false}, engine.Kernels()[:1], engine.AutoResidency, 10},
		{arrangement{1, 2, engine.PeerExchange, false}, engine.Kernels()[1:], engine.Prefix, 0},
		{arrangement{1, 3, engine.PeerExchange, false}, engine.Kernels(), engine.Prefix, 1},
		{arrangement{1, 2, engine.PeerExchange, true}, engine.Kernels(), engine.Prefix, 2},
	} {
		if testing.Short() && number%3 == 0 { // the others have their values, and more kernels
			continue
		}
		t.Run(fmt.Sprint(number), func(t *testing.T) {
			g := officialGraph(devicetest.Sized(14, 12))
			job := g.job(c.arrangement, c.kernels, 3)
			probe := startTeam(t, c.arrangement, Options{part: 1 << 12}).engines[0].planner
			l := layout{capacity: 1 << 12, groups: construct.MostGroups, batch: 1}
			most := engine.Peak(probe.required(job, l), engine.DeviceMemory) - 1
			least := engine.Peak(probe.required(job, probe.leastSplit(job)), engine.DeviceMemory)
			if most < least { // by the depths of hubs, at small scales
				most = 2 * least
			}
			r := startTeam(t, c.arrangement, Options{MaxBytes: least + (most-least)/10*c.place, part: 1 << 12, Residency: c.residency})
			cpus, want := g.onCPU(t, c.kernels)
			info := r.build(t, g, job)
			if r.engines[0].Info().Residency != engine.Prefix || info.Prefix >= construct.LeastPrefix != (job.Weighted() || !r.engines[0].layout.byHubs) || info.HostBytes == 0 && c.place == 0 {
				t.Errorf("%+v", info)
			}
			want.Prefix, want.HostBytes, want.Regenerated = info.Prefix, info.HostBytes, info.Regenerated
			if info != want {
				t.Errorf("%+v, want %+v", info, want)
			}
			for _, e := range r.engines {
				if planned := engine.Peak(e.planner.tailsPlan(job, e.layout, c.ranks*c.each), engine.HostMemory); uint64(info.HostBytes) > planned {
					t.Errorf("%d bytes of host memory, %d planned", info.HostBytes, planned)
				}
			}
			for n, cpu := range cpus {
				r.compare(t, n, cpu, []engine.Label{g.tuples.Edges[0].V, g.tuples.Edges[20].U})
			}
			r.checkTaken(t, job)
		})
	}
}

// Loaded tuples, of which the ranges have rows of other lengths: the host's memory for the tails
// suffices although the GPUs have the prefix of the one that it fits worst.
func TestTeamsWithSplitLoadedRows(t *testing.T) {
	const vertices, ring, short, long = 4096, 2040, 6, 200
	var edges []engine.Edge
	for v := engine.Label(0); v < ring; v++ {
		for k, jump := 0, engine.Label(3); k < short; k, jump = k+1, 3*jump { // in the first range
			edges = append(edges, engine.Edge{U: v, V: (v + jump) % ring})
		}
	}
	for v := engine.Label(0); v < 80; v++ {
		for k := engine.Label(1); k <= long/2; k++ { // in the second one, of which most vertices have few
			edges = append(edges, engine.Edge{U: vertices/2 + v, V: vertices/2 + (v+k)%80})
		}
	}
	edges = append(edges, engine.Edge{U: 3, V: vertices/2 + 3})
	g := testGraph{vertices: vertices, tuples: weighted(rand.New(rand.NewPCG(5, 9)), edges, 0)}
	for _, wide := range []bool{false, true} {
		a := arrangement{ranks: 1, each: 2, exchange: engine.PeerExchange, wide: wide}
		job := g.job(a, engine.Kernels()[:1], 1)
		probe := startTeam(t, a, Options{}).engines[0].planner
		l := probe.leastSplit(job)
		for _, more := range []uint64{0, 20_000} {
			if testing.Short() && wide == (more == 0) {
				continue
			}
			r := startTeam(t, a, Options{MaxBytes: engine.Peak(probe.required(job, l), engine.DeviceMemory) + more, Residency: engine.Prefix})
			cpus, want := g.onCPU(t, engine.Kernels()[:1])
			info := r.build(t, g, job)
			want.Prefix, want.HostBytes = info.Prefix, info.HostBytes
			if info != want || info.HostBytes == 0 && more == 0 {
				t.Errorf("%d more: %+v, want %+v", more, info, want)
			}
			r.compare(t, 0, cpus[0], []engine.Label{0, vertices/2 + 79})
		}
	}
}

// Rows are split only if they must be or shall be. Resident rows take nothing of the host.
func TestSplitLayoutsOfTeams(t *testing.T) {
	both := splitJob(28)
	both.Strategies = bothKernels()
	for _, c := range []struct {
		job    engine.Job
		gib    uint64
		of     engine.Residency
		splits bool
		fits   bool
		host   uint64 // GiB of host memory
	}{
		{splitJob(30), 139, engine.AutoResidency, false, true, 0},
		{splitJob(30), 60, engine.AutoResidency, true, true, 99},
		{splitJob(31), 139, engine.AutoResidency, true, true, 157},
		{splitJob(30), 60, engine.Resident, false, false, 0},
		{splitJob(30), 10, engine.AutoResidency, true, false, 149},
		{splitJob(28), 139, engine.Prefix, true, true, 36},
		{splitJob(28), 20, engine.AutoResidency, true, true, 83},
		{splitPathsJob(28), 139, engine.AutoResidency, false, true, 0},
		{splitPathsJob(28), 40, engine.AutoResidency, true, true, 32},
		{splitPathsJob(30), 139, engine.AutoResidency, true, true, 163},
		{splitPathsJob(28), 40, engine.Resident, false, false, 0},
		{both, 79, engine.AutoResidency, false, true, 0},
		{both, 70, engine.AutoResidency, true, true, 101},
	} {
		p := planner{limit: c.gib<<30 - driverBytes, part: regeneratedPart, l2: defaultL2, residency: c.of, devices: 2, alone: true, hubsFrom: 1<<23 + 1}
		l := p.layoutOf(c.job)
		if l.splits() != c.splits || p.fits(c.job, l) != c.fits {
			t.Errorf("%v of %d labels, %d GiB, %s: %+v, fits: %v", kernelsOf(c.job), c.job.Vertices, c.gib, c.of, l, p.fits(c.job, l))
		}
		if host := engine.Peak(p.tailsPlan(c.job, l, 2), engine.HostMemory); host>>30 != c.host {
			t.Errorf("%v of %d labels, %d GiB, %s: %d GiB of host memory, want %d", kernelsOf(c.job), c.job.Vertices, c.gib, c.of, host>>30, c.host)
		}
	}
	p := planner{limit: 40 << 30, part: regeneratedPart, l2: defaultL2, residency: engine.AutoResidency, devices: 2}
	if l := p.layoutOf(splitPathsJob(28)); l.splits() {
		t.Errorf("rows of shortest paths over several ranks: %+v", l)
	}
	if p.distributed = true; p.layoutOf(splitJob(30)).splits() {
		t.Error("rows of GPUs that do not access each other's memory are split")
	}
}
