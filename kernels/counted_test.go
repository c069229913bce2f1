//go:build cuda

package kernels

import (
	"errors"
	"os"
	"testing"

	"graph500/engine"
)

func TestLoad(t *testing.T) {
	d := testDevice(t)
	if _, err := d.Load(os.DirFS("."), "nothing"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	m, err := d.Load(os.DirFS("."), "bandwidth")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Kernel("nothing"); err == nil {
		t.Error("a kernel that is not there")
	}
	if _, err := m.Counts(); err == nil {
		t.Error("counts of a module that does not count")
	}
	if err := errors.Join(m.Close(), m.Close()); err != nil {
		t.Error(err)
	}
}

// A twin that counts is loaded beside its module, and begins at zero when told.
func TestCounting(t *testing.T) {
	d := testDevice(t)
	if _, _, err := d.Counting("nothing"); err == nil {
		t.Error("a module that is not there")
	}
	counting, m, err := d.Counting("search")
	if err != nil {
		t.Fatal(err)
	}
	if counting.modules["search"] == d.modules["search"] || counting.modules["pack"] != d.modules["pack"] {
		t.Error("another module than the one named was replaced")
	}
	if err := m.ResetCounts(); err != nil {
		t.Fatal(err)
	}
	if got, err := m.Counts(); err != nil || got != (engine.Counts{}) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}
