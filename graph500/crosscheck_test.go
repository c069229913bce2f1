package main

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
)

func TestFindDepths(t *testing.T) {
	const no = engine.None
	for _, c := range []struct {
		parents []engine.Vertex
		root    engine.Vertex
		want    []uint32
		wrong   string
	}{
		{parents: []engine.Vertex{0}, want: []uint32{0}},
		{parents: []engine.Vertex{no, 1, no}, root: 1, want: []uint32{noDepth, 0, noDepth}},
		{parents: []engine.Vertex{1, 2, 3, 3, 2, no, 0}, root: 3, want: []uint32{3, 2, 1, 0, 2, noDepth, 4}},
		{parents: []engine.Vertex{0, 2, 1}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Vertex{0, 1}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Vertex{0, 2, no}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Vertex{0, 3, no}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Vertex{1, 0}, wrong: "root 0 is not its own parent"},
		{parents: []engine.Vertex{no, 0}, wrong: "root 0 is not its own parent"},
	} {
		depths := make([]uint32, len(c.parents))
		for i := range depths {
			depths[i] = 0xA5A5A5A5
		}
		err := findDepths(c.parents, c.root, depths)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%v: error %v, not %q", c.parents, err, c.wrong)
			}
		case err != nil || !cmp.Equal(depths, c.want):
			t.Errorf("%v: depths %v, error %v", c.parents, depths, err)
		}
	}
}

// bentEngine is a fake whose parents a test bends after each search.
type bentEngine struct {
	fakeEngine
	bend func(parents []engine.Vertex)
}

func (e *bentEngine) Search(ctx context.Context, root engine.Vertex) error {
	err := e.fakeEngine.Search(ctx, root)
	if e.searchCalls == 3 { // the warm-up is the first
		e.bend(e.parents)
	}
	return err
}

func TestEveryDepthIsCompared(t *testing.T) {
	const graph = "0 1\n1 2\n0 3\n3 2\n3 4\n2 5\n"
	for _, c := range []struct {
		name string
		bend func([]engine.Vertex)
		want string
	}{
		{"equal", func([]engine.Vertex) {}, ""},
		{"another parent at the same depth", func(p []engine.Vertex) { p[2] = 1 + 3 - p[2] }, ""},
		{"longer way", func(p []engine.Vertex) { p[3] = 2 }, "search 1: -check-engine: search from root 0: vertex 3 has depth 3 by the fake engine and has depth 1 by the fake engine"},
		{"not reached", func(p []engine.Vertex) { p[4] = engine.None }, "search 1: -check-engine: search from root 0: vertex 4 is not reached by the fake engine and has depth 2 by the fake engine"},
		{"circle", func(p []engine.Vertex) { p[2], p[5] = 5, 2 }, "search 1: -check-engine: fake engine: search from root 0: the parents of vertex 2 do not lead to the root"},
	} {
		f := &bentEngine{bend: c.bend}
		b, _ := newTestBench(t, &f.fakeEngine, "-graph", write(t, t.TempDir(), "g.txt", graph), "-root=0", "-root=0")
		b.engine, b.reference = f, &reference{engine: new(fakeEngine)}
		if _, err := b.run(t.Context()); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := b.reference.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReferenceIsInTheMemoryPlan(t *testing.T) {
	b, _ := newTestBench(t, new(fakeEngine), "-scale=20")
	alone := engine.Peak(b.plan(b.vertices, b.tuples), engine.HostMemory)
	b.reference = &reference{engine: new(fakeEngine)}
	if got := engine.Peak(b.plan(b.vertices, b.tuples), engine.HostMemory); got != 2*alone+8*b.vertices {
		t.Errorf("%d bytes instead of %d", got, 2*alone+8*b.vertices)
	}
}
