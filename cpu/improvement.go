package cpu

import (
	"sync/atomic"

	"graph500/engine"
)

// improvement is a strict improvement of a distance. Parents come from improvements
// only. They therefore form no cycle, even where a weight adds nothing to a distance.
type improvement struct {
	vertex, parent engine.Label
	distance       uint32 // bits
}

// lower lowers the distance of x.vertex to x.distance. It reports false if the distance
// is not larger. Several workers may lower a distance at the same time.
func lower(distances []uint32, x improvement) bool {
	to := &distances[x.vertex]
	for {
		old := atomic.LoadUint32(to)
		if x.distance >= old {
			return false
		}
		if atomic.CompareAndSwapUint32(to, old, x.distance) {
			return true
		}
	}
}
