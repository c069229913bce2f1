package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"graph500/cluster/mpitest"
	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

// With a launcher, ranks write and read what one process does.
func TestRanksFiles(t *testing.T) {
	sameProgram(t)
	sameRanks(t)
	args := []string{"-engine=cpu", "-kernel=both", "-scale=9", "-roots=2", "-format=json"}
	one := t.TempDir()
	want := searchFacts(t, programtest.Succeed(t, one, append(args, "-write-edges=edges", "-write-parents=parents")...))
	for _, l := range mpitest.Libraries(t) {
		if l.Name == "MPI 5" {
			continue // Open MPI behind it
		}
		c := overRanks(t, l, 3, append(args, "-write-edges=edges", "-write-parents=parents")...)
		if got := searchFacts(t, finish(t, c)); !slices.Equal(got, want) {
			t.Errorf("%s, writing: %q, one process: %q", l.Name, got, want)
		}
		testinput.SameFiles(t, c.Dir, one)
		again := overRanks(t, l, 2, append(args, "-read-edges="+filepath.Join(c.Dir, "edges"))...)
		if got := searchFacts(t, finish(t, again)); !slices.Equal(got, want) {
			t.Errorf("%s, reading: %q, one process: %q", l.Name, got, want)
		}
	}
}

// A rank that is killed while all write leaves no incomplete file, if the launcher gives the
// others time to end. MPICH kills them too.
func TestRanksKilledWhileWriting(t *testing.T) {
	sameProgram(t)
	sameRanks(t)
	l := mpitest.Libraries(t)[0]
	if l.Name != "Open MPI" {
		t.Skip("no Open MPI")
	}
	for rank := range 2 {
		t.Run(fmt.Sprintf("rank %d", rank), func(t *testing.T) {
			t.Parallel()
			c := overRanks(t, l, 2, "-engine=cpu", "-threads=1", "-scale=18", "-v", "-write-edges=edges")
			r, took := signalRank(t, c, rank, "writing edges", syscall.SIGKILL)
			if strings.Contains(r.Stdout, "SCALE:") || took > 10*time.Second {
				t.Errorf("took %v: %s", took, r.Stdout)
			}
			for _, name := range testinput.Names(t, c.Dir) {
				if info, err := os.Stat(filepath.Join(c.Dir, name)); err != nil || name != "edges" || info.Size() != 12*16<<18 {
					t.Errorf("left %s (%v)", name, err)
				}
			}
		})
	}
}
