//go:build cuda

package gpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"graph500/device"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kernels/hostrows"
	"graph500/kernels/validate"
	"graph500/kronecker"
)

// planned returns a planner with that memory limit in bytes.
func planned(limit uint64) planner {
	return planner{limit: limit, part: regeneratedPart, l2: defaultL2}
}

// officialJob is a run of the default search on an official graph, or of other strategies.
func officialJob(scale int, loaded bool, strategies ...engine.Strategy) engine.Job {
	spec := kronecker.Spec{Scale: scale, EdgeFactor: 16}
	job := engine.Job{Vertices: spec.Vertices(), Tuples: spec.Tuples(), Loaded: loaded, Strategies: strategies, Searches: 64}
	if !loaded {
		job.Connected = spec.MaxConnected()
	}
	if len(strategies) == 0 {
		job.Strategies = []engine.Strategy{named(defaultStrategy)}
	}
	return job
}

// whole returns a layout with all rows in the device's memory.
func whole(capacity uint64, groups, batch int) layout {
	return layout{capacity: capacity, groups: groups, batch: batch}
}

// describe says what a layout is of a job, and whether it fits.
func (p planner) describe(job engine.Job, l layout) string {
	var s strings.Builder
	switch l.capacity {
	case p.share(job):
		s.WriteString("tuples")
	case p.part:
		s.WriteString("parts")
	default:
		fmt.Fprintf(&s, "parts of %d", l.capacity)
	}
	fmt.Fprintf(&s, " %d groups %d together", l.groups, l.batch)
	if l.byHubs {
		s.WriteString(" by hubs")
	}
	if l.balanced {
		s.WriteString(" balanced")
	}
	if l.splits() {
		fmt.Fprintf(&s, " %s", l.residency())
	}
	if host := engine.Peak(p.tailsPlan(job, l, p.count()), engine.HostMemory) >> 30; host > 0 {
		fmt.Fprintf(&s, " %d GiB on host", host)
	}
	if !p.fits(job, l) {
		s.WriteString(" does not fit")
	}
	return s.String()
}

