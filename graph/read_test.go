package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"graph500/engine"
	"graph500/memory"
)

// four is the graph of all files of testdata.
var four = []engine.Edge{{U: 0, V: 1}, {U: 2, V: 0}, {U: 2, V: 3}, {U: 1, V: 2}}

var noLimit = memory.Limit{Bytes: math.MaxUint64}

// writeTemp creates a file with this name in a new directory.
func writeTemp(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// compressed returns content in the compression format of the file name.
func compressed(t testing.TB, name string, content []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	var w io.WriteCloser
	switch filepath.Ext(name) {
	case ".gz":
		w = gzip.NewWriter(&buf)
	case ".zst":
		z, err := zstd.NewWriter(&buf)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	default:
		return content
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// wantError checks an error of a call about the file at path.
func wantError(t *testing.T, err error, path, want string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %q", want)
		return
	}
	if got := strings.TrimPrefix(err.Error(), path); got == err.Error() || !strings.HasPrefix(got, want) {
		t.Errorf("got error %q, want the path and %q", err, want)
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error of more than one line: %q", err)
	}
}

func freeEdges(t testing.TB, edges []engine.Edge) {
	t.Helper()
	if err := memory.Free(edges); err != nil {
		t.Error(err)
	}
}

func TestReadFixtures(t *testing.T) {
	for name, symmetrised := range map[string]bool{
		"four.txt":             true,
		"four.txt.gz":          true,
		"four.txt.zst":         true,
		"four.txt.bz2":         true,
		"four.csv":             true,
		"four-weighted.txt":    true,
		"four-snap.txt":        true,
		"four-pattern.mtx":     false,
		"four-pattern.mtx.gz":  false,
		"four-pattern.mtx.zst": false,
		"four-real.mtx":        true,
		"four-integer.mtx":     false,
		"four-complex.mtx":     false,
	} {
		f, err := Read(t.Context(), filepath.Join("testdata", name), Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Vertices != 4 || !slices.Equal(f.Tuples, four) || f.Symmetrised != symmetrised {
			t.Errorf("%s: got %+v", name, f)
		}
		freeEdges(t, f.Tuples)
	}
}

func TestReadCannotOpen(t *testing.T) {
	dir := t.TempDir()
	_, err := Read(t.Context(), dir, Options{})
	wantError(t, err, dir, ": is a directory")
	if _, err := Read(t.Context(), filepath.Join(dir, "none.txt"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// A Matrix Market file is also detected by its first line, whatever its name.
func TestReadMatrixByContent(t *testing.T) {
	content, err := os.ReadFile("testdata/four-pattern.mtx")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(t.Context(), writeTemp(t, "four.txt", content), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Vertices != 4 || !slices.Equal(f.Tuples, four) || f.Symmetrised {
		t.Errorf("got %+v", f)
	}
}

// longList returns an edge list of several blocks and segments, with lines of all
// kinds, and its edges.
func longList(lines int) ([]byte, []engine.Edge) {
	var text []byte
	var edges []engine.Edge
	for i := range lines {
		e := engine.Edge{U: engine.Label(i) * 2654435761 >> uint(i%32), V: engine.Label(i % 1000)}
		if e.U == engine.None {
			e.U--
		}
		edges = append(edges, e)
		switch i % 97 {
		case 5:
			text = append(text, "# a comment\n\n"...)
		case 6:
			text = append(text, "\t "...)
		case 7:
			text = append(text, "000000000000000000000000"...)
		}
		text = fmt.Appendf(text, "%d\t%d", e.U, e.V)
		if i%3 == 1 {
			text = append(text, " 0.25"...)
		}
		if i%5 == 1 {
			text = append(text, '\r')
		}
		text = append(text, '\n')
	}
	return text, edges
}

func TestReadLongList(t *testing.T) {
	lines := 300_000
	if testing.Short() {
		lines = 60_000
	}
	text, edges := longList(lines)
	for _, name := range []string{"list", "list.gz", "list.zst"} {
		f, err := Read(t.Context(), writeTemp(t, name, compressed(t, name, text)), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Tuples, edges) {
			t.Errorf("%s: other edges came back", name)
		}
		freeEdges(t, f.Tuples)
	}
	// The line number is correct after several blocks.
	path := writeTemp(t, "list", append(slices.Clip(text), "5 x\n"...))
	_, err := Read(t.Context(), path, Options{})
	wantError(t, err, path, fmt.Sprintf(":%d: \"x\" is not a vertex number", bytes.Count(text, []byte("\n"))+1))
}

func TestReadMemoryLimit(t *testing.T) {
	limit := memory.Limit{Bytes: 31, Source: "limit of the test"}
	for _, c := range []struct {
		name     string
		weighted bool
		want     string
	}{
		{"four.txt", false, ": 4 edges need 32 B of memory, 31 B are available (limit of the test)"},
		{"four.txt", true, ": 4 edges need 32 B of memory, 31 B are available (limit of the test)"},
		{"four-weights.txt", true, ": 4 edges need 48 B of memory, 31 B are available (limit of the test)"},
		{"four-pattern.mtx", true, ":4: 4 edges need 32 B of memory, 31 B are available (limit of the test)"},
		{"four-weights.mtx", false, ":3: 4 edges need 32 B of memory, 31 B are available (limit of the test)"},
		{"four-weights.mtx", true, ":3: 4 edges need 48 B of memory, 31 B are available (limit of the test)"},
	} {
		path := filepath.Join("testdata", c.name)
		_, err := read(t.Context(), path, Options{Weighted: c.weighted}, limit)
		wantError(t, err, path, c.want)
	}
}

func TestReadCompressedDamaged(t *testing.T) {
	text, _ := longList(20_000)
	lines := func(n int) int { return bytes.Count(text[:n], []byte("\n")) }
	for _, name := range []string{"list.gz", "list.zst"} {
		whole := compressed(t, name, text)
		format := map[string]string{"list.gz": "gzip", "list.zst": "zstd"}[name]

		path := writeTemp(t, name, whole[:len(whole)*2/3])
		_, err := Read(t.Context(), path, Options{})
		var line int
		if err != nil {
			if _, scanErr := fmt.Sscanf(strings.TrimPrefix(err.Error(), path), ":%d: the "+format+" stream is truncated", &line); scanErr != nil {
				t.Errorf("got %q", err)
			}
		}
		if line < lines(len(text)/3) || line > lines(len(text)) {
			t.Errorf("truncated %s: line %d", format, line)
		}

		damaged := bytes.Clone(whole)
		for i := range 40 {
			damaged[len(damaged)/2+i] ^= 0x5a
		}
		path = writeTemp(t, name, damaged)
		if _, err := Read(t.Context(), path, Options{}); err == nil {
			t.Errorf("damaged %s was read", format)
		} else {
			wantError(t, err, path, ":")
		}

		path = writeTemp(t, name, []byte("0 1\nthis is not compressed\n"))
		_, err = Read(t.Context(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), "the "+format+" stream is corrupt") {
			t.Errorf("plain text as %s: %v", format, err)
		}

		path = writeTemp(t, name, nil)
		_, err = Read(t.Context(), path, Options{})
		wantError(t, err, path, ": no edges")
	}
}

func TestReadCancelled(t *testing.T) {
	text, _ := longList(20_000)
	stop := errors.New("stopped by the test")
	for _, name := range []string{"list", "list.gz", "list.zst", "matrix.mtx"} {
		content := text
		if name == "matrix.mtx" {
			content = []byte("%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n3 1\n3 4\n2 3\n")
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stop)
		if _, err := Read(ctx, writeTemp(t, name, compressed(t, name, content)), Options{}); !errors.Is(err, stop) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A reader that waits for a pipe stops when the context ends.
func TestReadPipeCancelled(t *testing.T) {
	for _, begin := range []string{"", "0 1\n1 2\n", "\x1f\x8b\x08\x00", strings.Repeat("0 1\n", 100)} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		defer w.Close()
		path := fmt.Sprintf("/proc/self/fd/%d", r.Fd())
		if _, err := os.Stat(path); err != nil {
			t.Skip("no name for a pipe here")
		}
		if _, err := w.WriteString(begin); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := Read(ctx, path, Options{}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %q: got %v", begin, err)
		}
	}
}
