package run

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/kronecker"
	"graph500/parallel"
	"graph500/rules"
)

// provideTuples loads the tuples into the engine, from the file of -graph, an edge file
// or the generator, with weights if the run needs them. It writes them to an edge file
// if the options name one.
func (b *Bench) provideTuples(ctx context.Context, file *graphFile) error {
	err := b.agreeOnEdgeFiles(ctx)
	if err != nil {
		return err
	}
	from, to := b.Edges.Read, b.Edges.Write
	var writer *graph.EdgeWriter
	if to != "" { // created first, so that an error shows before the work
		if writer, err = graph.CreateEdges(ctx, b.World, to, b.part(b.tuples), b.Weighted()); err != nil {
			if cause := context.Cause(ctx); cause != nil { // another rank may have ended the run with the same error
				return cause
			}
			return fmt.Errorf("%s: %w", b.EdgeFilesOrigin(), err)
		}
		defer writer.Abort()
	}
	switch {
	case file != nil:
		err = b.loadGraph(ctx, file)
	case from != "":
		err = b.readEdges(ctx, from)
	default:
		err = b.generate(ctx)
	}
	if err != nil || writer == nil {
		return err
	}
	return b.Phase(ctx, "writing edges", b.tuples, func() error {
		if err := b.engine.Tuples(ctx, writer.Write); err != nil {
			return err
		}
		if err := writer.Close(); err != nil {
			return err
		}
		if b.TempFile != "" && !b.ReuseTempFile {
			b.removeEdges = removal(ctx, writer.Target(), writer.WeightsTarget())
		}
		return nil
	})
}

// removal returns a function that removes files; an empty path means none. The end of ctx
// calls it too, because removing a large file takes time.
func removal(ctx context.Context, paths ...string) func() {
	remove := sync.OnceFunc(func() {
		for _, path := range paths {
			if path != "" {
				_ = os.Remove(path)
			}
		}
	})
	context.AfterFunc(ctx, remove)
	return remove
}

// agreeOnEdgeFiles finds the edge files again, because a file of TMPFILE can have appeared. What
// rank 0 finds holds for all ranks.
func (b *Bench) agreeOnEdgeFiles(ctx context.Context) error {
	if err := b.World.OnFirst(ctx, b.FindEdgeFiles); err != nil {
		return err
	}
	found, err := cluster.Values(ctx, b.World, struct{ Read, Write string }{b.Edges.Read, b.Edges.Write})
	if err == nil {
		b.Edges = commandline.EdgeFiles{Read: found[0].Read, Write: found[0].Write}
	}
	return err
}

func (b *Bench) generate(ctx context.Context) error {
	untrack := b.Console.Track("generation", int64(b.tuples), "edges")
	err := b.Phase(ctx, "generation", b.tuples, func() error {
		return b.engine.Generate(ctx, b.spec, func(done, _ int64) { b.Console.Advance(done) })
	})
	untrack()
	b.Record.Generation = b.LastSeconds()
	return err
}

// readEdges loads the tuples of an edge file into the engine, on each rank its part.
func (b *Bench) readEdges(ctx context.Context, path string) error {
	team, err := b.NewTeam(ctx)
	if err != nil {
		return err
	}
	defer team.Close()
	var tuples engine.Tuples
	err = b.Phase(ctx, "reading", b.tuples, func() (err error) {
		tuples, err = b.readEdgeFiles(ctx, path, team)
		return err
	})
	if err != nil {
		return err
	}
	b.Record.Generation = b.LastSeconds()
	if b.ReadsWeights() {
		b.Record.Input.Weights = commandline.FileWeights
	} else if b.Weighted() {
		if tuples.Weights, err = b.makeWeights(ctx, team, path); err != nil {
			return err
		}
	}
	if err := b.compareWithGenerator(ctx, team, path, tuples); err != nil {
		return err
	}
	return b.engine.Load(ctx, b.Vertices, tuples)
}

// readEdgeFiles returns this rank's part of the tuples of an edge file, with weights if the
// run takes those of the file. The error is the same on all ranks.
func (b *Bench) readEdgeFiles(ctx context.Context, path string, team *parallel.Team) (tuples engine.Tuples, err error) {
	part := b.part(b.tuples)
	if err := b.checkSameFile(ctx, path); err != nil {
		return tuples, err
	}
	if b.readsWide() {
		tuples.Wide, err = graph.ReadEdges[engine.Edge48](ctx, path, b.Vertices, part, team)
	} else {
		tuples.Edges, err = graph.ReadEdges[engine.Edge](ctx, path, b.Vertices, part, team)
	}
	if err = b.World.Agree(ctx, err); err != nil || !b.ReadsWeights() {
		return tuples, err
	}
	path = graph.WeightsPath(path)
	if err := b.checkSameFile(ctx, path); err != nil {
		return tuples, err
	}
	tuples.Weights, err = graph.ReadWeights(ctx, path, part, team)
	return tuples, b.World.Agree(ctx, err)
}

// compareWithGenerator warns if an edge file holds other edges than the generator makes,
// or the weights file beside it other weights. An edge file does not contain its scale
// and seeds.
func (b *Bench) compareWithGenerator(ctx context.Context, team *parallel.Team, path string, tuples engine.Tuples) error {
	var other string
	if err := b.Phase(ctx, "comparing edges", b.tuples, func() (err error) {
		other, err = b.otherOnAnyRank(ctx, team, tuples)
		return err
	}); err != nil || other == "" {
		return err
	}
	b.foreign, b.Record.Input.Source = other, path
	if other == rules.ForeignWeights {
		path = graph.WeightsPath(path)
	}
	b.Warn(fmt.Sprintf("%s holds other %s than the generator makes at scale %d with seeds %d and %d", path, other, b.spec.Scale, b.spec.Seed1, b.spec.Seed2))
	return b.recordChecksum(ctx, team, tuples)
}

// otherOnAnyRank returns in what the tuples of all ranks differ from those of the generator:
// rules.ForeignEdges, rules.ForeignWeights or nothing.
func (b *Bench) otherOnAnyRank(ctx context.Context, team *parallel.Team, tuples engine.Tuples) (string, error) {
	edges, weights, err := kronecker.Differs(ctx, team, b.spec, tuples, b.part(b.tuples).First)
	if err != nil {
		return "", err
	}
	own := ""
	switch {
	case edges:
		own = rules.ForeignEdges
	case weights:
		own = rules.ForeignWeights
	}
	all, err := b.World.Strings(ctx, own)
	if err != nil {
		return "", err
	}
	for _, other := range []string{rules.ForeignEdges, rules.ForeignWeights} {
		if slices.Contains(all, other) {
			return other, nil
		}
	}
	return "", nil
}