// Layouts of runs on GPUs of 139 GiB, the free memory of an H200, and of less. Several devices plan for the
// vertices that can have an edge, less than half of the labels: scale 31 has room on four, and scale 32,
// which has too many labels, would have room on eight. Rows are split if nothing else fits, if BFS is by the depths of hubs
// only so, or if the residency says so; only the default searches can search them.
func TestLayouts(t *testing.T) {
	bfs, paths, both := bothKernels()[:1], bothKernels()[1:], bothKernels()
	push, nearFar := []engine.Strategy{named("push")}, []engine.Strategy{{Kernel: engine.SSSP, Name: "near-far"}}
	const (
		generated, loaded  = false, true
		auto, here, prefix = engine.AutoResidency, engine.Resident, engine.Prefix
		apart              = -2 // devices that do not access each other's memory
		hubs, never        = 1<<23 + 1, 0
	)
	for _, c := range []struct {
		strategies []engine.Strategy
		scale      int
		loaded     bool
		gib        uint64
		devices    int
		residency  engine.Residency
		hubsFrom   uint64
		want       string
	}{
		{bfs, 1, generated, 139, 1, here, never, "tuples 4 groups 1 together"},
		{bfs, 24, generated, 139, 1, here, never, "tuples 4 groups 1 together"},
		{bfs, 28, generated, 139, 1, here, never, "tuples 4 groups 1 together"},
		{bfs, 28, loaded, 139, 1, here, never, "tuples 4 groups 1 together"},
		{bfs, 29, generated, 139, 1, here, never, "parts 5 groups 8 together"},
		{bfs, 29, loaded, 139, 1, here, never, "parts 5 groups 8 together"},
		{bfs, 30, generated, 139, 1, here, never, "parts 64 groups 1 together does not fit"},
		{bfs, 28, generated, 79, 1, here, never, "parts 4 groups 8 together"},
		{bfs, 26, loaded, 23, 1, here, never, "tuples 7 groups 1 together"},
		{bfs, 23, generated, 139, 1, here, hubs, "tuples 4 groups 1 together"},
		{bfs, 24, generated, 139, 1, here, hubs, "tuples 4 groups 1 together by hubs"},
		{bfs, 28, generated, 139, 1, here, hubs, "tuples 4 groups 1 together by hubs"},
		{bfs, 29, generated, 139, 1, here, hubs, "parts 5 groups 8 together"},
		{bfs, 24, generated, 4, 1, here, hubs, "parts 8 groups 1 together"},
		{push, 24, generated, 139, 1, here, hubs, "tuples 4 groups 1 together"},
		{both, 24, generated, 139, 1, here, hubs, "tuples 4 groups 8 together by hubs"},
		{bfs, 23, generated, 139, 2, here, hubs, "tuples 1 groups 1 together"},
		{bfs, 29, generated, 139, 2, here, hubs, "parts 2 groups 8 together by hubs"},
		{bfs, 24, generated, 139, apart, here, hubs, "parts 1 groups 8 together"},
		{bfs, 30, generated, 139, 4, here, hubs, "parts 2 groups 8 together by hubs"},
		{bfs, 31, generated, 139, 4, here, hubs, "parts 7 groups 3 together"},
		{bfs, 32, generated, 139, 4, here, hubs, "parts 64 groups 1 together does not fit"},
		{paths, 30, generated, 139, 8, here, hubs, "tuples 3 groups 2 together"},
		{bfs, 31, generated, 139, 8, here, hubs, "parts 2 groups 4 together by hubs"},
		{paths, 31, generated, 139, 8, here, hubs, "parts 64 groups 1 together does not fit"},
		{bfs, 32, generated, 139, 8, here, hubs, "parts 9 groups 1 together"},
		{bfs, 33, generated, 139, 8, here, hubs, "parts 64 groups 1 together does not fit"},
		{bfs, 28, generated, 139, 1, auto, hubs, "tuples 4 groups 1 together by hubs"},
		{bfs, 28, generated, 139, 1, prefix, hubs, "parts of 16777216 4 groups 1 together by hubs prefix 32 GiB on host"},
		{bfs, 28, generated, 40, 1, auto, hubs, "parts of 16777216 4 groups 1 together by hubs prefix 38 GiB on host"},
		{bfs, 28, generated, 40, 1, here, hubs, "parts 64 groups 1 together does not fit"},
		{bfs, 28, generated, 18, 1, auto, hubs, "parts of 16777216 12 groups 1 together by hubs prefix 60 GiB on host"},
		{bfs, 28, generated, 4, 1, auto, hubs, "parts of 16777216 64 groups 1 together zero-copy 35 GiB on host does not fit"},
		{paths, 28, generated, 139, 1, auto, hubs, "parts 4 groups 8 together"},
		{paths, 28, generated, 139, 1, prefix, hubs, "parts of 16777216 4 groups 1 together prefix 8 GiB on host"},
		{paths, 28, generated, 79, 1, here, hubs, "parts 64 groups 1 together does not fit"},
		{paths, 28, generated, 79, 1, auto, hubs, "parts of 16777216 16 groups 1 together prefix 17 GiB on host"},
		{paths, 28, generated, 40, 1, auto, hubs, "parts of 16777216 24 groups 1 together prefix 52 GiB on host"},
		{paths, 28, generated, 8, 1, auto, hubs, "parts of 16777216 64 groups 1 together prefix 66 GiB on host does not fit"},
		{both, 28, generated, 139, 1, auto, hubs, "parts of 16777216 12 groups 1 together by hubs prefix 43 GiB on host"},
		{both, 28, generated, 79, 1, auto, hubs, "parts of 16777216 12 groups 1 together by hubs prefix 94 GiB on host"},
		{both, 28, generated, 40, 1, auto, hubs, "parts of 16777216 16 groups 1 together by hubs prefix 129 GiB on host"},
		{both, 28, generated, 8, 1, auto, hubs, "parts of 16777216 64 groups 1 together by hubs prefix 131 GiB on host does not fit"},
		{push, 28, generated, 8, 1, auto, hubs, "parts 64 groups 1 together does not fit"},
		{push, 28, generated, 8, 1, prefix, hubs, "parts 64 groups 1 together does not fit"},
		{nearFar, 28, generated, 8, 1, auto, hubs, "parts 64 groups 1 together does not fit"},
		{bfs, 29, generated, 139, 1, auto, hubs, "parts of 16777216 4 groups 1 together by hubs prefix 64 GiB on host"},
		{bfs, 30, generated, 139, 1, auto, hubs, "parts of 16777216 6 groups 1 together by hubs prefix 168 GiB on host"},
		{bfs, 31, generated, 139, 4, auto, hubs, "parts of 16777216 4 groups 1 together by hubs prefix 362 GiB on host"},
		{bfs, 30, generated, 139, 2, auto, hubs, "parts of 16777216 4 groups 1 together by hubs prefix 164 GiB on host"},
		{bfs, 30, generated, 60, 2, auto, hubs, "parts of 16777216 8 groups 1 together by hubs prefix 322 GiB on host"},
		{bfs, 31, generated, 139, 2, auto, hubs, "parts of 16777216 16 groups 1 together prefix 157 GiB on host"},
		{bfs, 30, generated, 60, 2, here, hubs, "parts 64 groups 1 together does not fit"},
		{bfs, 30, generated, 10, 2, auto, hubs, "parts of 16777216 64 groups 1 together by hubs prefix 390 GiB on host does not fit"},
		{bfs, 28, generated, 139, 2, prefix, hubs, "parts of 16777216 4 groups 1 together by hubs prefix 36 GiB on host"},
		{bfs, 28, generated, 20, 2, auto, hubs, "parts of 16777216 6 groups 1 together by hubs prefix 84 GiB on host"},
		{paths, 28, generated, 139, 2, auto, hubs, "tuples 2 groups 8 together"},
		{paths, 28, generated, 40, 2, auto, hubs, "parts of 16777216 16 groups 1 together prefix 32 GiB on host"},
		{paths, 30, generated, 139, 2, auto, hubs, "parts of 16777216 16 groups 1 together prefix 163 GiB on host"},
		{paths, 28, generated, 40, 2, here, hubs, "parts 64 groups 1 together does not fit"},
		{both, 28, generated, 79, 2, auto, hubs, "parts 8 groups 1 together"},
		{both, 28, generated, 70, 2, auto, hubs, "parts of 16777216 8 groups 1 together by hubs prefix 102 GiB on host"},
		{bfs, 30, generated, 139, apart, auto, hubs, "parts 7 groups 8 together"},
		{bfs, 24, loaded, 139, 4, here, never, "tuples 1 groups 1 together balanced"},
		{paths, 24, loaded, 139, 4, here, never, "tuples 1 groups 8 together balanced"},
		{both, 24, loaded, 139, 4, here, never, "tuples 1 groups 8 together balanced"},
		{both, 24, loaded, 6, 4, here, never, "tuples 2 groups 4 together"},
		{bfs, 24, loaded, 139, apart, here, never, "tuples 1 groups 1 together balanced"},
		{bfs, 24, loaded, 5, apart, here, never, "tuples 13 groups 1 together balanced"},
		{bfs, 29, loaded, 139, 4, here, never, "tuples 1 groups 1 together balanced"},
		{paths, 29, loaded, 139, 4, here, never, "tuples 3 groups 4 together"},
		{bfs, 24, loaded, 139, 1, here, never, "tuples 4 groups 1 together"},
	} {
		job := officialJob(c.scale, c.loaded, c.strategies...)
		p := planner{limit: c.gib << 30, part: regeneratedPart, l2: defaultL2, devices: max(c.devices, -c.devices), distributed: c.devices < 0, host: 400 << 30, residency: c.residency, hubsFrom: c.hubsFrom}
		l := p.layoutOf(job)
		if got := p.describe(job, l); got != c.want {
			t.Errorf("%s, scale %d, loaded %v, %d GiB, %d devices, %s: %s, want %s", kernelsOf(job), c.scale, c.loaded, c.gib, c.devices, c.residency, got, c.want)
		}
		if peak := engine.Peak(p.plan(job, l), engine.DeviceMemory); peak > p.limit && !strings.HasSuffix(c.want, "does not fit") {
			t.Errorf("%s: %d bytes of %d", c.want, peak, p.limit)
		}
	}
}

