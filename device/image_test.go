//go:build cuda

package device

import (
	"encoding/binary"
	"slices"
	"testing"
)

// inner is embedded in another struct.
type inner struct {
	P Array[uint64]
	Q [2]Array[byte]
}

func TestImage(t *testing.T) {
	value := struct {
		A uint32
		B uint64
		C [3]uint32
		inner
		D uint32
		E *HostArray[uint32]
		F uint32
		G float32
	}{
		A: 1, B: 2, C: [3]uint32{3, 4, 5}, D: 6, F: 9, G: 1.5,
		inner: inner{Array[uint64]{address: 70}, [2]Array[byte]{{address: 71}, {address: 72}}},
		E:     &HostArray[uint32]{address: 8},
	}
	image, err := Image(value)
	if err != nil {
		t.Fatal(err)
	}
	var want []byte
	for _, x := range []uint64{1, 2, 3 | 4<<32, 5, 70, 71, 72, 6, 8, 9 | 0x3fc00000<<32} { // little-endian, with C's padding
		want = binary.LittleEndian.AppendUint64(want, x)
	}
	if !slices.Equal(image, want) {
		t.Errorf("%x, want %x", image, want)
	}
	value.E = nil
	if image, err := Image(value); err != nil || binary.LittleEndian.Uint64(image[8*8:]) != 0 {
		t.Errorf("%x, %v", image, err)
	}
	for _, wrong := range []any{7, struct{ A string }{}, struct{ A int }{}} {
		if _, err := Image(wrong); err == nil {
			t.Errorf("an image of %T", wrong)
		}
	}
}
