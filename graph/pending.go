package graph

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"graph500/memory"
)

// pendingFile is a file that appears under its name when it is complete and
// not before: until then it is a temporary file in the same directory. The end
// of its context removes that at once, even while a write waits for the disk.
type pendingFile struct {
	path string
	ctx  context.Context
	keep func() bool // from now on the context does nothing to the file; false if it has ended
	*renameio.PendingFile
}

// createPending begins a file of the given number of bytes (0: not known).
func createPending(ctx context.Context, path string, size uint64) (*pendingFile, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is not a regular file and will not be replaced", path)
	}
	dir := filepath.Dir(path)
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(dir), renameio.WithPermissions(0o644))
	if err != nil {
		return nil, fmt.Errorf("%s: cannot be created: %w", path, cause(err))
	}
	p := &pendingFile{path: path, ctx: ctx, PendingFile: f}
	p.keep = context.AfterFunc(ctx, func() { _ = os.Remove(f.Name()) })
	if err := checkSpace(dir, size); err != nil {
		return nil, p.fail(err)
	}
	return p, nil
}

// commit puts the complete file in its place, or removes it.
func (f *pendingFile) commit() error {
	if err := f.Sync(); err != nil { // what takes long comes before the last look at the context
		return f.fail(err)
	}
	if !f.keep() {
		f.discard()
		return context.Cause(f.ctx)
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return f.fail(err)
	}
	return nil
}

// fail removes the file and names it in the error that ended its writing.
func (f *pendingFile) fail(err error) error {
	f.discard()
	return fmt.Errorf("%s: cannot be written: %w", f.path, cause(err))
}

// discard removes the file, unless it is in its place already.
func (f *pendingFile) discard() {
	f.keep()
	_ = f.Cleanup()
}

// cause strips the name of the temporary file, which tells the user nothing.
func cause(err error) error {
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

// checkSpace returns an error if the file system of dir is known to have
// fewer free bytes than needed.
func checkSpace(dir string, needed uint64) error {
	free, err := freeSpace(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot ask for the free space of %s: %w", dir, err)
	}
	if needed > free {
		return fmt.Errorf("needs %s of disk space, %s has %s available", memory.Size(needed), dir, memory.Size(free))
	}
	return nil
}