// Without the host memory for the search by depths of hubs with split rows, the layout is that of another search. -residency=resident
// keeps whole rows.
func TestHostMemoryDecides(t *testing.T) {
	for _, c := range []struct {
		scale, devices int
		ranks          int    // that have them
		gib            uint64 // of a device
		residency      engine.Residency
		enough, short  uint64 // GiB of the host
		split, other   string
		unknown        string // with unknown host memory
	}{
		{29, 1, 1, 139, engine.AutoResidency, 72, 70, "parts of 16777216 4 groups 1 together by hubs prefix 64 GiB on host", "parts 5 groups 8 together", "parts 5 groups 8 together"},
		{29, 1, 1, 139, engine.Resident, 72, 70, "parts 5 groups 8 together", "parts 5 groups 8 together", "parts 5 groups 8 together"},
		{28, 1, 1, 40, engine.AutoResidency, 42, 39, "parts of 16777216 4 groups 1 together by hubs prefix 38 GiB on host", "parts of 16777216 16 groups 1 together prefix 8 GiB on host", "parts of 16777216 4 groups 1 together by hubs prefix 38 GiB on host"},
		{29, 1, 1, 23, engine.AutoResidency, 145, 100, "parts of 16777216 24 groups 1 together by hubs prefix 132 GiB on host", "parts of 16777216 24 groups 1 together zero-copy 70 GiB on host",
			"parts of 16777216 24 groups 1 together by hubs prefix 132 GiB on host"},
		{30, 2, 2, 60, engine.Prefix, 361, 340, "parts of 16777216 8 groups 1 together by hubs prefix 322 GiB on host", "parts of 16777216 16 groups 1 together prefix 99 GiB on host", "parts of 16777216 8 groups 1 together by hubs prefix 322 GiB on host"},
		{30, 2, 1, 60, engine.Prefix, 350, 320, "parts of 16777216 8 groups 1 together by hubs prefix 322 GiB on host", "parts of 16777216 16 groups 1 together prefix 99 GiB on host", "parts of 16777216 8 groups 1 together by hubs prefix 322 GiB on host"},
		{30, 2, 1, 139, engine.AutoResidency, 400, 100, "parts of 16777216 4 groups 1 together by hubs prefix 164 GiB on host", "parts 6 groups 7 together", "parts 6 groups 7 together"},
		{30, 2, 2, 139, engine.AutoResidency, 400, 100, "parts of 16777216 4 groups 1 together by hubs prefix 164 GiB on host", "parts 6 groups 7 together", "parts 6 groups 7 together"},
	} {
		job := officialJob(c.scale, false)
		p := planner{limit: c.gib << 30, part: regeneratedPart, l2: defaultL2, devices: c.devices, ranks: c.ranks, sharesHost: c.ranks > 1, residency: c.residency, hubsFrom: leastByHubs(defaultL2, c.devices)}
		for host, want := range map[uint64]string{0: c.unknown, c.enough: c.split, c.short: c.other} {
			p.host = host << 30
			if got := p.describe(job, p.layoutOf(job)); got != want {
				t.Errorf("scale %d, %s, host with %d GiB: %s, want %s", c.scale, c.residency, host, got, want)
			}
		}
		p.host, job.Others = c.enough<<30, []engine.Allocation{{Bytes: (c.enough - c.short) << 30, Phase: engine.Always}}
		if got := p.describe(job, p.layoutOf(job)); got != c.other {
			t.Errorf("scale %d, %s, with memory of others: %s, want %s", c.scale, c.residency, got, c.other)
		}
	}
}

