package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/exp/mmap"

	"graph500/engine"
	"graph500/memory"
	"graph500/parallel"
)

// someEdges returns n edges with labels of 32 bits.
func someEdges(n int) []engine.Edge {
	edges := make([]engine.Edge, n)
	for i := range edges {
		edges[i] = engine.Edge{U: engine.Label(i) * 2654435761, V: ^engine.Label(i * 40503)}
	}
	return edges
}

func newTeam(t testing.TB, size int) *parallel.Team {
	team := parallel.NewTeam(size)
	t.Cleanup(team.Close)
	return team
}

// wantFiles checks the entries of a directory, including hidden files.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
}

func TestEdgeFileFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "e")
	writeTuples(t, path, engine.Tuples{Edges: []engine.Edge{{U: 0x04030201, V: 0x0c0b0a09}, {U: 0xfffffffe, V: 0}}})
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "01020304090a0b0c00000000" + "feffffff0000000000000000"; hex.EncodeToString(got) != want {
		t.Errorf("wrote %x, want %s", got, want)
	}
}

func TestReadEdgesFixtures(t *testing.T) {
	team := newTeam(t, 2)
	for _, name := range []string{"four.edges", "four.edges.zst", "four.edges.bz2"} {
		got, err := ReadEdges[engine.Edge](t.Context(), filepath.Join("testdata", name), 4, Whole(4), team)
		if err != nil {
			t.Error(err)
			continue
		}
		if !slices.Equal(got, four) {
			t.Errorf("%s: got %v", name, got)
		}
		freeEdges(t, got)
		wide, err := ReadEdges[engine.Edge48](t.Context(), filepath.Join("testdata", name), 4, Whole(4), team)
		if err != nil || !slices.Equal(wide, widened(four)) {
			t.Errorf("%s, 48 bits: got %v, %v", name, wide, err)
		}
		freeTuples(t, engine.Tuples{Wide: wide})
	}
}

// packedKind is a kind of files with one entry of each tuple.
type packedKind struct {
	name string
	read func(ctx context.Context, path string, part Part, team *parallel.Team) error
}

// checkErrors reads wrong files, plain ones and streams: wrong contents with their errors, and a good
// content of n tuples that is cut or continues.
func (k packedKind) checkErrors(t *testing.T, good []byte, n int, wrong map[string][]byte) {
	t.Helper()
	team, part := newTeam(t, 2), Whole(uint64(n))
	check := func(file string, content []byte, want string) {
		path := writeTemp(t, file, compressed(t, file, content))
		wantError(t, k.read(t.Context(), path, part, team), path, want)
	}
	for want, content := range wrong {
		for _, file := range []string{"p", "p.zst", "p.gz"} {
			check(file, content, want)
		}
	}
	size := len(good)
	for _, content := range [][]byte{nil, good[:size-1], append(slices.Clip(good), 0), append(slices.Clip(good), good...)} {
		check("p", content, fmt.Sprintf(": has %d bytes, the %s file of %d tuples has %d", len(content), k.name, n, size))
		want := fmt.Sprintf(": the uncompressed stream continues at offset %d, after %d tuples", size, n)
		if len(content) < size {
			want = fmt.Sprintf(": ends at offset %d of the uncompressed stream, %d tuples end at %d", len(content), n, size)
		}
		check("p.zst", content, want)
		check("p.gz", content, want)
	}
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	for _, file := range []string{"p", "p.zst"} {
		if err := k.read(ctx, writeTemp(t, file, compressed(t, file, good)), part, team); !errors.Is(err, stop) {
			t.Errorf("%s: got %v", file, err)
		}
	}
	path := writeTemp(t, "p", good)
	wantError(t, k.read(t.Context(), path, Whole(uint64(n)+1<<62), team), path, ": a file cannot hold") // their size in 64 bits is that of the file
	wantError(t, k.read(t.Context(), "testdata", part, team), "testdata", ": is not a regular file")
	for _, path := range []string{"testdata/none", "testdata/none.zst"} {
		if err := k.read(t.Context(), path, part, team); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v", err)
		}
	}
}

func TestReadEdgesErrors(t *testing.T) {
	const n = packedBatch + 4
	good := make([]byte, n*edgeSize)
	packEdges(good, make([]engine.Edge, n))
	// patched returns the file with one word of a tuple replaced.
	patched := func(tuple, word int, value uint32) []byte {
		b := bytes.Clone(good)
		binary.LittleEndian.PutUint32(b[tuple*edgeSize+word*4:], value)
		return b
	}
	two := patched(packedBatch+3, 0, 4)
	binary.LittleEndian.PutUint32(two[17*edgeSize+4:], 5)
	read := func(ctx context.Context, path string, part Part, team *parallel.Team) error {
		_, err := ReadEdges[engine.Edge](ctx, path, 4, part, team)
		return err
	}
	packedKind{"edge", read}.checkErrors(t, good, n, map[string][]byte{
		": edge 2 at offset 24: vertex 4 is out of range, the graph has 4 vertices":         patched(2, 0, 4),
		": edge 65536 at offset 786432: vertex 9 is out of range, the graph has 4 vertices": patched(packedBatch, 1, 9),
		// the low half of the high word belongs to the first end, the high half to the second
		": edge 3 at offset 36: vertex 4294967296 is out of range, the graph has 4 vertices":      patched(3, 2, 1),
		": edge 3 at offset 36: vertex 281470681743360 is out of range, the graph has 4 vertices": patched(3, 2, 0xffff<<16),
		": edge 17 at offset 204: vertex 5 is out of range, the graph has 4 vertices":             two,
	})
}

