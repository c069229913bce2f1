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

// probeBytes is the size of the test file of CheckDir. The results of 64 searches of an
// official graph are smaller.
const probeBytes = 1 << 18

// Files lists the names of all files that can be written to the directory of -out.
func Files() (names []string) {
	for _, f := range Formats() {
		names = append(names, f.File)
	}
	for _, f := range ComparisonFormats() {
		names = append(names, f.File)
	}
	for _, f := range PartitionFormats() {
		names = append(names, f.File)
	}
	return append(names, sweepTableFile, sweepChartFile)
}

// CheckDir creates the directory of -out if it is missing, and returns an error if
// results cannot be written there, so that a long run does not lose them.
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
			continue // does not exist
		}
		if err := atomicfile.Check(path); err != nil {
			return fmt.Errorf("-out %s: %w: choose another directory", dir, err)
		}
	}
	return nil
}

// File is a file of a directory of results.
type File struct {
	Name  string
	Write func(io.Writer) error
}

// WriteDir writes the run in every format to dir, by WriteFiles.
func WriteDir(ctx context.Context, dir string, r *Run) error {
	var files []File
	for _, f := range Formats() {
		files = append(files, File{f.File, func(w io.Writer) error { return f.Write(w, r) }})
	}
	return WriteFiles(ctx, dir, files)
}

// WriteComparisonDir writes the comparison in every format to dir, by WriteFiles.
func WriteComparisonDir(ctx context.Context, dir string, c *Comparison) error {
	var files []File
	for _, f := range ComparisonFormats() {
		files = append(files, File{f.File, func(w io.Writer) error { return f.Write(w, c) }})
	}
	return WriteFiles(ctx, dir, files)
}

// WritePartitioningDir writes the partitioning in every format to dir, by WriteFiles.
func WritePartitioningDir(ctx context.Context, dir string, p *Partitioning) error {
	var files []File
	for _, f := range PartitionFormats() {
		files = append(files, File{f.File, func(w io.Writer) error { return f.Write(w, p) }})
	}
	return WriteFiles(ctx, dir, files)
}

// WriteFiles writes all files to dir. After an error or the end of ctx it writes none
// of them, and earlier results do not change.
func WriteFiles(ctx context.Context, dir string, files []File) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("-out %s: %w", dir, err)
		}
	}()
	// The directory can have disappeared during a long run.
	if err := atomicfile.MakeDir(dir); err != nil {
		return err
	}
	var pending []*atomicfile.File
	for _, f := range files {
		var content bytes.Buffer
		if err := f.Write(&content); err != nil {
			return err
		}
		p, err := atomicfile.Create(ctx, filepath.Join(dir, f.Name), uint64(content.Len()))
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
