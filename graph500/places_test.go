package main

import (
	"os"
	"testing"
)

// A file of edges that is used again may lie where nothing can be written.
func TestReusedFileIsOnlyRead(t *testing.T) {
	const file = "/proc/version" // no files can be made beside it
	if _, err := os.Stat(file); err != nil {
		t.Skip(err)
	}
	if err := checkPlaces(&options{tempFile: file, reuse: true}); err != nil {
		t.Error(err)
	}
	if err := checkPlaces(&options{tempFile: file}); err == nil {
		t.Error("no error for a file that is to be written there")
	}
}
