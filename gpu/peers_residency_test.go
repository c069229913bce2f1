//go:build cuda

package gpu

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
)

// startSplitPeers is startPeers with that residency and parts of 2^12 tuples.
func startSplitPeers(t *testing.T, count int, residency engine.Residency, limit uint64) *testPeers {
	t.Helper()
	e := startPeers(t, count, limit, 1<<12)
	for _, m := range e.members {
		m.planner.residency = residency
	}
	return e
}

// leastOfPeers returns the smallest memory of each GPU with which rows are split, and the largest
// with which they must be.
func leastOfPeers(t *testing.T, count int, job engine.Job) (least, most uint64) {
	t.Helper()
	probe := startSplitPeers(t, count, engine.AutoResidency, 0)
	_, labels := probe.largest(job)
	l := layout{capacity: 1 << 12, groups: construct.MostGroups, batch: 1}
	resident := engine.Peak(probe.required(job, l), engine.DeviceMemory)
	l.words = construct.LeastWords(probe.ownRows(job), construct.MostRangeArcs(job.Vertices, labels, job.Tuples)/2)
	return engine.Peak(probe.required(job, l), engine.DeviceMemory), resident - 1
}

// Rows are split where they must be or shall be, and the trees, the tuples and the facts of the
// graph are those of the CPU.
func TestPeersOfSplitRows(t *testing.T) {
	eachCount(t, func(t *testing.T, count int) {
		spec := devicetest.Official(devicetest.Sized(14, 12))
		tuples := devicetest.OfficialTuples(spec.Scale)
		job := splitJob(spec.Scale)
		least, most := leastOfPeers(t, count, job)
		_, c, want := onCPU(t, int(spec.Vertices()), tuples)
		for _, test := range []struct {
			residency engine.Residency
			limit     uint64
		}{{engine.Prefix, least}, {engine.AutoResidency, (least + most) / 2}, {engine.AutoResidency, most}, {engine.Prefix, 0}} {
			e := startSplitPeers(t, count, test.residency, test.limit)
			info := e.generate(t, spec, 3)
			if !e.graphs[0].IsSplit() || info.Prefix < construct.LeastPrefix || test.limit == least && info.HostBytes == 0 {
				t.Errorf("%+v: %+v", test, info)
			}
			if planned := engine.Peak(e.tailsPlan(job, e.layout), engine.HostMemory); uint64(info.HostBytes) > planned {
				t.Errorf("%+v: %d bytes of host memory, %d planned", test, info.HostBytes, planned)
			}
			want.Prefix, want.HostBytes, want.Regenerated = info.Prefix, info.HostBytes, info.Regenerated
			if info != want {
				t.Errorf("%+v: %+v, want %+v", test, info, want)
			}
			e.checkAgainst(t, c, int(spec.Vertices()), tuples, e.roots(t, spec, 3, info))
			for i, d := range e.team.Devices() {
				if limit := e.limit.Bytes; d.Reserved() > limit || d.Peak() > d.Reserved() {
					t.Errorf("%+v: GPU %d has %d bytes reserved of %d, and took %d", test, i, d.Reserved(), limit, d.Peak())
				}
			}
		}
	})
}

// Rows by weight are split, alone and beside those of BFS.
func TestPeersPathsOfSplitRows(t *testing.T) {
	eachCount(t, func(t *testing.T, count int) {
		spec := devicetest.Official(devicetest.Sized(14, 12))
		tuples := officialWeighted(spec)
		c, want := pathsOnCPU(t, spec.Vertices(), tuples)
		for _, test := range []struct {
			both bool
			more uint64 // bytes than the least
		}{{false, 0}, {false, 100_000}, {true, 20_000}} {
			job := splitPathsJob(spec.Scale)
			if test.both {
				job.Strategies = bothKernels()
			}
			least, _ := leastOfPeers(t, count, job)
			e := startSplitPeers(t, count, engine.Prefix, least+test.more)
			info := e.generatePaths(t, spec, test.both, 3)
			if !e.weightedGraphs[0].IsSplit() || info.HostBytes == 0 || info.Connected != want.Connected {
				t.Errorf("%+v: %+v", test, info)
			}
			if planned := engine.Peak(e.tailsPlan(job, e.layout), engine.HostMemory); uint64(info.HostBytes) > planned {
				t.Errorf("%+v: %d bytes of host memory, %d planned", test, info.HostBytes, planned)
			}
			e.comparePaths(t, c, e.roots(t, spec, 3, info))
			for i, d := range e.team.Devices() {
				if limit := e.limit.Bytes; d.Reserved() > limit || d.Peak() > d.Reserved() {
					t.Errorf("%+v: GPU %d has %d bytes reserved of %d, and took %d", test, i, d.Reserved(), limit, d.Peak())
				}
			}
		}
	})
}

