package atomicfile

import (
	"math"
	"strings"
	"testing"
)

// A file that needs more than the free space, which only Linux tells, is not created.
func TestLittleSpace(t *testing.T) {
	tree(t, "d/")
	if CheckSpace(".", math.MaxUint64) == nil {
		t.Error("16 EiB are free")
	}
	if _, err := Create(t.Context(), "x", math.MaxUint64); err == nil || !strings.HasPrefix(err.Error(), "x: cannot be written: needs 16.0 EiB of disk space, . has ") {
		t.Errorf("got %v", err)
	}
	wantEntries(t, ".", "d")
}
