package report

import (
	"testing"

	"graph500/memory"
)

func TestPeakBytesSeesMemoryOutsideTheHeap(t *testing.T) {
	const size = 32 << 20
	before := PeakBytes()
	s, err := memory.Alloc[byte](size)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(s); i += 4096 {
		s[i] = 1
	}
	if err := memory.Free(s); err != nil {
		t.Fatal(err)
	}
	// The earlier peak can be above the resident memory at the allocation.
	if after := PeakBytes(); before == 0 || after < size || after < before {
		t.Errorf("peak %d, then %d", before, after)
	}
}

func TestHighWater(t *testing.T) {
	for text, want := range map[string]uint64{
		"Name:\tx\nVmPeak:\t  99 kB\nVmHWM:\t    2212 kB\nVmRSS:\t 7 kB\n": 2212 << 10,
		"VmHWM:\t1 kB":     1 << 10,
		"VmHWM:\t":         0,
		"VmHWM:\t-1 kB\n":  0,
		"VmRSS:\t 5 kB\n":  0,
		"XVmHWM:\t 5 kB\n": 0,
		"":                 0,
	} {
		if got := parsePeak([]byte(text)); got != want {
			t.Errorf("%q: got %d, want %d", text, got, want)
		}
	}
}
