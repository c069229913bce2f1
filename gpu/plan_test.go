//go:build cuda

package gpu

import (
	"slices"
	"strings"
	"testing"

	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kronecker"
)

// planned returns a planner with that memory limit in bytes.
func planned(limit uint64) planner {
	return planner{limit: limit, part: regeneratedPart, l2: defaultL2}
}

func official(scale int) (vertices, tuples uint64) { return 1 << scale, 16 << scale }

// connected returns the most vertices with an edge that the command plans for an official graph.
func connected(scale int) uint64 { return kronecker.Spec{Scale: scale, EdgeFactor: 16}.MaxConnected() }

// officialJob is a run of the default search on an official graph.
func officialJob(scale int, loaded bool) engine.Job {
	vertices, tuples := official(scale)
	job := engine.Job{Vertices: vertices, Tuples: tuples, Loaded: loaded, Strategies: []engine.Strategy{named("default")}, Searches: 64}
	if !loaded {
		job.Connected = connected(scale)
	}
	return job
}

// TestLayouts uses a limit of 139 GiB, the free memory of an H200, and smaller ones.
func TestLayouts(t *testing.T) {
	const all = 0
	for _, c := range []struct {
		most   uint64
		scale  int
		loaded bool
		want   layout // capacity all: all tuples
		fits   bool
	}{
		{139 << 30, 1, false, whole(all, construct.LeastGroups, 1), true},
		{139 << 30, 24, false, whole(all, construct.LeastGroups, 1), true},
		{139 << 30, 28, false, whole(all, construct.LeastGroups, 1), true},
		{139 << 30, 28, true, whole(all, construct.LeastGroups, 1), true},
		{139 << 30, 29, false, whole(regeneratedPart, 5, maxBatch), true},
		{139 << 30, 29, true, whole(regeneratedPart, 5, maxBatch), true},
		{139 << 30, 30, false, whole(regeneratedPart, construct.MostGroups, 1), false},
		{79 << 30, 28, false, whole(regeneratedPart, construct.LeastGroups, maxBatch), true},
		{23 << 30, 26, true, whole(all, 7, 1), true},
	} {
		job := officialJob(c.scale, c.loaded)
		if c.want.capacity == all {
			c.want.capacity = job.Tuples
		}
		p := planned(c.most)
		got := p.layoutOf(job)
		if got != c.want {
			t.Errorf("scale %d, %d GiB, loaded %v: %+v, want %+v", c.scale, c.most>>30, c.loaded, got, c.want)
		}
		if peak := engine.Peak(p.plan(job, got), engine.DeviceMemory); peak <= c.most != c.fits {
			t.Errorf("scale %d, %d GiB, loaded %v: %d bytes", c.scale, c.most>>30, c.loaded, peak)
		}
	}
}

// Several devices plan for the vertices that can have an edge, less than half of the labels: scale 31
// has room on four of 139 GiB, and scale 32, which has too many labels, would have room on eight.
func TestLayoutsOfSeveralDevices(t *testing.T) {
	for _, c := range []struct {
		devices, scale int
		paths          bool
		fits           bool
	}{
		{4, 30, false, true},
		{4, 31, false, true},
		{4, 32, false, false},
		{8, 30, true, true},
		{8, 31, false, true},
		{8, 31, true, false},
		{8, 32, false, true},
		{8, 33, false, false},
	} {
		job := officialJob(c.scale, false)
		if c.paths {
			job.Strategies = []engine.Strategy{shortestPaths()}
		}
		p := planned(139<<30 - driverBytes)
		p.devices, p.alone, p.hubsFrom = c.devices, true, 1<<23+1
		l := p.layoutOf(job)
		if got := p.fits(job, l); got != c.fits || l.splits() {
			t.Errorf("%d devices, scale %d, %v: fits: %v, %+v", c.devices, c.scale, kernelsOf(job), got, l)
		}
	}
}

