package run

import (
	"context"
	"fmt"
	"time"

	"graph500/engine"
	"graph500/graph"
)

// writeResults writes the results of search i of the batch, the one of the given index, to
// files of -write-parents, if given. Each rank writes those of its own vertices.
func (b *Bench) writeResults(ctx context.Context, s kernelSearcher, i, index int, root engine.Vertex) error {
	if b.WriteParents == "" {
		return nil
	}
	start := time.Now()
	defer func() { b.writingTime += time.Since(start) }()
	results, err := s.Results(ctx, i)
	if err != nil {
		return err
	}
	own := graph.Part{All: b.Vertices, First: uint64(results.First), Count: uint64(len(results.Parents))}
	dir := b.WriteParents
	if s.kernel == engine.SSSP {
		dir = graph.SSSPDir(dir)
	}
	err = graph.WriteParents(ctx, b.World, dir, index, root, own, results.Parents)
	if err != nil || s.kernel == engine.BFS {
		return err
	}
	if b.Integers() {
		return graph.WriteDistances(ctx, b.World, dir, index, root, own, results.Exact)
	}
	return graph.WriteDistances(ctx, b.World, dir, index, root, own, results.Distances)
}

// checkParents validates the results in the files of -check-parents and
// -check-distances.
func (b *Bench) checkParents(ctx context.Context) (string, error) {
	if err := b.checkRoot(b.Root[0]); err != nil {
		return "", err
	}
	root, s := engine.Vertex(b.Root[0]), b.searchers[0]
	if err := s.Set(root, func(r engine.Results) error {
		err := graph.ReadParents(b.CheckParents, r.Parents)
		switch {
		case err != nil || s.kernel != engine.SSSP:
			return err
		case b.Integers():
			return graph.ReadDistances(b.DistancesToCheck(), r.Exact)
		}
		return graph.ReadDistances(b.DistancesToCheck(), r.Distances)
	}); err != nil {
		return "", err
	}
	trees, err := s.Check(ctx)
	if err != nil {
		return "", fmt.Errorf("%s: %w", b.CheckParents, err)
	}
	distance := ""
	if s.kernel == engine.SSSP {
		distance = fmt.Sprintf(", largest distance %v", trees[0].MaxDistance)
		if b.Integers() {
			distance = fmt.Sprintf(", largest distance %d", trees[0].MaxExact)
		}
	}
	return fmt.Sprintf("%s: a valid %s tree from root %d: %d vertices, %d edges (nedge), depth %d%s\n",
		b.CheckParents, map[engine.Kernel]string{engine.BFS: "search", engine.SSSP: "shortest-path"}[s.kernel],
		root, trees[0].Visited, trees[0].Edges, trees[0].Depth, distance), nil
}
