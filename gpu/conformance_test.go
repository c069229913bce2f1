//go:build cuda

package gpu

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/conformance"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/hostrows"
	"graph500/kernels/hubs"
)

// fewHubs is a form of graphs for the search by depths of hubs in which most rows have no hub.
var fewHubs = hubs.Form{Hubs: 8, Labels: 64}

// setting is how the engines of a form have the graph.
type setting struct {
	residency engine.Residency
	byHubs    bool   // the default search of BFS is by the depths of fewHubs
	part      uint64 // tuples on a GPU at a time; 0: an eighth

	limit func(p planner, job engine.Job) uint64 // of the memory of each GPU; nil: all
	where func(info engine.Graph) bool           // what the facts must say of where the graph is
	batch int                                    // searches that must be validated together; 0: any number
}

// set changes a planner to that of the setting.
func (s setting) set(p *planner) {
	if p.hubForm = fewHubs; s.byHubs {
		p.hubsFrom = 1
	}
}

// withLayout is the limit with which a layout just fits, of that many tuples on a GPU at a time (0:
// all of its share) and searches that are validated together.
func withLayout(capacity uint64, groups, batch int) func(planner, engine.Job) uint64 {
	return func(p planner, job engine.Job) uint64 {
		l := layout{capacity: cmp.Or(capacity, p.share(job)), groups: groups, batch: batch, byHubs: p.hubsFrom == 1 && len(job.Strategies) > 0 && job.Strategies[0].Kernel == engine.BFS}
		return p.needed(job, l)
	}
}

// leastSplit returns the layout of split rows that takes the least memory.
func (p planner) leastSplit(job engine.Job) layout {
	l := layout{capacity: p.splitCapacity(job), groups: construct.MostGroups, batch: 1, byHubs: p.canSplitByHubs([]engine.Job{job})}
	l.words = p.splitRoom(job, l).least
	return l
}

// split is the limit of the least memory for split rows, and more bytes.
func split(more uint64) func(planner, engine.Job) uint64 {
	return func(p planner, job engine.Job) uint64 {
		return p.needed(job, p.leastSplit(job)) + more
	}
}

// onHost is the limit of the least memory for neighbours in host memory, and more bytes.
func neighboursOnHost(more uint64) func(planner, engine.Job) uint64 {
	return func(p planner, job engine.Job) uint64 {
		l := layout{capacity: p.part, groups: construct.MostGroups, batch: 1, words: mostRows(job), form: hostrows.Form{Residency: p.residency, Buffer: leastHostBuffer}}
		return p.needed(job, l) + more
	}
}

// on returns the form of strategies on GPUs in an arrangement with a setting.
func (a arrangement) on(s setting, strategies ...engine.Strategy) conformance.Form {
	f := conformance.Form{Strategies: strategies, Wide: a.wide, LoadedWide: a.wide && (a.each > 1 || s.residency == engine.Prefix), All: true}
	f.Levels = !s.byHubs && s.residency != engine.Prefix // which list steps
	var engines []*Engine
	f.Open = func(t *testing.T, job engine.Job) (list []conformance.Engine) {
		o := Options{part: cmp.Or(s.part, max(2, job.Tuples/8)), Residency: s.residency}
		if s.limit != nil {
			p := startTeam(t, a, o).engines[0].planner
			s.set(&p)
			o.MaxBytes = s.limit(p, job)
		}
		engines = startTeam(t, a, o).engines
		for _, e := range engines {
			s.set(&e.planner)
			e.copyPiece = 5 * 8 // most parts have several pieces
			list = append(list, e)
		}
		t.Cleanup(func() {
			for _, e := range engines {
				if err := e.compareMemory(); err != nil {
					t.Error(err)
				}
			}
		})
		return list
	}
	f.Constructed = func(t *testing.T, info engine.Graph) {
		e := engines[0]
		job := e.jobs[0].Job
		if most := engine.Peak(e.planner.tailsPlan(job, e.layout, a.ranks*a.each), engine.HostMemory); uint64(info.HostBytes) > most {
			t.Errorf("%d bytes of host memory, %d planned", info.HostBytes, most)
		}
		if e.layout.byHubs != s.byHubs && s.byHubs && strategies[0].Kernel == engine.BFS || s.where != nil && !s.where(info) {
			t.Errorf("%+v in %+v", info, e.layout)
		}
		for _, m := range e.members {
			if m.tuples.IsWide() != a.wide {
				t.Errorf("tuples with labels of 48 bits: %v", m.tuples.IsWide())
			}
		}
	}
	f.Searched = func(searcher engine.Searcher) error {
		of := searcher.(*Searcher)
		if s.batch > 0 && a.each*a.ranks == 1 && of.Capacity() != s.batch {
			return fmt.Errorf("%d searches together, want %d", of.Capacity(), s.batch)
		}
		if err := of.engine.compareMemory(); err != nil {
			return err
		}
		// Of the depths of hubs, neither level 0 nor the dense level counts what it examines.
		if p, err := of.Profile(); err != nil || p.DeviceSeconds <= 0 || a.each*a.ranks > 1 && p.Examined <= 0 && !of.engine.layout.byHubs {
			return fmt.Errorf("profile %+v, %w", p, err)
		}
		return compareWide(of)
	}
	return f
}

