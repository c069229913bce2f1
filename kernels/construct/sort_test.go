//go:build cuda

package construct

import (
	"errors"
	"math/rand/v2"
	"testing"

	"graph500/device"
	"graph500/device/devicetest"
	"graph500/engine"
)

// TestSortPortions sorts more keys than one launch processes.
func TestSortPortions(t *testing.T) {
	if testing.Short() {
		t.Skip("more than 2^28 keys")
	}
	d := devicetest.Open(t)
	const count = sortPortion + 3*sortTile/2
	var keys, other device.Array[uint64]
	var s sorter
	group := device.Group{Alive: engine.Construction, Arrays: append(s.arrays(count), device.Of(&keys, "keys", count), device.Of(&other, "other keys", count))}
	if d.Free() < group.Bytes() {
		t.Skipf("%d bytes of device memory are free", d.Free())
	}
	held, err := d.Borrow(group)
	if err != nil {
		t.Fatal(err)
	}
	host := make([]uint64, count)
	r := rand.New(rand.NewPCG(3, 4))
	for i := range host {
		host[i] = r.Uint64()>>44<<32 | uint64(i)
	}
	if err := errors.Join(keys.Write(0, host), other.Fill(devicetest.Poison)); err != nil {
		t.Fatal(err)
	}
	swapped, err := s.sort(launcher{d}, sortable{keys: keys}, sortable{keys: other}, count, 32, 20)
	if err != nil {
		t.Fatal(err)
	}
	sorted := keys
	if swapped {
		sorted = other
	}
	if err := sorted.Read(0, host); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < count; i++ {
		if host[i-1] >= host[i] {
			t.Fatalf("key %d is %x and key %d is %x", i-1, host[i-1], i, host[i])
		}
	}
	if err := held.Free(); err != nil {
		t.Fatal(err)
	}
}
