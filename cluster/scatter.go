package cluster

import (
	"context"
	"fmt"
)

// scatterPiece is about the number of bytes that rank 0 sends at a time.
const scatterPiece = 1 << 22

// Scatter divides what rank 0 has: the ranks get its elements in their order, each as many
// as fill own. The other ranks pass no elements as all.
func Scatter[T any](ctx context.Context, w *World, all, own []T) error {
	lengths := make([]int64, w.size)
	if err := Allgather(ctx, w, []int64{int64(len(own))}, lengths); err != nil {
		return err
	}
	parts, longest := make([][]T, w.size), int64(0)
	for r, n := range lengths {
		longest = max(longest, n)
		if w.rank > 0 {
			continue
		}
		if n > int64(len(all)) {
			return fmt.Errorf("cluster: %d elements are left for the %d of rank %d", len(all), n, r)
		}
		parts[r], all = all[:n], all[n:]
	}
	x := NewExchanger[T](w)
	step := max(1, scatterPiece/(w.size*sizeOf[T]()))
	for done := int64(0); done < longest; done += int64(step) {
		pieces := make([][]T, w.size)
		for r, p := range parts {
			n := min(step, len(p))
			pieces[r], parts[r] = p[:n], p[n:]
		}
		received, err := x.Exchange(ctx, pieces)
		if err != nil {
			return err
		}
		own = own[copy(own, received):]
	}
	return nil
}
