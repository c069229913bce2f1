package run

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"graph500/engine"
	"graph500/memory"
)

// fakeGPU is a fake engine with a device. Its plan has the tuples in device memory and
// the parents in host memory.
type fakeGPU struct {
	fakeEngine
	free uint64
	slow error // of CopyBandwidth
}

func (f *fakeGPU) Plan(job engine.Job) engine.Plan {
	plan := f.fakeEngine.Plan(job)
	plan.Memory[0].Place = engine.DeviceMemory
	if job.Loaded {
		plan.Memory = append(plan.Memory, engine.Allocation{Name: "tuples, as read", Bytes: 8 * job.Tuples, Phase: engine.Loading})
	}
	return plan
}

func (f *fakeGPU) Info() engine.Info {
	info := f.fakeEngine.Info()
	info.MaxVertices = 1 << 22
	info.Device = &engine.Device{Name: "Some GPU", Driver: "13.0", Architecture: "9.0", BusID: "0000:9b:00.0", Memory: f.free, Multiprocessors: 7}
	info.Devices = []engine.Device{*info.Device}
	return info
}

func (f *fakeGPU) Memory() memory.Limit { return memory.Limit{Bytes: f.free, Source: "a GPU"} }

func (f *fakeGPU) CopyBandwidth() (float64, error) { return 4e12, f.slow }

func (f *fakeGPU) DevicePeak() uint64 { return 12345 }

func newGPUBench(t *testing.T, f *fakeGPU, args ...string) *Bench {
	t.Helper()
	b, _ := newTestBench(t, f, args...)
	return b
}

func TestDeviceIsRecorded(t *testing.T) {
	f := &fakeGPU{free: 1 << 40}
	f.device = 5 * time.Microsecond
	b, _ := ran(t, f, "-scale=5", "-roots=2", "-v")
	if d := b.Record.Device; d == nil || d.Name != "Some GPU" || d.CopyBandwidth != 4e12 || d.Peak != 12345 || b.Record.Kernels[0].Searches[1].DeviceSeconds != 5e-6 {
		t.Errorf("%+v", b.Record)
	}
}

// splitGPU is a fakeGPU with neighbours in host memory.
type splitGPU struct{ fakeGPU }

func (f *splitGPU) Info() engine.Info {
	info := f.fakeGPU.Info()
	info.Residency = engine.Prefix
	return info
}

func (f *splitGPU) Construct(ctx context.Context) (engine.Graph, error) {
	info, err := f.fakeGPU.Construct(ctx)
	info.Prefix, info.HostBytes = 5, 4096
	return info, err
}

// With -verbose, the median search is counted if its neighbours are split.
func TestReadsOfHostMemoryAreCounted(t *testing.T) {
	var levels []engine.Level
	for _, c := range []struct {
		flag    string
		counts  bool
		counted int64
	}{{"-v", false, 0}, {"-v", true, 64}, {"-skip-validation", true, 0}} {
		f := &splitGPU{fakeGPU{free: 1 << 40}}
		if c.counts {
			f.counts = &engine.Counts{HostBytes: 64, HostRequests: 2, Profile: &engine.Profile{Levels: slices.Clone(levels)}}
			f.counts.Profile.Levels[1].HostBytes, f.counts.Profile.Levels[1].HostRequests = 64, 2
		}
		b, _ := ran(t, f, "-scale=5", "-roots=1", c.flag)
		s := b.Record.Kernels[0].Searches[0]
		levels = nil
		for _, l := range s.Levels {
			levels = append(levels, engine.Level(l))
		}
		if s.HostBytes != c.counted || s.HostRequests != c.counted/32 || levels[1].HostBytes != c.counted || slices.Contains(f.calls, "count work") != (c.counted > 0) {
			t.Errorf("%s: %d bytes, %d requests, %+v, %v", c.flag, s.HostBytes, s.HostRequests, levels, f.calls)
		}
	}
}

func TestFaultsOfTheDeviceEndTheRun(t *testing.T) {
	broken := errors.New("broken")
	f := &fakeGPU{free: 1 << 40, slow: broken}
	b := newGPUBench(t, f, "-scale=5")
	if text, err := b.run(t.Context(), b.benchmark); !errors.Is(err, broken) || text != "" || len(f.calls) > 0 {
		t.Errorf("text %q, error %v, calls %v", text, err, f.calls)
	}
}

func TestBothMemoriesAreChecked(t *testing.T) {
	f := &fakeGPU{free: 1 << 40}
	b := newGPUBench(t, f, "-scale=20") // 128 bytes a vertex on the device, 4 on the host
	for _, c := range []struct {
		host, device uint64
		want         string
	}{
		{4 << 20, 128 << 20, ""},
		{4 << 20, 128<<20 - 1, "scale 20 needs 128.0 MiB of device memory, 128.0 MiB are available (a GPU); the largest scale that fits is 19"},
		{4<<20 - 1, 128 << 20, "scale 20 needs 4.0 MiB of memory, 4.0 MiB are available (a host); the largest scale that fits is 19"},
		{4 << 9, 128 << 12, "the largest scale that fits is 9"},
		{4 << 12, 128 << 9, "the largest scale that fits is 9"},
	} {
		b.limits = limits{{Bytes: c.host, Source: "a host"}, {Bytes: c.device, Source: "a GPU"}}
		err := checkMemory(b)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d and %d bytes: %v", c.host, c.device, err)
		}
	}
	b.Edges.Read = "edges" // read into host memory first
	b.limits = limits{{Bytes: 128<<20 - 1, Source: "a host"}, {Bytes: 128 << 20, Source: "a GPU"}}
	if err := checkMemory(b); err == nil || !strings.Contains(err.Error(), "needs 128.0 MiB of memory") {
		t.Error(err)
	}
}

func TestVerticesAreLimited(t *testing.T) {
	f := &fakeGPU{free: 1 << 40}
	b := newGPUBench(t, f, "-scale=23", "-memory")
	want := "scale 23 has more vertices than the 4194304 that the fake engine takes; the largest scale that fits is 22"
	if text, err := b.run(t.Context(), b.benchmark); err == nil || err.Error() != "flag -scale: "+want || !strings.Contains(text, "fits: no") {
		t.Errorf("%v\n%s", err, text)
	}
	b = newGPUBench(t, f, "-scale=22", "-memory")
	b.limits[engine.HostMemory] = memory.Limit{}
	if err := checkMemory(b); err != nil {
		t.Error(err)
	}
	b.Graph = "roads.mtx"
	b.setSizes(1<<22+1, 1)
	want = "flag -graph: roads.mtx with 4194305 vertices and 1 edges has more vertices than the 4194304 that the fake engine takes"
	if err := checkMemory(b); err == nil || err.Error() != want {
		t.Error(err)
	}
}

func TestPlanTellsMemoriesApart(t *testing.T) {
	b := newGPUBench(t, &fakeGPU{free: 1 << 40}, "-scale=20", "-memory")
	b.limits = limits{memory.Limit{}, {Bytes: 200 << 20, Source: "a GPU"}}
	text := planText(b)
	for _, want := range []string{"limited by: a GPU", "fits: unknown", " device ", " host ", "209715200"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}
