//go:build cuda

package construct

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
)

// TestHas looks up vertices in random order, some more than once, in numbers around the
// batch size.
func TestHas(t *testing.T) {
	d := devicetest.Open(t)
	const vertices = 3000
	r := rand.New(rand.NewPCG(5, 6))
	tuples := make([]engine.Edge, vertices/2)
	has := make([]bool, vertices)
	for i := range tuples {
		e := engine.Edge{U: engine.Label(r.IntN(vertices)), V: engine.Label(r.IntN(vertices))}
		if i%9 == 0 {
			e.V = e.U
		}
		tuples[i] = e
		if e.U != e.V {
			has[e.U], has[e.V] = true, true
		}
	}
	f := Form{Devices: 1, Groups: LeastGroups}
	l := load(t, d, f, vertices, engine.Tuples{Edges: tuples})
	defer l.close(t)
	graphs, err := l.build(t, f)
	if err != nil {
		t.Fatal(err)
	}
	g := graphs[0]
	defer devicetest.Close(t, g)
	for _, count := range []int{0, 1, queryBatch - 1, queryBatch, queryBatch + 1, 3*queryBatch + 5} {
		if err := errors.Join(g.queries.Fill(0), g.answers.Fill(devicetest.Poison)); err != nil {
			t.Fatal(err)
		}
		asked, want := make([]engine.Vertex, count), make([]bool, count)
		for i := range asked {
			v := r.IntN(vertices)
			asked[i], want[i] = engine.Vertex(v), has[v]
		}
		if got, err := g.Has(asked); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d vertices: %v, want %v (%v)", count, got, want, err)
		}
	}
}
