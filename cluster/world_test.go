package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// onRanks runs work on ranks that are goroutines and returns the errors by rank.
func onRanks(size int, work func(w *World) error) []error {
	errs := make([]error, size)
	var wait sync.WaitGroup
	for r, w := range InProcess(size) {
		wait.Go(func() { errs[r] = work(w) })
	}
	wait.Wait()
	return errs
}

// useCollectives calls every collective operation some times and checks the results.
func useCollectives(ctx context.Context, w *World) error {
	size, rank := int64(w.Size()), int64(w.Rank())
	for round := range int64(20) {
		values := []int64{rank<<40 + round, -rank}
		low, high := []int64{rank + round, -rank}, []int64{rank + round, -rank}
		if err := errors.Join(w.Barrier(ctx), w.Sum(ctx, values), w.Min(ctx, low), w.Max(ctx, high)); err != nil {
			return err
		}
		all := size * (size - 1) / 2
		if values[0] != all<<40+size*round || values[1] != -all || low[0] != round || low[1] != 1-size || high[0] != size-1+round || high[1] != 0 {
			return fmt.Errorf("round %d: sum %v, minimum %v, maximum %v", round, values, low, high)
		}
		if err := useGathers(ctx, w, int(round)); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	seconds, err := w.MaxSeconds(ctx, float64(rank)/8)
	if err == nil && seconds != float64(size-1)/8 {
		err = fmt.Errorf("largest time %v", seconds)
	}
	return err
}

// useGathers checks the operations whose results differ in length.
func useGathers(ctx context.Context, w *World, round int) error {
	own, all := make([]uint16, round), make([]uint16, round*w.Size())
	for i := range own {
		own[i] = uint16(100*w.Rank() + i)
	}
	if err := Allgather(ctx, w, own, all); err != nil {
		return err
	}
	for i, v := range all {
		if v != uint16(100*(i/round)+i%round) {
			return fmt.Errorf("element %d of the gathered ones is %d", i, v)
		}
	}
	if err := useGather(ctx, w, round); err != nil {
		return err
	}
	text := strings.Repeat("x", w.Rank()*round)
	texts, err := w.Strings(ctx, text)
	if err != nil {
		return err
	}
	for r, text := range texts {
		if len(text) != r*round {
			return fmt.Errorf("text %q of rank %d", text, r)
		}
	}
	// Rank s sends (3 s + r + round) mod 5 numbers to rank r, in two parts.
	count := func(from, to int) int { return (3*from + to + round) % 5 }
	x := NewExchanger[uint64](w)
	for range 2 {
		first, second := make([][]uint64, w.Size()), make([][]uint64, w.Size())
		for to := range w.Size() {
			for i := range count(w.Rank(), to) {
				part := &first[to]
				if i > 1 {
					part = &second[to]
				}
				*part = append(*part, uint64(1000*w.Rank()+10*to+i))
			}
		}
		got, err := x.Exchange(ctx, first, second)
		if err != nil {
			return err
		}
		for from := range w.Size() {
			for i := range count(from, w.Rank()) {
				if len(got) == 0 || got[0] != uint64(1000*from+10*w.Rank()+i) {
					return fmt.Errorf("rank %d sent %v", from, got)
				}
				got = got[1:]
			}
		}
		if len(got) > 0 {
			return fmt.Errorf("%d too many", len(got))
		}
	}
	return useActive(ctx, w, round)
}

// useGather gathers parts of different lengths, of which one is empty, and equally long ones.
func useGather(ctx context.Context, w *World, round int) error {
	for _, more := range []int{0, 1} {
		length := (w.Rank() + 1) * round * more
		if w.Rank() == round%w.Size() || more == 0 {
			length = 3 * (1 - more)
		}
		own := make([]uint32, length)
		for i := range own {
			own[i] = uint32(100*w.Rank() + i)
		}
		bounds, err := boundsOf(ctx, w, length)
		if err != nil {
			return err
		}
		all := make([]uint32, bounds[w.Size()])
		if err := Gather(ctx, w, own, all, bounds); err != nil {
			return err
		}
		for r := range w.Size() {
			for i, v := range all[bounds[r]:bounds[r+1]] {
				if v != uint32(100*r+i) {
					return fmt.Errorf("element %d of rank %d of the gathered ones is %d", i, r, v)
				}
			}
		}
	}
	return nil
}

// useActive checks exchanges of which some ranks, or none, send data or are active without.
func useActive(ctx context.Context, w *World, round int) error {
	x := NewExchanger[uint32](w)
	for who := range w.Size() + 1 { // all but the last one
		mine := who == w.Rank()
		parts := make([][]uint32, w.Size())
		if mine && round%2 == 0 {
			parts[(who+1)%w.Size()] = []uint32{7, uint32(who)}
		}
		got, active, err := x.ExchangeActive(ctx, mine && round%2 == 1, parts)
		if err != nil {
			return err
		}
		want := 0
		if who < w.Size() && (who+1)%w.Size() == w.Rank() && round%2 == 0 {
			want = 2
		}
		if active != (who < w.Size()) || len(got) != want || want > 0 && got[1] != uint32(who) {
			return fmt.Errorf("exchange %d: %v, %v", who, active, got)
		}
	}
	return nil
}

func TestCollectives(t *testing.T) {
	for size := 1; size <= 5; size++ {
		for r, err := range onRanks(size, func(w *World) error { return useCollectives(t.Context(), w) }) {
			if err != nil {
				t.Errorf("rank %d of %d: %v", r, size, err)
			}
		}
	}
}

func TestGatherLengths(t *testing.T) {
	if Allgather(t.Context(), Alone(), make([]byte, 2), make([]byte, 3)) == nil {
		t.Error("Allgather has no error")
	}
	for _, bounds := range [][]int{{0, 2}, {0, 3}, {0}, {0, 3, 3}} {
		if Gather(t.Context(), Alone(), make([]byte, 2), make([]byte, 3), bounds) == nil {
			t.Errorf("Gather has no error with bounds %v", bounds)
		}
	}
}

// An operation that waits for a rank ends with the cause of its context.
func TestEndOfContext(t *testing.T) {
	cause := errors.New("cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for r, err := range onRanks(3, func(w *World) error {
		if w.Rank() == 1 {
			cancel(cause)
			return cause
		}
		return w.Barrier(ctx)
	}) {
		if !errors.Is(err, cause) {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}

func TestCompare(t *testing.T) {
	for r, err := range onRanks(3, func(w *World) error {
		d, err := w.Compare(t.Context(), "same")
		if d != nil || err != nil {
			return fmt.Errorf("%v %v", d, err)
		}
		text := "zero"
		if w.Rank() == 2 {
			text = "two"
		}
		d, err = w.Compare(t.Context(), text)
		if err != nil || d == nil || *d != (Difference{2, "host2", "two", "zero"}) {
			return fmt.Errorf("%v %v", d, err)
		}
		return nil
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}

// Ranks agree on the error of the first rank that has one, and name the rank unless all
// have the same.
func TestAgree(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		errs []error
		want string
	}{
		{[]error{nil, nil, nil}, ""},
		{[]error{broken, broken, broken}, "broken"},
		{[]error{nil, broken, errors.New("other")}, "rank 1 on host1: broken"},
		{[]error{broken}, "broken"},
		{[]error{nil}, ""},
	} {
		for r, err := range onRanks(len(c.errs), func(w *World) error { return w.Agree(t.Context(), c.errs[w.Rank()]) }) {
			if (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
				t.Errorf("%v, rank %d: %v", c.errs, r, err)
			}
		}
	}
}

func TestValues(t *testing.T) {
	type value struct {
		Text string
		List []int
	}
	for r, err := range onRanks(3, func(w *World) error {
		all, err := Values(t.Context(), w, value{strings.Repeat("x", w.Rank()), make([]int, 3*w.Rank())})
		for k, v := range all {
			if len(v.Text) != k || len(v.List) != 3*k {
				return fmt.Errorf("rank %d has %+v", k, v)
			}
		}
		return err
	}) {
		if err != nil {
			t.Errorf("rank %d: %v", r, err)
		}
	}
}

func TestOnOneHost(t *testing.T) {
	w := InProcess(2)[0]
	if w.OnOneHost() {
		t.Error(w.Hosts())
	}
	w.hosts[1] = w.hosts[0]
	if !w.OnOneHost() || !Alone().OnOneHost() {
		t.Error(w.Hosts())
	}
}
