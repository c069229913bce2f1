//go:build cuda

package device_test

import (
	"errors"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
)

// Each part arrives before the work launched after it, and does not overwrite what work
// launched before it reads.
func TestUploads(t *testing.T) {
	d := devicetest.Open(t)
	const n, parts, slots = 1000, 20, 3
	buffers := devicetest.Array[uint32](t, d, slots*n) // before the uploads, which wait for its poison
	got := devicetest.Array[uint32](t, d, parts*n)
	u, err := d.NewUploads(slots)
	if err != nil {
		t.Fatal(err)
	}
	var host [slots]*device.HostArray[uint32]
	for i := range host {
		if host[i], err = device.Pinned[uint32](d, n+1); err != nil {
			t.Fatal(err)
		}
	}
	for p := range parts {
		slot := p % slots
		if err := u.Wait(slot); err != nil {
			t.Fatal(err)
		}
		for i := range host[slot].Host() {
			host[slot].Host()[i] = uint32(p*n + i - 1) // the first one is not copied
		}
		if err := errors.Join(device.Upload(u, slot, buffers, slot*n, host[slot], 1, n), got.CopyPart(p*n, buffers, slot*n, n), u.Release(slot)); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range devicetest.Host(t, got) {
		if v != uint32(i) {
			t.Fatalf("word %d is %d", i, v)
		}
	}
	if err := device.Upload(u, 0, buffers, (slots-1)*n, host[0], 0, n+1); err == nil {
		t.Error("more than the array has are copied")
	}
	if err := errors.Join(u.Close(), host[0].Free(), host[1].Free(), host[2].Free()); err != nil {
		t.Error(err)
	}
}
