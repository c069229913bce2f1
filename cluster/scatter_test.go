package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// Rank r of scattered elements gets r+extra of them.
func TestScatter(t *testing.T) {
	for _, size := range []int{1, 2, 3, 5} {
		for _, extra := range []int{0, 1, 2*scatterPiece/(8*size) + 7} { // the last in several pieces
			all := make([]int64, size*(size-1)/2+size*extra)
			for i := range all {
				all[i] = int64(i)
			}
			if err := errors.Join(onRanks(size, func(w *World) error {
				own := make([]int64, w.Rank()+extra)
				from := all
				if w.Rank() > 0 {
					from = nil
				}
				if err := Scatter(t.Context(), w, from, own); err != nil {
					return err
				}
				first := w.Rank()*(w.Rank()-1)/2 + w.Rank()*extra
				if !slices.Equal(own, all[first:][:len(own)]) {
					return fmt.Errorf("rank %d of %d got others", w.Rank(), size)
				}
				return nil
			})...); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestScatterOfTooFew(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	for _, err := range onRanks(2, func(w *World) error {
		defer cancel() // as the watch of a run does
		return Scatter(ctx, w, make([]int64, 2-2*w.Rank()), make([]int64, 2))
	}) {
		if err == nil {
			t.Error("scattered 2 elements to 4 places")
		}
	}
}

func TestOnFirst(t *testing.T) {
	const want = "rank 0 on host0: broken"
	for _, err := range onRanks(3, func(w *World) error {
		calls := 0
		if err := w.OnFirst(t.Context(), func() error { calls++; return nil }); err != nil || calls != max(0, 1-w.Rank()) {
			return fmt.Errorf("%d calls on rank %d, %w", calls, w.Rank(), err)
		}
		return w.OnFirst(t.Context(), func() error { return errors.New("broken") })
	}) {
		if err == nil || err.Error() != want {
			t.Error(err)
		}
	}
	if err := Alone().OnFirst(t.Context(), func() error { return errors.ErrUnsupported }); err != errors.ErrUnsupported {
		t.Error(err)
	}
}

func TestOnHost(t *testing.T) {
	w := InProcess(3)[2]
	w.hosts = []string{"a", "b", "a"}
	if n := w.OnHost(); n != 2 {
		t.Errorf("%d ranks on a host of two", n)
	}
}
