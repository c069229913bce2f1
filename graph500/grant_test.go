package main

import (
	"os"
	"strings"
	"testing"

	"graph500/graph500/programtest"
	"graph500/graph500/testinput"
)

// succeedOrFail runs the program in an empty directory.
func succeedOrFail(t *testing.T, variables []string, args ...string) programtest.Result {
	t.Helper()
	return programtest.Run(t, t.TempDir(), variables, args...)
}

// TestFailedRunsLeaveNoDirectories removes the empty directories of a run that fails.
func TestFailedRunsLeaveNoDirectories(t *testing.T) {
	dir := t.TempDir()
	testinput.Write(t, dir, "path.txt", "0 1\n1 2\n4 4\n")
	for _, args := range [][]string{
		{"-graph=path.txt", "-root=4", "-kernel=both", "-write-parents=a/b", "-out=c/d"},
		{"-graph=path.txt", "-root=4", "-kernel=sssp", "-write-parents=a"},
		{"-graph=missing.txt", "-out=c"},
	} {
		if r := programtest.Run(t, dir, nil, args...); r.Status == 0 {
			t.Errorf("%v: %+v", args, r)
		}
		if left := testinput.Names(t, dir); len(left) != 1 {
			t.Errorf("%v: %q are left", args, left)
		}
	}
	// A directory that was there stays.
	if err := os.Mkdir(dir+"/a", 0o777); err != nil {
		t.Fatal(err)
	}
	programtest.Run(t, dir, nil, "-graph=path.txt", "-root=4", "-write-parents=a")
	if left := testinput.Names(t, dir); len(left) != 2 {
		t.Errorf("%q are left", left)
	}
}

// A number of threads of the job that is none is an error of the command line.
func TestThreadsOfTheJobInTheProgram(t *testing.T) {
	for _, value := range []string{"0", "-1", "x", "1_0"} {
		r := succeedOrFail(t, []string{"OMP_NUM_THREADS=" + value}, "-scale=4")
		if r.Status != 2 || !strings.HasPrefix(r.Stderr, "graph500: environment variable OMP_NUM_THREADS: ") {
			t.Errorf("%+v", r)
		}
	}
	if r := succeedOrFail(t, []string{"OMP_NUM_THREADS=1"}, "-scale=4", "-engine=cpu", "-format=json"); !strings.Contains(r.Stdout, `"threads": 1`) {
		t.Errorf("%+v", r)
	}
}
