package graph

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// source is the content of a file, or of a file in an archive, that is read sequentially.
type source struct {
	*stream
	path string // of the file; for messages, with the name of the file in the archive
	name string // its extension can tell the format
	buf  *bufio.Reader
}

// openSource opens a file as openStream does. Of an archive it opens the only graph in it.
func openSource(ctx context.Context, path string) (*source, error) {
	if isZip(path) {
		return openZip(path)
	}
	s, err := openStream(ctx, path)
	if err != nil {
		return nil, err
	}
	src := newSource(s, path, path)
	if begin, _ := src.buf.Peek(tarBlock); isTar(begin) {
		s.Close()
		return openTar(ctx, path)
	}
	return src, nil
}

func newSource(s *stream, path, name string) *source {
	return &source{stream: s, path: path, name: name, buf: bufio.NewReaderSize(s, maxLine)}
}

// extensionOf returns the extension of a file name in lower case, without that of a
// compression format behind it.
func extensionOf(name string) string {
	name = strings.ToLower(name)
	if ext := filepath.Ext(name); compressionOf(ext) != "" {
		name = strings.TrimSuffix(name, ext)
	}
	return filepath.Ext(name)
}

// isRegular returns an error if the path is not that of a regular file.
func isRegular(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: is an archive, and not a regular file: unpack it", path)
	}
	return err
}
