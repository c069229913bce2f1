// Package atomicfile writes files that appear under their names only when they are complete, those
// of one process and those that several ranks write. It follows symbolic links. It knows nothing of
// the contents.
//
// A Shared file is written by all ranks. Rank 0 creates the temporary file in its final length and
// tells the others its path; they open it, for writing only, and write their bytes. When all have
// them on disk, rank 0 moves the file to its name. A rank whose context ends, or that fails,
// removes the temporary file, so that it goes even if rank 0 was killed.
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

// File is a file that is being written. Until Commit, it is a temporary file in
// the directory of its target. When its context ends, the temporary file is
// removed immediately, even during a write.
type File struct {
	path   string // as the user named it
	ctx    context.Context
	detach func() bool // stops the removal at the end of ctx; returns false if ctx has ended
	*renameio.PendingFile
	target string
}

// Create creates a file with an expected size in bytes (0 = unknown). The new
// file takes the permissions of a file that it replaces. Create returns an error
// if Target does, or if the file system has too little free space.
func Create(ctx context.Context, path string, size uint64) (*File, error) {
	target, err := Target(path)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(target)
	// The temporary file is in dir, because /tmp may be on another disk with less
	// free space.
	p, err := renameio.NewPendingFile(target, renameio.WithTempDir(dir), renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be created: %w", path, Cause(err))
	}
	f := &File{path: path, ctx: ctx, PendingFile: p, target: target}
	f.detach = context.AfterFunc(ctx, func() { _ = os.Remove(p.Name()) })
	if err := CheckSpace(dir, size); err != nil {
		return nil, f.Fail(err)
	}
	return f, nil
}

// Path returns the path that was passed to Create.
func (f *File) Path() string { return f.path }

// Target returns the path of the complete file, with symbolic links resolved.
func (f *File) Target() string { return f.target }

// Commit moves complete files to their targets. It first writes all files to
// disk. If this fails or a context ends, it removes the temporary files and
// leaves all targets unchanged.
func Commit(files ...*File) error {
	defer func() {
		for _, f := range files {
			f.Discard()
		}
	}()
	for _, f := range files { // slow, therefore before the last test of the context
		if err := f.Sync(); err != nil { // some file systems report a full disk only here
			return f.Fail(err)
		}
	}
	for _, f := range files {
		if !f.detach() {
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

// Fail removes the temporary file and returns err with the path of the file.
func (f *File) Fail(err error) error {
	f.Discard()
	return fmt.Errorf("%s: cannot be written: %w", f.path, Cause(err))
}

// Discard removes the temporary file. It has no effect after Commit.
func (f *File) Discard() {
	f.detach()
	_ = f.Cleanup()
}

// Cause returns the system error of a file operation without the operation and
// the path. The path of a temporary file does not help the user, and messages
// already contain the other paths.
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
