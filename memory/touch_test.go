package memory

import (
	"testing"
	"unsafe"
)

// TestTouch overwrites the elements at the begins of huge pages, and no others, wherever the memory begins.
func TestTouch(t *testing.T) {
	const pages = 3
	a, err := Alloc[uint32](pages * PageOf[uint32]())
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := Free(a); err != nil {
			t.Error(err)
		}
	}()
	for _, part := range [][]uint32{nil, a, a[1:], a[:1], a[5 : len(a)-7]} {
		for i := range part {
			part[i] = 1
		}
		Touch(part)
		for i := range part {
			want := uint32(1)
			if uintptr(unsafe.Pointer(&part[i]))%hugePage == 0 {
				want = 0
			}
			if part[i] != want {
				t.Fatalf("element %d of %d is %d, want %d", i, len(part), part[i], want)
			}
		}
	}
}