// compareMemory requires that each GPU has taken no more than planned, and planned no more than it may.
func (e *Engine) compareMemory() error {
	if len(e.jobs) == 0 {
		return nil
	}
	plan := e.Plan(e.jobs[0].Job).Memory
	most, searching := engine.Peak(plan, engine.DeviceMemory), engine.PeakIn(plan, engine.DeviceMemory, engine.Searching)
	for i, d := range e.team.Devices() {
		used := d.Reserved() - d.Free()
		if d.Peak() > d.Reserved() || d.Reserved() > most || most > e.limit.Bytes || used > searching && len(e.graphs) > 0 {
			return fmt.Errorf("GPU %d: %d bytes used of %d for searches, at most %d of %d reserved and %d planned, limit %d", i, used, searching, d.Peak(), d.Reserved(), most, e.limit.Bytes)
		}
	}
	return nil
}

// compareWide requires, after a search with labels of 48 bits, that the results of each GPU are
// the parents of its range, unless the search writes the results itself. It spoils the parents of 32 bits,
// which are read again from those results and cleared by the next search.
func compareWide(s *Searcher) error {
	for i, r := range s.members {
		if r.wide == nil || s.strategy.wide {
			continue
		}
		labels := s.engine.ranges[s.engine.team.First()+i]
		wide, narrow := make([]int64, labels.End-labels.First), make([]engine.Label, labels.End-labels.First)
		if err := r.wide.parents.Read(0, wide); err != nil {
			return err
		}
		if err := r.parents.Read(int(labels.First), narrow); err != nil {
			return err
		}
		for v, parent := range narrow {
			want := int64(parent)
			if parent == engine.None {
				want = -1
			}
			if wide[v] != want {
				return fmt.Errorf("GPU %d: vertex %d has parent %d, want %d", i, int(labels.First)+v, wide[v], want)
			}
		}
		if err := r.parents.Fill(0); err != nil {
			return err
		}
	}
	return nil
}

// inTurn returns the graphs, of which a short test takes one in some, from number turn on.
func inTurn(graphs []conformance.Graph, turn, some int) (list []conformance.Graph) {
	some = devicetest.Sized(1, some)
	for i, g := range graphs {
		if (i+turn)%some == 0 {
			list = append(list, g)
		}
	}
	return list
}

// manyRoots returns the graph with more roots than are validated together.
func manyRoots(g conformance.Graph) conformance.Graph {
	for i := 1; len(g.Roots) < maxBatch+2; i++ {
		if e := g.Tuples.Edges[i]; e.U != e.V {
			g.Roots = append(g.Roots, e.U)
		}
	}
	return g
}

