package main

import (
	"encoding/json"
	"fmt"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// facts are results of the reference and of an independent simple search for one search
// key.
type facts struct {
	Root      uint32  `json:"root"`
	Visited   int64   `json:"visited"`
	Nedge     int64   `json:"nedge_excl_loops"`
	SelfLoops int64   `json:"self_loops_in_component"`
	Depth     int64   `json:"max_depth"`
	Levels    []int64 `json:"level_sizes"`
}

// The program has the results of the reference for every search key.
func TestFactsOfTheReference(t *testing.T) {
	for _, scale := range []int{8, 10, 14, 16} {
		if testing.Short() && scale > 10 {
			break // make race runs the program in this process
		}
		var want []facts
		if err := json.Unmarshal([]byte(testinput.Read(t, fmt.Sprintf("../kronecker/testdata/perkey-scale%d.json", scale))), &want); err != nil {
			t.Fatal(err)
		}
		var got report.Run
		r := programtest.Succeed(t, t.TempDir(), fmt.Sprint("-scale=", scale), "-format=json")
		if err := json.Unmarshal([]byte(r.Stdout), &got); err != nil {
			t.Fatal(err)
		}
		if len(want) != 64 || len(got.Kernels[0].Searches) != 64 || len(got.NotConforming) != 1 || !got.Validated() || got.Program.Commit != "abc123" {
			t.Fatalf("scale %d: %d searches, %q, validated %v, commit %s", scale, len(got.Kernels[0].Searches), got.NotConforming, got.Validated(), got.Program.Commit)
		}
		for i, w := range want {
			s := got.Kernels[0].Searches[i]
			if uint32(s.Root) != w.Root || s.Visited != w.Visited || s.Edges != w.Nedge || s.SelfLoops != w.SelfLoops || s.Depth != w.Depth {
				t.Errorf("scale %d, key %d: %+v, not %+v", scale, i, s, w)
			}
			for level, l := range s.Levels {
				if level+1 < len(w.Levels) && l.Found != w.Levels[level+1] {
					t.Errorf("scale %d, key %d, level %d: %d vertices found, not %d", scale, i, level, l.Found, w.Levels[level+1])
				}
			}
		}
	}
}
