package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"graph500/kronecker"
)

// A file of edges that is used again may lie where nothing can be written.
func TestReusedFileIsOnlyRead(t *testing.T) {
	const beside = "/proc/self/fd" // no files can be made there
	size := kronecker.Spec{Scale: 4, EdgeFactor: 2}.Tuples() * 12
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(int64(size)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(beside, fmt.Sprint(f.Fd()))
	if _, err := os.Stat(file); err != nil {
		t.Skip(err)
	}
	o := &options{InputFlags: InputFlags{Scale: 4, EdgeFactor: 2}, tempFile: file, reuseTempFile: true}
	if err := checkPaths(o); err != nil {
		t.Error(err)
	}
	o.reuseTempFile = false
	if err := checkPaths(o); err == nil {
		t.Error("no error for a file that is to be written there")
	}
}
