//go:build cuda

package device

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestArray(t *testing.T) {
	d := testDevice(t)
	type pair struct {
		a uint64
		b uint32
	}
	const n = 1003
	a := testArray[pair](t, d, n)
	if a.Len() != n || a.Bytes() != 16*n || a.Address() == 0 {
		t.Errorf("length %d, bytes %d, address %#x", a.Len(), a.Bytes(), a.Address())
	}
	poison := pair{0xA5A5A5A5A5A5A5A5, 0xA5A5A5A5}
	want := slices.Repeat([]pair{poison}, n)
	if got := testHost(t, a); !slices.Equal(got, want) {
		t.Fatal("not filled")
	}
	part := make([]pair, 77)
	for i := range part {
		part[i] = pair{uint64(i) << 40, uint32(i)}
	}
	for _, first := range []int{0, 500, n - len(part)} {
		copy(want[first:], part)
		if err := a.Write(first, part); err != nil {
			t.Fatal(err)
		}
		got := make([]pair, len(part))
		if err := a.Read(first, got); err != nil || !slices.Equal(got, part) {
			t.Errorf("written at %d, not read: %v", first, err)
		}
	}
	if got := testHost(t, a); !slices.Equal(got, want) {
		t.Error("a part that was not written changed")
	}
	for _, first := range []int{-1, n - len(part) + 1, n, n + 1} {
		if err := errors.Join(a.Write(first, part), a.Read(first, part)); err == nil || strings.Count(err.Error(), "test array") != 2 {
			t.Errorf("%d elements from index %d: %v", len(part), first, err)
		}
	}
}

func TestArrayCopy(t *testing.T) {
	d := testDevice(t)
	const n = 1003
	want := make([]uint32, n)
	for i := range want {
		want[i] = uint32(i * i)
	}
	from, to := testArray[uint32](t, d, n), testArray[uint32](t, d, n)
	if err := errors.Join(from.Write(0, want), to.CopyFrom(from)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(testHost(t, to), want) || !slices.Equal(testHost(t, from), want) {
		t.Error("not copied")
	}
	if err := to.CopyFrom(testArray[uint32](t, d, n-1)); err == nil || !strings.Contains(err.Error(), "1003 elements, not the 1002 of") {
		t.Error(err)
	}
}

func TestFillWith(t *testing.T) {
	d := testDevice(t)
	for _, n := range []int{1, 2, 3, 4, 5, 31, 1029} {
		words, numbers := testArray[uint32](t, d, n+1), testArray[float32](t, d, n)
		part, err := words.Slice(0, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(words.Fill(0xA5), FillWith(part, 0x89ABCDEF), FillWith(numbers, -1)); err != nil {
			t.Fatal(err)
		}
		if got := testHost(t, words); !slices.Equal(got, append(slices.Repeat([]uint32{0x89ABCDEF}, n), 0xA5A5A5A5)) {
			t.Errorf("%d words and one that is left: %x", n, got)
		}
		if got := testHost(t, numbers); !slices.Equal(got, slices.Repeat([]float32{-1}, n)) {
			t.Errorf("%d numbers: %v", n, got)
		}
	}
}

func TestEmptyArray(t *testing.T) {
	d := testDevice(t)
	for _, a := range []Array[uint32]{testArray[uint32](t, d, 0), {}} {
		if a.Len() != 0 || a.Bytes() != 0 || a.Address() != 0 {
			t.Fatalf("%+v", a)
		}
		if err := errors.Join(a.Fill(1), FillWith(a, 1), a.Write(0, nil), a.Read(0, nil), a.CopyFrom(a)); err != nil {
			t.Error(err)
		}
		if err := a.Write(0, []uint32{1}); err == nil {
			t.Error("an element of an empty array was written")
		}
	}
}

func TestPinned(t *testing.T) {
	d := testDevice(t)
	a, err := Pinned[uint64](d, 5)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(a.Host(), func(v uint64) bool { return v != 0 }); i >= 0 {
		t.Errorf("the initial value of word %d is not zero", i)
	}
	if err := errors.Join(testKernel(t, d, "args").Launch(1, 1, 0, a.Address(), 1, 2, 3, 4, 5), d.Synchronize()); err != nil {
		t.Fatal(err)
	}
	if got := a.Host(); !slices.Equal(got, []uint64{1, 2, 3, 4, 5}) {
		t.Errorf("the host reads %d", got)
	}
	if err := errors.Join(a.Free(), a.Free()); err != nil {
		t.Error(err)
	}
	if _, err := Pinned[uint32](d, 0); err == nil {
		t.Error("page-locked memory of no elements")
	}
}

// The emulation knows the words that nothing has written.
func TestUndefinedWords(t *testing.T) {
	d := testDevice(t)
	if !strings.Contains(d.properties.Name, "emulated") {
		t.Skip("no emulated GPU: a real one copies any words")
	}
	var a Array[uint32]
	held, err := d.Borrow(Group{Arrays: []Declared{Of(&a, "array without values", 100)}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := held.Free(); err != nil {
			t.Error(err)
		}
	}()
	if err := errors.Join(a.Write(0, make([]uint32, 60)), a.Read(0, make([]uint32, 60))); err != nil {
		t.Error(err)
	}
	if err := a.Read(0, make([]uint32, 61)); err == nil {
		t.Error("a word without value was copied")
	}
}
