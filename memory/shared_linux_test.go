package memory

import (
	"os"
	"strings"
	"testing"
)

// Memory that is mapped twice is the same, also after its name is closed and one of both is freed.
func TestShared(t *testing.T) {
	for _, n := range []int{1, 1000, hugePage/4 + 1} {
		own, name, err := AllocShared[uint32](n)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := MapShared[uint32](name, n)
		if err != nil {
			t.Fatal(err)
		}
		if own[n-1] != 0 || len(seen) != n {
			t.Errorf("%d elements, the last one is %d", len(seen), own[n-1])
		}
		own[n-1] = 7
		if err := name.Close(); err != nil {
			t.Error(err)
		}
		if err := Free(own); err != nil {
			t.Error(err)
		}
		if seen[n-1] != 7 {
			t.Errorf("the last of %d elements is %d", n, seen[n-1])
		}
		if err := Free(seen); err != nil {
			t.Error(err)
		}
	}
}

// A file of another size, or none, is an error.
func TestMapSharedOfAnother(t *testing.T) {
	own, name, err := AllocShared[uint32](1000)
	if err != nil {
		t.Fatal(err)
	}
	for text, of := range map[string]Shared{"is not memory for 999 elements of 4 bytes": name, "cannot open": {int64(os.Getpid()), 1 << 20}} {
		if _, err := MapShared[uint32](of, 999); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v instead of %s", err, text)
		}
	}
	if err := name.Close(); err != nil {
		t.Error(err)
	}
	if err := Free(own); err != nil {
		t.Error(err)
	}
	if _, _, err := AllocShared[uint64](1 << 61); err == nil {
		t.Error("memory of 2^64 bytes")
	}
}
