package graph

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fixture returns a file of testdata.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestReadCompressedByContent checks that the first bytes of a file decide its
// format.
func TestReadCompressedByContent(t *testing.T) {
	plain := fixture(t, "four.txt")
	half := bytes.IndexByte(plain, '\n') + 1
	gz, zst := compressed(t, "e.gz", plain), compressed(t, "e.zst", plain)
	for name, content := range map[string][]byte{
		"gzip":         gz,
		"zstd":         zst,
		"bzip2":        fixture(t, "four.txt.bz2"),
		"zstd, skip":   append([]byte("\x5a\x2a\x4d\x18\x02\x00\x00\x00ab"), zst...),
		"gzip members": append(compressed(t, "e.gz", plain[:half]), compressed(t, "e.gz", plain[half:])...),
		"gzip padded":  append(slices.Clip(gz), make([]byte, 100_000)...),
		"one zero":     append(slices.Clip(gz), 0),
		"empty member": slices.Concat(gz, compressed(t, "e.gz", nil), make([]byte, 3)),
		"matrix":       fixture(t, "four-pattern.mtx.gz"),
	} {
		for _, file := range []string{"four", "four.txt", "four.gz", "four.zst", "four.mtx.gz"} {
			if strings.Contains(file, "mtx") != (name == "matrix") {
				continue
			}
			f, err := Read(t.Context(), writeTemp(t, file, content), false)
			if err != nil {
				t.Errorf("%s as %s: %v", name, file, err)
				continue
			}
			if f.Vertices != 4 || !slices.Equal(f.Tuples, four) {
				t.Errorf("%s as %s: got %+v", name, file, f)
			}
			freeEdges(t, f.Tuples)
		}
	}
}

func TestReadEdgesByContent(t *testing.T) {
	team := newTeam(t, 1)
	packed := fixture(t, "four.edges")
	for name, content := range map[string][]byte{
		"gzip":        compressed(t, "e.gz", packed),
		"gzip padded": append(compressed(t, "e.gz", packed), make([]byte, 512)...),
		"zstd":        compressed(t, "e.zst", packed),
		"bzip2":       fixture(t, "four.edges.bz2"),
	} {
		got, err := ReadEdges(t.Context(), writeTemp(t, "edges", content), 4, Whole(4), team)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(got, four) {
			t.Errorf("%s: got %v", name, got)
		}
		freeEdges(t, got)
	}
}

// TestReadEdgesThatBeginLikeGzip reads an uncompressed file with the signature of
// gzip. Its size shows that it is not compressed.
func TestReadEdgesThatBeginLikeGzip(t *testing.T) {
	content := append([]byte("\x1f\x8b\x08\x00"), make([]byte, 20)...)
	got, err := ReadEdges(t.Context(), writeTemp(t, "edges", content), 1<<20, Whole(2), newTeam(t, 1))
	if err != nil {
		t.Fatal(err)
	}
	defer freeEdges(t, got)
	if got[0].U != 0x088b1f {
		t.Errorf("got %v", got)
	}
}

func TestFormsThatAreNotRead(t *testing.T) {
	team := newTeam(t, 1)
	for want, begin := range map[string]string{
		"an xz file":              "\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46",
		"a zip archive":           "PK\x03\x04\x14\x00",
		"a 7z archive":            "7z\xbc\xaf\x27\x1c\x00\x04",
		"an lz4 file":             "\x04\x22\x4d\x18\x64\x40",
		"an lzip file":            "LZIP\x01",
		"a file of compress (.Z)": "\x1f\x9d\x90",
		"an HDF5 file":            "\x89HDF\r\n\x1a\n\x00",
		"a MATLAB file":           "MATLAB 5.0 MAT-file",
		"text in UTF-16":          "\xff\xfe0\x00 \x001\x00\n\x00",
	} {
		for _, name := range []string{"graph", "graph.txt", "graph.mtx", "graph.gz", "graph.xz"} {
			path := writeTemp(t, name, []byte(begin))
			_, err := Read(t.Context(), path, false)
			wantError(t, err, path, ": is "+want+", which is not read: ")
		}
		path := writeTemp(t, "edges", []byte(begin))
		_, err := ReadEdges(t.Context(), path, 4, Whole(4), team)
		wantError(t, err, path, ": is "+want+", which is not read: ")
	}

	tar := make([]byte, 1024)
	copy(tar, "roads/roads.mtx")
	copy(tar[257:], "ustar")
	for _, name := range []string{"roads.tar", "roads.tar.gz", "roads.mtx"} {
		path := writeTemp(t, name, compressed(t, name, tar))
		_, err := Read(t.Context(), path, false)
		wantError(t, err, path, ": is a tar archive, which is not read: unpack it")
	}
}

// Data after a gzip stream causes an error, except more members and zeros.
func TestReadGzipWithTrailingData(t *testing.T) {
	gz := compressed(t, "e.gz", []byte("0 1\n1 2\n"))
	for name, c := range map[string]struct{ trailing, want string }{
		"text":            {"2 3\n3 4\n4 5\n5 6\n", ":3: the gzip stream is corrupt"},
		"half a header":   {"\x1f\x8b\x08", ":3: the gzip stream is truncated"},
		"after the zeros": {"\x00\x00x", ":3: the gzip stream is corrupt: data follows the padding zeros at its end"},
	} {
		path := writeTemp(t, "list.gz", append(slices.Clip(gz), c.trailing...))
		_, err := Read(t.Context(), path, false)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		wantError(t, err, path, c.want)
	}
}
