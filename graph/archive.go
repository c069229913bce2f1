package graph

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// tarBlock is the size of a block of a tar archive, in bytes (POSIX.1-1988).
const tarBlock = 512

// isTar reports whether a block is the header of a file in a tar archive. Headers of all
// kinds, also those before POSIX, hold the sum of their bytes, in which the bytes of the sum
// itself count as blanks.
func isTar(block []byte) bool {
	const from, to = 148, 156
	if len(block) < tarBlock {
		return false
	}
	sum := int64(' ' * (to - from))
	for i, c := range block[:tarBlock] {
		if i < from || i >= to {
			sum += int64(c)
		}
	}
	stated, err := strconv.ParseInt(string(bytes.Trim(block[from:to], " \x00")), 8, 64)
	return err == nil && stated == sum
}

// openTar opens the graph in a tar archive, which may be compressed. It reads the archive
// twice: first for the names.
func openTar(ctx context.Context, archive string) (*source, error) {
	if err := isRegular(archive); err != nil {
		return nil, err
	}
	var names []string
	s, err := walkTar(ctx, archive, func(name string) bool {
		names = append(names, name)
		return false
	})
	if err != nil {
		return nil, err
	}
	s.Close()
	chosen, err := graphAmong(names, archive)
	if err != nil {
		return nil, err
	}
	if s, err = walkTar(ctx, archive, func(name string) bool { return name == chosen }); err != nil {
		return nil, err
	}
	return newSource(s, archive+": "+chosen, chosen), nil
}

// walkTar calls found with the names of the regular files of a tar archive, until it returns
// true. The stream continues with the content of that file.
func walkTar(ctx context.Context, archive string, found func(name string) bool) (*stream, error) {
	s, err := openStream(ctx, archive)
	if err != nil {
		return nil, err
	}
	files := tar.NewReader(s.Reader)
	for {
		header, err := files.Next()
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			s.Close()
			if s.format == "" {
				s.format = "tar"
			}
			return nil, fmt.Errorf("%s: %w", archive, s.explain(err))
		}
		if header.Typeflag == tar.TypeReg && found(header.Name) {
			if s.format == "" {
				s.format = "tar"
			}
			s.Reader = files
			return s, nil
		}
	}
}

// isZip reports whether a regular file is a zip archive with files in it.
func isZip(name string) bool {
	if isRegular(name) != nil {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	var begin [4]byte
	_, err = io.ReadFull(f, begin[:])
	return err == nil && string(begin[:]) == "PK\x03\x04"
}

// openZip opens the graph in a zip archive.
func openZip(archive string) (*source, error) {
	files, err := zip.OpenReader(archive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: it may be truncated", archive, err)
	}
	var names []string
	for _, f := range files.File {
		if f.Mode().IsRegular() {
			names = append(names, f.Name)
		}
	}
	chosen, err := graphAmong(names, archive)
	if err != nil {
		files.Close()
		return nil, err
	}
	at := slices.IndexFunc(files.File, func(f *zip.File) bool { return f.Name == chosen })
	content, err := files.File[at].Open()
	if err != nil {
		files.Close()
		return nil, fmt.Errorf("%s: %s: %w", archive, chosen, err)
	}
	s := &stream{Reader: content, format: "zip", close: func() { content.Close(); files.Close() }}
	return newSource(s, archive+": "+chosen, chosen), nil
}

// graphExtensions are the extensions of files in archives that can be graphs.
var graphExtensions = []string{
	".mtx", ".txt", ".tsv", ".csv", ".edges", ".edgelist", ".el", ".wel", ".e", ".gr", ".col", ".graph", ".metis", ".sg", ".wsg",
}

// graphAmong returns the name of the only graph among the files of an archive: the only
// file whose name can be that of a graph, or the one that has the name of its directory or of the archive
// (the SuiteSparse collection adds coordinates and titles to NAME/NAME.mtx).
func graphAmong(names []string, archive string) (string, error) {
	var graphs, named []string
	for _, name := range names {
		base := strings.ToLower(path.Base(name))
		title := strings.TrimSuffix(base, path.Ext(base))
		isText := slices.ContainsFunc([]string{"readme", "license", "meta.", "."}, func(begin string) bool { return strings.HasPrefix(base, begin) })
		if isText || !strings.HasPrefix(base, "out.") && !slices.Contains(graphExtensions, path.Ext(base)) { // out.NAME: KONECT
			continue
		}
		graphs = append(graphs, name)
		if title == strings.ToLower(path.Base(path.Dir(name))) || strings.HasPrefix(strings.ToLower(path.Base(archive)), title+".") {
			named = append(named, name)
		}
	}
	switch {
	case len(graphs) == 1:
		return graphs[0], nil
	case len(named) == 1:
		return named[0], nil
	case len(graphs) == 0:
		return "", fmt.Errorf("%s: none of the %d files in the archive has a name of a graph (%s): unpack it and name the file", archive, len(names), strings.Join(graphExtensions, " "))
	}
	list := strings.Join(graphs[:min(len(graphs), 5)], ", ")
	return "", fmt.Errorf("%s: %d files in the archive can be the graph, such as %s: unpack it and name one", archive, len(graphs), list)
}
