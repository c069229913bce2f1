//go:build cuda

package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
	"graph500/report"
)

// With labels of 48 bits, several GPUs of one process or of ranks, with access to each other's
// memory or apart, find, write and read what one process does on the cores with 32.
func TestGPURanksWideLabels(t *testing.T) {
	library, args := libraryInTurn(t), []string{"-scale=12", "-roots=2", "-format=json"}
	one, want := t.TempDir(), make(map[string][]string)
	for _, kernel := range []string{"bfs", "both"} {
		want[kernel] = searchFacts(t, programtest.Succeed(t, one, append(args, "-engine=cpu", "-kernel="+kernel, "-write-edges="+kernel)...))
	}
	reading := "-read-edges=" + filepath.Join(one, "both")
	for _, c := range []struct {
		ranks, each int
		hosts       bool
		kernel      string
		flags       []string
	}{
		{1, 2, false, "both", nil}, {1, 3, false, "both", []string{reading}}, {2, 1, false, "both", []string{"-write-edges=edges"}},
		{2, 2, false, "both", []string{reading}}, {1, 2, false, "bfs", []string{"-exchange=host"}},
		{3, 1, true, "bfs", []string{"-exchange=host", "-write-edges=edges", "-write-parents=parents"}}, {2, 1, true, "bfs", []string{"-exchange=host", reading}},
	} {
		l := library()
		t.Run(fmt.Sprintf("%s, %d ranks with %d GPUs, %s %q", l.Name, c.ranks, c.each, c.kernel, c.flags), func(t *testing.T) {
			flags := append([]string{"-engine=gpu", "-label-bits=48", "-check-engine", "-kernel=" + c.kernel, fmt.Sprintf("-gpus=%d", c.each)}, c.flags...)
			command := gpuRanks(t, l, c.ranks*c.each, c.ranks, append(args, flags...)...)
			command.Env = append(command.Env, "EMULATION_MEMORY=320")
			if c.hosts {
				onHosts(command, c.each)
			}
			r := finish(t, command)
			if got := searchFacts(t, r); !slices.Equal(got, want[c.kernel]) {
				t.Errorf("%q, one process: %q", got, want[c.kernel])
			}
			if run, err := report.ReadRun(strings.NewReader(r.Stdout)); err != nil || run.Engine.LabelBits != 48 {
				t.Errorf("%+v, %v", run, err)
			}
			if slices.Contains(c.flags, "-write-edges=edges") && testinput.Read(t, command.Dir, "edges") != testinput.Read(t, one, c.kernel) {
				t.Error("other edges")
			}
		})
	}
}
