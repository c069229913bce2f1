package run

import (
	"strings"
	"testing"

	"graph500/engine"
	"graph500/memory"
)

func TestMemoryIsCheckedBeforeAnythingIsTaken(t *testing.T) {
	f := &fakeEngine{plan: []engine.Allocation{{Name: "everything", Bytes: 1 << 60}}}
	b, _ := newTestBench(t, f, "-scale=20")
	text, err := b.run(t.Context(), b.benchmark)
	if text != "" || err == nil || len(f.calls) > 0 {
		t.Fatalf("text %q, error %v, calls %v", text, err, f.calls)
	}
	for _, want := range []string{"flag -scale: scale 20 needs 1.0 EiB of memory", "are available (", "no scale fits"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
}

func TestLargestScaleThatFitsIsNamed(t *testing.T) {
	b, _ := newTestBench(t, new(fakeEngine), "-scale=20") // needs 132 bytes a vertex
	for _, c := range []struct {
		available uint64
		want      string
	}{
		{132 << 20, ""},
		{132<<20 - 1, "scale 20 needs 132.0 MiB of memory, 132.0 MiB are available (a test); the largest scale that fits is 19"},
		{132 << 12, "the largest scale that fits is 12"},
		{132<<13 - 1, "the largest scale that fits is 12"},
		{100, "no scale fits"},
	} {
		b.limits[engine.HostMemory] = memory.Limit{Bytes: c.available, Source: "a test"}
		err := checkMemory(b)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d bytes: %v", c.available, err)
		}
	}
	b.Graph = "roads.mtx"
	b.setSizes(4294967295, 1)
	if err := checkMemory(b); err == nil || !strings.HasPrefix(err.Error(), "flag -graph: roads.mtx with 4294967295 vertices and 1 edges needs 16.0 GiB of memory, ") {
		t.Error(err)
	}
	b.limits[engine.HostMemory] = memory.Limit{} // unknown
	if err := checkMemory(b); err != nil {
		t.Error(err)
	}
}

func TestPlanIsPrinted(t *testing.T) {
	b, _ := newTestBench(t, new(fakeEngine), "-scale=20", "-memory")
	b.limits[engine.HostMemory] = memory.Limit{Bytes: 200 << 20, Source: "a test"}
	text := planText(b)
	for _, want := range []string{"scale 20", "1048576 vertices", "134217728", "4194304", "138412032", "209715200", "whole run", "limited by: a test", "fits: yes"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	b.limits[engine.HostMemory].Bytes = 1
	if text := planText(b); !strings.Contains(text, "fits: no") {
		t.Error(text)
	}
}
