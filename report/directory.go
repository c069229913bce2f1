package report

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
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
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("-out %s: cannot make the directory: %w", dir, err)
	}
	for _, name := range Files() {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.IsDir() {
			return fmt.Errorf("-out %s: %s is a directory, remove it or choose another place", dir, name)
		}
	}
	probe, err := os.CreateTemp(dir, ".probe")
	if err != nil {
		// Without the temporary name, which nobody chose.
		return fmt.Errorf("-out %s: cannot write there: %w", dir, errors.Unwrap(err))
	}
	defer os.Remove(probe.Name())
	_, err = probe.Write(make([]byte, probeBytes))
	if closed := probe.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("-out %s: cannot write there: %w", dir, err)
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

// writeFiles writes files into dir. All files are complete on the disk
// under temporary names before the first takes its own, so an error in writing
// leaves earlier results as they were, and so does the end of ctx, which also
// removes the temporary files at once, even while a disk is waited for.
func writeFiles(ctx context.Context, dir string, files []resultFile) (err error) {
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = fmt.Errorf("-out %s: %w", dir, err)
		}
	}()
	// Again, in case the directory went away during a long run.
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var pending []*renameio.PendingFile
	var keep []func() bool // from now on the context does nothing to a file; false if it has ended
	for _, f := range files {
		// The temporary name is in dir itself: the directory of temporary
		// files may be another, fuller disk.
		p, err := renameio.NewPendingFile(filepath.Join(dir, f.name), renameio.WithTempDir(dir), renameio.WithPermissions(0o666))
		if err != nil {
			return err
		}
		defer p.Cleanup()
		keep = append(keep, context.AfterFunc(ctx, func() { _ = os.Remove(p.Name()) }))
		pending = append(pending, p)
		var content bytes.Buffer
		if err := f.write(&content); err != nil {
			return err
		}
		if _, err := p.Write(content.Bytes()); err != nil {
			return err
		}
		if err := p.Sync(); err != nil { // some file systems find the disk full only here
			return err
		}
	}
	for _, f := range keep {
		if !f() {
			return context.Cause(ctx)
		}
	}
	for _, p := range pending {
		if err := p.CloseAtomicallyReplace(); err != nil {
			return err
		}
	}
	return nil
}
