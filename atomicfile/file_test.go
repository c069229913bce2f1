package atomicfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// wantEntries checks the entries of a directory, including hidden files.
func wantEntries(t *testing.T, dir string, want ...string) {
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
		t.Errorf("%s holds %q, not %q", dir, got, want)
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, %v, not %q", path, got, err, want)
	}
}

// begin creates files with the content "new".
func begin(t *testing.T, ctx context.Context, paths ...string) (files []*File) {
	t.Helper()
	for _, path := range paths {
		f, err := Create(ctx, path, 3)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

func TestCommit(t *testing.T) {
	tree(t, "d/", "file", "link -> d/linked", "over -> d/old", "d/old")
	files := begin(t, t.Context(), "file", "made", "link", "over")
	wantContent(t, "file", "file")
	wantContent(t, "d/old", "d/old")
	if files[2].Path() != "link" || files[2].Target() != filepath.Join("d", "linked") {
		t.Errorf("%s, %s", files[2].Path(), files[2].Target())
	}
	if err := Commit(files...); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"file", "made", "d/linked", "d/old"} {
		wantContent(t, path, "new")
	}
	wantEntries(t, ".", "d", "file", "link", "made", "over")
	wantEntries(t, "d", "linked", "old")
	for name, target := range map[string]string{"link": "d/linked", "over": "d/old"} {
		if got, err := os.Readlink(name); err != nil || got != target {
			t.Errorf("%s leads to %q, %v", name, got, err)
		}
	}
	for _, f := range files {
		f.Discard()
	}
	wantContent(t, "made", "new")
}

// TestTemporaryFileIsInTheTargetDirectory writes through a link to another
// directory.
func TestTemporaryFileIsInTheTargetDirectory(t *testing.T) {
	tree(t, "d/", "link -> d/linked")
	f := begin(t, t.Context(), "link")[0]
	wantEntries(t, ".", "d", "link")
	if filepath.Dir(f.Name()) != "d" {
		t.Errorf("writes to %s", f.Name())
	}
	f.Discard()
	wantEntries(t, "d")
}

// TestPermissions checks that a file takes the permissions of the file that it
// replaces.
func TestPermissions(t *testing.T) {
	tree(t, "private")
	if err := os.Chmod("private", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Commit(begin(t, t.Context(), "private")...); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat("private"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestFail(t *testing.T) {
	tree(t, "file")
	f := begin(t, t.Context(), "file")[0]
	_, err := f.Write(nil)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Fail(&os.PathError{Op: "write", Path: f.Name(), Err: os.ErrDeadlineExceeded})
	if err == nil || err.Error() != "file: cannot be written: i/o timeout" {
		t.Errorf("got %v", err)
	}
	wantContent(t, "file", "file")
	wantEntries(t, ".", "file")
}

// TestCommitOfSeveralFails checks that no target changes if one file fails.
func TestCommitOfSeveralFails(t *testing.T) {
	tree(t, "a", "b")
	files := begin(t, t.Context(), "a", "b", "c")
	files[1].Close()
	if err := Commit(files...); err == nil || !strings.HasPrefix(err.Error(), "b: cannot be written: ") {
		t.Errorf("got %v", err)
	}
	wantContent(t, "a", "a")
	wantContent(t, "b", "b")
	wantEntries(t, ".", "a", "b")
}

func TestCancelled(t *testing.T) {
	tree(t, "a")
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	files := begin(t, ctx, "a", "b")
	cancel(stop)
	for range 1000 { // the file is removed without the writer's help
		if left, err := os.ReadDir("."); err == nil && len(left) == 1 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	wantEntries(t, ".", "a")
	if err := Commit(files...); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	wantContent(t, "a", "a")
	wantEntries(t, ".", "a")
}

func TestCreateRefuses(t *testing.T) {
	tree(t, "d/", "gone -> nowhere/x")
	for path, want := range map[string]string{
		"d":         "d: is a directory and will not be replaced",
		"missing/x": "missing/x: cannot be created: no such file or directory",
		"gone":      "gone: cannot be created: no such file or directory",
	} {
		if _, err := Create(t.Context(), path, 0); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	wantEntries(t, ".", "d", "gone")
}
