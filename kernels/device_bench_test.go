//go:build cuda

package kernels

import (
	"errors"
	"testing"

	"graph500/kernels/driver"
)

// The start-up of the GPU engine, without cuInit, which happens once. PTX is
// compiled anew only where CUDA_CACHE_DISABLE=1 says so.
func BenchmarkOpen(b *testing.B) {
	if err := driver.Load(); err != nil {
		b.Skip(err)
	}
	for name, images := range map[string]imageChoice{"any": anyImage, "PTX": onlyPTX} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				d, err := open(0, images)
				if err != nil {
					b.Fatal(err)
				}
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What each launch of a search costs the host, and with the wait for its end.
func BenchmarkLaunch(b *testing.B) {
	d := testDevice(b)
	a := testArray[uint32](b, d, 8)
	k, err := d.Kernel("bandwidth", "copy")
	if err != nil {
		b.Fatal(err)
	}
	for name, launch := range map[string]func(grid, block, shared int, args ...uint64) error{
		"plain":       k.Launch,
		"cooperative": k.LaunchCooperative,
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := launch(1, 32, 0, a.Address()+16, a.Address(), 1); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"-and-wait", func(b *testing.B) {
			for b.Loop() {
				if err := launch(1, 32, 0, a.Address()+16, a.Address(), 1); err != nil {
					b.Fatal(err)
				}
				if err := d.Synchronize(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUse(b *testing.B) {
	d := testDevice(b)
	for b.Loop() {
		release, err := d.Use()
		if err != nil {
			b.Fatal(err)
		}
		release()
	}
}

func BenchmarkBandwidth(b *testing.B) {
	d := testDevice(b)
	a := testArray[byte](b, d, 8<<30)
	var best float64
	for b.Loop() {
		rate, err := Bandwidth(d, a)
		if err != nil {
			b.Fatal(err)
		}
		best = max(best, rate)
	}
	b.ReportMetric(best/1e9, "GB/s")
}

func BenchmarkFill(b *testing.B) {
	d := testDevice(b)
	a := testArray[byte](b, d, 8<<30)
	b.SetBytes(int64(a.Bytes()))
	for b.Loop() {
		if err := errors.Join(a.Fill(1), d.Synchronize()); err != nil {
			b.Fatal(err)
		}
	}
}
