//go:build cuda

package generate

import (
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// checksumGrid is a number of blocks that fills any device.
const checksumGrid = 1 << 12

// Checksums are the checksums of tuples that kronecker/testdata/README.md defines
// under the same names: sums and exclusive ors modulo 2^64. Largest is the largest
// vertex label, Weights the sum of the bits of the weights.
type Checksums struct {
	Lin, LinXor, Mix, MixXor, UndirectedMix, Ordered, Loops, Largest, Weights uint64
}

// checksum computes the checksums of the tuples at..at+count-1 of the arrays. The first
// of them is tuple number first of its graph.
func checksum(t *testing.T, d *device.Device, edges device.Array[engine.Edge], weights device.Array[float32], at, count int, first uint64) Checksums {
	t.Helper()
	address, err := edges.AddressOf(at, count)
	if err != nil {
		t.Fatal(err)
	}
	weightsAt, err := weights.AddressOf(at, count)
	if err != nil {
		t.Fatal(err)
	}
	sums := devicetest.Array[Checksums](t, d, 1)
	if err := sums.Fill(0); err != nil {
		t.Fatal(err)
	}
	if count > 0 {
		m, err := module(d, false)
		if err != nil {
			t.Fatal(err)
		}
		kernel, err := m.Kernel("checksum")
		if err != nil {
			t.Fatal(err)
		}
		grid := min(checksumGrid, (count-1)/generateThreads+1)
		if err := kernel.Launch(grid, generateThreads, 0, address, weightsAt, uint64(count), first, sums.Address()); err != nil {
			t.Fatal(err)
		}
	}
	return devicetest.Host(t, sums)[0]
}