// Every strategy conforms on one GPU; the default one of BFS by depths of hubs, and with its
// neighbours in host memory, too.
func TestStrategiesConform(t *testing.T) {
	graphs := append(conformance.Graphs(0), conformance.Random(8, 0)...)
	for i, s := range Strategies() {
		t.Run(fmt.Sprintf("%s %s", s.Kernel, s.Name), func(t *testing.T) {
			f := one.on(setting{}, s)
			f.Levels = false
			f.Check(t, inTurn(graphs, i, 10)...)
		})
	}
	for turn, wide := range []bool{false, true} {
		a := one
		a.wide = wide
		for i, s := range append([]setting{
			{}, {residency: engine.Prefix, limit: split(0)}, {byHubs: true},
		}, onHosts()...) {
			strategies, some := bothKernels(), 8
			if slices.Contains(hostResidencies(), s.residency) {
				strategies, some = strategies[:1], 10
			}
			t.Run(fmt.Sprintf("48 bits: %v, %d, %s", wide, i, s.residency), func(t *testing.T) {
				f := a.on(s, strategies...)
				f.LoadedWide = wide && i > 0
				f.Check(t, inTurn(graphs, 5*turn+i, some)...)
			})
		}
	}
}

// onHosts lists settings of neighbours in host memory.
func onHosts() (list []setting) {
	for _, residency := range hostResidencies() {
		list = append(list, setting{residency: residency})
	}
	return list
}

// Several GPUs conform in every arrangement; those that access each other's memory by the depths of
// hubs and with split rows, too.
func TestTeamsConform(t *testing.T) {
	for i, a := range arrangements() {
		if testing.Short() && (i+i/2)%2 > 0 { // labels of 32 and 48 bits in turn
			continue
		}
		graphs := slices.DeleteFunc(conformance.Graphs(leastLabels*a.ranks*a.each), func(g conformance.Graph) bool {
			// Each level waits for all GPUs.
			return testing.Short() && (strings.HasSuffix(g.Name, "path") || g.Name == "lollipop" || g.Name == "grid")
		})
		for k, s := range []setting{{}, {byHubs: true}, {residency: engine.Prefix, limit: split(0)}} {
			if s.byHubs && a.distributed() || s.residency == engine.Prefix && a.distributed() {
				continue
			}
			t.Run(fmt.Sprintf("%s, %d", a, k), func(t *testing.T) {
				a.on(s, bothKernels()...).Check(t, inTurn(graphs, []int{1, 2, 5}[k]*i, len(graphs))...)
			})
		}
	}
}

// One GPU and several conform with only the memory that a layout needs, with kept tuples and with
// generated ones that are generated again, by each kernel and by both, in batches of each size. A short
// test takes both kernels of one GPU, and one case in 67, so that each value comes up with many others.
func TestMemoryLimitsConform(t *testing.T) {
	wide, number := one, 0
	wide.wide = true
	for _, a := range append([]arrangement{one, wide}, arrangements()...) {
		g, regenerated := a.official(), func(info engine.Graph) bool { return info.Regenerated }
		if a.each*a.ranks == 1 {
			g = manyRoots(g)
		} else if !a.distributed() {
			regenerated = nil // the memory for what is shared can suffice for all tuples
		}
		for i, s := range []setting{
			{where: func(info engine.Graph) bool { return info.Regenerated == a.distributed() }},
			{limit: withLayout(0, construct.LeastGroups, 1), where: func(info engine.Graph) bool { return info.Regenerated == a.distributed() }},
			{part: 1003, limit: withLayout(1003, 4, 1), where: regenerated, batch: 1},
			{part: 1003, limit: withLayout(1003, 6, 3), where: regenerated, batch: 3},
			{part: 1003, limit: withLayout(1003, construct.MostGroups, maxBatch), where: regenerated, batch: maxBatch},
			{part: 1003, limit: withLayout(1003, 4, 1), where: regenerated, byHubs: true},
		} {
			for _, strategies := range [][]engine.Strategy{bothKernels()[:1], bothKernels()[1:], bothKernels()} {
				number++
				if s.byHubs && (a.distributed() || strategies[0].Kernel != engine.BFS) || testing.Short() && number%67 != 0 && (a != one || len(strategies) == 1 || i%2 == 0) {
					continue
				}
				if a.distributed() && s.limit != nil && s.part == 0 {
					continue // tuples that are generated again have no other layout
				}
				t.Run(fmt.Sprintf("%s, %d, %d", a, i, number), func(t *testing.T) { a.on(s, strategies...).Check(t, g) })
			}
		}
	}
}

