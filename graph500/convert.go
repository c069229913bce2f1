package main

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"slices"

	"graph500/atomicfile"
	"graph500/cluster"
	"graph500/engine"
	"graph500/graph"
	"graph500/parallel"
)

// convert runs "graph500 edges IN OUT": it writes a graph that is read in another format.
func (c *edgesFlags) convert(ctx context.Context, flags *Parser, in, out string, stdout *os.File) (err error) {
	for _, name := range []string{"kind", "edgefactor", "probabilities", "keep", "weights", "seed", "shuffle"} {
		if flags.given(name) {
			return usagef("flag -%s: it is for graphs that are made, and not for IN OUT", name)
		}
	}
	if atomicfile.Same(in, out) {
		return usagef("%s is the file to read and to write: choose another place for one", in)
	}
	if err := atomicfile.Check(out); err != nil {
		return err
	}
	f, err := c.readGraph(ctx, flags, in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Free()) }()
	text := fmt.Sprintf("%s: %d vertices, %d edges\n", out, f.Vertices, len(f.Tuples))
	for _, line := range append(f.Notes, f.Warnings...) {
		text = fmt.Sprintf("%s: %s\n", in, line) + text
	}
	if graph.CanWrite(out) {
		err = graph.Write(ctx, out, f)
	} else {
		text, err = writePacked(ctx, out, f)
	}
	if err != nil {
		return err
	}
	return printText(stdout, text)
}

// readGraph reads a packed edge file, or a graph in a format of -graph.
func (c *edgesFlags) readGraph(ctx context.Context, flags *Parser, in string) (*graph.File, error) {
	if !graph.IsPacked(in) {
		if flags.given("scale") {
			return nil, usagef("flag -scale: the number of vertices follows from %s", in)
		}
		return graph.Read(ctx, in, graph.Options{Weighted: true})
	}
	team := parallel.NewTeam(c.Threads)
	defer team.Close()
	vertices := uint64(0)
	if flags.given("scale") {
		vertices = 1 << c.Scales[0]
	}
	return graph.ReadPacked(ctx, in, vertices, team)
}

// writePacked writes a packed edge file for -read-edges, whose number of tuples is a multiple
// of the number of vertices, a power of two: self loops of a vertex without edges, which no
// search counts, fill it up. It returns what to print.
func writePacked(ctx context.Context, out string, f *graph.File) (string, error) {
	if slices.ContainsFunc(f.Weights, func(w float32) bool { return w > 1 }) {
		return "", fmt.Errorf("%s: the weights beside a packed edge file are at most 1, and those of this graph are not: choose .wsg, .mtx or .wel", out)
	}
	scale := max(1, bits.Len64(f.Vertices-1))
	tuples := uint64(len(f.Tuples))
	spare, found := engine.Local(f.Vertices), f.Vertices < 1<<scale
	if tuples%(1<<scale) > 0 && !found {
		var err error
		if spare, found, err = f.Unconnected(ctx); err != nil {
			return "", err
		}
		if !found {
			spare = engine.Local(f.Vertices)
			scale++
		}
	}
	if scale > engine.MaxScale {
		return "", fmt.Errorf("%s: %d vertices, an edge file has at most 2^%d", out, f.Vertices, engine.MaxScale)
	}
	factor := max(1, (tuples+1<<scale-1)>>scale)
	all := factor << scale
	w, err := graph.CreateEdges(ctx, cluster.Alone(), out, graph.Whole(all), f.Weights != nil)
	if err != nil {
		return "", err
	}
	defer w.Abort()
	if err := w.Write(engine.Tuples{Edges: f.Tuples, Weights: f.Weights}); err != nil {
		return "", err
	}
	fill := engine.Tuples{Edges: make([]engine.Edge, min(all-tuples, edgesPiece))}
	for i := range fill.Edges {
		fill.Edges[i] = engine.Edge{U: spare, V: spare}
	}
	if f.Weights != nil {
		fill.Weights = make([]float32, len(fill.Edges))
	}
	for left := all - tuples; left > 0; left -= uint64(len(fill.Edges)) {
		n := min(left, uint64(len(fill.Edges)))
		fill.Edges = fill.Edges[:n]
		if f.Weights != nil {
			fill.Weights = fill.Weights[:n]
		}
		if err := w.Write(fill); err != nil {
			return "", err
		}
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s: %d vertices, %d tuples", out, uint64(1)<<scale, all)
	if all > tuples {
		text += fmt.Sprintf(", of which %d are self loops of vertex %d that fill up the file", all-tuples, spare)
	}
	return text + fmt.Sprintf("; read it with -read-edges=%s -scale=%d -edgefactor=%d\n", out, scale, factor), nil
}
