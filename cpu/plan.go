package cpu

import (
	"slices"

	"graph500/engine"
	"graph500/graph"
	"graph500/partition"
	"graph500/validate"
)

const (
	// freeUse is the number of bytes that a run may use without saving memory.
	freeUse = 1 << 30
	// marginDivisor sets the share of free memory, 1/marginDivisor, that searches
	// validated together leave unused, because the amount of free memory fluctuates.
	marginDivisor = 64
)

// size is the size of a graph and of a rank's part of it, with labels of 48 bits in its tuples or
// of 32.
type size struct {
	ranges             partition.Ranges
	owned              uint64 // vertices of the rank
	tuples, rows, arcs uint64 // of the rank
	numbers, ofAll     uint64 // row numbers of the rank, and of all, in the graph.ByHubs; 0 if there is none yet
	lists              uint64 // words of its lists
	wide, integers     bool   // of engine.Job
	policy             string // that divides the graph between ranks; empty: ranges of vertices
}

// largest returns the size that a plan assumes for each of a number of ranks: the number of rows
// is not known before construction, and their arcs are equally many on all ranks.
func largest(job engine.Job, ranks int) size {
	z := size{ranges: partition.NewRanges(job.Vertices, ranks), wide: job.Wide, integers: job.Integers, policy: job.Partition}
	z.owned = min(job.Vertices, 64*uint64(z.ranges.MostWords()))
	z.tuples = (job.Tuples + uint64(ranks) - 1) / uint64(ranks)
	z.rows, z.arcs = min(z.owned, 2*z.tuples), 2*z.tuples
	return z
}

// sizeOf returns the size of the constructed graph of a kernel.
func (e *Engine) sizeOf(k engine.Kernel) size {
	_, owned := e.owned()
	z := size{ranges: e.ranges, owned: owned, tuples: uint64(e.tuples.Len()), wide: e.isWide(), integers: e.hasIntegers(), policy: e.policy()}
	z.rows, z.arcs = e.rowsOf(k)
	if e.byHubs != nil {
		z.numbers, z.ofAll = 64*uint64(len(e.byHubs.ChunkOf)), uint64(e.byHubs.FirstRows[e.world.Size()])
		z.lists = uint64(len(e.byHubs.Lists))
	}
	return z
}

// allWords returns the number of words in a bitmap of the vertices of all ranks.
func (z size) allWords() uint64 { return partition.Words(z.ranges.Vertices()) }

// rowWords returns the number of words in a bitmap of the own vertices.
func (z size) rowWords() uint64 { return partition.Words(z.owned) }

// rowNumbers returns the numbers of row numbers of the rank and of all in a graph.ByHubs, the
// largest possible ones before there is one.
func (z size) rowNumbers() (own, ofAll uint64) {
	if z.ofAll > 0 {
		return z.numbers, z.ofAll
	}
	return z.share().RowNumbers(z.rows)
}

// allRows returns the largest number of rows of all ranks.
func (z size) allRows() uint64 { return min(z.ranges.Vertices(), z.rows*z.ranks()) }

func (z size) ranks() uint64 { return uint64(z.ranges.Ranks()) }

// share describes the part of the graph.
func (z size) share() graph.Share {
	if z.ranks() == 1 {
		return graph.WholeGraph(z.owned)
	}
	return graph.Share{Vertices: z.ranges.Vertices(), Owned: z.owned, Shares: z.ranges.Ranks()}
}

// Plan lists the memory of this rank for a job. It assumes the largest possible number of
// rows. Loaded tuples need as much memory as generated tuples, because the engine takes
// ownership of them, except that those with labels of 48 bits are copies of those read.
func (e *Engine) Plan(job engine.Job) engine.Plan {
	strategies := strategiesOf(job)
	z := largest(job, e.world.Size())
	plan := e.basePlan(z, strategies, known(job.Beside))
	if job.Wide && job.Loaded && !job.LoadedWide {
		var read engine.Tuples
		for _, a := range graph.TupleArrays(&read, z.tuples, false, false).Plan() {
			plan = append(plan, engine.Allocation{Name: a.Name + ", as read", Bytes: a.Bytes, Phase: engine.Loading})
		}
	}
	want := batchBytes(z, strategies, e.mostTogether(job.Searches, job.Integers))
	if bytes := min(want, memoryLeft(plan, e.memoryLimit(plan))); bytes > 0 {
		plan = append(plan, engine.Allocation{Name: "searches validated together, at least", Bytes: bytes, Phase: engine.Searching})
	}
	return engine.Plan{Job: job, Memory: plan}
}

// strategiesOf returns the strategies of a job that this engine has.
func strategiesOf(job engine.Job) (list []strategy) { return known(job.Strategies) }

// known returns those of the strategies that this engine has.
func known(strategies []engine.Strategy) (list []strategy) {
	for _, of := range strategies {
		if s, ok := lookUp(of); ok {
			list = append(list, s)
		}
	}
	return list
}

