//go:build cuda

package gpu

import (
	"testing"

	"graph500/device/devicetest"
	"graph500/engine"
	"graph500/kernels/construct"
	"graph500/kronecker"
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
			keys, err := kronecker.Sample(t.Context(), spec, 3, info.Connected, e.Usable)
			if err != nil {
				t.Fatal(err)
			}
			var roots []engine.Local
			for _, key := range keys {
				roots = append(roots, engine.Local(key))
			}
			e.checkAgainst(t, c, int(spec.Vertices()), tuples, roots)
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
	for _, c := range []struct {
		job    engine.Job
		gib    uint64
		of     engine.Residency
		splits bool
		fits   bool
	}{
		{splitJob(30), 139, engine.AutoResidency, false, true},
		{splitJob(30), 60, engine.AutoResidency, true, true},
		{splitJob(31), 139, engine.AutoResidency, true, true},
		{splitJob(30), 60, engine.Resident, false, false},
		{splitJob(30), 10, engine.AutoResidency, true, false},
		{splitJob(28), 139, engine.Prefix, true, true},
		{splitJob(28), 20, engine.AutoResidency, true, true},
		{splitPathsJob(28), 20, engine.AutoResidency, false, false},
		{splitPathsJob(28), 20, engine.Prefix, false, false},
	} {
		e.limit.Bytes = c.gib<<30 - driverBytes
		for _, m := range e.members {
			m.planner.residency, m.planner.part = c.of, regeneratedPart
		}
		l := e.layoutOf(c.job)
		if l.splits() != c.splits || e.fits(c.job, l) != c.fits {
			t.Errorf("%v of %d labels, %d GiB, %s: %+v, fits: %v", kernelsOf(c.job), c.job.Vertices, c.gib, c.of, l, e.fits(c.job, l))
		}
		if host := engine.Peak(e.tailsPlan(c.job, l), engine.HostMemory); (host > 0) != c.splits {
			t.Errorf("%d bytes of host memory: %+v", host, l)
		}
	}
}
