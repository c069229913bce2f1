package graph

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/memory"
)

// little returns values in little-endian order.
func little(t testing.TB, values ...any) []byte {
	t.Helper()
	var out []byte
	for _, v := range values {
		var err error
		if out, err = binary.Append(out, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// fourOnce is the graph of all files of testdata with the edges in the order of the lists of
// neighbours.
var fourOnce = []engine.Edge{{U: 0, V: 1}, {U: 0, V: 2}, {U: 1, V: 2}, {U: 2, V: 3}}

// TestReadFormats reads the graph of four vertices in each format, plain and compressed, in
// an archive, and under names that do not tell the format where the content does.
func TestReadFormats(t *testing.T) {
	whole := []float32{5, 6, 7, 8}
	for name, c := range map[string]struct {
		content []byte
		want    File
	}{
		"four.graph":     {[]byte("% METIS\n4 4\n2 3\n1 3\n1 2 4\n3\n"), File{Tuples: fourOnce}},
		"edges.txt":      {[]byte("4 4 1\n2 5 3 6\n1 5 3 7\n1 6 2 7 4 8\n3 8\n"), File{Tuples: fourOnce, Weights: whole}},
		"vertices.graph": {[]byte("4 4 10\n9 2 3\n9 1 3\n9 1 2 4\n9 3\n"), File{Tuples: fourOnce}},
		"two.graph":      {[]byte("4 4 010 2\n9 9 2 3\n9 9 1 3\n9 9 1 2 4\n9 9 3\n"), File{Tuples: fourOnce}},
		"sizes.metis":    {[]byte("4 4 100\n1 2 3\n1 1 3\n1 1 2 4\n1 3\n"), File{Tuples: fourOnce}},
		"all.graph":      {[]byte("4 4 111 1\n1 9 2 5 3 6\n% x\n1 9 1 5 3 7\n1 9 1 6 2 7 4 8\n1 9 3 8"), File{Tuples: fourOnce, Weights: whole}},
		"four.gr":        {[]byte("c road\np sp 4 4\na 1 2 5\na 3 1 6\nc x\na 3 4 7\na 2 3 8\n"), File{Tuples: four, Weights: whole, Symmetrised: true}},
		"four.col":       {[]byte("c x\np edge 4 4\nn 1 1\ne 1 2\ne 3 1\ne 3 4\ne 2 3\n"), File{Tuples: four}},
		"four.sg":        {little(t, false, int64(8), int64(4), []int64{0, 2, 4, 7, 8}, []int32{1, 2, 0, 2, 0, 1, 3, 2}), File{Tuples: fourOnce}},
		"four.wsg":       {little(t, false, int64(8), int64(4), []int64{0, 2, 4, 7, 8}, []int32{1, 5, 2, 6, 0, 5, 2, 7, 0, 6, 1, 7, 3, 8, 2, 8}), File{Tuples: fourOnce, Weights: whole}},
		"directed.sg":    {little(t, true, int64(4), int64(4), []int64{0, 1, 2, 4, 4}, []int32{1, 2, 0, 3}, []int64{0, 1, 2, 3, 4}, []int32{2, 0, 1, 2}), File{Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}}, Symmetrised: true}},
		"galois.gr":      {little(t, []uint64{1, 0, 4, 4, 1, 2, 4, 4}, []uint32{1, 2, 0, 3}), File{Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 0}, {U: 2, V: 3}}, Symmetrised: true}},
		"galois2.gr":     {little(t, []uint64{2, 4, 4, 3, 1, 2, 3, 3}, []uint64{1, 2, 3}, []uint32{5, 6, 7}), File{Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}, Weights: []float32{5, 6, 7}, Symmetrised: true}},
		"odd.gr":         {little(t, []uint64{1, 4, 4, 3, 1, 2, 3, 3}, []uint32{1, 2, 3, 0, 5, 6, 7}), File{Tuples: []engine.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}}, Weights: []float32{5, 6, 7}, Symmetrised: true}},
		"unsigned.mtx":   {[]byte("%%MatrixMarket matrix coordinate unsigned-integer symmetric\n4 4 4\n1 2 5\n3 1 6\n3 4 7\n2 3 8\n"), File{Tuples: four, Weights: whole}},
		"four.mtx":       {fixture(t, "four-pattern.mtx"), File{Tuples: four}},
		"four.txt":       {fixture(t, "four.txt"), File{Tuples: four, Symmetrised: true}},
		"four-snap.txt":  {fixture(t, "four-snap.txt"), File{Tuples: four, Symmetrised: true}},
		"out.four":       {[]byte("% sym posweighted\n% 4 4\n1 2 5\n3 1 6\n3 4 7\n2 3 8\n"), File{Tuples: four, Weights: whole}},
	} {
		c.want.Vertices = 4
		wantRoundTrips(t, name, &c.want)
		wantGraph(t, name, c.content, &c.want)
		for _, suffix := range []string{".gz", ".zst"} {
			wantGraph(t, name+suffix, compressed(t, suffix, c.content), &c.want)
		}
		archive := tarOf(t, map[string][]byte{"four/README.txt": []byte("x"), "four/" + name: c.content})
		wantGraph(t, "four.tar", archive, &c.want)
		wantGraph(t, "download", compressed(t, ".gz", archive), &c.want)
		wantGraph(t, "four.zip", zipOf(t, map[string][]byte{"readme.html": []byte("x"), name: c.content}), &c.want)
		if !strings.HasSuffix(name, ".sg") && !strings.HasSuffix(name, ".wsg") {
			wantGraph(t, "four", c.content, &c.want)
		}
	}
}

