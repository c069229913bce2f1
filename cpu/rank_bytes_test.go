package cpu

import (
	"context"
	"fmt"
	"testing"

	"graph500/cluster"
	"graph500/engine"
	"graph500/kronecker"
)

// BenchmarkRankBytes tells the bytes that the rank with most exchanges in a search at scale 18, a
// mean over four keys: by ranges of vertices, and on the parts of policies. It measures no time.
func BenchmarkRankBytes(b *testing.B) {
	for _, policy := range []string{"", "contiguous-hybrid", "contiguous-cartesian"} {
		for _, ranks := range []int{2, 4, 8, 16} {
			for _, k := range engine.Kernels() {
				b.Run(fmt.Sprintf("%s/%s/%d ranks", policy, k, ranks), func(b *testing.B) {
					for b.Loop() {
						b.ReportMetric(rankBytes(b, policy, ranks, k)/1e3, "kB/search")
					}
				})
			}
		}
	}
}

// rankBytes returns the mean over four keys.
func rankBytes(b *testing.B, policy string, ranks int, k engine.Kernel) (mean float64) {
	b.Helper()
	keys := []engine.Vertex{2, 77, 100001, 200002} // the next ones with an edge
	job := engine.Job{Partition: policy, Strategies: []engine.Strategy{{Kernel: k, Name: "default"}}, Searches: 1, Delta: 0.1}
	for rank, err := range cluster.RunInProcess(b.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
		e := New(w, 1)
		defer e.Close()
		if err := e.Prepare(ctx, []engine.Plan{{Job: job}}, nil); err != nil {
			return err
		}
		if err := e.Generate(ctx, kronecker.Spec{Scale: 18, EdgeFactor: 16, Seed1: 2, Seed2: 3}, func(int64, int64) {}); err != nil {
			return err
		}
		if _, err := e.Construct(ctx); err != nil {
			return err
		}
		s, err := e.NewSearcher(ctx, job.Strategies[0])
		if err != nil {
			return err
		}
		defer s.Close()
		for _, key := range keys {
			for {
				usable, err := e.Usable(ctx, []engine.Vertex{key})
				if err != nil {
					return err
				}
				if usable[0] {
					break
				}
				key++
			}
			if err := s.Clear(); err != nil {
				return err
			}
			if err := s.Search(ctx, key); err != nil {
				return err
			}
			p, err := s.Profile()
			if err != nil {
				return err
			}
			if w.Rank() == 0 {
				mean += float64(p.RankBytes) / float64(len(keys))
			}
		}
		return w.Barrier(ctx)
	}) {
		if err != nil {
			b.Fatalf("rank %d: %v", rank, err)
		}
	}
	return mean
}
