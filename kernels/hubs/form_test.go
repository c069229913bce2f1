//go:build cuda

package hubs

import (
	"testing"

	"graph500/kernels/hubs/reference"
)

func TestFormOf(t *testing.T) {
	for _, c := range []struct {
		vertices uint64
		devices  int
		want     Form
	}{
		{1, 1, Form{16, 64}},
		{1 << 10, 1, Form{512, 64}},
		{1 << 18, 1, Form{8192, 256}},
		{1<<20 - 1, 1, Form{16383, 512}},
		{1 << 20, 1, Form{16384, 1024}},
		{1 << 20, 4, Form{16384, 256}},
		{1 << 22, 1, Form{32768, 1024}},
		{1<<22 + 1, 1, Form{32768, 2048}},
		{1 << 24, 1, Form{reference.MostHubs, 2048}},
		{1 << 24, 16, Form{reference.MostHubs, 1024}},
		{1 << 31, 8, Form{reference.MostHubs, 2048}},
	} {
		if got := FormOf(c.vertices, c.devices); got != c.want {
			t.Errorf("%d vertices on %d devices: %+v, want %+v", c.vertices, c.devices, got, c.want)
		}
	}
}

// By its numbers, an official graph of scale 29 fits on one device, of scale 30 with split rows, of scale 31 on four. Of other
// graphs all arcs can be in one kind of lists.
func TestHolds(t *testing.T) {
	for _, c := range []struct {
		scale              int
		rows               uint64
		devices            int
		isKronecker, split bool
		want               bool
	}{
		{28, 1 << 28 * 45 / 100, 1, true, false, true},
		{28, 1 << 28 * 45 / 100, 1, false, true, true},
		{29, 1 << 29 * 43 / 100, 1, true, false, true},
		{29, 1 << 29 * 43 / 100, 1, false, true, false},
		{30, 1 << 30 * 42 / 100, 1, true, false, false},
		{30, 1 << 30 * 42 / 100, 1, true, true, true},
		{30, 1 << 30 * 51 / 100, 1, true, true, false},
		{30, 1 << 30 * 42 / 100, 2, true, false, true},
		{31, 1 << 31 * 40 / 100, 1, true, true, false},
		{31, 1 << 31 * 40 / 100, 2, true, true, true},
		{31, 1 << 31 * 40 / 100, 4, true, false, true},
		{31, 1 << 31 * 51 / 100, 8, true, true, false},
		{32, 1 << 32 * 10 / 100, 16, true, true, false},
	} {
		if got := Holds(1<<c.scale, c.rows, 16<<c.scale, c.devices, c.isKronecker, c.split); got != c.want {
			t.Errorf("scale %d, %d rows, %d devices, Kronecker graph: %v, split: %v: %v", c.scale, c.rows, c.devices, c.isKronecker, c.split, got)
		}
	}
	if Holds(1<<26, 1<<25, 1<<33, 1, true, true) { // edge factor 128
		t.Error("a graph with more tuples a vertex than an official one is taken for one")
	}
}
