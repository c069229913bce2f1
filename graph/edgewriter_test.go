package graph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"graph500/atomicfile"
	"graph500/cluster"
	"graph500/engine"
)

// writerCases are the forms of the files that an EdgeWriter writes.
var writerCases = []struct {
	name     string
	weighted bool
	files    []string // all of them
}{
	{"e", false, []string{"e"}},
	{"e.zst", false, []string{"e.zst"}},
	{"e", true, []string{"e", "e.weights"}},
	{"e.zst", true, []string{"e.weights.zst", "e.zst"}},
}

// someTuples returns n tuples with labels of 32 bits and weights in [0, 1].
func someTuples(n int) engine.Tuples {
	tuples := engine.Tuples{Edges: someEdges(n), Weights: make([]float32, n)}
	for i := range tuples.Weights {
		tuples.Weights[i] = float32(i*7919%1000003) / 1000002
	}
	return tuples
}

// writeTuples writes an edge file and its weights file with several Write calls of
// different sizes.
func writeTuples(t testing.TB, path string, tuples engine.Tuples) {
	t.Helper()
	w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(uint64(len(tuples.Edges))), tuples.Weights != nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for lo, size := 0, 0; lo < len(tuples.Edges); size = size*3 + 1 {
		hi := min(lo+size, len(tuples.Edges))
		part := engine.Tuples{Edges: tuples.Edges[lo:hi]}
		if tuples.Weights != nil {
			part.Weights = tuples.Weights[lo:hi]
		}
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
		lo = hi
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTuplesRoundTrip(t *testing.T) {
	team := newTeam(t, 3)
	for _, n := range []int{0, 1, packedBatch - 1, packedBatch, packedBatch + 1, 3*packedBatch + 17} {
		if testing.Short() && n > packedBatch {
			continue
		}
		for _, c := range writerCases {
			dir := t.TempDir()
			path := filepath.Join(dir, c.name)
			if err := os.WriteFile(path, []byte("older"), 0o666); err != nil {
				t.Fatal(err)
			}
			tuples := someTuples(n)
			if !c.weighted {
				tuples.Weights = nil
			}
			writeTuples(t, path, tuples)
			wantFiles(t, dir, c.files...)
			edges, err := ReadEdges[engine.Edge](t.Context(), path, 1<<32, Whole(uint64(n)), team)
			if err != nil {
				t.Fatal(err)
			}
			got := engine.Tuples{Edges: edges}
			if c.weighted {
				if got.Weights, err = ReadWeights(t.Context(), WeightsPath(path), Whole(uint64(n)), team); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(got.Edges, tuples.Edges) || !slices.Equal(got.Weights, tuples.Weights) {
				t.Errorf("%d tuples in %q: others came back", n, c.files)
			}
			freeTuples(t, got)
		}
	}
}

func TestEdgeWriterCountsTuples(t *testing.T) {
	for _, c := range writerCases {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(5), c.weighted)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(engine.Tuples{Edges: four, Weights: fourWeights}); err != nil {
			t.Fatal(err)
		}
		wantError(t, w.Write(engine.Tuples{Edges: four, Weights: fourWeights}), path, ": cannot be written: more than the expected 5 tuples")
		wantFiles(t, dir)
		wantError(t, w.Close(), path, ": cannot be written: more than the expected 5 tuples")

		if w, err = CreateEdges(t.Context(), cluster.Alone(), path, Whole(5), c.weighted); err != nil {
			t.Fatal(err)
		}
		if err := w.Write(engine.Tuples{Edges: four, Weights: fourWeights}); err != nil {
			t.Fatal(err)
		}
		wantError(t, w.Close(), path, ": cannot be written: 1 of its 5 tuples are missing")
		wantFiles(t, dir)
	}
}

func TestEdgeWriterAbort(t *testing.T) {
	for _, c := range writerCases {
		dir := t.TempDir()
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte("older"), 0o666); err != nil {
			t.Fatal(err)
		}
		tuples := someTuples(5 * packedBatch)
		w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(uint64(len(tuples.Edges))), c.weighted)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(tuples); err != nil {
			t.Fatal(err)
		}
		w.Abort()
		w.Abort()
		wantFiles(t, dir, c.name)
		if got, err := os.ReadFile(path); err != nil || string(got) != "older" {
			t.Errorf("the older file became %q, %v", got, err)
		}
		if w.Write(engine.Tuples{Edges: four, Weights: fourWeights}) == nil || w.Close() == nil {
			t.Error("an aborted file was written")
		}
	}
}

