package commands

import (
	"context"
	"errors"
	"fmt"
	"os"

	"graph500/atomicfile"
	"graph500/graph"
	"graph500/graph500/commandline"
	"graph500/graph500/output"
	"graph500/parallel"
)

// convert runs "graph500 edges IN OUT": it writes a graph that is read in another format.
func (c *edgesFlags) convert(ctx context.Context, flags *commandline.Parser, in, out string, stdout *os.File) (err error) {
	for _, name := range []string{"kind", "edgefactor", "probabilities", "keep", "weights", "seed", "shuffle"} {
		if flags.Given(name) {
			return commandline.Usagef("flag -%s: it is for graphs that are made, and not for IN OUT", name)
		}
	}
	if atomicfile.Same(in, out) {
		return commandline.Usagef("%s is the file to read and to write: choose another place for one", in)
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
		var size graph.PackedSize
		size, err = graph.WritePacked(ctx, out, f)
		text = packedText(out, size)
	}
	if err != nil {
		return err
	}
	return output.PrintText(stdout, text)
}

// readGraph reads a packed edge file, or a graph in a format of -graph.
func (c *edgesFlags) readGraph(ctx context.Context, flags *commandline.Parser, in string) (*graph.File, error) {
	if !graph.IsPacked(in) {
		if flags.Given("scale") {
			return nil, commandline.Usagef("flag -scale: the number of vertices follows from %s", in)
		}
		return graph.Read(ctx, in, graph.Options{Weighted: true})
	}
	team := parallel.NewTeam(c.Threads)
	defer team.Close()
	vertices := uint64(0)
	if flags.Given("scale") {
		vertices = 1 << c.Scales[0]
	}
	return graph.ReadPacked(ctx, in, vertices, team)
}

// packedText says what a packed edge file holds and how it is read.
func packedText(out string, size graph.PackedSize) string {
	text := fmt.Sprintf("%s: %d vertices, %d tuples", out, uint64(1)<<size.Scale, size.Tuples)
	if size.Fill > 0 {
		text += fmt.Sprintf(", of which %d are self loops of vertex %d that fill up the file", size.Fill, size.Spare)
	}
	return text + fmt.Sprintf("; read it with -read-edges=%s -scale=%d -edgefactor=%d\n", out, size.Scale, size.EdgeFactor)
}
