package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"graph500/engine"
	"graph500/graph"
	"graph500/kronecker"
	"graph500/parallel"
)

// readGraph reads the file of -graph.
func (b *bench) readGraph(ctx context.Context) (*graph.File, error) {
	var file *graph.File
	err := b.phase("reading", 0, func() (err error) {
		file, err = graph.Read(ctx, b.Graph, false)
		return err
	})
	if err != nil {
		return nil, err
	}
	b.record.Generation = b.lastSeconds()
	b.setSizes(file.Vertices, uint64(len(file.Tuples)))
	if file.Symmetrised {
		b.console.printf("%s is taken as an undirected graph", b.Graph)
	}
	if file.BothWays > 0.5 {
		b.warn(fmt.Sprintf("%s holds %.0f %% of its edges in both directions: either direction counts as an edge, so nedge and TEPS are up to twice those of the graph with each edge once", b.Graph, 100*file.BothWays))
	}
	return file, nil
}

// provideTuples loads the tuples into the engine, from the file of -graph, an edge file
// or the generator. It writes them to an edge file if the options name one.
func (b *bench) provideTuples(ctx context.Context, file *graph.File) error {
	from, to, err := b.edgeFiles()
	if err != nil {
		return err
	}
	var writer *graph.EdgeWriter
	if to != "" { // created first, so that an error shows before the work
		if writer, err = graph.CreateEdges(ctx, to, b.tuples, false); err != nil {
			return fmt.Errorf("%s: %w", b.edgeFilesOrigin(), err)
		}
		defer writer.Abort()
	}
	switch {
	case file != nil:
		err = b.engine.Load(b.vertices, engine.Tuples{Edges: file.Tuples})
	case from != "":
		err = b.readEdges(ctx, from)
	default:
		err = b.generate(ctx)
	}
	if err != nil || writer == nil {
		return err
	}
	return b.phase("writing edges", b.tuples, func() error {
		if err := b.engine.Tuples(ctx, writer.Write); err != nil {
			return err
		}
		if err := writer.Close(); err != nil {
			return err
		}
		if b.tempFile != "" && !b.reuseTempFile {
			b.removeEdges = removal(ctx, writer.Target())
		}
		return nil
	})
}

// removal returns a function that removes a file. The end of ctx calls it too, because
// removing a large file takes time.
func removal(ctx context.Context, path string) func() {
	remove := sync.OnceFunc(func() { _ = os.Remove(path) })
	context.AfterFunc(ctx, remove)
	return remove
}

// edgeFiles returns the edge files to read and to write: those of -read-edges and
// -write-edges or, as in the reference, of TMPFILE and REUSEFILE. An existing file of
// TMPFILE is never replaced: it is read, or there is an error.
func (o *options) edgeFiles() (from, to string, err error) {
	if o.tempFile == "" {
		return o.ReadEdges, o.WriteEdges, nil
	}
	info, err := os.Stat(o.tempFile)
	size := int64(graph.EdgeFileSize(o.generatorSpec().Tuples()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", o.tempFile, nil
	case err != nil:
		return "", "", fmt.Errorf("TMPFILE: %w", err)
	case !info.Mode().IsRegular():
		return "", "", fmt.Errorf("TMPFILE: %s is not a regular file", o.tempFile)
	case info.Size() != size:
		return "", "", fmt.Errorf("TMPFILE: %s is there already and has %d bytes, the edge file of scale %d and edgefactor %d has %d: name another file",
			o.tempFile, info.Size(), o.Scale, o.EdgeFactor, size)
	case !o.reuseTempFile:
		return "", "", fmt.Errorf("TMPFILE: %s is there already: name another file, or set REUSEFILE to read this one", o.tempFile)
	}
	return o.tempFile, "", nil
}

// edgeFilesOrigin returns the name of the option that gives the edge file to write.
func (o *options) edgeFilesOrigin() string {
	if o.tempFile != "" {
		return "TMPFILE"
	}
	return "flag -write-edges"
}

func (b *bench) generate(ctx context.Context) error {
	untrack := b.console.track("generation", int64(b.tuples), "edges")
	err := b.phase("generation", b.tuples, func() error {
		return b.engine.Generate(ctx, b.spec, func(done, _ int64) { b.console.advance(done) })
	})
	untrack()
	b.record.Generation = b.lastSeconds()
	return err
}

func (b *bench) readEdges(ctx context.Context, path string) error {
	team := parallel.NewTeam(b.Threads)
	defer team.Close()
	var tuples []engine.Edge
	err := b.phase("reading", b.tuples, func() (err error) {
		tuples, err = graph.ReadEdges(ctx, path, b.vertices, b.tuples, team)
		return err
	})
	if err != nil {
		return err
	}
	b.record.Generation = b.lastSeconds()
	same := false
	if err := b.phase("comparing edges", b.tuples, func() (err error) {
		same, err = generated(ctx, team, b.spec, tuples)
		return err
	}); err != nil {
		return err
	}
	if !same {
		b.foreignEdges = true
		b.record.Input.Source = path
		b.warn(fmt.Sprintf("%s holds other edges than the generator makes at scale %d with seeds %d and %d", path, b.spec.Scale, b.spec.Seed1, b.spec.Seed2))
	}
	return b.engine.Load(b.vertices, engine.Tuples{Edges: tuples})
}

// generated reports whether the tuples are those of the generator for the spec. An edge
// file does not contain its scale and seeds.
func generated(ctx context.Context, team *parallel.Team, spec kronecker.Spec, tuples []engine.Edge) (bool, error) {
	const piece = 1 << 16
	g := kronecker.New(spec)
	buffers := make([][]engine.Edge, team.Size())
	var differs atomic.Bool
	err := team.For(ctx, len(tuples), piece, func(worker, lo, hi int) {
		if differs.Load() {
			return
		}
		if buffers[worker] == nil {
			buffers[worker] = make([]engine.Edge, piece)
		}
		want := buffers[worker][:hi-lo]
		g.Edges(want, uint64(lo))
		if !slices.Equal(want, tuples[lo:hi]) {
			differs.Store(true)
		}
	})
	return !differs.Load(), err
}