// The end of the context removes the incomplete file without the help of its
// writer. A complete file does not appear after the end of the context.
func TestEdgeWriterCancelled(t *testing.T) {
	for _, c := range writerCases {
		dir := t.TempDir()
		stop := errors.New("stopped by the test")
		ctx, cancel := context.WithCancelCause(t.Context())
		w, err := CreateEdges(ctx, cluster.Alone(), filepath.Join(dir, c.name), Whole(uint64(len(four))), c.weighted)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(engine.Tuples{Edges: four, Weights: fourWeights}); err != nil {
			t.Fatal(err)
		}
		cancel(stop)
		for range 1000 {
			if left, err := os.ReadDir(dir); err == nil && len(left) == 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		wantFiles(t, dir)
		if err := w.Close(); !errors.Is(err, stop) {
			t.Errorf("got %v", err)
		}
		wantFiles(t, dir)
	}
}

// A completed file remains when the context ends later.
func TestEdgeWriterCancelledAfterClose(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	w, err := CreateEdges(ctx, cluster.Alone(), filepath.Join(dir, "e"), Whole(0), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	cancel()
	w.Abort()
	time.Sleep(10 * time.Millisecond)
	wantFiles(t, dir, "e")
}

func TestEdgeWriterAfterClose(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "e")
	w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(0), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	wantFiles(t, dir, "e")
	if err := w.Write(engine.Tuples{}); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if err := w.Close(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestCreateEdgesRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "e.gz")
	_, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(4), false)
	wantError(t, err, path, ": an edge file is written plain or as .zst, not as .gz")

	_, err = CreateEdges(t.Context(), cluster.Alone(), dir, Whole(4), false)
	wantError(t, err, dir, ": is a directory and will not be replaced")
	_, err = CreateEdges(t.Context(), cluster.Alone(), os.DevNull, Whole(4), false)
	wantError(t, err, os.DevNull, ": is a device and will not be replaced")

	path = filepath.Join(dir, "none", "e")
	_, err = CreateEdges(t.Context(), cluster.Alone(), path, Whole(4), false)
	wantError(t, err, path, ": cannot be created: no such file or directory")

	path = filepath.Join(dir, "e")
	_, err = CreateEdges(t.Context(), cluster.Alone(), path, Whole(math.MaxUint64), false)
	wantError(t, err, path, ": a file cannot hold")
	if knowsSpace(dir) {
		_, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(1<<59), false)
		wantError(t, err, path, fmt.Sprintf(": cannot be written: needs 6.0 EiB of disk space, %s has ", dir))
		_, err = CreateEdges(t.Context(), cluster.Alone(), path, Whole(1<<59/12*9), true)
		wantError(t, err, path+".weights", fmt.Sprintf(": cannot be written: needs 1.5 EiB of disk space, %s has ", dir))
	}
	wantFiles(t, dir)
}

// knowsSpace reports whether this system provides the free space of a directory.
func knowsSpace(dir string) bool { return atomicfile.CheckSpace(dir, math.MaxUint64) != nil }

// fullDisk accepts a number of bytes and then fails with a full disk.
type fullDisk struct{ free int }

func (d *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), d.free)
	d.free -= n
	if n < len(p) {
		return n, &os.PathError{Op: "write", Path: "temporary", Err: syscall.ENOSPC}
	}
	return n, nil
}

func TestEdgeWriterDiskFull(t *testing.T) {
	batchCount, last := 15, 7.0
	if testing.Short() {
		batchCount, last = 5, 2
	}
	tuples := someTuples(batchCount * packedBatch)
	for _, c := range writerCases {
		for _, batches := range []float64{0, 1.001, last} {
			dir := t.TempDir()
			path := filepath.Join(dir, c.name)
			w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(uint64(len(tuples.Edges))), c.weighted)
			if err != nil {
				t.Fatal(err)
			}
			full := w.edges
			if c.weighted {
				full, path = w.weights, WeightsPath(path)
			}
			disk := &fullDisk{int(batches * float64(full.size*packedBatch))}
			if full.encoder != nil {
				full.encoder.Reset(disk)
			} else {
				full.out = disk
			}
			err = w.Write(tuples)
			if err == nil {
				err = w.Close()
			}
			wantError(t, err, path, ": cannot be written: no space left on device")
			wantFiles(t, dir)
			wantError(t, w.Close(), path, ": cannot be written: no space left on device")
		}
	}
}

