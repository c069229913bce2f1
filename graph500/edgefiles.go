package main

import (
	"errors"
	"fmt"
	"graph500/graph"
	"io/fs"
	"os"
)

// edgeFiles are the paths of the edge files to read and to write, without the weights files
// beside them; "" for none.
type edgeFiles struct{ read, write string }

// findEdgeFiles sets edges: to the files of -read-edges and -write-edges or, as in the
// reference, of TMPFILE and REUSEFILE. An existing file of TMPFILE is never replaced: it is
// read, or there is an error.
func (o *options) findEdgeFiles() error {
	if o.tempFile == "" {
		o.edges = edgeFiles{o.ReadEdges, o.WriteEdges}
		return nil
	}
	info, err := os.Stat(o.tempFile)
	size := int64(graph.EdgeFileSize(o.generatorSpec().Tuples()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.edges = edgeFiles{write: o.tempFile}
		return nil
	case err != nil:
		return fmt.Errorf("TMPFILE: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("TMPFILE: %s is not a regular file", o.tempFile)
	case info.Size() != size:
		return fmt.Errorf("TMPFILE: %s is there already and has %d bytes, the edge file of scale %d and edgefactor %d has %d: name another file",
			o.tempFile, info.Size(), o.Scale, o.EdgeFactor, size)
	case !o.reuseTempFile:
		return fmt.Errorf("TMPFILE: %s is there already: name another file, or set REUSEFILE to read this one", o.tempFile)
	}
	o.edges = edgeFiles{read: o.tempFile}
	return nil
}

// edgeFilesOrigin returns the name of the option that gives the edge file to write.
func (o *options) edgeFilesOrigin() string {
	if o.tempFile != "" {
		return "TMPFILE"
	}
	return "flag -write-edges"
}
