package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"graph500/cluster"
)

// pieceOf returns the bytes that a rank writes.
func pieceOf(rank int) []byte { return bytes.Repeat([]byte{byte('a' + rank)}, 1000+rank) }

// wholeOf returns the bytes of a file of all ranks.
func wholeOf(ranks int) (whole []byte) {
	for r := range ranks {
		whole = append(whole, pieceOf(r)...)
	}
	return whole
}

// writePiece writes the bytes of a rank in two parts.
func writePiece(s *Shared, rank int) error {
	out, piece := s.From(uint64(len(wholeOf(rank)))), pieceOf(rank)
	_, err := out.Write(piece[:300])
	if err == nil {
		_, err = out.Write(piece[300:])
	}
	return err
}

func TestShared(t *testing.T) {
	for ranks := 1; ranks <= 4; ranks++ {
		t.Chdir(t.TempDir())
		if err := errors.Join(cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
			size := uint64(len(wholeOf(ranks)))
			one, err := CreateShared(ctx, w, "one", size, size)
			if err != nil {
				return err
			}
			two, err := CreateShared(ctx, w, "two", size, size)
			if err != nil {
				return err
			}
			if err := errors.Join(writePiece(one, w.Rank()), writePiece(two, w.Rank()), CommitShared(Commit, one, two)); err != nil {
				return err
			}
			if target := one.Target(); (target == "one") != (w.Rank() == 0) || one.Path() != "one" {
				return fmt.Errorf("rank %d: target %q", w.Rank(), target)
			}
			one.Discard()
			return nil
		})...); err != nil {
			t.Fatal(err)
		}
		wantEntries(t, ".", "one", "two")
		wantContent(t, "one", string(wholeOf(ranks)))
		wantContent(t, "two", string(wholeOf(ranks)))
	}
}

// If a rank fails, or the run ends, neither a new file nor a temporary one is left.
func TestSharedFails(t *testing.T) {
	broken := errors.New("broken by the test")
	const ranks = 3
	for failing := range ranks {
		for name, fail := range map[string]func(s *Shared) error{
			"write":   func(s *Shared) error { return s.Fail(broken) },
			"nothing": func(*Shared) error { return broken }, // the end of the context removes the file
		} {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, []byte("older"), 0o666); err != nil {
				t.Fatal(err)
			}
			errs := cluster.RunInProcess(t.Context(), ranks, func(ctx context.Context, w *cluster.World) error {
				size := uint64(len(wholeOf(ranks)))
				s, err := CreateShared(ctx, w, path, size, size)
				if err != nil {
					return err
				}
				if w.Rank() == failing {
					return fail(s)
				}
				return errors.Join(writePiece(s, w.Rank()), CommitShared(Commit, s))
			})
			for r, err := range errs {
				if !errors.Is(err, broken) {
					t.Errorf("%s: rank %d has error %v", name, r, err)
				}
			}
			awaitEntries(t, dir, "file")
			wantContent(t, path, "older")
		}
	}
}

// awaitEntries is wantEntries for a directory in which the end of a context removes files.
func awaitEntries(t *testing.T, dir string, want string) {
	t.Helper()
	for range 500 {
		if entries, err := os.ReadDir(dir); err == nil && len(entries) == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	wantEntries(t, dir, want)
}

// A rank that could not write its bytes to disk keeps the others from completing the file.
func TestSharedNotOnDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	errs := cluster.RunInProcess(t.Context(), 3, func(ctx context.Context, w *cluster.World) error {
		s, err := CreateShared(ctx, w, path, 10, 10)
		if err != nil {
			return err
		}
		if w.Rank() == 2 {
			if err := s.out.Close(); err != nil {
				return err
			}
		}
		return CommitShared(Commit, s)
	})
	for _, err := range errs {
		if err == nil || err.Error() != "rank 2 on host2: "+path+": cannot be written: file already closed" {
			t.Error(err)
		}
	}
	wantEntries(t, dir)
}

// elsewhere is a rank on a host that does not have the directories of rank 0.
type elsewhere struct {
	*cluster.World
	missing string
}

func (e elsewhere) Strings(ctx context.Context, text string) ([]string, error) {
	texts, err := e.World.Strings(ctx, text)
	for i := range texts {
		texts[i] = e.missing + texts[i]
	}
	return texts, err
}

func TestSharedNeedsOneDirectory(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	errs := cluster.RunInProcess(t.Context(), 2, func(ctx context.Context, w *cluster.World) error {
		ranks := Ranks(w)
		if w.Rank() == 1 {
			ranks = elsewhere{w, filepath.Join(dir, "missing")}
		}
		_, err := CreateShared(ctx, ranks, path, 10, 10)
		return err
	})
	for _, err := range errs {
		if err == nil || !strings.HasPrefix(err.Error(), "rank 1 on host1: "+path+": cannot be written together: ") ||
			!strings.HasSuffix(err.Error(), ", which rank 0 has made, cannot be opened: no such file or directory: name a file in a directory that all hosts share") {
			t.Error(err)
		}
	}
	wantEntries(t, dir)
}

func TestSharedRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "file")
	for _, err := range cluster.RunInProcess(t.Context(), 2, func(ctx context.Context, w *cluster.World) error {
		_, err := CreateShared(ctx, w, path, 10, 10)
		return err
	}) {
		if err == nil || err.Error() != "rank 0 on host0: "+path+": cannot be created: no such file or directory" {
			t.Error(err)
		}
	}
}