// Rows are split only if they must be or shall be. Resident rows take nothing of the host.
func TestPeersLayouts(t *testing.T) {
	e := startSplitPeers(t, 2, engine.AutoResidency, 0)
	both := splitJob(28)
	both.Strategies = bothKernels()
	for _, c := range []struct {
		job    engine.Job
		gib    uint64
		of     engine.Residency
		splits bool
		fits   bool
		host   uint64 // GiB of host memory
	}{
		{splitJob(30), 139, engine.AutoResidency, false, true, 0},
		{splitJob(30), 60, engine.AutoResidency, true, true, 99},
		{splitJob(31), 139, engine.AutoResidency, true, true, 157},
		{splitJob(30), 60, engine.Resident, false, false, 0},
		{splitJob(30), 10, engine.AutoResidency, true, false, 149},
		{splitJob(28), 139, engine.Prefix, true, true, 4},
		{splitJob(28), 20, engine.AutoResidency, true, true, 16},
		{splitPathsJob(28), 139, engine.AutoResidency, false, true, 0},
		{splitPathsJob(28), 40, engine.AutoResidency, true, true, 32},
		{splitPathsJob(30), 139, engine.AutoResidency, true, true, 163},
		{splitPathsJob(28), 40, engine.Resident, false, false, 0},
		{both, 79, engine.AutoResidency, true, true, 20},
	} {
		e.limit.Bytes = c.gib<<30 - driverBytes
		for _, m := range e.members {
			m.planner.residency, m.planner.part = c.of, regeneratedPart
		}
		l := e.layoutOf(c.job)
		if l.splits() != c.splits || e.fits(c.job, l) != c.fits {
			t.Errorf("%v of %d labels, %d GiB, %s: %+v, fits: %v", kernelsOf(c.job), c.job.Vertices, c.gib, c.of, l, e.fits(c.job, l))
		}
		if host := engine.Peak(e.tailsPlan(c.job, l), engine.HostMemory); host>>30 != c.host {
			t.Errorf("%v of %d labels, %d GiB, %s: %d GiB of host memory, want %d", kernelsOf(c.job), c.job.Vertices, c.gib, c.of, host>>30, c.host)
		}
	}
}

// Loaded tuples, of which the ranges have rows of other lengths, and labels of 48 bits: the host's
// memory for the tails suffices although the GPUs have the prefix of the one that it fits worst.
func TestPeersOfSplitLoadedRows(t *testing.T) {
	const vertices, ring, short, long = 4096, 2040, 6, 200
	var tuples []engine.Edge
	for v := engine.Local(0); v < ring; v++ {
		for k := engine.Local(1); k <= short; k++ { // in the first range
			tuples = append(tuples, engine.Edge{U: v, V: (v + 7*k) % ring})
		}
	}
	for v := engine.Local(0); v < 80; v++ {
		for k := engine.Local(1); k <= long/2; k++ { // in the second one, of which most vertices have few
			tuples = append(tuples, engine.Edge{U: vertices/2 + v, V: vertices/2 + (v+k)%80})
		}
	}
	tuples = append(tuples, engine.Edge{U: 3, V: vertices/2 + 3})
	_, c, want := onCPU(t, vertices, tuples)
	for _, wide := range []bool{false, true} {
		job := engine.Job{Vertices: vertices, Tuples: uint64(len(tuples)), Loaded: true, Wide: wide, Strategies: []engine.Strategy{named("default")}, Searches: 1}
		probe := startSplitPeers(t, 2, engine.Prefix, 0)
		share, _ := probe.largest(job)
		l := layout{capacity: share, groups: construct.MostGroups, batch: 1}
		l.words = construct.LeastWords(probe.ownRows(job), uint64(len(tuples)))
		for _, more := range []uint64{0, 20_000} {
			e := startSplitPeers(t, 2, engine.Prefix, engine.Peak(probe.required(job, l), engine.DeviceMemory)+more)
			e.wide = wide
			if err := e.prepare(t, vertices, uint64(len(tuples)), true, 1); err != nil {
				t.Fatal(err)
			}
			if err := e.Load(t.Context(), vertices, inMemory(t, tuples)); err != nil {
				t.Fatal(err)
			}
			info := e.construct(t)
			want.Prefix, want.HostBytes = info.Prefix, info.HostBytes
			if info != want || info.HostBytes == 0 {
				t.Errorf("%d more: %+v, want %+v", more, info, want)
			}
			e.checkAgainst(t, c, vertices, tuples, []engine.Local{0, vertices/2 + 79})
		}
	}
}
