package report

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var n []string
	for _, e := range entries {
		n = append(n, e.Name())
	}
	return n
}

var allFiles = []string{"result.bench", "result.csv", "result.json", "result.txt"}

func TestWriteDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	if err := CheckDir(dir); err != nil {
		t.Fatal(err)
	}
	if n := names(t, dir); len(n) != 0 {
		t.Errorf("the check left %v", n)
	}
	r := fullRun()
	for range 2 { // the second time over existing files
		if err := WriteDir(t.Context(), dir, r); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(allFiles, names(t, dir)); d != "" {
			t.Error(d)
		}
		for _, f := range Formats() {
			var want bytes.Buffer
			if err := f.Write(&want, r); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, f.File))
			if err != nil || !bytes.Equal(got, want.Bytes()) {
				t.Errorf("%s: %v, %q", f.File, err, got)
			}
		}
		r.Input.Scale++
	}
	if err := CheckDir(dir); err != nil {
		t.Errorf("with results of an earlier run: %v", err)
	}
}

func TestWriteDirMakesTheDirectoryAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	if err := WriteDir(t.Context(), dir, fullRun()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(allFiles, names(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestWriteDirLeavesEarlierResultsOnError(t *testing.T) {
	dir := t.TempDir()
	for _, name := range allFiles {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("earlier"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := WriteDir(t.Context(), dir, &Run{}) // no searches: no format can be written
	if err == nil || !strings.HasPrefix(err.Error(), "-out "+dir+": ") {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(allFiles, names(t, dir)); d != "" {
		t.Error(d)
	}
	for _, name := range allFiles {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(b) != "earlier" {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
}

func TestWriteDirRemovesTemporariesOnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "result.txt"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(t.Context(), dir, fullRun()); err == nil {
		t.Error("no error although result.txt is a directory")
	}
	if d := cmp.Diff([]string{"result.txt"}, names(t, dir)); d != "" {
		t.Error(d)
	}
}

// After the end of the context no file of the report exists, and earlier files are
// unchanged.
func TestWriteDirCancelled(t *testing.T) {
	dir := t.TempDir()
	if err := WriteDir(t.Context(), dir, fullRun()); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stopped by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	r := fullRun()
	r.Input.Scale++
	if err := WriteDir(ctx, dir, r); err != stop {
		t.Errorf("error %v", err)
	}
	if d := cmp.Diff(allFiles, names(t, dir)); d != "" {
		t.Error(d)
	}
	text, err := os.ReadFile(filepath.Join(dir, "result.txt"))
	if err != nil || !bytes.HasPrefix(text, []byte("SCALE:                          4\n")) {
		t.Errorf("%v, %s", err, text)
	}
}

// If the directory or a file is a symbolic link, its target is written.
func TestWriteDirThroughLinks(t *testing.T) {
	base := t.TempDir()
	dir, elsewhere := filepath.Join(base, "link"), filepath.Join(base, "elsewhere.txt")
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
			t.Skip(err)
		}
	}
	link("results", "link")
	if err := CheckDir(dir); err != nil {
		t.Fatal(err)
	}
	link("../elsewhere.txt", "results/result.txt")
	if err := os.WriteFile(elsewhere, []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := CheckDir(dir); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(t.Context(), dir, fullRun()); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(allFiles, names(t, filepath.Join(base, "results"))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"elsewhere.txt", "link", "results"}, names(t, base)); d != "" {
		t.Error(d)
	}
	if target, err := os.Readlink(filepath.Join(dir, "result.txt")); err != nil || target != "../elsewhere.txt" {
		t.Errorf("the link became %q, %v", target, err)
	}
	if text, err := os.ReadFile(elsewhere); err != nil || !bytes.HasPrefix(text, []byte("SCALE:")) {
		t.Errorf("%v, %q", err, text)
	}
	link("../missing/result.csv", "results/strategies.csv")
	if err := CheckDir(dir); err == nil || !strings.Contains(err.Error(), "strategies.csv: cannot create a file in ") {
		t.Errorf("got %v", err)
	}
}

func TestCheckDirErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "result.json"), 0o777); err != nil {
		t.Fatal(err)
	}
	cases := map[string]string{
		"empty name":         "",
		"a file":             file,
		"below a file":       filepath.Join(file, "sub"),
		"a result's name":    taken,
		"a NUL in the name":  "a\x00b",
		"a name of any size": filepath.Join(dir, strings.Repeat("x", 5000)),
	}
	if os.Geteuid() != 0 { // root can write everywhere
		locked := filepath.Join(dir, "locked")
		if err := os.Mkdir(locked, 0o555); err != nil {
			t.Fatal(err)
		}
		cases["read only"] = locked
		cases["below read only"] = filepath.Join(locked, "sub")
	}
	for name, dir := range cases {
		err := CheckDir(dir)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if s := err.Error(); !strings.HasPrefix(s, "-out ") || strings.Contains(s, "\n") {
			t.Errorf("%s: %q", name, s)
		}
	}
}
