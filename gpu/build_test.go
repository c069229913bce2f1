//go:build cuda

package gpu

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"graph500/kernels"
	"graph500/techniques"
)

func TestBuild(t *testing.T) {
	if got := Build(); !regexp.MustCompile(`^CUDA 11\.8 \(headers of 1\d\.\d\), kernels [0-9a-f]{12}$`).MatchString(got) {
		t.Error(got)
	}
}

// The checksum covers every package of kernels.
func TestChecksumsAreComplete(t *testing.T) {
	files, err := filepath.Glob("../kernels/*/compiled/kernels.sum")
	if err != nil || len(files) < 6 {
		t.Skip("no sources here")
	}
	for _, file := range append(files, "../techniques/compiled/kernels.sum") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(append(kernels.Checksums(), techniques.Checksums()...), text) {
			t.Errorf("%s is missing", file)
		}
	}
}
