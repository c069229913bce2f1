package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"graph500/graph"
	"graph500/report"
)

// checkPlaces finds out before the run whether its results can be written, and
// whether a file that is read late is there.
// How much space they need is asked when the size of the graph is known.
func checkPlaces(o *options) error {
	if o.Memory {
		return nil
	}
	if err := checkFiles(o); err != nil {
		return err
	}
	if o.Out != "" {
		if err := report.CheckDir(o.Out); err != nil {
			return err
		}
	}
	if o.WriteParents != "" {
		if err := graph.CheckParentsDir(o.WriteParents, 0, 0); err != nil {
			return fmt.Errorf("flag -write-parents: %w", err)
		}
	}
	if o.CheckParents != "" {
		vertices := int64(-1)
		if o.Graph == "" {
			vertices = 1 << o.Scale
		}
		if err := graph.CheckParentsFile(o.CheckParents, vertices); err != nil {
			return fmt.Errorf("flag -check-parents: %w", err)
		}
	}
	for _, place := range []struct {
		name, file string
		reuse      bool
	}{
		{"flag -write-edges", o.WriteEdges, false},
		{"TMPFILE", o.tempFile, o.reuse},
	} {
		if place.file == "" {
			continue
		}
		if info, err := os.Stat(place.file); err == nil {
			if !info.Mode().IsRegular() {
				return fmt.Errorf("%s: %s is not a regular file", place.name, place.file)
			}
			if place.reuse {
				continue // it may be there to be read only
			}
		}
		if err := writable(filepath.Dir(place.file)); err != nil {
			return fmt.Errorf("%s: %w", place.name, err)
		}
	}
	return nil
}

// writable returns an error if no file can be made in dir.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".graph500-*")
	if err != nil {
		// Without the temporary name, which nobody chose.
		return fmt.Errorf("no file can be made in %s: %w", dir, errors.Unwrap(err))
	}
	f.Close()
	return os.Remove(f.Name())
}
