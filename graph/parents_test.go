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
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/engine"
)

func TestParentsFormat(t *testing.T) {
	dir := t.TempDir()
	if err := WriteParents(t.Context(), cluster.Alone(), dir, 7, 2, Whole(4), []engine.Label{2, engine.None, 2, 0}); err != nil {
		t.Fatal(err)
	}
	wantFiles(t, dir, "7-2.i64")
	got, err := os.ReadFile(filepath.Join(dir, "7-2.i64"))
	if err != nil {
		t.Fatal(err)
	}
	want := "0200000000000000" + "ffffffffffffffff" + "0200000000000000" + "0000000000000000"
	if hex.EncodeToString(got) != want {
		t.Errorf("wrote %x, want %s", got, want)
	}
}

func TestReadParentsFixture(t *testing.T) {
	got := make([]engine.Label, 4)
	if err := ReadParents("testdata/0-2.i64", got); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []engine.Label{2, 2, 2, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestParentsRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, resultBatch - 1, resultBatch, 2*resultBatch + 3} {
		parents := make([]engine.Label, n)
		for i := range parents {
			parents[i] = engine.Label(i * 7 % n)
			if i%5 == 0 {
				parents[i] = engine.None
			}
		}
		if err := WriteParents(t.Context(), cluster.Alone(), dir, 0, 3, Whole(uint64(len(parents))), parents); err != nil {
			t.Fatal(err)
		}
		got := make([]engine.Label, n)
		if err := ReadParents(filepath.Join(dir, "0-3.i64"), got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, parents) {
			t.Errorf("%d parents: others came back", n)
		}
	}
	wantFiles(t, dir, "0-3.i64")
}

func TestReadParentsErrors(t *testing.T) {
	none, zero := bytes.Repeat([]byte{0xff}, 8), make([]byte, 8)
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"short":    {bytes.Repeat(zero, 3)[1:], ": has 23 bytes, the parents of 3 vertices have 24"},
		"long":     {bytes.Repeat(zero, 4), ": has 32 bytes, the parents of 3 vertices have 24"},
		"empty":    {nil, ": has 0 bytes, the parents of 3 vertices have 24"},
		"beyond":   {slices.Concat(none, zero, []byte{3, 0, 0, 0, 0, 0, 0, 0}), ": entry 2: parent 3 is neither -1 nor one of the 3 vertices"},
		"wide":     {slices.Concat(zero, []byte{0, 0, 0, 0, 1, 0, 0, 0}, none), ": entry 1: parent 4294967296 is neither -1 nor one of the 3 vertices"},
		"negative": {slices.Concat([]byte{0xfe}, none[1:], zero, zero), ": entry 0: parent -2 is neither -1 nor one of the 3 vertices"},
		"32 bits":  {slices.Concat(zero, none[:4], zero[:4], zero), ": entry 1: parent 4294967295 is neither -1 nor one of the 3 vertices"},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeTemp(t, "p.i64", c.content)
			wantError(t, ReadParents(path, make([]engine.Label, 3)), path, c.want)
		})
	}
	wantError(t, ReadParents("testdata", make([]engine.Label, 3)), "testdata", ": is not a regular file")
	if err := ReadParents("testdata/none", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	content := bytes.Repeat(zero, resultBatch+2)
	content[8*resultBatch+8+7] = 1
	path := writeTemp(t, "p.i64", content)
	wantError(t, ReadParents(path, make([]engine.Label, resultBatch+2)), path,
		fmt.Sprintf(": entry %d: parent 72057594037927936 is", resultBatch+1))
}

func TestWriteParentsCancelled(t *testing.T) {
	dir := t.TempDir()
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := WriteParents(ctx, cluster.Alone(), dir, 0, 0, Whole(4), make([]engine.Label, 4)); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	wantFiles(t, dir)
}

func TestWriteParentsRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	err := WriteParents(t.Context(), cluster.Alone(), dir, 0, 0, Whole(4), make([]engine.Label, 4))
	wantError(t, err, filepath.Join(dir, "0-0.i64"), ": cannot be created: no such file or directory")
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

func FuzzReadParents(f *testing.F) {
	f.Add(bytes.Repeat([]byte{0xff}, 24), uint16(3))
	f.Add(make([]byte, 32), uint16(4))
	f.Add([]byte("0"), uint16(0))
	f.Fuzz(func(t *testing.T, content []byte, vertices uint16) {
		dst := make([]engine.Label, vertices)
		if err := ReadParents(writeTemp(t, "p.i64", content), dst); err != nil {
			return
		}
		dir := t.TempDir()
		if err := WriteParents(t.Context(), cluster.Alone(), dir, 1, 0, Whole(uint64(len(dst))), dst); err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(filepath.Join(dir, "1-0.i64"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(again, content) {
			t.Fatalf("%x came back as %x", content, again)
		}
	})
}
