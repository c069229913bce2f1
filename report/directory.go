package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"graph500/atomicfile"
)

// probeBytes is what CheckDir writes and removes: more than the results of 64
// searches of an official graph take.
const probeBytes = 1 << 18

// Files lists the names of all files that may be written into the directory of
// -out.
func Files() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.File)
	}
	for _, f := range ComparisonFormats() {
		names = append(names, f.File)
	}
	return names
}

// CheckDir makes the directory of -out where it is missing and finds out
// whether results can be written there, so that a long run does not end
// without them.
func CheckDir(dir string) error {
	if err := atomicfile.MakeDir(dir); err != nil {
		return fmt.Errorf("-out %s: cannot make the directory: %w", dir, err)
	}
	if err := atomicfile.Probe(dir, probeBytes); err != nil {
		return fmt.Errorf("-out %s: cannot write there: %w", dir, err)
	}
	for _, name := range Files() {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err != nil {
			continue // not there, so it is made in dir
		}
		if err := atomicfile.Check(path); err != nil {
			return fmt.Errorf("-out %s: %w: choose another directory", dir, err)
		}
	}
	return nil
}

// resultFile is a file of a directory of results.
type resultFile struct {
	name  string
	write func(io.Writer) error
}

// WriteDir writes the run in every format into dir, as writeFiles does.
func WriteDir(ctx context.Context, dir string, r *Run) error {
	var files []resultFile
	for _, f := range Formats() {
		files = append(files, resultFile{f.File, func(w io.Writer) error { return f.Write(w, r) }})
	}
	return writeFiles(ctx, dir, files)
}

// WriteComparisonDir writes the comparison in every format into dir, as
// writeFiles does.
func WriteComparisonDir(ctx context.Context, dir string, c *Comparison) error {
	var files []resultFile
	for _, f := range ComparisonFormats() {
		files = append(files, resultFile{f.File, func(w io.Writer) error { return f.Write(w, c) }})
	}
	return writeFiles(ctx, dir, files)
}

// writeFiles writes files into dir, all or, after an error in writing or the end
// of ctx, none: earlier results are then as they were.
func writeFiles(ctx context.Context, dir string, files []resultFile) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("-out %s: %w", dir, err)
		}
	}()
	// Again, in case the directory went away during a long run.
	if err := atomicfile.MakeDir(dir); err != nil {
		return err
	}
	var pending []*atomicfile.File
	for _, f := range files {
		var content bytes.Buffer
		if err := f.write(&content); err != nil {
			return err
		}
		p, err := atomicfile.Create(ctx, filepath.Join(dir, f.name), uint64(content.Len()))
		if err != nil {
			return err
		}
		defer p.Discard()
		pending = append(pending, p)
		if _, err := p.Write(content.Bytes()); err != nil {
			return p.Fail(err)
		}
	}
	return atomicfile.Commit(pending...)
}