// Rows are split where they must be or shall be, and neighbours are in host memory, at memory limits
// between the least memory and that of whole rows. The least memory for both kernels, which has the ranges of
// the hubs' rows whole, holds all arcs of a small graph.
func TestResidenciesConform(t *testing.T) {
	official := conformance.Official(devicetest.Sized(12, 11))
	official.Roots = official.Roots[:2]
	splits := func(info engine.Graph) bool { return info.HostBytes > 0 }
	whole := func(info engine.Graph) bool { return info.HostBytes == 0 }
	allOnHost := func(info engine.Graph) bool { return info.Prefix == 0 && info.HostBytes >= 4*info.Arcs }
	number := 0
	check := func(a arrangement, g conformance.Graph, s setting, strategies ...engine.Strategy) {
		number++
		t.Run(fmt.Sprintf("%d: %s, %s", number, a, s.residency), func(t *testing.T) { a.on(s, strategies...).Check(t, g) })
	}
	for _, strategies := range [][]engine.Strategy{bothKernels()[:1], bothKernels()[1:], bothKernels()} {
		for _, more := range []uint64{0, 20_000, 60_000} {
			if !testing.Short() || more == 20_000 || len(strategies) == 2 && more == 0 {
				check(one, official, setting{residency: engine.Prefix, part: 1 << 12, limit: split(more), where: splits}, strategies...)
			}
		}
	}
	check(one, official, setting{residency: engine.Prefix, part: 1 << 12, limit: split(1 << 30), where: whole}, bothKernels()[0])
	for _, residency := range hostResidencies() {
		for _, more := range devicetest.Sized([]uint64{0, 10_000, 1 << 30}, []uint64{10_000}) {
			check(one, official, setting{residency: residency, part: 1 << 12, limit: neighboursOnHost(more), where: allOnHost}, bothKernels()[0])
		}
	}
	for i, c := range []struct {
		arrangement
		strategies []engine.Strategy
		more       uint64
	}{
		{arrangement{1, 2, engine.PeerExchange, false}, bothKernels()[:1], 0},
		{arrangement{1, 3, engine.PeerExchange, true}, bothKernels()[:1], 200_000},
		{arrangement{1, 2, engine.PeerExchange, false}, bothKernels()[1:], 0},
		{arrangement{2, 1, engine.PeerExchange, false}, bothKernels()[:1], 100_000},
		{arrangement{1, 3, engine.PeerExchange, false}, bothKernels(), 40_000},
		{arrangement{1, 2, engine.PeerExchange, true}, bothKernels(), 80_000},
	} {
		if !testing.Short() || i%3 == 1 {
			g := conformance.Official(devicetest.Sized(14, 12))
			check(c.arrangement, g, setting{residency: engine.Prefix, part: 1 << 12, limit: split(c.more)}, c.strategies...)
		}
	}
}

