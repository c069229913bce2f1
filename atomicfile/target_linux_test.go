package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// asOrdinaryUser calls f with the file permissions of an ordinary user. If the
// process runs as root, the thread changes its file system user id. The thread
// ends with the goroutine, which stays locked to it.
func asOrdinaryUser(f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			const nobody = 65534
			if err := syscall.Setfsuid(nobody); err != nil {
				result <- err
				return
			}
		}
		result <- f()
	}()
	return <-result
}

// TestCheckWriteProtected checks that a write-protected file is not replaced in a
// writable directory.
func TestCheckWriteProtected(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "protected")
	if err := os.WriteFile(path, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	err := asOrdinaryUser(func() error { return Check(path) })
	if err == nil || err.Error() != path+": cannot be replaced: permission denied" {
		t.Errorf("got %v", err)
	}
	if err := asOrdinaryUser(func() error { return Check(filepath.Join(dir, "new")) }); err != nil {
		t.Error(err)
	}
}

func TestOpenFilesAreNotReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("/dev/stdout", "stdout"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/1", "stdout", "/proc/self/cwd/new"} {
		if _, err := Target(path); err == nil || !strings.HasPrefix(err.Error(), path+": leads to /proc/") {
			t.Errorf("%s: %v", path, err)
		}
	}
}
