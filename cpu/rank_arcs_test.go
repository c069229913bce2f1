package cpu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/conformance"
	"graph500/engine"
	"graph500/memory"
)

// rankArcs loads a graph over ranks, builds that of SSSP, which keeps repeated edges, and returns
// the largest number of arcs of a rank over the mean. Equal ranges have equally many labels. Each
// rank requires that its graph fits into much memory and not into little.
func rankArcs(tb testing.TB, g conformance.Graph, ranks int, equal bool) float64 {
	tb.Helper()
	arcs := make([]int, ranks)
	for rank, err := range cluster.RunInProcess(tb.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
		e := New(w, 1)
		defer e.Close()
		if err := provide(ctx, e, g.Vertices, g.Tuples, defaultJob(engine.SSSP)); err != nil {
			return err
		}
		e.loaded = !equal
		if _, err := e.Construct(ctx); err != nil {
			return err
		}
		arcs[w.Rank()] = len(e.weightedGraph.Arcs)
		if few := e.misfit(uint64(arcs[w.Rank()]), memory.Limit{Bytes: 1 << 20, Source: "a test"}); few == nil || !strings.Contains(few.Error(), "1.0 MiB are available to it (a test): take more ranks") {
			return fmt.Errorf("with little memory: %v", few)
		}
		return e.misfit(uint64(arcs[w.Rank()]), memory.Limit{Bytes: 1 << 40})
	}) {
		if err != nil {
			tb.Fatalf("rank %d: %v", rank, err)
		}
	}
	most, sum := 0, 0
	for _, n := range arcs {
		most, sum = max(most, n), sum+n
	}
	return float64(most) * float64(ranks) / float64(sum)
}

// Ranges of a loaded graph have equally many arcs, though its hubs have the lowest labels.
func TestRangesOfLoadedGraphs(t *testing.T) {
	g := conformance.HubsFirst(14, 1<<16)
	for ranks := 2; ranks <= 4; ranks++ {
		if before, after := rankArcs(t, g, ranks, true), rankArcs(t, g, ranks, false); before < 1.5 || after > 1.05 {
			t.Errorf("%d ranks: arcs max/mean %.3f, %.3f with equally many labels", ranks, after, before)
		}
	}
}

// BenchmarkRankArcs tells arcs max/mean of official graphs whose labels descend with the degree, by
// ranges of equally many labels and by those of a loaded graph. It measures no time.
func BenchmarkRankArcs(b *testing.B) {
	for _, scale := range []int{16, 20} {
		g := conformance.HubsFirst(scale, 1)
		for _, ranks := range []int{2, 3, 4, 8, 16} {
			b.Run(fmt.Sprintf("scale %d/%d ranks", scale, ranks), func(b *testing.B) {
				for b.Loop() {
					b.ReportMetric(rankArcs(b, g, ranks, true), "labels-max/mean")
					b.ReportMetric(rankArcs(b, g, ranks, false), "arcs-max/mean")
				}
			})
		}
	}
}
