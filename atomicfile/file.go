// Package atomicfile writes files that appear under their names when they are
// complete and not before, at the places that links lead to. It knows nothing of
// what is in them.
package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// File is a file that is being written: until Commit a temporary file beside the
// place of the complete one. The end of its context removes it at once, even
// while a write waits for the disk.
type File struct {
	path string // as the user names it
	ctx  context.Context
	keep func() bool // from now on the context does nothing to the file; false if it has ended
	*renameio.PendingFile
	target string
}

// Create begins a file of the given number of bytes (0: not known). A file that
// it will replace passes its permissions on; what Target refuses is refused.
func Create(ctx context.Context, path string, size uint64) (*File, error) {
	target, err := Target(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(target)
	// The temporary name is in dir itself: the directory of temporary files may
	// be another, fuller disk.
	p, err := renameio.NewPendingFile(target, renameio.WithTempDir(dir), renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be created: %w", path, Cause(err))
	}
	f := &File{path: path, ctx: ctx, PendingFile: p, target: target}
	f.keep = context.AfterFunc(ctx, func() { _ = os.Remove(p.Name()) })
	if err := CheckSpace(dir, size); err != nil {
		return nil, f.Fail(err)
	}
	return f, nil
}

// Path returns the name that Create was given.
func (f *File) Path() string { return f.path }

// Target returns where the complete file will be, links followed.
func (f *File) Target() string { return f.target }

// Commit puts complete files in their places. All of them are on the disk before
// the first takes its name, so an error in writing, and the end of a context,
// leaves the earlier files as they were and removes the temporary ones.
func Commit(files ...*File) error {
	defer func() {
		for _, f := range files {
			f.Discard()
		}
	}()
	for _, f := range files { // what takes long comes before the last look at the context
		if err := f.Sync(); err != nil { // some file systems find the disk full only here
			return f.Fail(err)
		}
	}
	for _, f := range files {
		if !f.keep() {
			return context.Cause(f.ctx)
		}
	}
	for _, f := range files {
		if err := f.CloseAtomicallyReplace(); err != nil {
			return f.Fail(err)
		}
	}
	return nil
}

// Fail removes the temporary file and names the file in the error that ended its
// writing.
func (f *File) Fail(err error) error {
	f.Discard()
	return fmt.Errorf("%s: cannot be written: %w", f.path, Cause(err))
}

// Discard removes the temporary file. After Commit it does nothing.
func (f *File) Discard() {
	f.keep()
	_ = f.Cleanup()
}

// Cause strips what the system was asked and for which name: that of a temporary
// file tells the user nothing, and other names stand in the message already.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
