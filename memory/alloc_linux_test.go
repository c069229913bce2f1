package memory

import "testing"

// Arrays around the sizes that are mapped in whole huge pages are zero, keep their values, and can be released in
// part and freed.
func TestAlloc(t *testing.T) {
	for _, n := range []int{1, hugePage - 1, hugePage, hugePage + 1, 3<<20 + 1} {
		s, err := Alloc[uint8](n)
		if err != nil || len(s) != n || cap(s) != n {
			t.Fatalf("%d bytes: %d, %v", n, len(s), err)
		}
		Touch(s)
		for i, x := range s {
			if x != 0 {
				t.Fatalf("%d bytes: byte %d is %d", n, i, x)
			}
			s[i] = 1
		}
		if err := Release(s[:n/2+1], n/2); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
		for i, x := range s[:n/2] {
			if x != 1 {
				t.Fatalf("%d bytes: byte %d is released", n, i)
			}
		}
		if err := Free(s); err != nil {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

// A length that no memory has is an error.
func TestAllocTooMuch(t *testing.T) {
	for _, n := range []int{-1, -hugePage, 1 << 61, 1<<63 - 1} {
		if s, err := Alloc[uint64](n); err == nil {
			t.Errorf("%d elements: %d", n, len(s))
		}
	}
}
