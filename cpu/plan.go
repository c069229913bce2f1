package cpu

import (
	"graph500/engine"
	"graph500/graph"
	"graph500/validate"
)

const (
	// unsaved is the number of bytes below which memory is not worth saving.
	unsaved = 1 << 30
	// spared is the part of the free memory, one in so many, that kept trees
	// leave: what is free changes from one look to the next.
	spared = 64
)

// Plan lists the memory for N = vertices and M = tuples. The number of rows is
// not known before construction; as many as there can be are assumed. Tuples
// that are loaded are taken over, so they need no more than generated ones.
func (e *Engine) Plan(job engine.Job) []engine.Allocation {
	strategy, _ := lookUp(job.Strategy.Name)
	plan := e.planOf(job, strategy)
	if bytes := min(mostKept(job.Vertices, job.Searches), roomFor(plan, e.mostMemory(plan))); bytes > 0 {
		plan = append(plan, engine.Allocation{Name: "kept trees, at least", Bytes: bytes, Phase: engine.Searching})
	}
	return plan
}

// planOf lists the memory for a job but for trees that are kept.
func (e *Engine) planOf(job engine.Job, s strategy) []engine.Allocation {
	return e.planRows(job.Vertices, job.Tuples, min(job.Vertices, 2*job.Tuples), 2*job.Tuples, s)
}

// planRows is planOf for so many rows and arcs.
func (e *Engine) planRows(vertices, tuples, rows, arcs uint64, s strategy) []engine.Allocation {
	plan := []engine.Allocation{{Name: "tuples", Bytes: 8 * tuples}}
	plan = append(plan, graph.Plan(vertices, rows, arcs/2, e.team.Size())...)
	plan = append(plan,
		engine.Allocation{Name: "parents", Bytes: 4 * vertices, Phase: engine.Searching},
		engine.Allocation{Name: "validation", Bytes: validate.Bytes(vertices), Phase: engine.Searching})
	return append(plan, s.memory(vertices, rows)...)
}

// mostMemory returns the bytes that a run with that plan may take when it keeps
// trees: what it takes at most without them, mostly in construction, or a
// little.
func (e *Engine) mostMemory(plan []engine.Allocation) uint64 {
	need := engine.Peak(plan, engine.HostMemory)
	most := max(need, unsaved)
	if e.free.Source != "" {
		most = max(need, min(most, e.free.Bytes-e.free.Bytes/spared))
	}
	return most
}

// roomFor returns what the searches of a plan leave of the memory.
func roomFor(plan []engine.Allocation, memory uint64) uint64 {
	for _, a := range plan {
		if a.Phase == engine.Always || a.Phase == engine.Searching {
			memory -= min(memory, a.Bytes)
		}
	}
	return memory
}

// mostKept returns the bytes of the trees that are best kept of so many
// searches. The last one is checked where the search left it.
func mostKept(vertices uint64, searches int) uint64 {
	return treeBytes(vertices) * uint64(max(1, min(searches, validate.BatchSize))-1)
}

func treeBytes(vertices uint64) uint64 { return 4 * vertices }

// keptOf returns how many searches of a job are kept for one validation in a
// graph with so many rows and arcs, which are mostly fewer than the plan assumes.
func (e *Engine) keptOf(vertices, tuples, rows, arcs uint64, searches int, s strategy) int {
	most := e.mostMemory(e.planOf(engine.Job{Vertices: vertices, Tuples: tuples}, s))
	left := roomFor(e.planRows(vertices, tuples, rows, arcs, s), most)
	return 1 + int(min(mostKept(vertices, searches), left)/max(1, treeBytes(vertices)))
}
