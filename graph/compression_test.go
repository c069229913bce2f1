package graph

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
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
			f, err := Read(t.Context(), writeTemp(t, file, content), Options{})
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
		got, err := ReadEdges[engine.Edge](t.Context(), writeTemp(t, "edges", content), 4, Whole(4), team)
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
	got, err := ReadEdges[engine.Edge](t.Context(), writeTemp(t, "edges", content), 1<<20, Whole(2), newTeam(t, 1))
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
			_, err := Read(t.Context(), path, Options{})
			wantError(t, err, path, ": is "+want+", which is not read: ")
		}
		path := writeTemp(t, "edges", []byte(begin))
		_, err := ReadEdges[engine.Edge](t.Context(), path, 4, Whole(4), team)
		wantError(t, err, path, ": is "+want+", which is not read: ")
	}
}

// Other bytes after a gzip stream are ignored with a warning, as gzip does. They are an error
// in an edge file.
func TestReadGzipWithTrailingData(t *testing.T) {
	for name, trailing := range map[string]string{"text": "2 3\n3 4\n4 5\n5 6\n", "after zeros": "\x00\x00x", "a byte": "\n", "half a magic number": "\x1f"} {
		f, err := Read(t.Context(), writeTemp(t, "list.gz", append(compressed(t, "e.gz", []byte("0 1\n1 2\n")), trailing...)), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(f.Tuples) != 2 || len(f.Warnings) != 1 || !strings.HasPrefix(f.Warnings[0], "other bytes follow the end of the gzip stream") {
			t.Errorf("%s: got %+v", name, f)
		}
		freeFile(t, f)
		path := writeTemp(t, "four.gz", append(compressed(t, "e.gz", fixture(t, "four.edges")), trailing...))
		_, err = ReadEdges[engine.Edge](t.Context(), path, 4, Whole(4), newTeam(t, 1))
		wantError(t, err, path, ": other bytes follow the end of the gzip stream")
	}
	path := writeTemp(t, "list.gz", append(compressed(t, "e.gz", []byte("0 1\n1 2\n")), "\x1f\x8b\x08"...))
	_, err := Read(t.Context(), path, Options{})
	wantError(t, err, path, ":3: the gzip stream is truncated")
}
