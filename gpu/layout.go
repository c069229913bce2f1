//go:build cuda

package gpu

import (
	"graph500/engine"
	"graph500/kernels"
)

// regeneratedPart is the number of tuples for which there is room where they
// are made again a part at a time: enough to keep the device busy.
const regeneratedPart = 1 << 26

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

// layoutOf returns the layout of a graph of N = vertices and M = tuples, which
// stays what it is once the tuples are there.
func (e *Engine) layoutOf(vertices, tuples uint64, loaded bool) layout {
	if e.tuples != nil {
		return e.layout
	}
	return lay(e.free, tuples, e.part, !loaded, func(l layout) uint64 {
		return engine.Peak(e.plan(vertices, tuples, loaded, l), engine.DeviceMemory)
	})
}

// plan lists the memory for N = vertices and M = tuples in a layout.
func (e *Engine) plan(vertices, tuples uint64, loaded bool, l layout) []engine.Allocation {
	plan := []engine.Allocation{{Name: "tuples", Bytes: 8 * tuples}}
	if l.room < tuples {
		plan[0] = engine.Allocation{Name: "tuples, a part at a time", Bytes: 8 * l.room}
	}
	plan = append(plan, kernels.ConstructMemory(vertices, tuples, l.groups)...)
	plan = append(plan,
		engine.Allocation{Name: "parents", Bytes: 4 * vertices, Phase: engine.Searching},
		engine.Allocation{Name: "validation", Bytes: kernels.ValidatorMemory(vertices), Phase: engine.Searching})
	plan = append(plan, e.strategy.Memory(vertices, tuples)...)
	if loaded { // generated graphs are shallow
		plan = append(plan, engine.Allocation{Name: "validation of deep trees", Bytes: kernels.DeepValidatorMemory(vertices), Phase: engine.Searching})
	}
	for i := range plan {
		plan[i].Place = engine.DeviceMemory
	}
	plan = append(plan,
		engine.Allocation{Name: "row index, copied", Bytes: vertices / 4, Phase: engine.Searching},
		engine.Allocation{Name: "parents, copied", Bytes: 4 * vertices, Phase: engine.Searching})
	if loaded {
		plan = append(plan, engine.Allocation{Name: "tuples, as read", Bytes: 8 * tuples, Phase: engine.Loading})
	}
	return plan
}
