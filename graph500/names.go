package main

import (
	"bufio"
	"context"
	"io"

	"graph500/report"
)

// namesFile is the name of the file with the names of the vertices.
const namesFile = "names.txt"

// tellOfNumbers says what -renumber did, or that it would make a graph with gaps smaller.
func (b *bench) tellOfNumbers(file *graphFile) {
	switch {
	case b.Renumber && b.Out == "" && b.WriteParents == "":
		b.console.printf("%s: the %d vertices are numbered in the order of appearance; -out and -write-parents also write their names", b.Graph, file.Vertices)
	case b.Renumber:
		b.console.printf("%s: the %d vertices are numbered in the order of appearance; %s beside the results holds their names", b.Graph, file.Vertices, namesFile)
	case file.Vertices > 4*max(1, file.Connected):
		b.console.printf("%s: only %d of the %d vertices have an edge to another one: -renumber leaves out numbers that the file does not name", b.Graph, file.Connected, file.Vertices)
	}
}

// writeNames writes the names of the vertices, a line each, beside the results.
func (b *bench) writeNames(ctx context.Context) error {
	if b.names == nil {
		return nil
	}
	for _, dir := range []string{b.Out, b.WriteParents} {
		if dir == "" {
			continue
		}
		if err := report.WriteFiles(ctx, dir, []report.File{{Name: namesFile, Write: func(w io.Writer) error {
			out := bufio.NewWriter(w)
			for _, name := range b.names {
				if _, err := out.WriteString(name + "\n"); err != nil {
					return err
				}
			}
			return out.Flush()
		}}}); err != nil {
			return err
		}
	}
	return nil
}