func TestEdgeWriterCountsWeights(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "e")
	w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(4), true)
	if err != nil {
		t.Fatal(err)
	}
	want := ": cannot be written: 3 weights of 4 tuples"
	wantError(t, w.Write(engine.Tuples{Edges: four, Weights: fourWeights[:3]}), path+".weights", want)
	wantError(t, w.Close(), path+".weights", want)
	wantFiles(t, dir)
}

// An existing weights file is neither replaced nor left beside new edges. This
// includes a file that appears later, a link, and a file beside the file that a
// link leads to.
func TestEdgeWriterKeepsForeignWeights(t *testing.T) {
	const want = ": is there already and would be taken for the weights of the new edges: remove it, or choose another edge file"
	for _, c := range writerCases {
		for _, at := range []string{"before", "link", "behind a link", "later"} {
			dir := t.TempDir()
			path, edges := filepath.Join(dir, c.name), filepath.Join(dir, c.name)
			if at == "behind a link" {
				if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
					t.Fatal(err)
				}
				edges = filepath.Join(dir, "d", c.name)
				if err := os.Symlink(edges, path); err != nil {
					t.Fatal(err)
				}
			}
			foreign := WeightsPath(edges)
			create := func() error { return os.WriteFile(foreign, []byte("foreign"), 0o666) }
			if at == "link" {
				create = func() error { return os.Symlink("none", foreign) }
			}
			if err := os.WriteFile(edges, []byte("older"), 0o666); err != nil {
				t.Fatal(err)
			}
			if at != "later" {
				if err := create(); err != nil {
					t.Fatal(err)
				}
			}
			w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(4), c.weighted)
			if at == "later" {
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Write(engine.Tuples{Edges: four, Weights: fourWeights}); err != nil {
					t.Fatal(err)
				}
				if err := create(); err != nil {
					t.Fatal(err)
				}
				err = w.Close()
			}
			wantError(t, err, foreign, want)
			files := []string{filepath.Base(edges), filepath.Base(foreign)}
			slices.Sort(files)
			wantFiles(t, filepath.Dir(edges), files...)
			if text, err := os.ReadFile(edges); err != nil || string(text) != "older" {
				t.Errorf("the older edge file became %q, %v", text, err)
			}
			if text, err := os.ReadFile(foreign); at != "link" && (err != nil || string(text) != "foreign") {
				t.Errorf("the foreign weights file became %q, %v", text, err)
			}
		}
	}
}

// If the weights file cannot be moved to its name after the edge file, no new edge
// file remains. If the edge file cannot be moved, the weights file is not moved.
func TestEdgeWriterFailsBetweenTheMoves(t *testing.T) {
	for _, name := range []string{"e", "e.zst"} {
		for _, bad := range []string{"edges", "weights"} {
			dir := t.TempDir()
			path := filepath.Join(dir, name)
			w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(4), true)
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Write(engine.Tuples{Edges: four, Weights: fourWeights}); err != nil {
				t.Fatal(err)
			}
			for _, p := range w.files() {
				if err := p.finish(); err != nil {
					t.Fatal(err)
				}
			}
			blocked := path // by a directory, which a file cannot replace
			if bad == "weights" {
				blocked = WeightsPath(path)
			}
			if err := os.Mkdir(blocked, 0o777); err != nil {
				t.Fatal(err)
			}
			wantError(t, atomicfile.CommitShared(w.commit, w.edges.file, w.weights.file), blocked, ": cannot be written: file exists")
			wantFiles(t, dir, filepath.Base(blocked))
		}
	}
}

func TestEdgeWriterTargets(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o777); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "e")
	if err := os.Symlink("d/real", path); err != nil {
		t.Fatal(err)
	}
	for _, weighted := range []bool{false, true} {
		w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(4), weighted)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if weighted {
			want = path + ".weights"
		}
		if w.Target() != filepath.Join(dir, "d/real") || w.WeightsTarget() != want {
			t.Errorf("targets %s and %s", w.Target(), w.WeightsTarget())
		}
		w.Abort()
	}
}
