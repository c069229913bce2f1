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

// Gather stores the own parts of all ranks in all, where that of rank r begins at bounds[r], of
// which the first is 0, and ends at bounds[r+1]. The parts do not overlap all.
func Gather[T any](ctx context.Context, w *World, own, all []T, bounds []int) error {
	if len(bounds) != w.size+1 || len(own) != bounds[w.rank+1]-bounds[w.rank] || len(all) != bounds[w.size] {
		return fmt.Errorf("cluster: %d elements of rank %d of %d do not fill its part of %d", len(own), w.rank, w.size, len(all))
	}
	longest, equal := 0, true
	for r := range w.size {
		n := bounds[r+1] - bounds[r]
		longest, equal = max(longest, n), equal && n == len(own)
	}
	if equal { // on all ranks
		return Allgather(ctx, w, own, all)
	}
	w.traffic.add((w.size-1)*len(own)*sizeOf[T](), (len(all)-len(own))*sizeOf[T]())
	// In pieces: MPI counts bytes in 32 bits.
	step := max(1, GatherBytes/max(1, w.size*sizeOf[T]()))
	if longest <= step {
		return w.link.allgatherv(ctx, bytesOf(own), bytesOf(all), pieces[T](bounds, 0, longest))
	}
	part := make([]T, w.size*step)
	for lo := 0; lo < longest; lo += step {
		lengths := pieces[T](bounds, lo, step)
		piece := own[min(lo, len(own)):min(lo+step, len(own))]
		if err := w.link.allgatherv(ctx, bytesOf(piece), bytesOf(part), lengths); err != nil {
			return err
		}
		from := part
		for r, bytes := range lengths {
			n := int(bytes) / sizeOf[T]()
			copy(all[bounds[r]+lo:], from[:n])
			from = from[n:]
		}
	}
	return nil
}

// pieces returns the lengths in bytes of the pieces of all parts from element lo of each on, of
// at most step elements.
func pieces[T any](bounds []int, lo, step int) []int32 {
	lengths := make([]int32, len(bounds)-1)
	for r := range lengths {
		n := bounds[r+1] - bounds[r]
		lengths[r] = int32(max(0, min(n-lo, step)) * sizeOf[T]())
	}
	return lengths
}

// GatherAll is Gather for own parts that follow each other. No rank need know how long the others
// are.
func GatherAll[T any](ctx context.Context, w *World, own, all []T) error {
	bounds, err := boundsOf(ctx, w, len(own))
	if err != nil {
		return err
	}
	return Gather(ctx, w, own, all, bounds)
}

// boundsOf returns where the parts of all ranks begin if they follow each other, and the end of the
// last: those of Gather.
func boundsOf(ctx context.Context, w *World, own int) ([]int, error) {
	lengths, bounds := make([]int64, w.size), make([]int, w.size+1)
	err := Allgather(ctx, w, []int64{int64(own)}, lengths)
	for r, n := range lengths {
		bounds[r+1] = bounds[r] + int(n)
	}
	return bounds, err
}
