package validate

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
	"graph500/partition"
	"graph500/vector"
)

// benchmark runs f on the official graphs of scales 20 and 22 and a tree of
// the first vertex with an edge.
func benchmark(b *testing.B, f func(c *Checker, g testGraph, parents []engine.Label, root engine.Label) error) {
	for _, scale := range []int{20, 22} {
		b.Run(fmt.Sprintf("scale=%d", scale), func(b *testing.B) {
			g := kroneckerGraph(scale)
			root := g.tuples[0].U
			tree, _ := g.search(root)
			parents, err := memory.Alloc[engine.Label](g.n) // in huge pages, as in an engine
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = memory.Free(parents) })
			copy(parents, tree)
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
					team := parallel.NewTeam(workers)
					defer team.Close()
					c, err := New(team, Alone(uint64(g.n), engine.BFS))
					if err != nil {
						b.Fatal(err)
					}
					defer c.Close()
					for b.Loop() {
						if err := f(c, g, parents, root); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// BenchmarkSingle checks one tree without a batch. BenchmarkCheck of package cpu
// measures batches.
func BenchmarkSingle(b *testing.B) {
	benchmark(b, func(c *Checker, g testGraph, parents []engine.Label, root engine.Label) error {
		_, err := c.single.check(context.Background(), engine.Tuples{Edges: g.tuples}, Search{Root: engine.Vertex(root), Parents: parents})
		return err
	})
}

// BenchmarkRanks checks one tree over two ranks of one worker.
func BenchmarkRanks(b *testing.B) {
	for _, scale := range []int{18, 20} {
		b.Run(fmt.Sprintf("scale=%d", scale), func(b *testing.B) {
			g := kroneckerGraph(scale)
			root := g.tuples[0].U
			parents, _ := g.search(root)
			if err := errors.Join(cluster.RunInProcess(b.Context(), 2, func(ctx context.Context, w *cluster.World) error {
				team := parallel.NewTeam(1)
				defer team.Close()
				ranges := partition.NewRanges(uint64(g.n), 2)
				lo, hi := parallel.Split(len(g.tuples), 2, w.Rank())
				c, err := New(team, Config{Kernel: engine.BFS, World: w, Ranges: ranges, First: uint64(lo)})
				if err != nil {
					return err
				}
				defer c.Close()
				first, owned := ranges.Range(w.Rank())
				s := []Search{{Root: engine.Vertex(root), Parents: parents[first : first+owned]}}
				for range b.N {
					if _, err := c.Check(ctx, engine.Tuples{Edges: g.tuples[lo:hi]}, s); err != nil {
						return err
					}
				}
				return nil
			})...); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkCount(b *testing.B) {
	benchmark(b, func(c *Checker, g testGraph, parents []engine.Label, _ engine.Label) error {
		_, err := countOne(context.Background(), c, g.tuples, parents)
		return err
	})
}

// BenchmarkDepths measures findDepths, the part of BenchmarkSingle before the pass
// over the tuples.
func BenchmarkDepths(b *testing.B) {
	benchmark(b, func(c *Checker, _ testGraph, parents []engine.Label, root engine.Label) error {
		c.single.reset()
		return c.single.findDepths(context.Background(), parents, root)
	})
}

// BenchmarkSSSP validates searches of an official graph together. Its time is that of
// all of them.
func BenchmarkSSSP(b *testing.B) {
	const scale = 20
	g := kroneckerWeights(scale)
	searches := make([]Search, MinBatch)
	for i := range searches {
		s := g.shortest(g.tuples[i].U)
		parents, err := memory.Alloc[engine.Label](g.n)
		distances, err2 := memory.Alloc[float32](g.n)
		if err := errors.Join(err, err2); err != nil {
			b.Fatal(err)
		}
		copy(parents, s.Parents)
		copy(distances, s.Distances)
		searches[i] = Search{Root: s.Root, Parents: parents, Distances: distances}
		b.Cleanup(func() { _, _ = memory.Free(parents), memory.Free(distances) })
	}
	for _, workers := range []int{1, 2} {
		for _, form := range vector.Forms() {
			for _, count := range []int{1, MinBatch} {
				b.Run(fmt.Sprintf("%v/searches=%d/workers=%d", form, count, workers), func(b *testing.B) {
					team := parallel.NewTeam(workers)
					defer team.Close()
					c, err := New(team, Alone(uint64(g.n), engine.SSSP))
					if err != nil {
						b.Fatal(err)
					}
					defer c.Close()
					c.batch.use(form)
					for b.Loop() {
						if _, err := c.Check(b.Context(), g.all(), searches[:count]); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
