package memory

import "testing"

// TestTouch overwrites one element of each huge page, wherever the memory begins.
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
		n := 0
		for _, x := range part {
			n += int(1 - x)
		}
		if least := len(part) / PageOf[uint32](); n < least-1 || n > least+1 || len(part) == len(a) && n != pages {
			t.Errorf("%d elements of %d overwritten", n, len(part))
		}
	}
}
