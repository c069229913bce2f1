package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/parallel"
)

// graphFile is the file of -graph. Rank 0 has read it.
type graphFile struct {
	graphFacts
	tuples          engine.Tuples // on rank 0, else none, like the following
	notes, warnings []string      // how the file was understood, and what may be wrong with it
}

// graphFacts are what all ranks know of the file of -graph.
type graphFacts struct {
	Vertices, Tuples      uint64
	Connected             uint64 // vertices with an edge to another vertex
	Weighted, Symmetrised bool
	WholeWeights          bool
	BothWays              float64
}

// readGraph reads the file of -graph on rank 0.
func (b *Bench) readGraph(ctx context.Context) (*graphFile, error) {
	var file graphFile
	err := b.Phase(ctx, "reading", 0, func() error {
		if err := b.World.OnFirst(ctx, func() error {
			read, err := graph.Read(ctx, b.Graph, graph.Options{Weighted: b.ReadsWeights(), Integers: b.Integers(), Renumber: b.Renumber})
			if err == nil {
				file.graphFacts = graphFacts{read.Vertices, uint64(len(read.Tuples)), read.Connected, read.Weights != nil, read.Symmetrised, read.WholeWeights, read.BothWays}
				file.notes, file.warnings = read.Notes, read.Warnings
				b.names = read.Names
				file.tuples = engine.Tuples{Edges: read.Tuples, Weights: read.Weights}
			}
			return err
		}); err != nil {
			return err
		}
		facts, err := cluster.Values(ctx, b.World, file.graphFacts)
		if err == nil {
			file.graphFacts = facts[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	b.Record.Generation = b.LastSeconds()
	b.setSizes(file.Vertices, file.Tuples)
	b.connected, b.wholeWeights = file.Connected, file.WholeWeights
	b.tellOfNumbers(&file)
	for _, note := range file.notes {
		b.Console.Printf("%s: %s", b.Graph, note)
	}
	for _, warning := range file.warnings {
		b.Warn(fmt.Sprintf("%s: %s", b.Graph, warning))
	}
	if file.Symmetrised {
		b.Console.Printf("%s is taken as an undirected graph", b.Graph)
	}
	if file.BothWays > 0.5 {
		b.Warn(fmt.Sprintf("%s holds %.0f %% of its edges in both directions: either direction counts as an edge, so nedge and TEPS are up to twice those of the graph with each edge once", b.Graph, 100*file.BothWays))
	}
	return &file, b.findComponent(ctx, &file)
}

// loadGraph loads the tuples of the file of -graph into the engine, on each rank its part.
func (b *Bench) loadGraph(ctx context.Context, file *graphFile) error {
	tuples := file.tuples
	if b.World.Size() > 1 {
		if err := b.Phase(ctx, "distribution", b.tuples, func() (err error) {
			tuples, err = b.distribute(ctx, file)
			return err
		}); err != nil {
			return err
		}
		b.Record.Generation += b.LastSeconds()
	}
	team, err := b.NewTeam(ctx)
	if err != nil {
		return err
	}
	defer team.Close()
	if err := b.recordChecksum(ctx, team, tuples); err != nil {
		return err
	}
	switch {
	case file.Weighted && b.Integers():
		b.Record.Input.Weights = commandline.IntegerWeights
	case file.Weighted:
		b.Record.Input.Weights = commandline.FileWeights
	}
	if b.Weighted() && !file.Weighted {
		if b.ReadsWeights() && b.Weights != commandline.AutoWeights {
			return fmt.Errorf("flag -weights=%s: %s has none", b.Weights, b.Graph)
		}
		if tuples.Weights, err = b.makeWeights(ctx, team, b.Graph); err != nil {
			return err
		}
	}
	return b.engine.Load(ctx, b.Vertices, tuples)
}

// recordChecksum records the checksum of the tuples of all ranks, which no generator made.
func (b *Bench) recordChecksum(ctx context.Context, team *parallel.Team, own engine.Tuples) error {
	return b.Phase(ctx, "checksum", b.tuples, func() error {
		sum, err := graph.Checksum(ctx, team, own)
		if err != nil {
			return err
		}
		total := []int64{int64(sum)}
		if err := b.World.Sum(ctx, total); err != nil {
			return err
		}
		b.Record.Input.Checksum = fmt.Sprintf("%016x", uint64(total[0]))
		return nil
	})
}

// distribute returns this rank's part of the tuples of a file, and frees those that rank 0
// has read.
func (b *Bench) distribute(ctx context.Context, file *graphFile) (own engine.Tuples, err error) {
	if err := graph.TupleArrays(&own, b.part(file.Tuples).Count, file.Weighted, false).Alloc(); err != nil {
		return own, err
	}
	err = cluster.Scatter(ctx, b.World, file.tuples.Edges, own.Edges)
	if err == nil && file.Weighted {
		err = cluster.Scatter(ctx, b.World, file.tuples.Weights, own.Weights)
	}
	if err != nil {
		return engine.Tuples{}, err // MPI may still use the memory
	}
	return own, graph.FreeTuples(file.tuples)
}

// distributed lists the memory of the tuples that rank 0 has read from the file of -graph.
// The ranks of its host, which have equal parts of the host's memory, take equal parts of it.
func (b *Bench) distributed(job engine.Job) []engine.Allocation {
	hosts := b.World.Hosts()
	if b.Graph == "" || len(hosts) == 1 || hosts[b.World.Rank()] != hosts[0] {
		return nil
	}
	bytes := uint64(8)
	if job.Weighted() {
		bytes += 4
	}
	return []engine.Allocation{{
		Name: "tuples of the whole file, as read", Phase: engine.Loading,
		Bytes: bytes * job.Tuples / b.World.OnHost(),
	}}
}

// part returns the part of n entries that this rank has.
func (b *Bench) part(n uint64) graph.Part {
	return graph.PartOf(n, b.World.Size(), b.World.Rank())
}

// checkSameFile returns an error if the ranks find different files under a name. A file that
// is missing on all of them is not an error.
func (b *Bench) checkSameFile(ctx context.Context, path string) error {
	if b.World.Size() == 1 {
		return nil
	}
	found, err := graph.Fingerprint(path)
	if errors.Is(err, fs.ErrNotExist) {
		found, err = "no such file", nil
	}
	if err := b.World.Agree(ctx, err); err != nil {
		return err
	}
	d, err := b.World.Compare(ctx, found)
	if err == nil && d != nil {
		err = fmt.Errorf("%s: rank %d on %s finds %s, rank 0 on %s %s: name a file that all hosts share, or copies of it", path, d.Rank, d.Host, d.Own, b.World.Hosts()[0], d.Zero)
	}
	return err
}