// wantRoundTrips writes the graph of a file in every format that is written, and reads it again.
func wantRoundTrips(t *testing.T, name string, f *File) {
	t.Helper()
	for _, extension := range slices.Sorted(maps.Keys(writers)) {
		if f.Weights == nil && extension == ".wsg" {
			continue
		}
		path := filepath.Join(t.TempDir(), "again"+extension)
		if err := Write(t.Context(), path, f); err != nil {
			t.Fatal(err)
		}
		again, err := Read(t.Context(), path, Options{Weighted: f.Weights != nil && extension != ".sg"})
		if err != nil {
			t.Fatal(err)
		}
		want := *f
		if extension == ".sg" {
			want.Weights = nil
		}
		if again.Vertices != 4 || !slices.Equal(undirected(again), undirected(&want)) {
			t.Errorf("%s as %s: %+v became %+v", name, extension, f, again)
		}
		freeFile(t, again)
	}
}

// tarOf returns a tar archive of the first version, without the magic number of POSIX.
func tarOf(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var out []byte
	for name, content := range files {
		header := make([]byte, tarBlock)
		copy(header, name)
		copy(header[100:], "0000644\x000000000\x000000000\x00")
		copy(header[124:], fmt.Sprintf("%011o\x00%011o\x00", len(content), 0))
		copy(header[148:], "        ")
		sum := 0
		for _, c := range header {
			sum += int(c)
		}
		copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
		out = append(append(out, header...), content...)
		out = append(out, make([]byte, (tarBlock-len(content)%tarBlock)%tarBlock)...)
	}
	return append(out, make([]byte, 2*tarBlock)...)
}

