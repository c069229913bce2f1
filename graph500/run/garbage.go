package run

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

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
