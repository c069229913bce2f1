package report

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Not even root can create files in /proc.
func TestCheckDirUnwritable(t *testing.T) {
	for _, dir := range []string{"/proc", "/proc/graph500"} {
		if err := CheckDir(dir); err == nil || !strings.HasPrefix(err.Error(), "-out "+dir+": cannot ") {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// The error of a full disk contains the name of the file, not its temporary name. A limit
// on the size of files simulates the full disk.
func TestWriteDirDiskFull(t *testing.T) {
	dir := t.TempDir()
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Skip(err)
	}
	limited := before
	limited.Cur = 100
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limited); err != nil {
		t.Skip(err)
	}
	err := WriteDir(t.Context(), dir, fullRun())
	checkErr := CheckDir(dir)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if want := "-out " + dir + ": " + dir + "/result.txt: cannot be written: file too large"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if want := "-out " + dir + ": cannot write there: file too large"; checkErr == nil || checkErr.Error() != want {
		t.Errorf("got %v, want %s", checkErr, want)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}
