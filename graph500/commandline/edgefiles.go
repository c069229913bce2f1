package commandline

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"graph500/graph"
)

// EdgeFiles are the paths of the edge files to read and to write, without the weights files
// beside them; "" for none.
type EdgeFiles struct{ Read, Write string }

// FindEdgeFiles sets edges: to the files of -read-edges and -write-edges or, as in the
// reference, of TMPFILE and REUSEFILE. An existing file of TMPFILE is never replaced: it is
// read, or there is an error.
func (o *Options) FindEdgeFiles() error {
	if o.TempFile == "" {
		o.Edges = EdgeFiles{o.ReadEdges, o.WriteEdges}
		return nil
	}
	info, err := os.Stat(o.TempFile)
	size := int64(graph.EdgeFileSize(o.GeneratorSpec().Tuples()))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		o.Edges = EdgeFiles{Write: o.TempFile}
		return nil
	case err != nil:
		return fmt.Errorf("TMPFILE: %w", err)
	case !info.Mode().IsRegular():
		return fmt.Errorf("TMPFILE: %s is not a regular file", o.TempFile)
	case info.Size() != size:
		return fmt.Errorf("TMPFILE: %s is there already and has %d bytes, the edge file of scale %d and edgefactor %d has %d: name another file",
			o.TempFile, info.Size(), o.Scale, o.EdgeFactor, size)
	case !o.ReuseTempFile:
		return fmt.Errorf("TMPFILE: %s is there already: name another file, or set REUSEFILE to read this one", o.TempFile)
	}
	o.Edges = EdgeFiles{Read: o.TempFile}
	return nil
}

// EdgeFilesOrigin returns the name of the option that gives the edge file to write.
func (o *Options) EdgeFilesOrigin() string {
	if o.TempFile != "" {
		return "TMPFILE"
	}
	return "flag -write-edges"
}
