//go:build cuda

package device

import (
	"errors"
	"slices"
	"sync"
	"testing"
)

// TestTogether requires that different devices work at the same time and that one device
// works in order, up to its first error.
func TestTogether(t *testing.T) {
	a, b := new(Device), new(Device)
	devices := []*Device{a, b, a, b, a}
	var both sync.WaitGroup
	both.Add(2)
	order := make([][]int, 2) // by device
	note := func(k int) { order[k%2] = append(order[k%2], k) }
	if err := Together(devices, func(k int) error {
		if k < 2 {
			both.Done()
			both.Wait()
		}
		note(k)
		return nil
	}); err != nil || !slices.Equal(order[0], []int{0, 2, 4}) || !slices.Equal(order[1], []int{1, 3}) {
		t.Errorf("%v, %v", order, err)
	}
	order = make([][]int, 2)
	second, first := errors.New("second"), errors.New("first")
	if err := Together(devices, func(k int) error {
		note(k)
		return []error{nil, first, second, nil, nil}[k]
	}); err != first || !slices.Equal(order[0], []int{0, 2}) || !slices.Equal(order[1], []int{1}) {
		t.Errorf("%v, %v", order, err)
	}
	if err := Together(nil, nil); err != nil {
		t.Error(err)
	}
}
