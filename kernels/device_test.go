//go:build cuda

package kernels

import (
	"testing"

	"graph500/kernels/driver"
)

// testDevice opens GPU 0 for a test and ties the test to it, or skips the test
// where there is none.
func testDevice(t testing.TB) *Device {
	t.Helper()
	return testDeviceWith(t, anyImage)
}

func testDeviceWith(t testing.TB, images imageChoice) *Device {
	t.Helper()
	if err := driver.Load(); err != nil {
		t.Skip(err)
	}
	d, err := open(0, images)
	if err != nil {
		t.Fatal(err)
	}
	release, err := d.Use()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		release()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
