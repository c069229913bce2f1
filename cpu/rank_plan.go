package cpu

import (
	"fmt"

	"graph500/engine"
	"graph500/graph"
	"graph500/partition"
	"graph500/validate"
)

// Plan lists the memory of this rank for a job.
func (e *Rank) Plan(job engine.Job) []engine.Allocation {
	ranks := uint64(e.world.Size())
	ranges := partition.NewRanges(job.Vertices, e.world.Size())
	owned, words := 64*uint64(ranges.Words()), uint64(ranges.Words())
	tuples := (job.Tuples + ranks - 1) / ranks
	rows, arcs := min(owned, 2*tuples), 2*tuples
	hasBFS, isWeighted := job.Strategy(engine.BFS).Name != "", job.Weighted()
	perTuple := tupleBytes(false) // bytes of an arc
	plan := []engine.Allocation{{Name: "tuples", Bytes: tupleBytes(job.Wide) * tuples}}
	if job.Wide && job.Loaded { // copies of those read, as in Engine.Plan
		plan = append(plan, engine.Allocation{Name: "tuples, as read", Bytes: tupleBytes(false) * tuples, Phase: engine.Loading})
	}
	if isWeighted {
		perTuple += 4
		plan = append(plan, engine.Allocation{Name: "weights", Bytes: 4 * tuples})
	}
	plan = append(plan,
		engine.Allocation{Name: "exchange buffers", Bytes: 4 * 2 * perTuple * min(tuples, exchangeTuples), Phase: engine.Construction}, // parts, sent and received arcs, of each tuple two
		engine.Allocation{Name: "arcs", Bytes: perTuple * arcs, Phase: engine.Construction})
	if hasBFS {
		share := graph.SharePlan(job.Vertices, owned, rows, arcs, e.team.Size())
		if isWeighted {
			share = beforeWeighted(share)
		}
		plan = append(plan, share...)
	}
	if isWeighted {
		plan = append(plan, graph.WeightedPlan(owned, rows, arcs/2, e.team.Size())...)
	}
	for _, s := range job.Strategies {
		of := fmt.Sprintf(" (%s)", s.Kernel)
		plan = append(plan,
			engine.Allocation{Name: "results" + of, Bytes: resultBytes(s.Kernel) * owned, Phase: engine.Searching},
			engine.Allocation{Name: "validation" + of, Bytes: validate.RankBytes(ranges, s.Kernel), Phase: engine.Searching})
		if job.Wide {
			plan = append(plan, engine.Allocation{Name: "parents of 64 bits" + of, Bytes: 8 * owned, Phase: engine.Searching})
		}
	}
	if hasBFS {
		plan = append(plan,
			engine.Allocation{Name: "frontier queues", Bytes: 8 * owned, Phase: engine.Searching},
			engine.Allocation{Name: "visited bitmaps", Bytes: 8 * words * (2*ranks + 1), Phase: engine.Searching})
	}
	if isWeighted {
		plan = append(plan, rankedBoundedMemory(64*words*ranks, owned, ranks)...)
	}
	return plan
}
