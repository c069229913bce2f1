package run

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// ballastBytes is how much more garbage there may be between two collections.
const ballastBytes = 32 << 20

// takeBallast allocates memory that is never written to, and so takes none of the machine's: after the collection
// that it causes, the next one waits until there is as much garbage. Otherwise one begins at 4 MiB, in the midst of kernel 1,
// whose loops in assembly it cannot interrupt; the cores then wait for each other (10 ms at scale 20). The function
// that it returns frees the memory.
func takeBallast() (free func()) {
	ballast := make([]byte, ballastBytes)
	return func() { runtime.KeepAlive(ballast) }
}

// pauseGC stops automatic garbage collection, which would use the cores during a
// search. The function that it returns resumes it.
func pauseGC() (resume func()) {
	runtime.GC()
	before := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(before) }
}

// maxGarbage is the number of bytes of garbage above which collectGarbage collects.
// Searches that the host steers leave 100 to 400 bytes for each level.
const maxGarbage = 64 << 20

// collectGarbage runs the garbage collector if there is much garbage.
func collectGarbage() {
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	if heap[0].Value.Uint64() > heap[1].Value.Uint64()+maxGarbage {
		runtime.GC()
	}
}