func TestReadEdgesRefuses(t *testing.T) {
	path := "testdata/four.edges"
	_, err := ReadEdges[engine.Edge](t.Context(), path, 1<<32+1, Whole(4), newTeam(t, 1))
	wantError(t, err, path, ": 4294967297 vertices do not fit labels of 32 bits")
}

func TestReadEdgesDamagedStream(t *testing.T) {
	team := newTeam(t, 1)
	const n = 3 * packedBatch
	raw := make([]byte, n*edgeSize)
	packEdges(raw, someEdges(n))
	whole := compressed(t, "e.zst", raw)
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"cut":      {whole[:len(whole)/2], "truncated"},
		"cut end":  {whole[:len(whole)-1], "truncated"},
		"altered":  {append(slices.Concat(whole[:len(whole)/2], []byte("altered here")), whole[len(whole)/2+12:]...), "corrupt"},
		"plain":    {raw, "corrupt"},
		"trailing": {append(slices.Clip(whole), "something else"...), ""},
	} {
		path := writeTemp(t, "e.zst", c.content)
		_, err := ReadEdges[engine.Edge](t.Context(), path, 1<<32, Whole(n), team)
		var offset int64 = -1
		if err != nil {
			_, _ = fmt.Sscanf(strings.TrimPrefix(err.Error(), path), ": offset %d of the uncompressed stream: the zstd stream is "+c.want, &offset)
		}
		if offset < 0 || offset > int64(len(raw)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A file that is truncated while it is mapped causes an error, not a crash.
func TestReadEdgesFileCutWhileRead(t *testing.T) {
	const n = 2 * packedBatch
	path := filepath.Join(t.TempDir(), "e")
	writeTuples(t, path, engine.Tuples{Edges: someEdges(n)})
	m, err := mmap.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	f := &packedFile[engine.Edge]{path: path, size: edgeSize, part: Whole(uint64(n)), unpack: func(dst []engine.Edge, src []byte) (int, error) {
		return unpackEdges(dst, src, 1<<32)
	}}
	err = f.unpackMapped(t.Context(), m, make([]engine.Edge, n), newTeam(t, 2))
	wantError(t, err, path, ": cannot be read after offset 0: it was truncated while being read")
}

func FuzzReadEdges(f *testing.F) {
	packed := make([]byte, len(four)*edgeSize)
	packEdges(packed, four)
	f.Add(packed, uint64(4), uint64(4), false)
	f.Add(packed, uint64(3), uint64(4), false)
	f.Add(compressed(f, "e.zst", packed), uint64(4), uint64(4), true)
	f.Add(compressed(f, "e.zst", packed), uint64(4), uint64(4), false)
	f.Add(append(compressed(f, "e.gz", packed), 0, 0), uint64(4), uint64(4), false)
	team := newTeam(f, 2)
	f.Fuzz(func(t *testing.T, content []byte, vertices, tuples uint64, zst bool) {
		name := "e"
		plain := !zst && tuples < 1<<32 && uint64(len(content)) == tuples*edgeSize
		if zst {
			name = "e.zst"
		}
		if !plain {
			tuples %= 1 << 16 // the array is allocated before the length of the stream is known
		}
		got, err := ReadEdges[engine.Edge](t.Context(), writeTemp(t, name, content), vertices, Whole(tuples), team)
		if err != nil {
			return
		}
		defer freeEdges(t, got)
		if uint64(len(got)) != tuples {
			t.Fatalf("%d edges, want %d", len(got), tuples)
		}
		for _, e := range got {
			if uint64(max(e.U, e.V)) >= vertices {
				t.Fatalf("%v of %d vertices", e, vertices)
			}
		}
		if !plain {
			return
		}
		again := make([]byte, len(content))
		packEdges(again, got)
		if !bytes.Equal(again, content) {
			t.Fatalf("%x came back as %x", content, again)
		}
	})
}

func BenchmarkEdgeFile(b *testing.B) {
	const n = 1 << 21
	edges := someEdges(n)
	for i := range edges {
		edges[i].U &= 1<<24 - 1 // as at scale 24
		edges[i].V &= 1<<24 - 1
	}
	team := newTeam(b, 0)
	for _, name := range []string{"e", "e.zst"} {
		path := filepath.Join(b.TempDir(), name)
		b.Run("write/"+name, func(b *testing.B) {
			b.SetBytes(n * edgeSize)
			for b.Loop() {
				writeTuples(b, path, engine.Tuples{Edges: edges})
			}
		})
		b.Run("read/"+name, func(b *testing.B) {
			b.SetBytes(n * edgeSize)
			for b.Loop() {
				got, err := ReadEdges[engine.Edge](b.Context(), path, 1<<24, Whole(n), team)
				if err != nil {
					b.Fatal(err)
				}
				if err := memory.Free(got); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
