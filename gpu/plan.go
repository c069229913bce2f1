//go:build cuda

package gpu

import (
	"graph500/device"
	"graph500/engine"
	"graph500/kernels/bfs"
	"graph500/kernels/construct"
	"graph500/kernels/generate"
	"graph500/kernels/stream"
	"graph500/kernels/validate"
)

// regeneratedPart is the number of tuples for which there is room where they
// are made again a part at a time: enough to keep the device busy.
const regeneratedPart = 1 << 26

// mostKept is the largest number of searches that are kept for one validation of
// them all: with eight, making the tuples again is a small part of it.
const mostKept = 8

// layout is how a graph is laid out in the device's memory.
type layout struct {
	room   uint64 // tuples that there is room for: all, or those made again at a time
	groups int    // of rows that kernel 1 makes one after the other
	kept   int    // searches that are validated together
}

// planner plans the memory of jobs on a device.
type planner struct {
	most uint64 // bytes of the device's memory that may be taken
	part uint64 // tuples made again at a time, where not all have room
	l2   int    // bytes of the device's second-level cache
}

// layoutOf returns the first layout that fits: rather all tuples than part of them
// at a time, which only generated ones can be, rather few groups than many, and
// where tuples are made again as many searches validated together as there is room
// for. Where none fits it returns the one that takes least.
func (p planner) layoutOf(job engine.Job) layout {
	rooms := []uint64{job.Tuples}
	if !job.Loaded && p.part < job.Tuples {
		rooms = append(rooms, p.part)
	}
	l := layout{kept: 1}
	for _, l.room = range rooms {
		for l.groups = construct.LeastGroups; l.groups <= construct.MostGroups; l.groups++ {
			if p.fits(job, l) {
				return p.keeping(job, l)
			}
		}
	}
	l.groups = construct.MostGroups
	return l
}

// keeping chooses how many searches are validated together.
func (p planner) keeping(job engine.Job, l layout) layout {
	if l.room >= job.Tuples {
		return l
	}
	for l.kept = max(1, min(mostKept, job.Searches)); l.kept > 1 && !p.fits(job, l); l.kept-- {
	}
	return l
}

func (p planner) fits(job engine.Job, l layout) bool {
	return engine.Peak(p.needed(job, l), engine.DeviceMemory) <= p.most
}

// needed lists what a job cannot do without in a layout, but for what measures the
// device, which takes what there is.
func (p planner) needed(job engine.Job, l layout) []engine.Allocation {
	vertices, tuples := job.Vertices, job.Tuples
	plan := generate.Plan(tuples, l.room, job.Loaded)
	plan = append(plan, construct.Plan(vertices, tuples, l.groups, bfs.MostHubs)...)
	plan = append(plan, new(results).group(vertices).Plan()...)
	plan = append(plan, validate.Plan(vertices, l.kept)...)
	if job.Loaded { // generated graphs are shallow
		plan = append(plan, validate.DeepPlan(vertices)...)
	}
	if s, ok := lookUp(job.Strategy.Name); ok {
		plan = append(plan, s.plan(vertices, mostRows(job), 2*tuples, p.l2)...)
	}
	return plan
}

// mostRows is the number of rows if every vertex has one, or every tuple two.
func mostRows(job engine.Job) uint64 { return min(job.Vertices, 2*job.Tuples) }

// plan lists all that a job takes of the device's memory in its layout, with what it
// takes only because there is room.
func (p planner) plan(job engine.Job, l layout) []engine.Allocation {
	plan := p.needed(job, l)
	if !job.Loaded { // as no official graph needs it
		plan = p.add(plan, validate.DeepPlan(job.Vertices))
	}
	if s, ok := lookUp(job.Strategy.Name); ok {
		plan = p.add(plan, p.cut(plan, s.optional(job.Vertices, mostRows(job), 2*job.Tuples, p.l2)))
	}
	return append(plan, stream.BandwidthPlan(p.most)...)
}

// add adds to a plan what fits beside it as a whole.
func (p planner) add(plan, more []engine.Allocation) []engine.Allocation {
	if together := append(plan, more...); engine.PeakIn(together, engine.DeviceMemory, engine.Searching) <= p.most {
		return together
	}
	return plan
}

// cut shortens what is added to a plan, and may be shorter, to what there is room
// for.
func (p planner) cut(plan, more []engine.Allocation) []engine.Allocation {
	used := min(p.most, engine.PeakIn(plan, engine.DeviceMemory, engine.Searching))
	left := (p.most - used) / device.Alignment * device.Alignment
	for i := range more {
		more[i].Bytes = min(more[i].Bytes, left)
		left -= more[i].Bytes
	}
	return more
}

// onHost lists what a job takes of the host's memory.
func onHost(job engine.Job) []engine.Allocation {
	plan := []engine.Allocation{{Name: "parents, copied", Bytes: 4 * job.Vertices, Phase: engine.Searching}}
	if job.Loaded {
		plan = append(plan, engine.Allocation{Name: "tuples, as read", Bytes: 8 * job.Tuples, Phase: engine.Loading})
	}
	return plan
}
