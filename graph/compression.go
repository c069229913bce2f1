package graph

import (
	"bufio"
	"compress/bzip2"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Supported compression formats.
const (
	gzipFormat  = "gzip"
	zstdFormat  = "zstd"
	bzip2Format = "bzip2"
)

// gzipMagic begins each member of a gzip file.
const gzipMagic = "\x1f\x8b"

// signature is the beginning of the files in a format.
type signature struct{ bytes, name, unsupported string }

// signatures are the first bytes of files in a supported compression format (name)
// or in an unsupported format (unsupported).
var signatures = []signature{
	{"\x1f\x8b\x08", gzipFormat, ""},
	{"\x28\xb5\x2f\xfd", zstdFormat, ""},
	{"BZh", bzip2Format, ""},
	{"\xfd7zXZ\x00", "", "an xz file"},
	{"PK\x03\x04", "", "a zip archive"},
	{"7z\xbc\xaf\x27\x1c", "", "a 7z archive"},
	{"\x04\x22\x4d\x18", "", "an lz4 file"},
	{"LZIP", "", "an lzip file"},
	{"\x1f\x9d", "", "a file of compress (.Z)"},
	{"\x89HDF\r\n\x1a\n", "", "an HDF5 file"},
	{"MATLAB ", "", "a MATLAB file"},
	{"\xff\xfe", "", "text in UTF-16"},
	{"\xfe\xff", "", "text in UTF-16"},
}

// compressionOf returns the compression format of a file name extension, "" if
// there is none.
func compressionOf(ext string) string {
	switch strings.ToLower(ext) {
	case ".gz":
		return gzipFormat
	case ".zst":
		return zstdFormat
	case ".bz2":
		return bzip2Format
	}
	return ""
}

// IsCompressed reports whether a file of this name is compressed when it is written.
func IsCompressed(path string) bool { return compressionOf(filepath.Ext(path)) != "" }

// formatOf returns the compression format of a file, "" if it is not compressed.
// The first bytes of the file decide, then its name. It returns an error for an
// unsupported format.
func formatOf(in *bufio.Reader, path string) (string, error) {
	begin, err := in.Peek(8)
	if err == io.EOF && len(begin) == 0 {
		return "", nil // empty file
	}
	for _, b := range signatures {
		switch {
		case !strings.HasPrefix(string(begin), b.bytes):
		case b.name != "":
			return b.name, nil
		default:
			return "", fmt.Errorf("is %s, which is not read: give its content as plain text, or compressed with gzip, zstd or bzip2", b.unsupported)
		}
	}
	// A zstd file can begin with skippable frames (RFC 8878, 3.1.2).
	if len(begin) >= 4 && begin[0]>>4 == 5 && string(begin[1:4]) == "\x2a\x4d\x18" {
		return zstdFormat, nil
	}
	return compressionOf(filepath.Ext(path)), nil
}

// decompress returns a reader of the decompressed content of in.
func decompress(in *bufio.Reader, format string) (io.ReadCloser, error) {
	switch format {
	case gzipFormat:
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		z.Multistream(false)
		return &gzipMembers{in: in, member: z}, nil
	case zstdFormat:
		z, err := zstd.NewReader(in)
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case bzip2Format:
		return io.NopCloser(bzip2.NewReader(in)), nil
	}
	return io.NopCloser(in), nil
}

// gzipMembers reads the members of a gzip file in order. Like gzip(1), it accepts
// zeros after the last member: tapes and some tools pad blocks with zeros.
// It ignores other bytes, too, and notes that.
type gzipMembers struct {
	in       *bufio.Reader
	member   *gzip.Reader
	trailing bool  // other bytes follow the last member
	err      error // first error, including io.EOF; later reads return it again
}

func (g *gzipMembers) Read(p []byte) (n int, err error) {
	for g.err == nil {
		if n, g.err = g.member.Read(p); g.err != io.EOF {
			break
		}
		if g.err = g.next(); n > 0 {
			break
		}
	}
	return n, g.err
}

// next advances to the next member. The error is io.EOF if there is none.
func (g *gzipMembers) next() error {
	for {
		switch begin, err := g.in.Peek(2); {
		case len(begin) == 0:
			return err
		case begin[0] == 0:
			_, _ = g.in.Discard(1)
		case string(begin) != gzipMagic:
			g.trailing = true
			return io.EOF
		default:
			if err := g.member.Reset(g.in); err != nil {
				return err
			}
			g.member.Multistream(false)
			return nil
		}
	}
}

func (g *gzipMembers) Close() error { return g.member.Close() }
