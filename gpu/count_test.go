//go:build cuda

package gpu

import (
	"errors"
	"testing"

	"graph500/conformance"
	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/report"
)

// Every strategy counts its work in a valid search, and searches as before afterwards; with labels of 48
// bits the default ones do.
func TestCountWork(t *testing.T) {
	g := conformance.Official(devicetest.Sized(10, 8))
	root := g.Roots[0]
	answer := conformance.AnswerOf(g.Vertices, g.Tuples, root)
	wide := one
	wide.wide = true
	judge := func(s *Searcher) {
		t.Helper()
		defer s.Drop()
		if err := s.Keep(); err != nil {
			t.Fatal(err)
		}
		r, err := s.Results(t.Context(), 0)
		if err == nil {
			err = answer.Judge(s.strategy.Kernel, r.Parents, r.Distances)
		}
		if _, checked := s.Check(t.Context()); err != nil || checked != nil {
			t.Errorf("%s %s: %v, %v", s.strategy.Kernel, s.strategy.Name, err, checked)
		}
	}
	for i, of := range append(Strategies(), bothKernels()...) {
		a := one
		if i >= len(Strategies()) {
			a = wide
		}
		e, searchers := start(t, a, g, of)
		for range 2 {
			s := searchers[0]
			counts, err := s.CountWork(t.Context(), engine.Vertex(root))
			if err != nil {
				t.Fatal(err)
			}
			judge(s)
			if counts.Examined < answer.Tree.Visited-1 || counts.Examined > 2000*int64(len(g.Tuples.Edges)) || counts.Atomics < 0 || counts.SharedAtomics < 0 || counts.Launches < 1 {
				t.Errorf("%s %s: %+v", of.Kernel, of.Name, counts)
			}
			if of.Kernel == engine.SSSP && counts.Atomics == 0 || of.Name == defaultStrategy && (counts.Atomics == 0 || of.Kernel == engine.BFS && counts.Launches != 1) {
				t.Errorf("%s %s: %+v", of.Kernel, of.Name, counts)
			}
			if err := errors.Join(s.Clear(), s.Search(t.Context(), engine.Vertex(root))); err != nil {
				t.Fatal(err)
			}
			judge(s)
		}
		if e.isWide() != a.wide {
			t.Errorf("labels of 48 bits: %v", e.isWide())
		}
	}
}

// The search by depths of hubs has no counted form.
func TestNoCountsByHubs(t *testing.T) {
	g := conformance.Official(6)
	r := startTeam(t, one, Options{})
	r.engines[0].planner.hubsFrom = 1
	r.build(t, g, one.job(g, 1, named(defaultStrategy)))
	if counts, err := r.searchers[0][0].CountWork(t.Context(), 0); counts != nil || err != nil {
		t.Errorf("%+v, %v", counts, err)
	}
}

// A counted search of split rows says what the search before it read of host memory, level by
// level, and can be kept, with labels of either width.
func TestCountsOfSplitRows(t *testing.T) {
	for _, isWide := range []bool{false, true} {
		a := one
		a.wide = isWide
		checkCountsOfSplitRows(t, a)
	}
}

func checkCountsOfSplitRows(t *testing.T, a arrangement) {
	t.Helper()
	g := conformance.Official(12)
	job, o := a.job(g, 64, named(defaultStrategy)), Options{part: 1 << 12, Residency: engine.Prefix}
	o.MaxBytes = split(0)(startTeam(t, a, o).engines[0].planner, job)
	r := startTeam(t, a, o)
	r.build(t, g, job)
	s, root := r.searchers[0][0], engine.Vertex(g.Roots[0])
	if err := errors.Join(s.Clear(), s.Search(t.Context(), root)); err != nil {
		t.Fatal(err)
	}
	found, err := s.Profile()
	if err != nil {
		t.Fatal(err)
	}
	profile := report.ProfileOf(found)
	counts, err := s.CountWork(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Drop()
	if err := s.Keep(); err != nil {
		t.Fatal(err)
	}
	trees, err := s.Check(t.Context())
	want := conformance.AnswerOf(g.Vertices, g.Tuples, g.Roots[0]).Tree
	want.MaxDistance = 0 // of BFS
	if err != nil || len(trees) != 1 || trees[0] != want {
		t.Errorf("48 bits %v: the counted search has %v, want %v (%v)", a.wide, trees, want, err)
	}
	profile.TakeHost(*counts)
	var sum engine.Profile
	for _, l := range profile.Levels {
		sum.Add(engine.Level(l))
	}
	if counts.HostBytes == 0 || profile.HostBytes != counts.HostBytes || sum.HostBytes != counts.HostBytes || sum.HostRequests != counts.HostRequests {
		t.Errorf("counted %d bytes in %d requests, the search has %+v", counts.HostBytes, counts.HostRequests, profile)
	}
	other := report.Profile{Levels: []report.Level{{Frontier: 1}}}
	if other.TakeHost(*counts); other.HostBytes != 0 {
		t.Errorf("a search of other levels: %+v", other)
	}
}
