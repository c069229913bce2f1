//go:build cuda

package distributed

import (
	"slices"

	"graph500/device"
	"graph500/device/exchange"
)

// exchangeLists lets the devices of this process, of which the first has the given number, take the
// entries of the lists of all devices, which have the given lengths. They go through the buffers of the
// devices piece by piece: pack copies entries of the list of member i, from number at on, to a span of
// its buffer, and take lets it take count entries of all lists from there.
func exchangeLists[T any](x exchange.Exchange, first int, buffers []device.Array[T], lengths []int, pack func(i, at int, to exchange.Span) error, take func(i, count int) error) error {
	longest, most := slices.Max(lengths), buffers[0].Len()/len(lengths)
	for at := 0; at < longest; at += most {
		spans, total := make([]exchange.Span, len(lengths)), 0
		for k, n := range lengths {
			spans[k] = exchange.Span{First: total, Count: max(0, min(most, n-at))}
			total += spans[k].Count
		}
		for i := range buffers {
			if to := spans[first+i]; to.Count > 0 {
				if err := pack(i, at, to); err != nil {
					return err
				}
			}
		}
		if err := exchange.Gather(x, buffers, spans); err != nil {
			return err
		}
		for i := range buffers {
			if err := take(i, total); err != nil {
				return err
			}
		}
	}
	return nil
}
