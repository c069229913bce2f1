package graph

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// stream is a file that is read sequentially and decompressed.
type stream struct {
	io.Reader
	format string       // compression format or that of the archive, "" if there is none
	gzip   *gzipMembers // of a gzip file, else nil
	close  func()
}

// openStream opens a file and detects its compression (see formatOf). The end of
// ctx interrupts a read that waits for a pipe.
func openStream(ctx context.Context, path string) (*stream, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, fmt.Errorf("%s: is a directory", path)
	}
	stop := context.AfterFunc(ctx, func() {
		_ = f.SetReadDeadline(time.Unix(1, 0)) // fails if f is not a pipe; reads do not wait then
	})
	s := &stream{close: func() { stop(); f.Close() }}
	content, err := s.open(bufio.NewReaderSize(f, 1<<18), path)
	if err != nil {
		s.Close()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.Reader, s.close = content, func() { stop(); content.Close(); f.Close() }
	return s, nil
}

// open detects the compression of a file and returns the decompressed content.
func (s *stream) open(in *bufio.Reader, path string) (content io.ReadCloser, err error) {
	if s.format, err = formatOf(in, path); err != nil {
		return nil, err
	}
	if content, err = decompress(in, s.format); err != nil {
		return nil, s.explain(err)
	}
	s.gzip, _ = content.(*gzipMembers)
	return content, nil
}

// trailing reports whether other bytes follow the compressed content of a stream that was
// read to its end.
func (s *stream) trailing() bool { return s.gzip != nil && s.gzip.trailing }

func (s *stream) Close() { s.close() }

// fill reads until buf is full. It returns io.EOF if the stream ends earlier, and
// any other error in the form of explain.
func (s *stream) fill(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var k int
		k, err = r.Read(buf[n:])
		n += k
	}
	if n == len(buf) && err == io.EOF {
		err = nil // the next call returns it
	}
	if err != nil && err != io.EOF {
		err = s.explain(err)
	}
	return n, err
}

// explain describes a read error in terms of the file.
func (s *stream) explain(err error) error {
	var system *fs.PathError
	switch {
	case errors.As(err, &system):
		return fmt.Errorf("cannot be read: %w", system.Err)
	case s.format == "":
		return fmt.Errorf("cannot be read: %w", err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the %s stream is truncated", s.format)
	}
	return fmt.Errorf("the %s stream is corrupt: %w", s.format, err)
}