func zipOf(t testing.TB, files map[string][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, content := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A tar archive of today begins with the magic number of POSIX, or with long names.
func TestIsTar(t *testing.T) {
	for _, format := range []tar.Format{tar.FormatUSTAR, tar.FormatPAX, tar.FormatGNU} {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		if err := w.WriteHeader(&tar.Header{Name: "a/out.four", Mode: 0o644, Size: 4, Format: format}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte("0 1\n")); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if !isTar(out.Bytes()) {
			t.Errorf("%v is not found", format)
		}
		wantGraph(t, "konect.tar", out.Bytes(), &File{Vertices: 2, Tuples: []engine.Edge{{U: 0, V: 1}}, Symmetrised: true})
	}
	for _, text := range []string{"", "0 1\n", strings.Repeat("0 1\n", 200), strings.Repeat("\x00", 1024)} {
		if isTar([]byte(text)) {
			t.Errorf("%.10q is taken for an archive", text)
		}
	}
}

func TestGraphAmong(t *testing.T) {
	for _, c := range []struct{ names, want string }{
		{"road/road.mtx", "road/road.mtx"},
		{"road/road.mtx road/road_coord.mtx road/road_nodename.txt", "road/road.mtx"},
		{"readme.html web.edges", "web.edges"},
		{"x/out.x x/README.x x/meta.x x/ent.x.person", "x/out.x"},
		{"a.mtx b.mtx web.mtx", "web.mtx"},
		{"a.mtx b.mtx", ": 2 files in the archive can be the graph, such as a.mtx, b.mtx: unpack it and name one"},
		{"README.txt license.txt a.pdf", ": none of the 3 files in the archive has a name of a graph ("},
	} {
		got, err := graphAmong(strings.Fields(c.names), "web.zip")
		if err != nil {
			wantError(t, err, "web.zip", c.want)
		} else if got != c.want {
			t.Errorf("%s: %s", c.names, got)
		}
	}
}

// TestReadFormatErrors reads files that are not as their format says.
func TestReadFormatErrors(t *testing.T) {
	gap := func(directed bool, arcs, vertices int64, rest ...any) []byte {
		return little(t, append([]any{directed, arcs, vertices}, rest...)...)
	}
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"one.graph", []byte("4 4\n2 3\n1 3\n1 2\n3\n"), ": 3 neighbours have larger numbers than the vertex, 4 smaller ones"},
		{"other.graph", []byte("4 2\n2\n1\n2\n3\n"), ": 1 neighbours have larger numbers than the vertex, 3 smaller ones"},
		{"swapped.graph", []byte("4 2\n2\n3\n4\n1\n"), ": 3 neighbours have larger"},
		{"crossed.graph", []byte("4 2\n2\n3\n1\n2\n"), ": an edge is in the list of one of its ends only"},
		{"weights.graph", []byte("2 1 1\n2 5\n1 6\n"), ": an edge is in the list of one of its ends only, or with another weight"},
		{"count.graph", []byte("3 5\n2 3\n1 3\n1 2\n"), ": the lists hold 3 edges, the first line states 5"},
		{"short.graph", []byte("4 4\n2 3\n1 3\n1 2 4\n"), ":4: ends after the lines of 3 of the 4 vertices"},
		{"long.graph", []byte("2 1\n2\n1\n\n1\n"), ":5: a line after those of all 2 vertices"},
		{"beyond.graph", []byte("2 1\n3\n1\n"), ":2: neighbour 3 is out of range, the vertices are 1..2"},
		{"zero.graph", []byte("2 1\n0\n1\n"), ":2: neighbour 0 is out of range"},
		{"loop.graph", []byte("2 1\n1\n2\n"), ":2: vertex 1 is its own neighbour"},
		{"odd.graph", []byte("2 1 1\n2 5\n1\n"), ":3: the line of vertex 2 ends after 1 numbers"},
		{"format.graph", []byte("2 1 2\n2\n1\n"), ":1: the format of a METIS file is three digits"},
		{"word.graph", []byte("2 1\n2\nx\n"), `:3: "x" is not a whole number`},
		{"text.graph", []byte("graph {\n}\n"), ":1: \"graph {\" is not the first line of a METIS file"},
		{"none.graph", []byte("% x\n"), ": no edges"},
		{"short.gr", []byte("p sp 3 2\na 1 2 5\n"), ":2: ends after 1 of the 2 entries of the header"},
		{"beyond.gr", []byte("p sp 3 1\na 1 4 5\n"), ":2: vertex 4 is out of range, they are 1..3"},
		{"weight.gr", []byte("p sp 3 1\na 1 2\n"), ":2: 1 of the 3 columns are missing"},
		{"kind.gr", []byte("p max 3 1\nn 1 s\na 1 2 5\n"), `:1: "max" is no kind of DIMACS file that is read`},
		{"letter.gr", []byte("p sp 3 1\ne 1 2 5\n"), `:2: "e" begins no line of this DIMACS file`},
		{"sizes.gr", []byte("p sp 3\na 1 2 5\n"), ":1: the line of sizes of a DIMACS file is"},
		{"x.sg", []byte("0 1\n"), ": ends within the header"},
		{"first.sg", bytes.Repeat([]byte("0 1\n"), 9), ": is not a graph of the GAP benchmark suite"},
		{"cut.sg", gap(false, 2, 2, []int64{0, 1, 2}, []int32{1}), ": ends within the neighbours"},
		{"long.sg", gap(false, 2, 2, []int64{0, 1, 2}, []int32{1, 0, 7}), ": continues after the neighbours"},
		{"falling.sg", gap(false, 2, 2, []int64{0, 2, 1}, []int32{1, 0}), ": the neighbours of vertex 1 begin at 2 and end at 1 of 2"},
		{"end.sg", gap(false, 2, 2, []int64{0, 1, 1}, []int32{1, 0}), ": the neighbours of all vertices end at 1 of 2"},
		{"beyond.sg", gap(false, 2, 2, []int64{0, 1, 2}, []int32{2, 0}), ": neighbour 2 of vertex 0 is out of range"},
		{"negative.sg", gap(false, 2, 2, []int64{0, 1, 2}, []int32{-1, 0}), ": neighbour -1 of vertex 0 is out of range"},
		{"one.sg", gap(false, 2, 3, []int64{0, 1, 2, 2}, []int32{1, 2}), ": 2 neighbours have larger numbers than the vertex, 0 smaller ones"},
		{"in.sg", gap(true, 1, 2, []int64{0, 1, 1}, []int32{1}, []int64{0, 1, 1}, []int32{1}), ": the arcs that end at the vertices are others than those that begin there"},
		{"huge.sg", gap(false, 1<<40, 1<<32, []int64{0}), ": 4294967296 vertices, at most 4294967295 are possible"},
		{"cut.gr", little(t, []uint64{1, 4, 2, 1, 1, 1}, []uint32{1, 0}), ": ends within the weights"},
		{"end.gr", little(t, []uint64{1, 0, 2, 1, 1, 0}, []uint32{1, 0}), ": the neighbours of vertex 1 begin at 1 and end at 0 of 1"},
		{"beyond.gr", little(t, []uint64{1, 0, 2, 1, 1, 1}, []uint32{2, 0}), ": neighbour 2 of vertex 0 is out of range"},
		{"cut.zip", zipOf(t, map[string][]byte{"a.mtx": nil})[:30], ": zip: not a valid zip file"},
		{"cut.tar", tarOf(t, map[string][]byte{"a.txt": []byte("0 1\n")})[:514], ""},
	} {
		path := writeTemp(t, c.name, c.content)
		f, err := Read(t.Context(), path, Options{Weighted: true})
		if err == nil {
			freeFile(t, f)
		}
		wantError(t, err, path, c.want)
	}
}

