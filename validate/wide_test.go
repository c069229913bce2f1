package validate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
)

// widened returns tuples with labels of 48 bits.
func widened(tuples engine.Tuples) engine.Tuples {
	wide := make([]engine.Edge48, len(tuples.Edges))
	engine.Widen(wide, tuples.Edges)
	return engine.Tuples{Wide: wide, Weights: tuples.Weights}
}

// checkWide compares what a checker says with labels of 48 bits with what it says with 32.
func checkWide(t *testing.T, c *Checker, tuples engine.Tuples, searches []Search) {
	t.Helper()
	text := func(err error) string {
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for name, check := range map[string]func(tuples engine.Tuples) ([]engine.Tree, error){
		"Check": func(tuples engine.Tuples) ([]engine.Tree, error) {
			return c.Check(context.Background(), tuples, searches)
		},
		"CountEdges": func(tuples engine.Tuples) ([]engine.Tree, error) {
			return c.CountEdges(context.Background(), tuples, searches)
		},
	} {
		want, wantErr := check(tuples)
		got, err := check(widened(tuples))
		if !slices.Equal(got, want) || text(err) != text(wantErr) {
			t.Errorf("%s of %d searches: %+v, %v; want %+v, %v", name, len(searches), got, err, want, wantErr)
		}
	}
}

// TestWideTuples checks right and wrong trees, one by one and together.
func TestWideTuples(t *testing.T) {
	g := kroneckerGraph(11) // tuples of several grains
	root := g.tuples[0].U
	parents, depths := g.search(root)
	deepest := slices.Index(depths, slices.Max(depths))
	right := Search{Root: engine.Vertex(root), Parents: parents}
	wrong := []Search{right}
	for _, parent := range []engine.Label{engine.Label(deepest), root, engine.None, engine.Beyond, engine.Label(g.n)} {
		s := Search{Root: right.Root, Parents: slices.Clone(parents)}
		s.Parents[deepest] = parent
		wrong = append(wrong, s)
	}
	withCheckers(t, g.n, func(_ int, c *Checker) {
		for _, s := range wrong {
			checkWide(t, c, engine.Tuples{Edges: g.tuples}, []Search{s})
			checkWide(t, c, engine.Tuples{Edges: g.tuples}, []Search{right, right, right, s, right})
		}
	})
}

// TestWideTuplesOfSSSP does the same with the wrong searches of a nasty graph.
func TestWideTuplesOfSSSP(t *testing.T) {
	g := nastyGraph()
	right := g.shortest(0)
	withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
		for _, w := range wrongSearches(engine.SSSP, g) {
			if w.rule == Size {
				continue
			}
			wrong := w.of(right)
			checkWide(t, c, g.all(), []Search{right, wrong})
			checkWide(t, c, g.all(), []Search{wrong})
		}
	})
	g = kroneckerWeights(11)
	right = g.shortest(g.tuples[0].U)
	withKernel(t, g.n, engine.SSSP, func(_ int, c *Checker) {
		checkWide(t, c, g.all(), []Search{right})
		checkWide(t, c, g.all(), []Search{right, right})
	})
}

// TestWideLabelsOutOfRange: a label whose low 32 bits are those of a vertex.
func TestWideLabelsOutOfRange(t *testing.T) {
	g := kroneckerGraph(6)
	root := g.tuples[0].U
	parents, _ := g.search(root)
	s := []Search{{Root: engine.Vertex(root), Parents: parents}}
	withCheckers(t, g.n, func(_ int, c *Checker) {
		for _, high := range []uint32{1, 1 << 15, 1 << 16, 1 << 31} {
			tuples := widened(engine.Tuples{Edges: g.tuples})
			tuples.Wide[700].High = high
			_, err := c.Check(t.Context(), tuples, s)
			_, countErr := c.CountEdges(t.Context(), tuples, s)
			for _, err := range []error{err, countErr} {
				if err == nil || !strings.HasPrefix(err.Error(), "validate: tuple 700 joins ") {
					t.Errorf("high bits %#x: %v", high, err)
				}
			}
		}
	})
}

// TestBeyond: the message of a parent that no label of 32 bits is.
func TestBeyond(t *testing.T) {
	g := kroneckerGraph(6)
	root := g.tuples[0].U
	for _, at := range []engine.Label{root, g.tuples[0].V} {
		parents, _ := g.search(root)
		parents[at] = engine.Beyond
		withCheckers(t, g.n, func(_ int, c *Checker) {
			_, err := checkOne(t.Context(), c, g.tuples, parents, root)
			var broken *Error
			if !errors.As(err, &broken) || !strings.Contains(err.Error(), "has a parent of more than 32 bits") || broken.Vertex != int64(at) {
				t.Errorf("root %d, vertex %d: %v", root, at, err)
			}
		})
	}
}

// TestWideTuplesOverRanks compares what ranks say with labels of 48 bits with what they say
// with 32, of right and wrong searches of both kernels.
func TestWideTuplesOverRanks(t *testing.T) {
	g, official := nastyGraph(), kroneckerWeights(11)
	g.n = 200 // the ranks own ranges of 64 vertices
	g.add(3, 130, .25)
	right := official.shortest(official.tuples[0].U)
	leaf := slices.Index(right.Distances, slices.Max(right.Distances))
	for _, c := range []struct {
		g      weightedGraph
		search Search
		at     int // changed entry
	}{{g, g.shortest(0), 130}, {official, right, leaf}} {
		parents, _ := c.g.search(engine.Label(c.search.Root))
		for _, s := range []Search{{Root: c.search.Root, Parents: parents}, c.search} {
			for _, parent := range []engine.Label{s.Parents[c.at], engine.Label(c.at), engine.None, engine.Beyond, engine.Label(c.g.n), 0} {
				s.Parents = slices.Clone(s.Parents)
				s.Parents[c.at] = parent
				for _, count := range []bool{false, true} {
					want := checkWithRanks(t, 3, 1, c.g.n, c.g.all(), s, count)
					if got := checkWithRanks(t, 3, 1, c.g.n, widened(c.g.all()), s, count); !slices.Equal(got, want) {
						t.Errorf("parent %d, counted: %v: %q, want %q", parent, count, got, want)
					}
				}
			}
		}
	}
}

// TestWideLabelsOutOfRangeOverRanks: a label whose low 32 bits are those of a vertex, in the
// tuples of any rank.
func TestWideLabelsOutOfRangeOverRanks(t *testing.T) {
	g := kroneckerGraph(8)
	parents, _ := g.search(g.tuples[0].U)
	s := Search{Root: engine.Vertex(g.tuples[0].U), Parents: parents}
	for _, at := range []int{0, 2000, len(g.tuples) - 1} {
		for _, high := range []uint32{1, 1 << 31} {
			tuples := widened(engine.Tuples{Edges: g.tuples})
			tuples.Wide[at].High = high
			for _, count := range []bool{false, true} {
				for rank, got := range checkWithRanks(t, 3, 1, g.n, tuples, s, count) {
					if !strings.Contains(got, fmt.Sprintf("validate: tuple %d joins ", at)) {
						t.Errorf("rank %d, high bits %#x of tuple %d: %s", rank, high, at, got)
					}
				}
			}
		}
	}
}
