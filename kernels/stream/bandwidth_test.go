//go:build cuda

package stream

import (
	"slices"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
)

// TestBandwidth checks that the measurement copies one half to the other, and nothing
// beyond it.
func TestBandwidth(t *testing.T) {
	d := devicetest.Open(t)
	for _, n := range []int{2, 3, 510, 513, 100_001} {
		host := make([][16]byte, n)
		for i := range host {
			host[i] = [16]byte{byte(i), byte(i >> 8), byte(i >> 16), 15: 1}
		}
		b := &bandwidth{scratch: devicetest.From(t, d, host)}
		if rate, err := b.measure(d); err != nil || rate <= 0 {
			t.Errorf("%d vectors: %v bytes/s, %v", n, rate, err)
		}
		copy(host[n/2:], host[:n/2])
		if !slices.Equal(devicetest.Host(t, b.scratch), host) {
			t.Errorf("%d vectors were not copied", n)
		}
	}
}

// TestBandwidthWithLittleMemory allocates all free memory and frees it.
func TestBandwidthWithLittleMemory(t *testing.T) {
	d := devicetest.OpenWith(t, device.Options{})
	if _, err := Bandwidth(d); err == nil {
		t.Error("a copy without memory")
	}
	if err := d.Reserve(1 << 20); err != nil {
		t.Fatal(err)
	}
	if rate, err := Bandwidth(d); err != nil || rate <= 0 {
		t.Errorf("%v bytes/s, %v", rate, err)
	}
	if d.Free() != 1<<20 || d.Peak() != 1<<20 {
		t.Errorf("%d bytes are free, the peak is %d", d.Free(), d.Peak())
	}
}
