package main

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"graph500/cluster"
)

// TestThreadsOfTheJob takes the number of threads from -threads, else from the first variable
// that is set, else from the processors, and never more than these.
func TestThreadsOfTheJob(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	for _, c := range []struct {
		flags     []string
		variables map[string]string
		want      int // 0: of the processors
	}{
		{nil, nil, 0},
		{nil, map[string]string{"OMP_NUM_THREADS": "4"}, 4},
		{nil, map[string]string{"OMP_NUM_THREADS": "4,2"}, 4},
		{nil, map[string]string{"SLURM_CPUS_PER_TASK": "8", "OMP_NUM_THREADS": "1", "NCPUS": "3"}, 8},
		{nil, map[string]string{"NCPUS": "6", "OMP_NUM_THREADS": "1"}, 6},
		{nil, map[string]string{"PBS_NUM_PPN": "6"}, 6},
		{nil, map[string]string{"NCPUS": "64"}, 0},
		{nil, map[string]string{"NCPUS": "", "OMP_NUM_THREADS": " 3 "}, 3},
		{[]string{"-threads=5"}, map[string]string{"SLURM_CPUS_PER_TASK": "8"}, 5},
		{[]string{"-threads=0"}, map[string]string{"SLURM_CPUS_PER_TASK": "8"}, 0},
	} {
		lookup := func(name string) (string, bool) { v, ok := c.variables[name]; return v, ok }
		o, err := parseFlags(commandLine(c.flags), lookup, newCatalogue())
		if err == nil {
			err = takeThreads(t.Context(), &Process{World: cluster.Alone(), Lookup: lookup, Stderr: os.Stderr}, o)
		}
		if err != nil || o.Threads != c.want {
			t.Errorf("%v, %v: %d threads, want %d, %v", c.flags, c.variables, o.Threads, c.want, err)
		}
	}
	for name, want := range map[string]int{"NCPUS": 16, "PBS_NUM_PPN": 16, "SLURM_CPUS_PER_TASK": 64, "OMP_NUM_THREADS": 64} {
		n, source, err := grantedThreads(func(asked string) (string, bool) {
			if asked != name {
				return "", false
			}
			return "64", true
		}, 4)
		if n != want || source != name || err != nil {
			t.Errorf("%s: %d threads for each of 4 ranks, by %s, %v", name, n, source, err)
		}
	}
	for _, value := range []string{"0", "-1", "x", "1_0"} {
		r := succeedOrFail(t, []string{"OMP_NUM_THREADS=" + value}, "-scale=4")
		if r.status != 2 || !strings.HasPrefix(r.stderr, "graph500: environment variable OMP_NUM_THREADS: ") {
			t.Errorf("%+v", r)
		}
	}
	if r := succeedOrFail(t, []string{"OMP_NUM_THREADS=1"}, "-scale=4", "-engine=cpu", "-format=json"); !strings.Contains(r.stdout, `"threads": 1`) {
		t.Errorf("%+v", r)
	}
}

// succeedOrFail runs the program in an empty directory.
func succeedOrFail(t *testing.T, variables []string, args ...string) result {
	t.Helper()
	return finish(t, prepare(t.TempDir(), variables, args...))
}

// TestFailedRunsLeaveNoDirectories removes the empty directories of a run that fails.
func TestFailedRunsLeaveNoDirectories(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "path.txt", "0 1\n1 2\n4 4\n")
	for _, args := range [][]string{
		{"-graph=path.txt", "-root=4", "-kernel=both", "-write-parents=a/b", "-out=c/d"},
		{"-graph=path.txt", "-root=4", "-kernel=sssp", "-write-parents=a"},
		{"-graph=missing.txt", "-out=c"},
	} {
		c := prepare(dir, nil, args...)
		if r := finish(t, c); r.status == 0 {
			t.Errorf("%v: %+v", args, r)
		}
		if left := names(t, dir); len(left) != 1 {
			t.Errorf("%v: %q are left", args, left)
		}
	}
	// A directory that was there stays.
	if err := os.Mkdir(dir+"/a", 0o777); err != nil {
		t.Fatal(err)
	}
	finish(t, prepare(dir, nil, "-graph=path.txt", "-root=4", "-write-parents=a"))
	if left := names(t, dir); len(left) != 2 {
		t.Errorf("%q are left", left)
	}
}