// One device searches smaller graphs by the depths of hubs than several.
func TestLeastByHubs(t *testing.T) {
	for devices, scale := range map[int]int{1: 22, 2: 24, 4: 24} {
		if least := leastByHubs(defaultL2, devices); least > 1<<scale || least <= 1<<(scale-1) {
			t.Errorf("%d devices search by the depths of hubs from %d vertices on, not from scale %d on", devices, least, scale)
		}
	}
}

// Ranks that share no host memory split rows of BFS, by the older search, but none of SSSP.
func TestRanksWithoutSharedMemory(t *testing.T) {
	p := planner{limit: 40 << 30, part: regeneratedPart, l2: defaultL2, devices: 2, ranks: 2, residency: engine.Prefix, hubsFrom: leastByHubs(defaultL2, 2)}
	for _, c := range []struct {
		strategy engine.Strategy
		want     string
	}{
		{bothKernels()[0], "parts of 16777216 4 groups 1 together prefix"},
		{bothKernels()[1], "parts 64 groups 1 together does not fit"},
	} {
		job := officialJob(28, false, c.strategy)
		if got := p.describe(job, p.layoutOf(job)); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, want %s", c.strategy.Kernel, got, c.want)
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

// The batch is the largest that fits, at most the number of searches of the job. The plan lists its
// copies of the parents. With all tuples in memory BFS has none, and SSSP has one.
func TestBatchFits(t *testing.T) {
	for _, c := range []struct {
		scale      int
		strategies []engine.Strategy
		loaded     bool
		searches   int
	}{{29, bothKernels()[:1], false, 64}, {20, bothKernels()[1:], false, 64}, {20, bothKernels(), true, 64}, {29, bothKernels()[:1], false, 3}, {29, bothKernels()[:1], false, 0}} {
		job, seen := officialJob(c.scale, c.loaded, c.strategies...), map[int]bool{}
		job.Searches = c.searches
		most := uint64(139 << 30)
		if c.scale < 29 {
			p := planned(1 << 40)
			l := p.layoutOf(job)
			if most = engine.Peak(p.required(job, l), engine.DeviceMemory); l.capacity != job.Tuples || p.together(engine.SSSP, job, l) != maxBatch || p.together(engine.BFS, job, l) != 1 {
				t.Errorf("%+v: %+v", c, l)
			}
		}
		for ; ; most -= most / 16 / 512 * 512 {
			p := planned(most)
			l := p.layoutOf(job)
			if !p.fits(job, l) {
				break
			}
			seen[l.batch] = true
			larger, plan, copies := l, p.plan(job, l), 0
			if larger.batch++; l.batch < min(maxBatch, c.searches) && p.fits(job, larger) || l.batch > max(1, min(maxBatch, c.searches)) {
				t.Errorf("%+v, %d bytes: %+v, though a larger batch fits: %v", c, most, l, p.fits(job, larger))
			}
			for _, a := range plan {
				if a.Name == "parents kept for validation" {
					copies++
				}
			}
			if want := p.together(engine.BFS, job, l); len(c.strategies) == 1 && c.strategies[0].Kernel == engine.BFS && (want == 1 && copies != 0 || want > 1 && copies != want) || engine.Peak(plan, engine.DeviceMemory) > most {
				t.Errorf("%+v, %d bytes: %+v has %d copies", c, most, l, copies)
			}
		}
		if len(seen) < min(2, max(1, c.searches)) {
			t.Errorf("%+v: only %v were chosen", c, seen)
		}
	}
}

// The strategies of a comparison have one layout, of the depths of hubs only if all are. Each strategy that
// fits alone fits in it, in a batch of its own.
func TestLayoutOfSeveralJobs(t *testing.T) {
	for _, scale := range []int{20, 26, 28} {
		var all []engine.Job
		for _, s := range strategiesOf(engine.BFS) {
			all = append(all, officialJob(scale, false, s))
		}
		most := engine.Peak(planned(1<<40).required(all[len(all)-1], whole(all[0].Tuples, 4, 1)), engine.DeviceMemory)
		for limit := most / 4 / 512 * 512; limit < 2*most; limit += most / 12 / 512 * 512 {
			p := planned(limit)
			p.hubsFrom = 1
			jobs := slices.DeleteFunc(slices.Clone(all), func(job engine.Job) bool { return !p.fits(job, p.layoutOf(job)) })
			if len(jobs) < 2 {
				continue
			}
			l := p.layoutOf(jobs...)
			for _, job := range jobs {
				if peak := engine.Peak(p.plan(job, p.withBatch(job, l)), engine.DeviceMemory); peak > limit || l.byHubs {
					t.Errorf("scale %d, %s: %d bytes of %d in %+v", scale, job.Strategies[0].Name, peak, limit, l)
				}
			}
		}
	}
	p, edge := planned(139<<30), officialJob(29, false, named("edge"))
	l := p.layoutOf(officialJob(29, false))
	if got := p.withBatch(edge, l); got.batch >= l.batch || got.capacity != l.capacity || got.groups != l.groups {
		t.Errorf("%+v after %+v", got, l)
	}
}

// The lines of plans: what the kernels need, tuples and weights where they are, with labels of each width.
func TestLinesOfPlans(t *testing.T) {
	bfs, paths, both := officialJob(20, true), officialJob(20, true, shortestPaths()), officialJob(20, true, bothKernels()...)
	wide, widened, generated := both, both, officialJob(29, false, bothKernels()...)
	wide.Wide, wide.LoadedWide, widened.Wide = true, true, true
	const tuples, none, large, any = 16 << 20, 0, 16 << 29, 1
	vertices, deep := bfs.Vertices, validate.DeepPlan(bfs.Vertices)[0]
	device, host := engine.DeviceMemory, engine.HostMemory
	type line struct {
		name  string
		place engine.Place
		bytes uint64 // any: more than none
	}
	for name, c := range map[string]struct {
		job   engine.Job
		p     planner
		lines []line
	}{
		"BFS": {bfs, planned(1 << 40), []line{
			{"tuples", device, 8 * tuples}, {"weights", device, none}, {"weights, as read", host, none}, {"parents", device, 4 * vertices}, {"parents, copied", host, 4 * vertices},
			{"parents of shortest paths", device, none}, {"distances", device, none}, {"neighbours", device, any}, {"arcs by weight", device, none}, {deep.Name, device, deep.Bytes},
		}},
		"SSSP": {paths, planned(1 << 40), []line{
			{"weights", device, 4 * tuples}, {"weights, as read", host, 4 * tuples}, {"parents", device, none}, {"parents, copied", host, none}, {"distances", device, 4 * vertices},
			{"distances, copied", host, 4 * vertices}, {"neighbours", device, none}, {"arcs by weight", device, any}, {deep.Name, device, deep.Bytes},
		}},
		"both": {both, planned(1 << 40), []line{
			{"parents", device, 4 * vertices}, {"parents of shortest paths", device, 4 * vertices}, {"neighbours", device, any}, {"arcs by weight", device, any}, {deep.Name, device, 2 * deep.Bytes},
		}},
		"generated": {generated, planned(1 << 40), []line{{"tuples", device, 8 * large}, {"weights", device, 4 * large}, {"weights, as read", host, none}}},
		"generated in parts": {generated, planned(200 << 30), []line{
			{"tuples", device, none}, {"tuples, a part at a time", device, 8 * regeneratedPart}, {"weights, a part at a time", device, 4 * regeneratedPart},
		}},
		"loaded, on the host": {officialJob(29, true, bothKernels()...), planned(139 << 30), []line{
			{"tuples, a part at a time", device, 4 * regeneratedPart}, {"weights, the next part", device, 2 * regeneratedPart}, {"tuples on the host", host, 8 * large}, {"weights on the host", host, 4 * large},
		}},
		"48 bits": {wide, planned(1 << 40), []line{
			{"tuples", device, none}, {"tuples with labels of 48 bits", device, 12 * tuples}, {"tuples, as read", host, 12 * tuples}, {"parents of 64 bits", device, 8 * vertices}, {"parents of shortest paths of 64 bits", device, 8 * vertices},
		}},
		"48 bits, read with 32": {widened, planned(1 << 40), []line{{"tuples with labels of 48 bits", device, 12 * tuples}, {"tuples, as read", host, 8 * tuples}}},
		"48 bits, two devices": {widened, planner{limit: 1 << 40, part: regeneratedPart, l2: defaultL2, devices: 2}, []line{
			{"tuples with labels of 48 bits", device, 6 * tuples}, {"parents of 64 bits", device, 8 * vertices}, // balanced ranges can have nearly all labels
		}},
		"two devices apart":         {bfs, planner{limit: 1 << 40, part: regeneratedPart, l2: defaultL2, devices: 2, distributed: true}, []line{{"lists of all GPUs", device, 16 * vertices}}},
		"neighbours in host memory": {officialJob(20, false), planner{limit: 139 << 30, part: regeneratedPart, l2: defaultL2, residency: engine.ZeroCopy}, []line{{"neighbours", device, none}}},
	} {
		l := c.p.layoutOf(c.job)
		plan := append(c.p.plan(c.job, l), onHost(c.job, l.capacity < c.job.Tuples && c.p.count() == 1)...)
		for _, want := range c.lines {
			bytes := uint64(0)
			for _, a := range plan {
				if a.Name == want.name && a.Place == want.place {
					bytes += a.Bytes
				}
			}
			if bytes != want.bytes && !(want.bytes == any && bytes > any) {
				t.Errorf("%s: %d bytes of %s, want %d", name, bytes, want.name, want.bytes)
			}
		}
	}
	for _, a := range []arrangement{{1, 2, engine.PeerExchange, true}, {1, 2, engine.HostExchange, true}} {
		e := startTeam(t, a, Options{}).engines[0]
		if slices.ContainsFunc(e.Plan(bfs).Memory, func(a engine.Allocation) bool {
			return a.Name == "exchange of the GPUs" && a.Place == host && a.Bytes > 0
		}) != a.distributed() {
			t.Errorf("%s: memory of the host for the exchange: %+v", a, e.Plan(bfs).Memory)
		}
	}
}

// The optional arrays of a BFS leave memory for the tables of deep trees, if they are
// planned, and for all that the searcher of SSSP takes after them.
func TestReserve(t *testing.T) {
	for _, loaded := range []bool{false, true} {
		job := officialJob(20, loaded)
		deep := validate.DeepPlan(job.Vertices)[0].Bytes
		p := planned(1 << 40)
		l := p.layoutOf(job)
		if got := p.reserve(p.planJob(job, l), engine.BFS); got != deep {
			t.Errorf("loaded %v, BFS alone: %d bytes, want %d", loaded, got, deep)
		}
		job.Strategies = bothKernels()
		l = p.layoutOf(job)
		var paths uint64
		for _, a := range p.searcher(job, l, engine.SSSP) {
			paths += a.Bytes
		}
		if !loaded {
			paths += deep
		}
		if got := p.reserve(p.planJob(job, l), engine.BFS); got != paths+deep {
			t.Errorf("loaded %v: %d bytes, want %d", loaded, got, paths+deep)
		}
	}
	job, p := officialJob(20, false, named("push")), planned(0)
	if got := p.reserve(p.planJob(job, p.layoutOf(job)), engine.BFS); got != 0 {
		t.Errorf("%d bytes for tables that are not planned", got)
	}
}

// Buffers of neighbours in host memory are as long as fits, and only the residencies that use them have
// them. If little memory is left, they are shorter. The list of partitions does not grow beyond it.
func TestBuffersOfHostLayouts(t *testing.T) {
	job := officialJob(28, false)
	for _, residency := range hostResidencies() {
		p := planned(1)
		p.residency = residency
		l := p.layoutOf(job)
		if l.groups != construct.MostGroups || l.form.Buffer != leastHostBuffer && l.form.Buffer != hostrows.MostBufferOf(residency) {
			t.Errorf("%s: %+v is not the layout of the least memory", residency, l)
		}
		for _, gib := range []uint64{10, 16, 139} {
			p.limit = gib << 30
			l := p.layoutOf(job)
			plan := p.plan(job, l)
			if peak := engine.Peak(plan, engine.DeviceMemory); !l.splits() || l.hasPrefix() || peak > p.limit || l.form.Buffer != hostrows.MostBufferOf(residency) {
				t.Errorf("%d GiB, %s: %+v, %d bytes", gib, residency, l, peak)
			}
			uses := residency == engine.Subgraph || residency == engine.Partition
			if slices.ContainsFunc(plan, func(a engine.Allocation) bool { return strings.Contains(a.Name, "buffers of neighbours") }) != uses {
				t.Errorf("%s: buffers: %v", residency, !uses)
			}
			for _, l.form.Buffer = range []uint64{1 << 20, 1 << 14} {
				l.groups = construct.MostGroups
				short := p
				short.limit = p.needed(job, l)
				if got := short.layoutOf(job); uses && (got.form.Buffer < l.form.Buffer || !short.fits(job, got)) {
					t.Errorf("%s: buffers of %d neighbours where %d fit", residency, got.form.Buffer, l.form.Buffer)
				}
			}
		}
	}
}

// A large grid from a file needs the neighbours in host memory if the GPU has little.
func TestLayoutsOfGrid(t *testing.T) {
	job := officialJob(26, true)
	job.Tuples = 2 * job.Vertices
	for _, c := range []struct {
		residency engine.Residency
		gib       float64
	}{{engine.Prefix, 6.7}, {engine.ZeroCopy, 3.25}, {engine.Subgraph, 3.25}} {
		p := planned(uint64(c.gib * (1 << 30)))
		for _, p.residency = range []engine.Residency{c.residency, engine.AutoResidency} {
			if l := p.layoutOf(job); !p.fits(job, l) || l.hasPrefix() != (c.residency == engine.Prefix) {
				t.Errorf("%s: %+v for %.2f GiB, as %s", p.residency, l, c.gib, c.residency)
			}
		}
	}
}

// Loaded tuples are left in host memory only with the labels of the device, of either width, and never those
// that other devices read.
func TestTuplesThatAreOnTheDevice(t *testing.T) {
	for _, residency := range []engine.Residency{engine.Resident, engine.AutoResidency, engine.Prefix, engine.ZeroCopy} {
		for _, c := range []struct{ wide, loadedWide bool }{{false, false}, {true, false}, {true, true}} {
			p := planner{limit: device.Alignment, part: 500, residency: residency}
			job := officialJob(12, true)
			job.Wide, job.LoadedWide = c.wide, c.loadedWide
			if l := p.layoutOf(job); (l.capacity == job.Tuples) != (c.wide != c.loadedWide) {
				t.Errorf("%s, %+v: %d tuples on the device", residency, c, l.capacity)
			}
			if p.devices = 2; p.layoutOf(job).capacity != job.Tuples/2 {
				t.Errorf("%s, %+v, two devices: %+v", residency, c, p.layoutOf(job))
			}
		}
	}
}
