package run

import (
	"context"
	"io"

	"graph500/graph"
	"graph500/report"
)

// tellOfNumbers says what -renumber did, or that it would make a graph with gaps smaller.
func (b *Bench) tellOfNumbers(file *graphFile) {
	switch {
	case b.Renumber && b.Out == "" && b.WriteParents == "":
		b.Console.Printf("%s: the %d vertices are numbered in the order of appearance; -out and -write-parents also write their names", b.Graph, file.Vertices)
	case b.Renumber:
		b.Console.Printf("%s: the %d vertices are numbered in the order of appearance; %s beside the results holds their names", b.Graph, file.Vertices, graph.NamesFile)
	case file.Vertices > 4*max(1, file.Connected):
		b.Console.Printf("%s: only %d of the %d vertices have an edge to another one: -renumber leaves out numbers that the file does not name", b.Graph, file.Connected, file.Vertices)
	}
}

// writeNames writes the names of the vertices, a line each, beside the results.
func (b *Bench) writeNames(ctx context.Context) error {
	if b.names == nil {
		return nil
	}
	for _, dir := range []string{b.Out, b.WriteParents} {
		if dir == "" {
			continue
		}
		write := func(w io.Writer) error { return graph.WriteNames(w, b.names) }
		if err := report.WriteFiles(ctx, dir, []report.File{{Name: graph.NamesFile, Write: write}}); err != nil {
			return err
		}
	}
	return nil
}
