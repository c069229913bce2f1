package graph

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"graph500/cluster"
	"graph500/engine"
)

func TestDistancesFormat(t *testing.T) {
	dir := t.TempDir()
	if err := WriteDistances(t.Context(), cluster.Alone(), dir, 7, 2, Whole(4), []float32{0.5, engine.Unreached, 0, 0x1.234568p-3}); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "7-2.f32")
	got, err := os.ReadFile(filepath.Join(dir, "7-2.f32"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "0000003f" + "000080bf" + "00000000" + "b4a2113e"; hex.EncodeToString(got) != want {
		t.Errorf("wrote %x, want %s", got, want)
	}
}

func TestDistancesRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, resultBatch - 1, resultBatch, 2*resultBatch + 3} {
		distances := make([]float32, n)
		for i := range distances {
			distances[i] = float32(i) / 7
			if i%5 == 0 {
				distances[i] = engine.Unreached
			}
		}
		if err := WriteDistances(t.Context(), cluster.Alone(), dir, 0, 3, Whole(uint64(len(distances))), distances); err != nil {
			t.Fatal(err)
		}
		got := make([]float32, n)
		if err := ReadDistances(filepath.Join(dir, "0-3.f32"), got); err != nil {
			t.Fatal(err)
		}
		if !sameWeights(got, distances) {
			t.Errorf("%d distances: others came back", n)
		}
	}
	wantFiles(t, dir, "0-3.f32")
}

func TestReadDistancesErrors(t *testing.T) {
	for size, want := range map[int]string{
		0:  ": has 0 bytes, the distances of 3 vertices have 12",
		11: ": has 11 bytes, the distances of 3 vertices have 12",
		16: ": has 16 bytes, the distances of 3 vertices have 12",
		24: ": has 24 bytes, the distances of 3 vertices have 12", // their parents
	} {
		path := writeTemp(t, "d.f32", make([]byte, size))
		wantError(t, ReadDistances(path, make([]float32, 3)), path, want)
		wantError(t, CheckDistancesFile[float32](path, 3), path, want)
		if err := CheckDistancesFile[float32](path, -1); err != nil {
			t.Error(err)
		}
	}
	wantError(t, ReadDistances("testdata", make([]float32, 3)), "testdata", ": is not a regular file")
	if err := ReadDistances[float32]("testdata/none", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWriteDistancesCancelled(t *testing.T) {
	dir := t.TempDir()
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := WriteDistances(ctx, cluster.Alone(), dir, 0, 0, Whole(4), make([]float32, 4)); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	wantFiles(t, dir)
}

func TestSSSPDir(t *testing.T) {
	if got := SSSPDir("d"); got != filepath.Join("d", "sssp") {
		t.Errorf("got %s", got)
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

func FuzzReadDistances(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0xff}, 12), uint16(3))
	f.Add(make([]byte, 16), uint16(4))
	f.Add([]byte("0"), uint16(0))
	f.Fuzz(func(t *testing.T, content []byte, vertices uint16) {
		dst := make([]float32, vertices)
		err := ReadDistances(writeTemp(t, "d.f32", content), dst)
		if (err == nil) != (len(content) == int(vertices)*4) {
			t.Fatalf("%d bytes for %d vertices: %v", len(content), vertices, err)
		}
		if err != nil {
			return
		}
		dir := t.TempDir()
		if err := WriteDistances(t.Context(), cluster.Alone(), dir, 1, 0, Whole(uint64(len(dst))), dst); err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(filepath.Join(dir, "1-0.f32"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, content) {
			t.Fatalf("%x came back as %x", content, again)
		}
	})
}
