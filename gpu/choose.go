//go:build cuda

package gpu

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"graph500/cluster"
	"graph500/device"
)

// AllGPUs is the number of GPUs of Choose for all that there are.
const AllGPUs = 0

// Choose returns the ordinals of the GPUs that this rank takes, count of them, the same
// number on all ranks. With AllGPUs the ranks of each host share all its GPUs, as far as the
// host with the fewest for a rank has them. No two ranks take the same GPU, unless each is to
// take those from a given ordinal on. -1 gives none. An error is the same on all ranks.
func Choose(ctx context.Context, w *cluster.World, count, given int) ([]int, error) {
	own, err := device.BusIDs()
	if err := w.Agree(ctx, err); err != nil {
		return nil, err
	}
	visible, err := cluster.Values(ctx, w, own)
	if err != nil {
		return nil, err
	}
	byHost := make(map[string][]int) // ranks
	for rank, host := range w.Hosts() {
		byHost[host] = append(byHost[host], rank)
	}
	if count == AllGPUs {
		count = gpusEach(visible, byHost)
	}
	var ordinals []int
	for _, host := range slices.Sorted(maps.Keys(byHost)) {
		chosen, err := assign(ofRanks(visible, byHost[host]), count, given)
		if err != nil {
			return nil, fmt.Errorf("%w on %s", err, host)
		}
		if i := slices.Index(byHost[host], w.Rank()); i >= 0 {
			ordinals = chosen[i]
		}
	}
	return ordinals, nil
}

// gpusEach returns the number of GPUs for each rank, from the bus ids of those that it sees and
// the ranks of each host: as many as every host has for its ranks, but at least one.
func gpusEach(visible [][]string, byHost map[string][]int) int {
	least := math.MaxInt
	for _, ranks := range byHost {
		least = min(least, distinct(ofRanks(visible, ranks))/len(ranks))
	}
	return max(1, least)
}

// ofRanks returns the lists of some ranks.
func ofRanks(visible [][]string, ranks []int) (lists [][]string) {
	for _, r := range ranks {
		lists = append(lists, visible[r])
	}
	return lists
}

// distinct returns the number of GPUs that ranks of a host see.
func distinct(visible [][]string) int {
	all := slices.Concat(visible...)
	slices.Sort(all)
	return len(slices.Compact(all))
}

// assign returns the ordinals of the GPUs of each rank of a host, from the bus ids of those
// that it sees.
func assign(visible [][]string, count, given int) (chosen [][]int, err error) {
	there, ranks := distinct(visible), len(visible)
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
