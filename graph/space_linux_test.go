package graph

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"graph500/cluster"
	"graph500/engine"
)

// smallDisk mounts a file system of 256 KiB. This requires root.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestSpaceOfSmallDisk(t *testing.T) {
	dir := smallDisk(t)
	path := filepath.Join(dir, "e")
	_, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(100_000), false)
	wantError(t, err, path, ": cannot be written: needs 1.1 MiB of disk space, "+dir+" has 256.0 KiB available")
	_, err = CreateEdges(t.Context(), cluster.Alone(), path, Whole(17_000), true) // the sum of both files counts
	wantError(t, err, path, ": cannot be written: needs 265.6 KiB of disk space, "+dir+" has 256.0 KiB available")
	wantFiles(t, dir)
	wantError(t, CheckParentsDir(dir, 1024, 33), dir, ": needs 264.0 KiB of disk space, "+dir+" has 256.0 KiB available")
	if err := CheckParentsDir(dir, 1024, 32); err != nil {
		t.Error(err)
	}
}

// The disk becomes full after the check of the free space.
func TestDiskFullWhileWriting(t *testing.T) {
	dir := smallDisk(t)
	for _, name := range []string{"e", "e.zst"} {
		path := filepath.Join(dir, name)
		edges := someEdges(20_000) // 240 KB
		w, err := CreateEdges(t.Context(), cluster.Alone(), path, Whole(uint64(len(edges))), false)
		if err != nil {
			t.Fatal(err)
		}
		other := filepath.Join(dir, "other")
		if err := os.WriteFile(other, make([]byte, 200<<10), 0o666); err != nil {
			t.Fatal(err)
		}
		if err = w.Write(engine.Tuples{Edges: edges}); err == nil {
			err = w.Close()
		}
		wantError(t, err, path, ": cannot be written: no space left on device")
		wantFiles(t, dir, "other")
		if err := os.Remove(other); err != nil {
			t.Fatal(err)
		}
	}
}

// A quota or another file system limit causes a write error.
func TestWriteParentsDiskFull(t *testing.T) {
	dir := smallDisk(t)
	err := WriteParents(t.Context(), cluster.Alone(), dir, 0, 0, Whole(1<<15+1), make([]engine.Label, 1<<15+1))
	if err == nil || !strings.Contains(err.Error(), "disk space") {
		t.Errorf("got %v", err)
	}
	wantFiles(t, dir)
}
