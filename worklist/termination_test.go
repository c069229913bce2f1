package worklist

import (
	"sync/atomic"
	"testing"
)

// TestIsDoneWhileItemsRemain publishes counts as workers would that pass items on: at
// any time, one item more is pushed than processed. isDone reads the counts one after
// the other meanwhile and must not take numbers of different times for equal. The pause
// between two steps varies, so that single steps fall between two reads.
func TestIsDoneWhileItemsRemain(t *testing.T) {
	const workers, steps = 16, 1 << 20
	l, shut := open[int32](t, nil, workers, 0, 1)
	defer shut()
	pushing, processing := l.Worker(0), l.Worker(workers-1)
	pushing.pushed.Store(1)
	var ended atomic.Bool
	go func() {
		defer ended.Store(true)
		for n := int64(1); n <= steps; n++ {
			pushing.pushed.Store(n + 1)
			processing.done.Store(n)
			for range n % 256 {
				ended.Load()
			}
		}
	}()
	early := 0
	for !ended.Load() {
		if l.isDone() {
			early++
		}
	}
	if early != 0 {
		t.Errorf("%d times done while an item remained", early)
	}
	processing.done.Store(steps + 1)
	if !l.isDone() {
		t.Error("not done at the end")
	}
}