// METIS lines of hubs are longer than any other line may be.
func TestReadLongMETISLine(t *testing.T) {
	const leaves = 30_000
	text := fmt.Appendf(nil, "%d %d\n", leaves+1, leaves)
	for v := range leaves {
		text = fmt.Append(text, v+2, " ")
	}
	text = append(append(text, '\n'), bytes.Repeat([]byte("1\n"), leaves)...)
	f, err := Read(t.Context(), writeTemp(t, "star.graph", text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer freeFile(t, f)
	if f.Vertices != leaves+1 || len(f.Tuples) != leaves || slices.ContainsFunc(f.Tuples, func(e engine.Edge) bool { return e.U != 0 }) {
		t.Errorf("%d vertices, %d edges", f.Vertices, len(f.Tuples))
	}
}

// FuzzReadBinary reads any bytes as the binary formats.
func FuzzReadBinary(f *testing.F) {
	f.Add(little(f, false, int64(2), int64(2), []int64{0, 1, 2}, []int32{1, 0}), uint8(0))
	f.Add(little(f, []uint64{1, 4, 2, 1, 1, 1}, []uint32{1, 0, 7}), uint8(1))
	f.Add([]byte("4 4 011\n1 2 3\n1 3\n\n% x\n7"), uint8(2))
	f.Add([]byte("c x\np sp 2 1\na 1 2 7\n"), uint8(3))
	f.Fuzz(func(t *testing.T, content []byte, kind uint8) {
		name := "f" + []string{".sg", ".gr", ".graph", ".wsg"}[kind%4]
		if got, err := read(t.Context(), writeTemp(t, name, content), Options{Weighted: true}, memory.Limit{Bytes: 1 << 30}); err == nil {
			checkFile(t, got, true)
			freeFile(t, got)
		}
	})
}
