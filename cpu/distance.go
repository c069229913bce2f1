package cpu

import (
	"math"
	"sync/atomic"
	"unsafe"

	"graph500/engine"
)

// distance is the form in which a search has distances: the bits of a float32, in whose order they
// are, or, if weights are whole numbers (engine.Job.Integers), a number of 64 bits.
type distance interface{ uint32 | uint64 }

// improvement is a strict improvement of a distance. Parents come from improvements
// only. They therefore form no cycle, even where a weight adds nothing to a distance.
type improvement[D distance] struct {
	vertex, parent engine.Label
	distance       D
}

// reachedVertex is a vertex with the distance that it had when it was listed.
type reachedVertex[D distance] struct {
	vertex   engine.Label
	distance D
}

// distancesOf returns the distances that are the results of a search.
func distancesOf[D distance](in *input) []D {
	if exact, is := any(in.exact).([]D); is {
		return exact
	}
	return any(bitsOf(in.distances)).([]D)
}

// current returns a distance that other workers may lower.
func current[D distance](from *D) D {
	if unsafe.Sizeof(*from) == 8 {
		return D(atomic.LoadUint64((*uint64)(unsafe.Pointer(from))))
	}
	return D(atomic.LoadUint32((*uint32)(unsafe.Pointer(from))))
}

// lower lowers the distance of x.vertex to x.distance. It reports false if the distance
// is not larger. Several workers may lower a distance at the same time. It calls no generic function:
// each would cost a look-up of its type for every arc.
func lower[D distance](distances []D, x improvement[D]) bool {
	to := unsafe.Pointer(&distances[x.vertex])
	for {
		if unsafe.Sizeof(x.distance) == 8 {
			old := atomic.LoadUint64((*uint64)(to))
			if uint64(x.distance) >= old {
				return false
			}
			if atomic.CompareAndSwapUint64((*uint64)(to), old, uint64(x.distance)) {
				return true
			}
			continue
		}
		old := atomic.LoadUint32((*uint32)(to))
		if uint32(x.distance) >= old {
			return false
		}
		if atomic.CompareAndSwapUint32((*uint32)(to), old, uint32(x.distance)) {
			return true
		}
	}
}

// longer returns the sum of a distance and the weight of an arc.
func longer[D distance](d D, weight float32) D {
	if unsafe.Sizeof(d) == 8 {
		return d + D(math.Float32bits(weight)) // engine.IntegerWeight
	}
	return D(add(uint32(d), weight))
}

// add returns the bits of the sum of a distance and a weight, rounded to float32.
func add(distance uint32, weight float32) uint32 {
	return math.Float32bits(math.Float32frombits(distance) + weight)
}

// bitsOf returns the memory of distances as their bits.
func bitsOf(distances []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(distances))), len(distances))
}
