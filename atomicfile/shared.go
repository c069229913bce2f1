package atomicfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Ranks are the processes that write a file together; *cluster.World is one of them. They
// call the methods in the same order.
type Ranks interface {
	Rank() int // 0..Size()-1
	Size() int

	// Strings returns the texts of all ranks, by rank.
	Strings(ctx context.Context, text string) ([]string, error)

	// Agree returns the error of the first rank that has one, the same on all ranks, or
	// nil if none has.
	Agree(ctx context.Context, own error) error
}

// Shared is a file that ranks write together, each its own bytes of it. All of them write to
// the temporary file of rank 0. Any rank whose context ends, or that discards the file,
// removes it.
type Shared struct {
	ctx    context.Context
	ranks  Ranks
	path   string      // as the user named it
	file   *File       // of rank 0, else nil
	out    *os.File    // through which this rank writes
	name   string      // path of the temporary file
	detach func() bool // stops the removal of name at the end of ctx
	closed bool        // committed or discarded
}

// CreateShared creates a file of the given size in bytes; a single rank may give 0 for an
// unknown size. Like Create, it returns an error if the file system has fewer free bytes than
// space. All ranks call it, and all get an error if one cannot open the file, for instance
// because its host does not have the directory of rank 0.
func CreateShared(ctx context.Context, ranks Ranks, path string, size, space uint64) (*Shared, error) {
	s := &Shared{ctx: ctx, ranks: ranks, path: path, detach: func() bool { return true }}
	err := ranks.Agree(ctx, s.create(size, space))
	if err == nil {
		err = s.open()
	}
	if err != nil {
		s.Discard()
		return nil, err
	}
	return s, nil
}

// create creates the temporary file if this is rank 0.
func (s *Shared) create(size, space uint64) (err error) {
	if s.ranks.Rank() > 0 {
		return nil
	}
	if s.file, err = Create(s.ctx, s.path, space); err != nil || s.ranks.Size() == 1 {
		return err
	}
	if s.name, err = filepath.Abs(s.file.Name()); err != nil {
		return s.Fail(err)
	}
	// A client of a network file system that extends a file writes the whole page, and with
	// it zeros over the bytes of its neighbour. So nobody extends the file later.
	if err := s.file.Truncate(int64(size)); err != nil {
		return s.Fail(err)
	}
	return nil
}

// open opens the temporary file of rank 0 for this rank. Rank 0 also opens it again, for
// writing only: a client of a network file system that may read the file writes whole pages.
func (s *Shared) open() error {
	if s.ranks.Size() == 1 {
		s.out = s.file.File
		return nil
	}
	names, err := s.ranks.Strings(s.ctx, s.name)
	if err != nil {
		return err
	}
	s.name = names[0]
	s.detach = context.AfterFunc(s.ctx, func() { _ = os.Remove(s.name) })
	if s.out, err = os.OpenFile(s.name, os.O_WRONLY, 0); err != nil {
		err = fmt.Errorf("%s: cannot be written together: %s, which rank 0 has made, cannot be opened: %w: name a file in a directory that all hosts share", s.path, s.name, Cause(err))
	}
	return s.ranks.Agree(s.ctx, err)
}

// Path returns the path that was passed to CreateShared.
func (s *Shared) Path() string { return s.path }

// Target returns the path of the complete file, with symbolic links resolved, on rank 0, and
// nothing on the others.
func (s *Shared) Target() string {
	if s.file == nil {
		return ""
	}
	return s.file.Target()
}

// From returns a writer of this rank that begins at an offset of the file.
func (s *Shared) From(offset uint64) io.Writer { return io.NewOffsetWriter(s.out, int64(offset)) }

// CommitShared completes files of the same context and ranks: when all ranks have written
// their bytes to disk, rank 0 calls move, such as Commit, with its files. All ranks call it.
// After an error the temporary files are gone.
func CommitShared(move func(files ...*File) error, shared ...*Shared) error {
	defer func() {
		for _, s := range shared {
			s.Discard()
		}
	}()
	first := shared[0]
	if err := first.ranks.Agree(first.ctx, flush(shared)); err != nil {
		return err
	}
	var err error
	if first.ranks.Rank() == 0 {
		var files []*File
		for _, s := range shared {
			files = append(files, s.file)
		}
		err = move(files...)
	}
	if err = first.ranks.Agree(first.ctx, err); err != nil {
		return err
	}
	for _, s := range shared {
		s.closed = true
		s.detach()
	}
	return nil
}

// flush writes the bytes of this rank to disk, where rank 0 will not do it, and closes the
// files.
func flush(shared []*Shared) error {
	for _, s := range shared {
		if s.ranks.Size() == 1 {
			continue
		}
		if err := s.out.Sync(); err != nil { // some file systems report a full disk only here
			return s.Fail(err)
		}
		if err := s.out.Close(); err != nil {
			return s.Fail(err)
		}
	}
	return nil
}

// Fail removes the temporary file and returns err with the path of the file.
func (s *Shared) Fail(err error) error {
	s.Discard()
	return fmt.Errorf("%s: cannot be written: %w", s.path, Cause(err))
}

// Discard removes the temporary file. It has no effect after CommitShared.
func (s *Shared) Discard() {
	if s.closed {
		return
	}
	s.closed = true
	s.detach()
	if s.out != nil && s.ranks.Size() > 1 {
		_ = s.out.Close()
	}
	if s.name != "" {
		_ = os.Remove(s.name)
	}
	if s.file != nil {
		s.file.Discard()
	}
}
