package cpu

import (
	"fmt"
	"slices"

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

// size is the size of a graph, with labels of 48 bits in its tuples or of 32.
type size struct {
	vertices, tuples, rows, arcs uint64
	wide                         bool
}

// largest returns the size that a plan assumes: the number of rows is not known before
// construction.
func largest(job engine.Job) size {
	return size{job.Vertices, job.Tuples, min(job.Vertices, 2*job.Tuples), 2 * job.Tuples, job.Wide}
}

// Plan lists the memory that a job needs. It assumes the largest possible number of
// rows. Loaded tuples need as much memory as generated tuples, because the engine takes
// ownership of them, except that those with labels of 48 bits are copies of those read.
func (e *Engine) Plan(job engine.Job) []engine.Allocation {
	strategies := strategiesOf(job)
	plan := e.basePlan(largest(job), strategies)
	if job.Wide && job.Loaded {
		plan = append(plan, engine.Allocation{Name: "tuples, as read", Bytes: tupleBytes(false) * job.Tuples, Phase: engine.Loading})
	}
	want := searchBytes(job.Vertices, strategies) * uint64(keptCopies(job.Searches))
	if bytes := min(want, memoryLeft(plan, e.memoryLimit(plan))); bytes > 0 {
		plan = append(plan, engine.Allocation{Name: "kept trees, at least", Bytes: bytes, Phase: engine.Searching})
	}
	return plan
}

// strategiesOf returns the strategies of a job that this engine has.
func strategiesOf(job engine.Job) (list []strategy) {
	for _, of := range job.Strategies {
		if s, ok := lookUp(of); ok {
			list = append(list, s)
		}
	}
	return list
}

// basePlan lists the memory that searches with the strategies need, without kept trees.
func (e *Engine) basePlan(g size, strategies []strategy) []engine.Allocation {
	plan := []engine.Allocation{{Name: "tuples", Bytes: tupleBytes(g.wide) * g.tuples}}
	isWeighted := usesKernel(strategies, engine.SSSP)
	if isWeighted {
		plan = append(plan, engine.Allocation{Name: "weights", Bytes: 4 * g.tuples})
	}
	if usesKernel(strategies, engine.BFS) {
		rows := graph.Plan(g.vertices, g.rows, g.arcs/2, e.team.Size())
		if isWeighted {
			rows = beforeWeighted(rows)
		}
		plan = append(plan, rows...)
	}
	if isWeighted {
		plan = append(plan, graph.WeightedPlan(g.vertices, g.rows, g.arcs/2, e.team.Size())...)
	}
	for _, s := range strategies {
		of := fmt.Sprintf(" (%s)", s.Kernel)
		plan = append(plan,
			engine.Allocation{Name: "results" + of, Bytes: resultBytes(s.Kernel) * g.vertices, Phase: engine.Searching},
			engine.Allocation{Name: "validation" + of, Bytes: validate.Bytes(g.vertices, s.Kernel), Phase: engine.Searching})
		if g.wide {
			plan = append(plan, engine.Allocation{Name: "parents of 64 bits" + of, Bytes: 8 * g.vertices, Phase: engine.Searching})
		}
		plan = append(plan, s.memory(g)...)
	}
	return plan
}

// usesKernel reports whether one of the strategies is of the kernel.
func usesKernel(strategies []strategy, k engine.Kernel) bool {
	return slices.ContainsFunc(strategies, func(s strategy) bool { return s.Kernel == k })
}

// beforeWeighted returns the plan of a graph that is complete when the construction of
// the weighted graph begins. That construction needs more memory at a time.
func beforeWeighted(plan []engine.Allocation) (kept []engine.Allocation) {
	for _, a := range plan {
		if a.Phase != engine.Construction {
			a.Phase |= engine.Construction
			if a.Phase == engine.Construction { // of Always
				a.Phase = engine.Always
			}
			kept = append(kept, a)
		}
	}
	return kept
}

// resultBytes returns the size of the results of a kernel, in bytes per vertex.
func resultBytes(k engine.Kernel) uint64 {
	if k == engine.SSSP {
		return 8
	}
	return 4
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

// keptCopies returns the number of copies of results that a full batch needs. The last
// results of a batch need no copy: they are validated in the search's own arrays.
func keptCopies(searches int) int { return max(1, min(searches, validate.BatchSize)) - 1 }

// searchBytes returns the size of the results of one search with each strategy.
func searchBytes(vertices uint64, strategies []strategy) (bytes uint64) {
	for _, s := range strategies {
		bytes += resultBytes(s.Kernel) * vertices
	}
	return bytes
}

// batchSize returns the number of searches that are validated together, for each of
// the strategies, in a graph of this size, which is mostly below that of the plan.
func (e *Engine) batchSize(g size, searches int, strategies []strategy) int {
	limit := e.memoryLimit(e.basePlan(largest(engine.Job{Vertices: g.vertices, Tuples: g.tuples, Wide: g.wide}), strategies))
	left := memoryLeft(e.basePlan(g, strategies), limit)
	return 1 + int(min(uint64(keptCopies(searches)), left/max(1, searchBytes(g.vertices, strategies))))
}
