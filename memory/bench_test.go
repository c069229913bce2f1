package memory

import (
	"fmt"
	"math/bits"
	"sync"
	"testing"
)

// These benchmarks measure the bandwidths from which docs/notebook.md computes
// its lower bounds.

// measure runs f b.N times on each of the given number of goroutines and reports
// the total rate. perCall is the amount of work in one call of f.
func measure(b *testing.B, workers int, perCall float64, unit string, f func(worker int) uint64) {
	b.Helper()
	var wg sync.WaitGroup
	sums := make([]uint64, 16*workers)
	b.ResetTimer()
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range b.N {
				sums[16*w] += f(w)
			}
		}()
	}
	wg.Wait()
	b.ReportMetric(perCall*float64(b.N*workers)/b.Elapsed().Seconds()/1e9, unit)
}

func BenchmarkRead(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("256MiB/workers=%d", workers), func(b *testing.B) {
			data := make([][]uint64, workers)
			for w := range data {
				data[w], _ = Alloc[uint64](256 << 17)
				for i := range data[w] {
					data[w][i] = uint64(i)
				}
				defer Free(data[w])
			}
			measure(b, workers, 256<<20, "GB/s", func(w int) (sum uint64) {
				d := data[w]
				var s [8]uint64
				for i := 0; i+8 <= len(d); i += 8 {
					s[0] += d[i]
					s[1] += d[i+1]
					s[2] += d[i+2]
					s[3] += d[i+3]
					s[4] += d[i+4]
					s[5] += d[i+5]
					s[6] += d[i+6]
					s[7] += d[i+7]
				}
				return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7]
			})
		})
	}
}

func BenchmarkRandomRead(b *testing.B) {
	for _, size := range []int{32 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20, 256 << 20} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%dKiB/workers=%d", size>>10, workers), func(b *testing.B) {
				data, err := Alloc[uint32](size / 4)
				if err != nil {
					b.Fatal(err)
				}
				defer Free(data)
				for i := range data {
					data[i] = uint32(i)
				}
				const reads = 1 << 20
				shift := 64 - bits.Len(uint(len(data)-1))
				measure(b, workers, reads, "G/s", func(w int) (sum uint64) {
					for i := range uint64(reads) { // independent addresses, so that loads overlap
						sum += uint64(data[(i+uint64(w)<<20)*0x9E3779B97F4A7C15>>shift])
					}
					return sum
				})
			})
		}
	}
}