// basePlan lists the memory that searches with the strategies need if each is validated alone, where
// the strategies beside them need their graph, too.
func (e *Engine) basePlan(z size, strategies, beside []strategy) []engine.Allocation {
	isWeighted := usesKernel(strategies, engine.SSSP)
	plan := graph.TupleArrays(new(engine.Tuples), z.tuples, isWeighted, z.wide).Plan()
	if z.ranks() > 1 {
		plan = append(plan, new(arcExchange).arrays(z.tuples, z.arcs, isWeighted).Plan()...)
	}
	if usesKernel(strategies, engine.BFS) {
		rows := e.planBFS(z, slices.Concat(strategies, beside))
		if isWeighted {
			rows = beforeWeighted(rows)
		}
		plan = append(plan, rows...)
	}
	if isWeighted {
		plan = append(plan, graph.WeightedPlan(z.share(), z.rows, z.arcs, e.team.Size())...)
	}
	for _, s := range strategies {
		plan = append(plan, s.plan(z)...)
	}
	return plan
}

// planBFS lists the memory of the graph of BFS.
func (e *Engine) planBFS(z size, strategies []strategy) []engine.Allocation {
	rows, byHubs := formsOf(strategies, z.ranges.Ranks(), z.policy)
	if !byHubs {
		return graph.Plan(z.share(), z.rows, z.arcs, e.team.Size())
	}
	lists := z.arcs
	if z.ofAll > 0 {
		lists = min(z.lists, z.arcs)
	}
	return graph.PlanByHubs(graph.HubFormOf(z.owned, e.team.Size()), z.share(), z.rows, z.arcs, lists, e.team.Size(), rows)
}

// plan lists the memory of a searcher with the strategy that keeps one search; nothing if it has
// none on so many ranks, and only its graph is used.
func (s strategy) plan(z size) []engine.Allocation {
	method := s.on(z.ranges.Ranks(), z.policy, z.integers)
	if method == nil {
		return nil
	}
	own, wide := new(results).arrays(s.Kernel, z.owned, z.wide, z.integers)
	return slices.Concat(own.Plan(), s.validation(z, 1), wide.Plan(), method().arrays(z).Plan())
}

// validation lists the memory of the checker of a number of searches together.
func (s strategy) validation(z size, searches int) []engine.Allocation {
	return validate.Config{Kernel: s.Kernel, Ranges: z.ranges, Batch: searches, Integers: z.integers && s.Kernel == engine.SSSP}.Plan()
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

// memoryLimit returns the number of bytes that a run with this base plan may use
// when it validates searches together: the peak of the base plan, which construction mostly
// sets, and half of what it leaves free; or freeUse if that is larger and free.
func (e *Engine) memoryLimit(plan []engine.Allocation) uint64 {
	need := hostBytes(plan)
	limit := max(need, freeUse)
	if e.free.Source == "" {
		return limit
	}
	free := e.free.Bytes - e.free.Bytes/marginDivisor
	if free <= need {
		return need
	}
	return max(need+(free-need)/2, min(limit, free))
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

// mostTogether returns the largest number of searches that are validated together. Several ranks,
// and searches with weights that are whole numbers, validate one at a time.
func (e *Engine) mostTogether(searches int, integers bool) int {
	if e.world.Size() > 1 || integers {
		return 1
	}
	return max(1, min(searches, validate.MaxBatch))
}

// together returns how many of a number of searches with the strategy are validated together.
func (s strategy) together(searches int) int { return min(searches, validate.Most(s.Kernel)) }

// batchBytes returns the memory, in bytes, that a number of searches validated together needs with
// each strategy beyond the base plan: a larger table, and all results but the last, which are
// validated in the search's own arrays: those of BFS in a forest, copies of others.
func batchBytes(z size, strategies []strategy, searches int) (bytes uint64) {
	for _, s := range strategies {
		n := s.together(searches)
		if n == 1 {
			continue
		}
		bytes += hostBytes(s.validation(z, n)) - hostBytes(s.validation(z, 1))
		if s.Kernel == engine.BFS {
			bytes += hostBytes(validate.ForestPlan(z.owned, n-1))
			continue
		}
		own, _ := new(results).arrays(s.Kernel, z.owned, false, z.integers)
		bytes += uint64(n-1) * hostBytes(own.Plan())
	}
	return bytes
}

// hostBytes returns the most bytes that a plan takes of the host's memory at a time.
func hostBytes(plan []engine.Allocation) uint64 { return engine.Peak(plan, engine.HostMemory) }

// batchSize returns the number of searches that are validated together, with each of the
// strategies, beside others, as many of them as it can, in a graph of this size, which is mostly below that of the
// plan. Passes over the tuples validate about equally many.
func (e *Engine) batchSize(z size, searches int, strategies, beside []strategy) int {
	all := engine.Job{Vertices: z.ranges.Vertices(), Tuples: z.tuples, Wide: z.wide, Integers: z.integers, Partition: z.policy}
	limit := e.memoryLimit(e.basePlan(largest(all, z.ranges.Ranks()), strategies, beside))
	left := memoryLeft(e.basePlan(z, strategies, beside), limit)
	n := e.mostTogether(searches, z.integers)
	for n > 1 && batchBytes(z, strategies, n) > left {
		n--
	}
	searches = max(1, searches)
	passes := (searches + n - 1) / n
	return (searches + passes - 1) / passes
}
