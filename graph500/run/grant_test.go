package run

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"graph500/cluster"
	"graph500/graph500/commandline"
	"graph500/graph500/testinput"
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
		o, err := commandline.ParseFlags(testinput.CommandLine(c.flags), lookup, commandline.NewCatalogue())
		if err == nil {
			err = TakeThreads(t.Context(), &Process{World: cluster.Alone(), Lookup: lookup, Stderr: os.Stderr}, o)
		}
		if err != nil || o.Threads != c.want {
			t.Errorf("%v, %v: %d threads, want %d, %v", c.flags, c.variables, o.Threads, c.want, err)
		}
	}
	nodes := filepath.Join(t.TempDir(), "nodes")
	if err := os.WriteFile(nodes, []byte("a\na\nb\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, nodes string
		want        int // for each of 4 ranks of a host
	}{
		{"NCPUS", "", 16},
		{"NCPUS", nodes, 32}, // two processes of 64 on each host
		{"NCPUS", nodes + ".missing", 16},
		{"PBS_NUM_PPN", nodes, 16},
		{"SLURM_CPUS_PER_TASK", "", 64},
		{"OMP_NUM_THREADS", "", 64},
	} {
		variables := map[string]string{c.name: "64", "PBS_NODEFILE": c.nodes}
		n, source, err := grantedThreads(func(name string) (string, bool) { v, ok := variables[name]; return v, ok }, 4)
		if n != c.want || source != c.name || err != nil {
			t.Errorf("%v: %d threads for each of 4 ranks, by %s, %v", variables, n, source, err)
		}
	}
}
