//go:build cuda

package device

import (
	"errors"
	"testing"
)

// BenchmarkLaunch measures the host time of a launch, without and with the wait for
// its end.
func BenchmarkLaunch(b *testing.B) {
	d := testDevice(b)
	a := testArray[uint64](b, d, 5)
	k := testKernel(b, d, "args")
	for name, launch := range map[string]func(grid, block, shared int, args ...uint64) error{
		"plain":       k.Launch,
		"cooperative": k.LaunchCooperative,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := launch(1, 1, 0, a.Address(), 1, 2, 3, 4, 5); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"-and-wait", func(b *testing.B) {
			for b.Loop() {
				if err := errors.Join(launch(1, 1, 0, a.Address(), 1, 2, 3, 4, 5), d.Synchronize()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFill(b *testing.B) {
	d := testDeviceWith(b, Options{}, 8<<30)
	a := testArray[byte](b, d, 8<<30)
	b.SetBytes(int64(a.Bytes()))
	for b.Loop() {
		if err := errors.Join(a.Fill(1), d.Synchronize()); err != nil {
			b.Fatal(err)
		}
	}
}
