//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"graph500/cluster"
	"graph500/device"
)

// unreachable returns why the GPUs of all ranks cannot, or will not, access each other's memory,
// the same on all ranks, or nothing if they can. The arguments are the ordinals of this rank's GPUs.
func unreachable(ctx context.Context, w *cluster.World, ordinals []int) (why string, err error) {
	if !w.OnOneHost() {
		return "the GPUs are on several hosts", nil
	}
	if count := w.Size() * len(ordinals); count > device.MostTogether {
		return fmt.Sprintf("at most %d GPUs do, not %d", device.MostTogether, count), nil
	}
	own, err := device.BusIDsOf(ordinals)
	if err := w.Agree(ctx, err); err != nil {
		return "", err
	}
	all, err := cluster.Values(ctx, w, own)
	if err != nil {
		return "", err
	}
	err = device.CheckPeers(ordinals, slices.Concat(all...))
	var none *device.NoPeerAccess
	if errors.As(err, &none) {
		why, err = none.Error(), nil
	}
	if err := w.Agree(ctx, err); err != nil {
		return "", err
	}
	texts, err := w.Strings(ctx, why)
	if err != nil {
		return "", err
	}
	for _, text := range texts {
		if text != "" {
			return text, nil
		}
	}
	return "", nil
}