// TestLayoutsAtTheEdges takes the last byte away from each layout in turn.
func TestLayoutsAtTheEdges(t *testing.T) {
	for _, loaded := range []bool{false, true} {
		job := officialJob(28, loaded)
		most := uint64(1) << 50
		var before layout
		for {
			p := planned(most)
			l := p.layoutOf(job)
			peak := engine.Peak(p.required(job, l), engine.DeviceMemory)
			if peak > most { // nothing fits: the layout with the least memory
				if l != whole(regeneratedPart, construct.MostGroups, 1) {
					t.Errorf("loaded %v: %+v where nothing fits", loaded, l)
				}
				break
			}
			if l == before || l.capacity > before.capacity && before.capacity > 0 || l.capacity == before.capacity && l.groups < before.groups {
				t.Fatalf("loaded %v: %+v with %d bytes, after %+v", loaded, l, most, before)
			}
			if again := planned(peak).layoutOf(job); again != l {
				t.Fatalf("loaded %v: %+v takes %d bytes, with which it is %+v", loaded, l, peak, again)
			}
			most, before = peak-1, l
		}
		if before.capacity == job.Tuples {
			t.Errorf("loaded %v: the smallest layout is %+v", loaded, before)
		}
	}
}

// The batch is the largest that fits, and the plan lists its copies of the parents.
func TestBatchFits(t *testing.T) {
	job := officialJob(29, false)
	seen := map[int]bool{}
	for most := uint64(139 << 30); ; most -= 1 << 28 {
		p := planned(most)
		l := p.layoutOf(job)
		fits := func(batch int) bool {
			l.batch = batch
			return p.fits(job, l)
		}
		trees := l.batch
		if !fits(1) {
			break
		}
		seen[trees] = true
		if trees > maxBatch || !fits(trees) || trees < maxBatch && fits(trees+1) {
			t.Fatalf("%d bytes: %d trees", most, trees)
		}
		l.batch = trees
		plan := p.plan(job, l)
		copies := 0
		for _, a := range plan {
			if a.Name == "parents kept for validation" {
				copies++
			}
		}
		if want := trees; trees == 1 && copies != 0 || trees > 1 && copies != want || engine.Peak(plan, engine.DeviceMemory) > most {
			t.Fatalf("%d bytes: %d trees, %+v", most, trees, plan)
		}
	}
	if len(seen) < 3 {
		t.Errorf("only %v were chosen", seen)
	}
}

// The batch is at most the number of searches of the job. A strategy that needs more
// memory has a smaller batch.
func TestBatchOfAJob(t *testing.T) {
	job := officialJob(29, false)
	p := planned(139 << 30)
	l := p.layoutOf(job)
	job.Searches = 3
	if got := p.withBatch(job, l); got.batch != 3 {
		t.Errorf("%+v", got)
	}
	job.Searches = 0 // for example, if only parents of a caller are validated
	if got := p.withBatch(job, l); got.batch != 1 {
		t.Errorf("%+v", got)
	}
	job = officialJob(29, false)
	job.Strategies = []engine.Strategy{named("edge")}
	if got := p.withBatch(job, l); got.batch >= l.batch || got.capacity != l.capacity || got.groups != l.groups {
		t.Errorf("%+v after %+v", got, l)
	}
}

// The strategies of a comparison have one layout. Each that fits alone fits in it.
func TestLayoutOfSeveralJobs(t *testing.T) {
	for _, scale := range []int{20, 26, 28} {
		var all []engine.Job
		for _, s := range strategiesOf(engine.BFS) {
			job := officialJob(scale, false)
			job.Strategies = []engine.Strategy{s}
			all = append(all, job)
		}
		most := engine.Peak(planned(1<<40).required(all[len(all)-1], whole(all[0].Tuples, 4, 1)), engine.DeviceMemory)
		for limit := most / 4 / 512 * 512; limit < 2*most; limit += most / 12 / 512 * 512 {
			p := planned(limit)
			var jobs []engine.Job
			for _, job := range all {
				if p.fits(job, p.layoutOf(job)) {
					jobs = append(jobs, job)
				}
			}
			if len(jobs) == 0 {
				continue
			}
			l := p.layoutOf(jobs...)
			for _, job := range jobs {
				if peak := engine.Peak(p.plan(job, p.withBatch(job, l)), engine.DeviceMemory); peak > limit {
					t.Errorf("scale %d, %s: %d bytes of %d in %+v", scale, job.Strategies[0].Name, peak, limit, l)
				}
			}
		}
	}
}