// Loaded tuples that do not fit in the GPU's memory stay in the host's, with every residency and labels
// of either width.
func TestLoadedTuplesOnHostConform(t *testing.T) {
	g := manyRoots(conformance.Official(8).AsLoaded())
	onHost := func(info engine.Graph) bool { return info.HostTuples == engine.PageLocked && !info.Regenerated }
	for i, residency := range engine.Residencies() {
		for k, wide := range []bool{false, true} {
			if residency == engine.AutoResidency || testing.Short() && residency != engine.Resident && k != i%2 {
				continue // the automatic one is one of the others
			}
			for _, s := range bothKernels() {
				a, of := one, setting{residency: residency, part: 500, where: onHost, limit: func(planner, engine.Job) uint64 { return 1 << 25 }}
				if a.wide = wide; residency == engine.Resident {
					of.limit, of.batch = withLayout(of.part, construct.MostGroups, maxBatch), maxBatch
				} else if s.Kernel == engine.SSSP && residency != engine.Prefix {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, 48 bits: %v", residency, s.Kernel, wide), func(t *testing.T) {
					f := a.on(of, s)
					f.LoadedWide, f.Levels = wide, false
					f.Check(t, g)
				})
			}
		}
	}
}

// Loaded tuples, of which the ranges have rows of other lengths: the host's memory for the tails
// suffices although the GPUs have the prefix of the one that it fits worst.
func TestTeamsWithSplitLoadedRows(t *testing.T) {
	const vertices, ring, short, long = 4096, 2040, 6, 200
	g := conformance.Graph{Name: "short and long rows", Vertices: vertices, Roots: []engine.Label{0, vertices/2 + 79}}
	add := func(u, v engine.Label) { g.Tuples.Edges = append(g.Tuples.Edges, engine.Edge{U: u, V: v}) }
	for v := engine.Label(0); v < ring; v++ {
		for k, jump := 0, engine.Label(3); k < short; k, jump = k+1, 3*jump { // in the first range
			add(v, (v+jump)%ring)
		}
	}
	for v := engine.Label(0); v < 80; v++ {
		for k := engine.Label(1); k <= long/2; k++ { // in the second one, of which most vertices have few
			add(vertices/2+v, vertices/2+(v+k)%80)
		}
	}
	add(3, vertices/2+3)
	for i, more := range []uint64{0, 20_000, 20_000, 0} {
		if testing.Short() && i > 1 {
			continue
		}
		a := arrangement{ranks: 1, each: 2, exchange: engine.PeerExchange, wide: i%2 > 0}
		f := a.on(setting{residency: engine.Prefix, limit: split(more), where: func(info engine.Graph) bool { return info.HostBytes > 0 || more > 0 }}, named(defaultStrategy))
		f.LoadedWide = false
		f.Check(t, g)
	}
}

// With the number of connected vertices, less memory is planned, and it is enough.
func TestConnectedVerticesOfLoadedTuples(t *testing.T) {
	const vertices = 1 << 12
	g := conformance.Graph{Vertices: vertices}
	for v := engine.Label(0); v < vertices/8; v++ { // a ring with chords, and isolated vertices
		g.Tuples.Edges = append(g.Tuples.Edges, engine.Edge{U: 8 * v, V: (8*v + 8) % vertices}, engine.Edge{U: 8 * v, V: (64*v + 8) % vertices}, engine.Edge{U: 8 * v, V: 0})
	}
	unknown := one.job(g, 1, named(defaultStrategy))
	job := unknown
	job.Connected = vertices / 8
	o := Options{part: 500, Residency: engine.Prefix}
	p := startTeam(t, one, o).engines[0].planner
	if o.MaxBytes = split(0)(p, job); o.MaxBytes >= split(0)(p, unknown) {
		t.Errorf("%d bytes, without the number of connected vertices %d", o.MaxBytes, split(0)(p, unknown))
	}
	r := startTeam(t, one, o)
	r.build(t, g, job)
	s := r.searchers[0][0]
	if err := searched(t.Context(), s, 8); err != nil {
		t.Fatal(err)
	}
	if trees, err := s.Check(t.Context()); err != nil || trees[0].Visited != vertices/8 {
		t.Errorf("%+v, %v", trees, err)
	}
	if err := r.engines[0].compareMemory(); err != nil {
		t.Error(err)
	}
}
