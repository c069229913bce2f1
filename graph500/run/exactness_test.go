package run

import (
	"slices"
	"strings"
	"testing"

	"graph500/graph500/testinput"
)

// TestWholeWeightsBeyondFloat32 warns of sums of whole weights that float32 may have rounded.
func TestWholeWeightsBeyondFloat32(t *testing.T) {
	dir := t.TempDir()
	const want = "distances from vertex 0 reach 16777216: float32 holds all whole numbers up to 16777216 only, so the distances of 4 vertices may be rounded; -weights=integer searches exactly, on the cores"
	path := testinput.Write(t, dir, "far.txt", "0 1 16777216\n1 2 1\n2 3 1\n1 3 3\n3 4 1\n")
	for _, flag := range []string{"-kernel=sssp", "-skip-validation"} {
		_, b, output := loaded(t, "-kernel=sssp", "-root=0", "-root=1", flag, "-graph", path)
		if !slices.Contains(b.Record.Warnings, want) || strings.Count(output, "may be rounded") != 1 {
			t.Errorf("%s: %q", flag, b.Record.Warnings)
		}
	}
	for name, text := range map[string]string{
		"near.txt":     "0 1 16777214\n1 2 1\n",
		"fraction.txt": "0 1 16777216\n1 2 0.5\n",
	} {
		if _, b, _ := loaded(t, "-kernel=sssp", "-root=0", "-graph", testinput.Write(t, dir, name, text)); len(b.Record.Warnings) > 0 {
			t.Errorf("%s: %q", name, b.Record.Warnings)
		}
	}
	if _, b, output := loaded(t, "-kernel=both", "-root=0", "-graph", testinput.Write(t, dir, "times.txt", "0 1 16777217\n1 2 16777220\n")); !strings.Contains(output, "look like timestamps") || len(b.Record.Warnings) < 3 {
		t.Errorf("%q", b.Record.Warnings)
	}
}
