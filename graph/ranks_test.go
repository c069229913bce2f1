package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/cluster"
	"graph500/engine"
)

// of returns the tuples of a part.
func (p Part) of(all engine.Tuples) engine.Tuples {
	own := engine.Tuples{Edges: all.Edges[p.First:][:p.Count]}
	if all.Weights != nil {
		own.Weights = all.Weights[p.First:][:p.Count]
	}
	return own
}

// writeOnRanks writes an edge file with several ranks. Rank failing, if there is one, gives
// up after its tuples.
func writeOnRanks(ctx context.Context, w *cluster.World, path string, tuples engine.Tuples, failing int) error {
	own := PartOf(uint64(len(tuples.Edges)), w.Size(), w.Rank())
	writer, err := CreateEdges(ctx, w, path, own, tuples.Weights != nil)
	if err != nil {
		return err
	}
	defer writer.Abort()
	if err := writer.Write(own.of(tuples)); err != nil {
		return err
	}
	if w.Rank() == failing {
		return errors.New("failed by the test")
	}
	return writer.Close()
}

// wantSame compares files byte by byte.
func wantSame(t *testing.T, path, with string) {
	t.Helper()
	a, errA := os.ReadFile(path)
	b, errB := os.ReadFile(with)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ (%v, %v)", path, with, errA, errB)
	}
}

// Any number of ranks writes the same edge files as one.
func TestRanksWriteEdges(t *testing.T) {
	for _, n := range []int{0, 1, 5, 3*packedBatch + 7} {
		for _, weighted := range []bool{false, true} {
			tuples := someTuples(n)
			if !weighted {
				tuples.Weights = nil
			}
			t.Chdir(t.TempDir())
			writeTuples(t, "one", tuples)
			for ranks := 2; ranks <= 4; ranks++ {
				if err := errors.Join(cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
					return writeOnRanks(ctx, w, "several", tuples, -1)
				})...); err != nil {
					t.Fatal(err)
				}
				wantSame(t, "several", "one")
				if weighted {
					wantSame(t, "several.weights", "one.weights")
					if err := os.Remove("several.weights"); err != nil { // would not be replaced
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// A rank that fails leaves no new file.
func TestRanksFailToWriteEdges(t *testing.T) {
	for failing := range 3 {
		dir := t.TempDir()
		path := filepath.Join(dir, "e")
		for r, err := range cluster.RunInProcess(t.Context(), 3, func(ctx context.Context, w *cluster.World) error {
			return writeOnRanks(ctx, w, path, someTuples(100), failing)
		}) {
			if err == nil {
				t.Errorf("rank %d has no error after that of rank %d", r, failing)
			}
		}
		wantFiles(t, dir)
	}
}

// What several ranks refuse, all of them refuse.
func TestRanksRefuseEdges(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "e.weights")
	if err := os.WriteFile(foreign, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "x.zst"):        "%s: several ranks do not write a compressed file: name one without .zst",
		filepath.Join(dir, "x.gz"):         "%s: an edge file is written plain or as .zst, not as .gz",
		filepath.Join(dir, "missing", "x"): "rank 0 on host0: %s.weights: cannot be created: no such file or directory",
		filepath.Join(dir, "e"):            "rank 0 on host0: %s.weights: is there already and would be taken for the weights of the new edges: remove it, or choose another edge file",
	} {
		for _, err := range cluster.RunInProcess(t.Context(), 2, func(ctx context.Context, w *cluster.World) error {
			return writeOnRanks(ctx, w, path, someTuples(4), -1)
		}) {
			if want := fmt.Sprintf(want, path); err == nil || err.Error() != want {
				t.Errorf("%v, not %s", err, want)
			}
		}
	}
	wantFiles(t, dir, "e.weights")
}

// Ranks write the same results as one, whatever their ranges are.
func TestRanksWriteResults(t *testing.T) {
	const n = 2*resultBatch + 11
	parents, distances := make([]engine.Label, n), make([]float32, n)
	for v := range parents {
		parents[v], distances[v] = engine.Label(v*7919%n), float32(v)/3
	}
	parents[5], distances[5] = engine.None, engine.Unreached
	dir := t.TempDir()
	write := func(ctx context.Context, w *cluster.World, index int, own Part) error {
		end := own.First + own.Count
		if err := WriteParents(ctx, w, dir, index, 3, own, parents[own.First:end]); err != nil {
			return err
		}
		return WriteDistances(ctx, w, dir, index, 3, own, distances[own.First:end])
	}
	if err := write(t.Context(), cluster.Alone(), 1, Whole(n)); err != nil {
		t.Fatal(err)
	}
	for _, bounds := range [][]uint64{{0, 64, n}, {0, 0, resultBatch + 1, n}, {0, n, n, n, n}} {
		ranks := len(bounds) - 1
		if err := errors.Join(cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
			first := bounds[w.Rank()]
			return write(ctx, w, ranks, Part{All: n, First: first, Count: bounds[w.Rank()+1] - first})
		})...); err != nil {
			t.Fatal(err)
		}
		for _, extension := range []string{"i64", "f32"} {
			wantSame(t, filepath.Join(dir, fmt.Sprintf("%d-3.%s", ranks, extension)), filepath.Join(dir, "1-3."+extension))
		}
	}
	if err := WriteParents(t.Context(), cluster.Alone(), dir, 9, 3, Whole(n), parents[1:]); err == nil {
		t.Error("wrote fewer parents than there are")
	}
}

