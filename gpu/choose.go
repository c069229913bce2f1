//go:build cuda

package gpu

import (
	"context"
	"fmt"
	"slices"

	"graph500/cluster"
	"graph500/device"
)

// AllGPUs is the number of GPUs of Choose for all that there are.
const AllGPUs = 0

// Choose returns the ordinals of the GPUs that this rank takes, count of them, the same
// number on all ranks. With AllGPUs the ranks share all GPUs of the host. No two ranks take
// the same GPU, unless each is to take those from a given ordinal on. -1 gives none. The
// ranks must be on one host. An error is the same on all ranks.
func Choose(ctx context.Context, w *cluster.World, count, given int) ([]int, error) {
	own, err := device.BusIDs()
	if err := w.Agree(ctx, err); err != nil {
		return nil, err
	}
	visible, err := cluster.Values(ctx, w, own)
	if err != nil {
		return nil, err
	}
	chosen, err := assign(visible, count, given)
	if err != nil {
		return nil, fmt.Errorf("%w on %s", err, w.Hosts()[w.Rank()])
	}
	return chosen[w.Rank()], nil
}

// assign returns the ordinals of the GPUs of each rank, from the bus ids of those that it
// sees.
func assign(visible [][]string, count, given int) (chosen [][]int, err error) {
	all := slices.Concat(visible...)
	slices.Sort(all)
	there, ranks := len(slices.Compact(all)), len(visible)
	if count == AllGPUs {
		count = max(1, there/ranks)
	}
	taken := make(map[string]bool)
	for _, ids := range visible {
		var own []int
		for ordinal, id := range ids {
			if len(own) < count && ordinal >= given && (given >= 0 || !taken[id]) {
				own = append(own, ordinal)
				taken[id] = true
			}
		}
		switch {
		case len(own) == count:
		case given >= 0:
			return nil, fmt.Errorf("there are %d GPUs from GPU %d on, not %d,", max(0, len(ids)-given), given, count)
		case count == 1:
			return nil, fmt.Errorf("%d ranks need %d GPUs (or -device to share one), there are %d", ranks, ranks, there)
		default:
			return nil, fmt.Errorf("%d ranks need %d GPUs, %d each, there are %d", ranks, count*ranks, count, there)
		}
		chosen = append(chosen, own)
	}
	return chosen, nil
}
