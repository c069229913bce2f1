//go:build cuda

package gpu

import (
	"fmt"

	"graph500/engine"
	"graph500/kernels"
)

// regeneratedPart is the number of tuples for which there is room where they
// are made again a part at a time: enough to keep the device busy.
const regeneratedPart = 1 << 26

// mostKept is the largest number of trees that are kept for one validation of
// them all: with eight, making the tuples again is a small part of it.
const mostKept = 8

// spared is the part of the free memory, one in so many, that kept trees leave:
// the driver takes some, and trees too deep for the table of validation.
const spared = 32

// rounding is what the driver takes over all arrays beside their bytes, as it
// gives whole pages of 2 MiB.
const rounding = 32 << 20

// layout is how a graph is laid out in the device's memory.
type layout struct {
	room   uint64 // tuples that there is room for: all, or those made again at a time
	groups int    // of rows that kernel 1 makes one after the other
}

// lay returns the first layout that fits into free bytes: rather all tuples
// than part of them at a time, which only generated ones can be, and rather few
// groups than many. Where none fits it returns the one that takes least.
func lay(free, tuples, part uint64, generated bool, memory func(layout) uint64) (l layout) {
	rooms := []uint64{tuples}
	if generated && part < tuples {
		rooms = append(rooms, part)
	}
	for _, l.room = range rooms {
		for l.groups = kernels.LeastGroups; l.groups < kernels.MostGroups; l.groups++ {
			if memory(l) <= free {
				return l
			}
		}
		if memory(l) <= free {
			return l
		}
	}
	return l
}

// layoutOf returns the layout for a job, which stays what it is once the tuples
// are there.
func (e *Engine) layoutOf(job engine.Job) layout {
	if e.tuples != nil {
		return e.layout
	}
	return lay(e.free, job.Tuples, e.part, !job.Loaded, func(l layout) uint64 {
		return engine.Peak(e.plan(job, l), engine.DeviceMemory)
	})
}

// kept returns the number of trees that are kept until they are validated
// together: as many as there is room for where the tuples have to be made again
// for that, else 0. Another strategy may leave more room or less.
func (e *Engine) kept(job engine.Job) int {
	l := e.layoutOf(job)
	if l.room >= job.Tuples {
		return 0
	}
	plan := e.plan(job, l)
	plan = append(plan, engine.Allocation{Bytes: e.free / spared, Phase: engine.Searching, Place: engine.DeviceMemory})
	for trees := mostKept; trees > 1; trees-- {
		if engine.Peak(append(plan, keptTrees(job.Vertices, trees)), engine.DeviceMemory) <= e.free {
			return trees
		}
	}
	return 0
}

// spare lists what a search takes if there is room for it beside a plan and the trees
// that are kept.
func (e *Engine) spare(job engine.Job, plan []engine.Allocation) []engine.Allocation {
	used := e.free/spared + kernels.KeptTreesMemory(job.Vertices, e.kept(job))
	for _, a := range plan {
		if a.Place == engine.DeviceMemory && (a.Phase == engine.Always || a.Phase == engine.Searching) {
			used += a.Bytes
		}
	}
	strategy, _ := lookUp(job.Strategy.Name)
	most := strategy.mostSpare(job.Vertices, job.Tuples)
	if most == 0 || used >= e.free {
		return nil
	}
	return []engine.Allocation{{
		Name:  "hubs among neighbours, if they fit",
		Bytes: min(most, e.free-used),
		Phase: engine.Searching,
		Place: engine.DeviceMemory,
	}}
}

func keptTrees(vertices uint64, trees int) engine.Allocation {
	return engine.Allocation{
		Name:  fmt.Sprintf("%d trees, kept for validation", trees),
		Bytes: kernels.KeptTreesMemory(vertices, trees),
		Phase: engine.Searching,
		Place: engine.DeviceMemory,
	}
}

// plan lists the memory for a job in a layout, but for trees that are kept.
func (e *Engine) plan(job engine.Job, l layout) []engine.Allocation {
	vertices, tuples := job.Vertices, job.Tuples
	plan := []engine.Allocation{{Name: "tuples", Bytes: 8 * tuples}}
	if l.room < tuples {
		plan[0] = engine.Allocation{Name: "tuples, a part at a time", Bytes: 8 * l.room}
	}
	plan = append(plan, kernels.ConstructMemory(vertices, tuples, l.groups)...)
	plan = append(plan,
		engine.Allocation{Name: "rounding up by the driver", Bytes: rounding},
		engine.Allocation{Name: "parents", Bytes: 4 * vertices, Phase: engine.Searching},
		engine.Allocation{Name: "validation", Bytes: kernels.ValidatorMemory(vertices), Phase: engine.Searching})
	plan = append(plan, job.Strategy.Memory(vertices, tuples)...)
	if job.Loaded { // generated graphs are shallow
		plan = append(plan, engine.Allocation{Name: "validation of deep trees", Bytes: kernels.DeepValidatorMemory(vertices), Phase: engine.Searching})
	}
	for i := range plan {
		plan[i].Place = engine.DeviceMemory
	}
	plan = append(plan,
		engine.Allocation{Name: "row index, copied", Bytes: vertices / 4, Phase: engine.Searching},
		engine.Allocation{Name: "parents, copied", Bytes: 4 * vertices, Phase: engine.Searching})
	if job.Loaded {
		plan = append(plan, engine.Allocation{Name: "tuples, as read", Bytes: 8 * tuples, Phase: engine.Loading})
	}
	return plan
}
