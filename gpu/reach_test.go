//go:build cuda

package gpu

import (
	"slices"
	"testing"

	"graph500/cluster"
	"graph500/device"
)

// More GPUs than a team of kernels has place for exchange data in another way.
func TestReachOfManyGPUs(t *testing.T) {
	if err := Available(); err != nil {
		t.Skip(err)
	}
	for count, want := range map[int]string{device.MostTogether: "", device.MostTogether + 1: "at most 16 GPUs do, not 17"} {
		if why, err := unreachable(t.Context(), cluster.Alone(), slices.Repeat([]int{0}, count)); err != nil || why != want {
			t.Errorf("%d GPUs: %q, %v", count, why, err)
		}
	}
}
