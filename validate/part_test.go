package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"graph500/cluster"
	"graph500/engine"
	"graph500/parallel"
	"graph500/partition"
)

// checkWithRanks checks a search with ranks that are goroutines, each with an equal part
// of the tuples. A search without distances is one of BFS. It returns the results of all
// ranks as texts.
func checkWithRanks(t fataler, ranks, threads, vertices int, tuples engine.Tuples, s Search, count bool) []string {
	kernel := engine.BFS
	if s.Distances != nil {
		kernel = engine.SSSP
	}
	results := make([]string, ranks)
	var wait sync.WaitGroup
	for rank, w := range cluster.InProcess(ranks) {
		wait.Go(func() {
			team := parallel.NewTeam(threads)
			defer team.Close()
			ranges := partition.NewRanges(uint64(vertices), ranks)
			lo, hi := parallel.Split(tuples.Len(), ranks, rank)
			c, err := New(team, Config{Kernel: kernel, World: w, Ranges: ranges, First: uint64(lo)})
			if err != nil {
				t.Fatalf("%v", err)
			}
			defer c.Close()
			c.single.atATime = 2 * ranks // so that marks need several exchanges
			part := engine.Tuples{}
			if tuples.Wide != nil {
				part.Wide = tuples.Wide[lo:hi]
			} else {
				part.Edges = tuples.Edges[lo:hi]
			}
			first, owned := ranges.Range(rank)
			own := Search{Root: s.Root, Parents: ownPart(s.Parents, first, owned)}
			if kernel == engine.SSSP {
				part.Weights = ownPart(tuples.Weights, uint64(lo), uint64(hi-lo))
				own.Distances = ownPart(s.Distances, first, owned)
			}
			check := c.Check
			if count {
				check = c.CountEdges
			}
			trees, err := check(context.Background(), part, []Search{own, own})
			if err == nil && (len(trees) != 2 || trees[0] != trees[1]) {
				t.Fatalf("two equal searches have the facts %v", trees)
			}
			results[rank] = fmt.Sprint(append(trees, engine.Tree{})[0], err)
		})
	}
	wait.Wait()
	return results
}

// ownPart returns the entries of own vertices, or the weights of own tuples, that exist.
func ownPart[T any](all []T, first, owned uint64) []T {
	n := uint64(len(all))
	return all[min(first, n):min(first+owned, n)]
}

// The ranks find what one checker finds, in correct and in wrong trees.
func TestRanksAgreeWithOneChecker(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices := rapid.IntRange(1, 400).Draw(t, "vertices")
		vertex := rapid.Map(rapid.IntRange(0, vertices-1), func(v int) engine.Label { return engine.Label(v) })
		g := weightedGraph{testGraph: testGraph{n: vertices}}
		g.tuples = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) engine.Edge {
			return engine.Edge{U: vertex.Draw(t, "u"), V: vertex.Draw(t, "v")}
		}), 0, 600).Draw(t, "tuples")
		root := vertex.Draw(t, "root")
		parents, _ := g.search(root)
		wrong := rapid.OneOf(vertex, rapid.SampledFrom([]engine.Label{engine.None, engine.Label(vertices), engine.Label(vertices + 70)}))
		for range rapid.IntRange(0, 3).Draw(t, "errors") {
			parents[vertex.Draw(t, "changed")] = wrong.Draw(t, "parent")
		}
		s := Search{Root: engine.Vertex(root), Parents: parents}
		ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
		threads := rapid.IntRange(1, max(1, 4/ranks)).Draw(t, "threads") // more of them wait for processors

		judgeWithRanks(t, g, s, ranks, threads, false)
		if !slices.ContainsFunc(parents, func(p engine.Label) bool { return p != engine.None && int(p) >= vertices }) {
			judgeWithRanks(t, g, s, ranks, threads, true)
		}
	})
}

// The ranks check a tree that is deeper than a byte holds, and refuse it without its last level.
func TestRanksDeepTree(t *testing.T) {
	g := weightedGraph{testGraph: testGraph{n: 5000}}
	for v := 1; v < g.n; v++ {
		g.tuples = append(g.tuples, edge(v-1, v))
	}
	right, _ := g.search(0)
	wrong := slices.Clone(right)
	wrong[g.n-1] = engine.None
	for _, ranks := range []int{2, 3} {
		if got := judgeWithRanks(t, g, Search{Parents: right}, ranks, 2, false); !strings.HasSuffix(got, "<nil>") {
			t.Error(got)
		}
		if got := judgeWithRanks(t, g, Search{Parents: wrong}, ranks, 2, false); !strings.Contains(got, "tuple 4998 joins vertices 4998 and 4999, but 4998 is at level 4998 and 4999 outside the tree") {
			t.Error(got)
		}
	}
}
