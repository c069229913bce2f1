package cpu

import (
	"fmt"
	"testing"

	"graph500/cluster"
	"graph500/engine"
)

// TestWidePlan: the plan of a rank has 12 bytes for a tuple, 8 for an own parent, and the tuples
// as read.
func TestWidePlan(t *testing.T) {
	job := engine.Job{Vertices: 1 << 20, Tuples: 16 << 20, Searches: 1, Strategies: []engine.Strategy{{Kernel: engine.BFS, Name: "default"}, {Kernel: engine.SSSP, Name: "default"}}}
	for _, ranks := range []int{1, 3, 4} {
		w := cluster.Alone()
		if ranks > 1 {
			w = cluster.InProcess(ranks)[ranks/2]
		}
		e := New(w, 2)
		defer e.Close()
		bytesOf := func() map[string]uint64 {
			plan := map[string]uint64{}
			for _, a := range e.Plan(job).Memory {
				plan[a.Name] += a.Bytes
			}
			return plan
		}
		for _, job.Loaded = range []bool{false, true} {
			job.Wide = false
			want := bytesOf()
			z := largest(job, w.Size())
			job.Wide = true
			want["tuples"] = 12 * z.tuples
			want["parents of 64 bits (bfs)"], want["parents of 64 bits (sssp)"] = 8*z.owned, 8*z.owned
			if job.Loaded {
				want["tuples, as read"] = 8 * z.tuples
			}
			if got := bytesOf(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d ranks, loaded %v: %v, want %v", w.Size(), job.Loaded, got, want)
			}
		}
		read := job
		read.Wide, read.LoadedWide = true, true // those of a file with 48 bits
		for _, a := range e.Plan(read).Memory {
			if a.Name == "tuples, as read" {
				t.Errorf("tuples are planned twice: %+v", a)
			}
		}
	}
}
