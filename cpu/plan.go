package cpu

import (
	"graph500/engine"
	"graph500/graph"
	"graph500/validate"
)

const (
	// freeUse is the number of bytes that a run may use without saving memory.
	freeUse = 1 << 30
	// marginDivisor sets the share of free memory, 1/marginDivisor, that kept
	// trees leave unused, because the amount of free memory fluctuates.
	marginDivisor = 64
)

// Plan lists the memory that a job needs. The number of rows is not known before
// construction; the plan assumes the largest possible number. Loaded tuples need
// as much memory as generated tuples, because the engine takes ownership of them.
func (e *Engine) Plan(job engine.Job) []engine.Allocation {
	strategy, _ := lookUp(job.Strategy(engine.BFS).Name)
	plan := e.basePlan(job, strategy)
	if bytes := min(keptTreeBytes(job.Vertices, job.Searches), memoryLeft(plan, e.memoryLimit(plan))); bytes > 0 {
		plan = append(plan, engine.Allocation{Name: "kept trees, at least", Bytes: bytes, Phase: engine.Searching})
	}
	return plan
}

// basePlan lists the memory that a job needs without kept trees.
func (e *Engine) basePlan(job engine.Job, s strategy) []engine.Allocation {
	return e.basePlanOfGraph(job.Vertices, job.Tuples, min(job.Vertices, 2*job.Tuples), 2*job.Tuples, s)
}

// basePlanOfGraph is basePlan for a graph with known numbers of rows and arcs.
func (e *Engine) basePlanOfGraph(vertices, tuples, rows, arcs uint64, s strategy) []engine.Allocation {
	plan := []engine.Allocation{{Name: "tuples", Bytes: 8 * tuples}}
	plan = append(plan, graph.Plan(vertices, rows, arcs/2, e.team.Size())...)
	plan = append(plan,
		engine.Allocation{Name: "parents", Bytes: 4 * vertices, Phase: engine.Searching},
		engine.Allocation{Name: "validation", Bytes: validate.Bytes(vertices, engine.BFS), Phase: engine.Searching})
	return append(plan, s.memory(vertices, rows)...)
}

// memoryLimit returns the number of bytes that a run with this base plan may use
// when it keeps trees: the peak of the base plan, which construction mostly
// sets, or freeUse if that is larger and free.
func (e *Engine) memoryLimit(plan []engine.Allocation) uint64 {
	need := engine.Peak(plan, engine.HostMemory)
	limit := max(need, freeUse)
	if e.free.Source != "" {
		limit = max(need, min(limit, e.free.Bytes-e.free.Bytes/marginDivisor))
	}
	return limit
}

// memoryLeft returns the part of memory, in bytes, that the search phase of the
// plan leaves free.
func memoryLeft(plan []engine.Allocation, memory uint64) uint64 {
	for _, a := range plan {
		if a.Phase == engine.Always || a.Phase == engine.Searching {
			memory -= min(memory, a.Bytes)
		}
	}
	return memory
}

// keptTreeBytes returns the size of the tree copies that a full batch needs. The
// last tree of a batch needs no copy: it is validated in the search's own array.
func keptTreeBytes(vertices uint64, searches int) uint64 {
	return treeBytes(vertices) * uint64(max(1, min(searches, validate.BatchSize))-1)
}

// treeBytes returns the size of one parent array.
func treeBytes(vertices uint64) uint64 { return 4 * vertices }

// batchSize returns the number of searches that are validated together in a
// graph with these numbers of rows and arcs, which are mostly below those that
// the plan assumes.
func (e *Engine) batchSize(vertices, tuples, rows, arcs uint64, searches int, s strategy) int {
	limit := e.memoryLimit(e.basePlan(engine.Job{Vertices: vertices, Tuples: tuples}, s))
	left := memoryLeft(e.basePlanOfGraph(vertices, tuples, rows, arcs, s), limit)
	return 1 + int(min(keptTreeBytes(vertices, searches), left)/max(1, treeBytes(vertices)))
}