func TestPlanOfRegeneratedTuples(t *testing.T) {
	job := officialJob(29, false)
	for most, want := range map[uint64]engine.Allocation{
		139 << 30: {Name: "tuples, a part at a time", Bytes: 8 * regeneratedPart, Place: engine.DeviceMemory},
		1 << 40:   {Name: "tuples", Bytes: 8 * job.Tuples, Place: engine.DeviceMemory},
	} {
		p := planned(most)
		if got := p.plan(job, p.layoutOf(job))[0]; got != want {
			t.Errorf("%+v", got)
		}
	}
}

// A job with shortest paths has weights in its plan, and no other job.
func TestPlanOfWeights(t *testing.T) {
	for _, c := range []struct {
		loaded bool
		most   uint64
		want   engine.Allocation
	}{
		{false, 1 << 40, engine.Allocation{Name: "weights", Bytes: 4 << 33, Place: engine.DeviceMemory}},
		{true, 1 << 40, engine.Allocation{Name: "weights", Bytes: 4 << 33, Place: engine.DeviceMemory}},
		{false, 139 << 30, engine.Allocation{Name: "weights, a part at a time", Bytes: 4 * regeneratedPart, Place: engine.DeviceMemory}},
	} {
		job := officialJob(29, c.loaded)
		p := planned(c.most)
		l := p.layoutOf(job)
		for _, a := range append(p.plan(job, l), onHost(job, false)...) {
			if strings.Contains(a.Name, "weights") {
				t.Errorf("%+v of a job without shortest paths", a)
			}
		}
		job = weightedJob(job)
		plan := p.plan(job, l)
		if !slices.Contains(plan, c.want) {
			t.Errorf("no %+v in %+v", c.want, plan)
		}
		read := engine.Allocation{Name: "weights, as read", Bytes: 4 * job.Tuples, Phase: engine.Loading}
		if slices.Contains(onHost(job, false), read) != c.loaded {
			t.Errorf("loaded %v: %+v", c.loaded, onHost(job, false))
		}
	}
}

// whole returns a layout with all rows in the device's memory.
func whole(capacity uint64, groups, batch int) layout {
	return layout{capacity: capacity, groups: groups, batch: batch}
}

// The default search of BFS is by the depths of hubs, of large graphs for whose form the memory
// suffices, if no other strategy searches the graph.
func TestLayoutsByHubs(t *testing.T) {
	technique := officialJob(24, false)
	technique.Strategies = []engine.Strategy{strategiesOf(engine.BFS)[0]}
	both := officialJob(24, false)
	both.Strategies = bothKernels()
	of := func(scale int) []engine.Job { return []engine.Job{officialJob(scale, false)} }
	for _, c := range []struct {
		name        string
		limit       uint64
		devices     int
		distributed bool
		jobs        []engine.Job
		want        bool
	}{
		{"scale 23", 139 << 30, 1, false, of(23), false},
		{"scale 24", 139 << 30, 1, false, of(24), true},
		{"scale 28", 139 << 30, 1, false, of(28), true},
		{"scale 29", 139 << 30, 1, false, of(29), false},
		{"scale 24 in little memory", 3 << 30, 1, false, of(24), false},
		{"a technique", 139 << 30, 1, false, []engine.Job{technique}, false},
		{"a technique besides", 139 << 30, 1, false, []engine.Job{officialJob(24, false), technique}, false},
		{"both kernels", 139 << 30, 1, false, []engine.Job{both}, true},
		{"scale 23, two devices", 139 << 30, 2, false, of(23), false},
		{"scale 29, two devices", 139 << 30, 2, false, of(29), true},
		{"scale 30, four devices", 139 << 30, 4, false, of(30), true},
		{"scale 31, eight devices", 139 << 30, 8, false, of(31), false},
		{"two devices apart", 139 << 30, 2, true, of(24), false},
	} {
		p := planned(c.limit)
		p.hubsFrom, p.devices, p.distributed = 1<<23+1, c.devices, c.distributed
		l := p.layoutOf(c.jobs...)
		if l.byHubs != c.want {
			t.Errorf("%s: %+v", c.name, l)
		}
		if peak := engine.Peak(p.plan(c.jobs[0], l), engine.DeviceMemory); c.want && peak > c.limit {
			t.Errorf("%s: %d bytes", c.name, peak)
		}
	}
}
