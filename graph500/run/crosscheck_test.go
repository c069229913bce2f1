package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"graph500/engine"
	"graph500/graph500/testinput"
)

func TestFindDepths(t *testing.T) {
	const no = engine.None
	for _, c := range []struct {
		parents []engine.Label
		root    engine.Label
		want    []uint32
		wrong   string
	}{
		{parents: []engine.Label{0}, want: []uint32{0}},
		{parents: []engine.Label{no, 1, no}, root: 1, want: []uint32{noDepth, 0, noDepth}},
		{parents: []engine.Label{1, 2, 3, 3, 2, no, 0}, root: 3, want: []uint32{3, 2, 1, 0, 2, noDepth, 4}},
		{parents: []engine.Label{0, 2, 1}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Label{0, 1}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Label{0, 2, no}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Label{0, 3, no}, wrong: "the parents of vertex 1 do not lead to the root"},
		{parents: []engine.Label{1, 0}, wrong: "root 0 is not its own parent"},
		{parents: []engine.Label{no, 0}, wrong: "root 0 is not its own parent"},
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

func newTestReference(e Engine) *reference {
	return &reference{engine: e, catalogue: testinput.Strategies()}
}

func TestEveryDepthIsCompared(t *testing.T) {
	const graph = "0 1\n1 2\n0 3\n3 2\n3 4\n2 5\n"
	for _, c := range []struct {
		name string
		bend func([]engine.Label)
		want string
	}{
		{"equal", func([]engine.Label) {}, ""},
		{"another parent at the same depth", func(p []engine.Label) { p[2] = 1 + 3 - p[2] }, ""},
		{"longer way", func(p []engine.Label) { p[3] = 2 }, "search 1: -check-engine: search from root 0: vertex 3 has depth 3 by the fake engine and has depth 1 by the fake engine"},
		{"not reached", func(p []engine.Label) { p[4] = engine.None }, "search 1: -check-engine: search from root 0: vertex 4 is not reached by the fake engine and has depth 2 by the fake engine"},
		{"circle", func(p []engine.Label) { p[2], p[5] = 5, 2 }, "search 1: -check-engine: fake engine: search from root 0: the parents of vertex 2 do not lead to the root"},
	} {
		f := &fakeEngine{bend: func(call int, parents []engine.Label) {
			if call == 2 { // the warm-up is the first
				c.bend(parents)
			}
		}}
		b, _ := newTestBench(t, f, "-graph", testinput.Write(t, t.TempDir(), "g.txt", graph), "-root=0", "-root=0")
		b.CheckEngine, b.reference = true, newTestReference(new(fakeEngine))
		if _, err := b.run(t.Context(), b.benchmark); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := b.reference.close(); err != nil {
			t.Error(err)
		}
	}
}

func TestReferenceIsInTheMemoryPlan(t *testing.T) {
	b, _ := newTestBench(t, new(fakeEngine), "-scale=20")
	job := b.job(b.sets[0], b.graphSize)
	alone := engine.Peak(b.planned(job).Memory, engine.HostMemory)
	b.CheckEngine, b.reference = true, newTestReference(new(fakeEngine))
	if got := engine.Peak(b.planned(job).Memory, engine.HostMemory); got != 2*alone+8*b.Vertices {
		t.Errorf("%d bytes instead of %d", got, 2*alone+8*b.Vertices)
	}
}
