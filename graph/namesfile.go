package graph

import (
	"bufio"
	"io"
)

// NamesFile is the name of the file with the names of the vertices of a renumbered graph.
const NamesFile = "names.txt"

// WriteNames writes the names of the vertices in the order of their numbers, a line each.
func WriteNames(w io.Writer, names []string) error {
	out := bufio.NewWriter(w)
	for _, name := range names {
		if _, err := out.WriteString(name + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}
