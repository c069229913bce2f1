package commandline

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"graph500/kronecker"
)

// An edge file that is only read can be in a directory that is not writable.
func TestReusedFileIsOnlyRead(t *testing.T) {
	const directory = "/proc/self/fd" // no files can be created there
	size := kronecker.Spec{Scale: 4, EdgeFactor: 2}.Tuples() * 12
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(directory, fmt.Sprint(f.Fd()))
	if _, err := os.Stat(file); err != nil {
		t.Skip(err)
	}
	o := &Options{InputFlags: InputFlags{Scale: 4, EdgeFactor: 2}, TempFile: file, ReuseTempFile: true}
	if err := CheckPaths(o); err != nil {
		t.Error(err)
	}
	o.ReuseTempFile = false
	if err := CheckPaths(o); err == nil {
		t.Error("no error for a file that is to be written there")
	}
}
