package graph

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// Root may write everywhere. The test therefore sets the file system user id of
// its thread to that of an ordinary user. The thread ends with the goroutine,
// which stays locked to it.
func TestCheckParentsDirNotWritable(t *testing.T) {
	dir := t.TempDir()
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	answer := make(chan error)
	go func() {
		runtime.LockOSThread()
		if os.Getuid() == 0 {
			const nobody = 65534
			if err := syscall.Setfsuid(nobody); err != nil {
				answer <- err
				return
			}
		}
		answer <- CheckParentsDir(dir, 16, 64)
	}()
	wantError(t, <-answer, dir, ": cannot be written to: permission denied")
}
