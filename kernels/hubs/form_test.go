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
