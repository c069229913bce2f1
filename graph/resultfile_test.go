package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"graph500/atomicfile"
	"graph500/cluster"
	"graph500/engine"
)

// resultFiles are the files of one kind of results.
type resultFiles[T comparable] struct {
	suffix  string
	write   func(ctx context.Context, ranks atomicfile.Ranks, dir string, index int, root engine.Vertex, part Part, own []T) error
	read    func(path string, dst []T) error
	valid   func(i, n int) T // one of n values
	missing T                // of a vertex that is not reached
}

func parentsFiles() resultFiles[engine.Label] {
	return resultFiles[engine.Label]{".i64", WriteParents, ReadParents, func(i, n int) engine.Label { return engine.Label(i * 7 % n) }, engine.None}
}

func distancesFiles() resultFiles[float32] {
	return resultFiles[float32]{".f32", WriteDistances[float32], ReadDistances[float32], func(i, _ int) float32 { return float32(i) / 7 }, engine.Unreached}
}

// written writes values as those of a search, and returns the content of the only file.
func (f resultFiles[T]) written(t *testing.T, values []T) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := f.write(t.Context(), cluster.Alone(), dir, 7, 2, Whole(uint64(len(values))), values); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "7-2"+f.suffix)
	content, err := os.ReadFile(filepath.Join(dir, "7-2"+f.suffix))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestResultFormats(t *testing.T) {
	parents := parentsFiles().written(t, []engine.Label{2, engine.None, 2, 0})
	if want := "0200000000000000" + "ffffffffffffffff" + "0200000000000000" + "0000000000000000"; hex.EncodeToString(parents) != want {
		t.Errorf("wrote %x, want %s", parents, want)
	}
	distances := distancesFiles().written(t, []float32{0.5, engine.Unreached, 0, 0x1.234568p-3})
	if want := "0000003f" + "000080bf" + "00000000" + "b4a2113e"; hex.EncodeToString(distances) != want {
		t.Errorf("wrote %x, want %s", distances, want)
	}
	got := make([]engine.Label, 4)
	if err := ReadParents("testdata/0-2.i64", got); err != nil || !slices.Equal(got, []engine.Label{2, 2, 2, 2}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestResultFiles(t *testing.T) {
	t.Run("parents", func(t *testing.T) { checkResultFiles(t, parentsFiles()) })
	t.Run("distances", func(t *testing.T) { checkResultFiles(t, distancesFiles()) })
}

// checkResultFiles checks that results come back, and that nothing is left of what is not written.
func checkResultFiles[T comparable](t *testing.T, f resultFiles[T]) {
	t.Helper()
	for _, n := range []int{0, 1, resultBatch - 1, resultBatch, 2*resultBatch + 3} {
		values := make([]T, n)
		for i := range values {
			if values[i] = f.valid(i, n); i%5 == 0 {
				values[i] = f.missing
			}
		}
		got := make([]T, n)
		if err := f.read(writeTemp(t, "file", f.written(t, values)), got); err != nil || !slices.Equal(got, values) {
			t.Errorf("%d values: others came back (%v)", n, err)
		}
	}
	wantError(t, f.read("testdata", make([]T, 3)), "testdata", ": is not a regular file")
	if err := f.read("testdata/none", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	dir := t.TempDir()
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := f.write(ctx, cluster.Alone(), dir, 0, 0, Whole(4), make([]T, 4)); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	wantFiles(t, dir)
	none := filepath.Join(dir, "none")
	wantError(t, f.write(t.Context(), cluster.Alone(), none, 0, 0, Whole(4), make([]T, 4)), filepath.Join(none, "0-0"+f.suffix), ": cannot be created: no such file or directory")
}

func TestReadDistancesErrors(t *testing.T) {
	for _, size := range []int{0, 11, 16, 24} { // the last: their parents
		path := writeTemp(t, "d.f32", make([]byte, size))
		want := fmt.Sprintf(": has %d bytes, the distances of 3 vertices have 12", size)
		wantError(t, ReadDistances(path, make([]float32, 3)), path, want)
		wantError(t, CheckDistancesFile[float32](path, 3), path, want)
		if err := CheckDistancesFile[float32](path, -1); err != nil {
			t.Error(err)
		}
	}
}

func TestReadParentsErrors(t *testing.T) {
	for size, want := range map[int]string{23: ": has 23 bytes", 32: ": has 32 bytes", 0: ": has 0 bytes"} {
		path := writeTemp(t, "p.i64", make([]byte, size))
		wantError(t, ReadParents(path, make([]engine.Label, 3)), path, want+", the parents of 3 vertices have 24")
	}
	for _, wrong := range []int64{3, 1 << 32, -2, math.MaxUint32} {
		content := bytes.Repeat([]byte{0xff}, 24)
		binary.LittleEndian.PutUint64(content[8:], uint64(wrong))
		path := writeTemp(t, "p.i64", content)
		wantError(t, ReadParents(path, make([]engine.Label, 3)), path, fmt.Sprintf(": entry 1: parent %d is neither -1 nor one of the 3 vertices", wrong))
	}
	content := make([]byte, 8*(resultBatch+2))
	content[8*resultBatch+8+7] = 1
	path := writeTemp(t, "p.i64", content)
	wantError(t, ReadParents(path, make([]engine.Label, resultBatch+2)), path,
		fmt.Sprintf(": entry %d: parent 72057594037927936 is", resultBatch+1))
}

func TestCheckParentsDir(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := CheckParentsDir(deep, 16, 64); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, deep)

	file := writeTemp(t, "file", nil)
	wantError(t, CheckParentsDir(file, 16, 64), file, ": cannot be created: not a directory")
	below := filepath.Join(file, "below")
	wantError(t, CheckParentsDir(below, 16, 64), below, ": cannot be created: not a directory")

	if knowsSpace(dir) {
		wantError(t, CheckParentsDir(dir, 1<<50, 64), dir, fmt.Sprintf(": needs 512.0 PiB of disk space, %s has ", dir))
		wantError(t, CheckParentsDir(dir, 1<<60, math.MaxInt), dir, fmt.Sprintf(": needs 16.0 EiB of disk space, %s has ", dir))
	}
}

// A directory with parents or distances files is not used again.
func TestCheckResultDirs(t *testing.T) {
	for file, want := range map[string]string{
		"0-3.i64":   ": already holds parents files, such as 0-3.i64: choose another directory",
		"12-0.f32":  ": already holds distances files, such as 12-0.f32: choose another directory",
		"0-3.f64":   "",
		"x0-3.f32":  "",
		"0-3.f32.x": "",
	} {
		path := writeTemp(t, file, nil)
		dir := filepath.Dir(path)
		for _, err := range []error{CheckParentsDir(dir, 16, 64), CheckSSSPDir[float32](dir, 16, 64)} {
			if want != "" {
				wantError(t, err, dir, want)
			} else if err != nil {
				t.Error(err)
			}
		}
		if IsParentsName(file) != (file == "0-3.i64") || IsDistancesName(file) != (file == "12-0.f32") {
			t.Errorf("%s: not recognized", file)
		}
	}
	dir := SSSPDir(t.TempDir())
	if err := CheckSSSPDir[float32](dir, 16, 64); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir)
	if knowsSpace(dir) {
		wantError(t, CheckSSSPDir[float32](dir, 1<<50, 64), dir, fmt.Sprintf(": needs 768.0 PiB of disk space, %s has ", dir))
		wantError(t, CheckSSSPDir[float32](dir, 1<<59, math.MaxInt), dir, fmt.Sprintf(": needs 16.0 EiB of disk space, %s has ", dir))
	}
}

// Content is of so many results, and what is read is written as the same content again.
func fuzzResults[T comparable](f *testing.F, files resultFiles[T], size int, anyIsValid bool) {
	f.Add(bytes.Repeat([]byte{0xff}, 3*size), uint16(3))
	f.Add(make([]byte, 4*size), uint16(4))
	f.Add([]byte("0"), uint16(0))
	f.Fuzz(func(t *testing.T, content []byte, vertices uint16) {
		dst := make([]T, vertices)
		err := files.read(writeTemp(t, "file", content), dst)
		if isWhole := len(content) == int(vertices)*size; err == nil && !isWhole || err != nil && isWhole && anyIsValid {
			t.Fatalf("%d bytes for %d vertices: %v", len(content), vertices, err)
		}
		if err != nil {
			return
		}
		if again := files.written(t, dst); !bytes.Equal(again, content) {
			t.Fatalf("%x came back as %x", content, again)
		}
	})
}

func FuzzReadParents(f *testing.F) { fuzzResults(f, parentsFiles(), 8, false) }

func FuzzReadDistances(f *testing.F) { fuzzResults(f, distancesFiles(), 4, true) }