// Each rank reads its part of a file, compressed or not.
func TestRanksReadEdges(t *testing.T) {
	const n = 2*packedBatch + 100
	tuples, team := someTuples(n), newTeam(t, 2)
	for _, name := range []string{"e", "e.zst"} {
		path := filepath.Join(t.TempDir(), name)
		writeTuples(t, path, tuples)
		for ranks := 1; ranks <= 4; ranks++ {
			for rank := range ranks {
				own := PartOf(n, ranks, rank)
				edges, err := ReadEdges[engine.Edge](t.Context(), path, 1<<32, own, team)
				if err != nil {
					t.Fatal(err)
				}
				wide, err := ReadEdges[engine.Edge48](t.Context(), path, 1<<32, own, team)
				if err != nil || !slices.Equal(wide, widened(edges)) {
					t.Errorf("%s: rank %d of %d read others with 48 bits, %v", name, rank, ranks, err)
				}
				weights, err := ReadWeights(t.Context(), WeightsPath(path), own, team)
				if err != nil {
					t.Fatal(err)
				}
				if want := own.of(tuples); !slices.Equal(edges, want.Edges) || !slices.Equal(weights, want.Weights) {
					t.Errorf("%s: rank %d of %d read others", name, rank, ranks)
				}
				freeTuples(t, engine.Tuples{Edges: edges, Wide: wide, Weights: weights})
			}
		}
	}
}

// A rank that has a bad entry in its part reports its place in the file; the others do not.
// A file of the wrong size is reported by all.
func TestRanksReadBadEdges(t *testing.T) {
	const n, bad = packedBatch + 1000, packedBatch + 500
	team := newTeam(t, 2)
	tuples := someTuples(n)
	tuples.Weights[bad] = 2
	tuples.Edges[bad].V = math.MaxUint32
	for i := range bad {
		tuples.Edges[i] = engine.Edge{U: 1, V: 2}
	}
	for _, name := range []string{"e", "e.zst"} {
		path := filepath.Join(t.TempDir(), name)
		writeTuples(t, path, tuples)
		weights := WeightsPath(path)
		for rank := range 3 {
			own := PartOf(n, 3, rank)
			isBad := bad-own.First < own.Count
			_, err := ReadEdges[engine.Edge](t.Context(), path, math.MaxUint32, own, team)
			if want := fmt.Sprintf("%s: edge %d at offset %d: vertex 4294967295 is out of range, the graph has 4294967295 vertices", path, bad, 12*bad); isBad != (err != nil) || isBad && err.Error() != want {
				t.Errorf("rank %d: %v", rank, err)
			}
			_, err = ReadWeights(t.Context(), weights, own, team)
			if want := fmt.Sprintf("%s: weight %d at offset %d: 2 is not in [0, 1]", weights, bad, 4*bad); isBad != (err != nil) || isBad && err.Error() != want {
				t.Errorf("rank %d: %v", rank, err)
			}
			if isBad {
				continue
			}
			own = PartOf(n+1, 3, rank)
			_, err = ReadEdges[engine.Edge](t.Context(), path, 1<<32, own, team)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d tuples", n+1)) {
				t.Errorf("rank %d: %v", rank, err)
			}
			_, err = ReadWeights(t.Context(), weights, own, team)
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%d tuples", n+1)) {
				t.Errorf("rank %d: %v", rank, err)
			}
		}
	}
}

func TestFingerprint(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	content := bytes.Repeat([]byte("graph500"), fingerprintBytes)
	of := func(content []byte) string {
		t.Helper()
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		text, err := Fingerprint(path)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	seen := map[string]bool{of(content): true, of(nil): true, of([]byte("x")): true, of(content[8:]): true}
	for _, at := range []int{0, fingerprintBytes - 1, len(content) - fingerprintBytes, len(content) - 1} {
		changed := bytes.Clone(content)
		changed[at] ^= 1
		seen[of(changed)] = true
	}
	if len(seen) != 8 {
		t.Errorf("different files have the same fingerprint: %v", seen)
	}
	if !seen[of(content)] {
		t.Error("a copy has another fingerprint")
	}
	if _, err := Fingerprint(filepath.Join(dir, "missing")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Fingerprint(dir); err == nil || err.Error() != dir+": is not a regular file" {
		t.Error(err)
	}
}
