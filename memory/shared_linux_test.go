package memory

import (
	"errors"
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

// Stripes of all files, some of them several times, are in order in both mappings.
func TestSharedFiles(t *testing.T) {
	for _, n := range []int{stripe / 8, stripe/8 + 1, sharedFiles*stripe/8*2 + stripe/8 + 3} {
		own, name, err := AllocShared[uint64](n)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := MapShared[uint64](name, n)
		if err != nil {
			t.Fatal(err)
		}
		var places []int // first and last of each stripe
		for at := 0; at < n; at += stripe / 8 {
			places = append(places, at, min(at+stripe/8, n)-1)
		}
		for _, at := range places {
			own[at] = uint64(at) + 1
		}
		for _, at := range places {
			if seen[at] != uint64(at)+1 {
				t.Errorf("%d elements: element %d is %d", n, at, seen[at])
			}
		}
		if err := errors.Join(name.Close(), Free(own), Free(seen)); err != nil {
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
	more, none := name, Shared{int64(os.Getpid()), noFiles()}
	more.Files[1] = more.Files[0]
	missing := none
	missing.Files[0] = 1 << 20
	for text, of := range map[string]Shared{"is not memory for 999 elements of 4 bytes": name, "/fd/-1": none, "/fd/1048576": missing} {
		if _, err := MapShared[uint32](of, 999); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v instead of %s", err, text)
		}
	}
	if _, err := MapShared[uint32](more, 1000); err == nil {
		t.Error("more files than memory has")
	}
	if err := errors.Join(name.Close(), Free(own)); err != nil {
		t.Error(err)
	}
	if _, _, err := AllocShared[uint64](1 << 61); err == nil {
		t.Error("memory of 2^64 bytes")
	}
}
