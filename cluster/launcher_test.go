package cluster

import (
	"slices"
	"testing"
)

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name      string
		variables map[string]string
		launcher  string // "": none
		rank      int
		size      int
		library   string // the first one
	}{
		{"nothing", nil, "", 0, 0, ""},
		{"Open MPI", map[string]string{"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4"}, "mpirun of Open MPI", 2, 4, "libmpi.so.40"},
		{"Open MPI below srun", map[string]string{"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4", "SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "2"}, "mpirun of Open MPI", 2, 4, "libmpi.so.40"},
		{"one process", map[string]string{"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "1"}, "", 0, 0, ""},
		{"MPICH", map[string]string{"PMI_RANK": "0", "PMI_SIZE": "3"}, "a PMI launcher", 0, 3, "libmpi.so.12"},
		{"flux", map[string]string{"FLUX_TASK_RANK": "1", "FLUX_JOB_SIZE": "8", "PMI_RANK": "1", "PMI_SIZE": "8"}, "flux", 1, 8, "libmpi.so.40"},
		{"srun", map[string]string{"SLURM_PROCID": "7", "SLURM_STEP_NUM_TASKS": "8", "PMIX_RANK": "7"}, "srun", 7, 8, "libmpi.so.40"},
		{"batch script without srun", map[string]string{"SLURM_PROCID": "0", "SLURM_NTASKS": "8"}, "", 0, 0, ""},
		{"PMIx", map[string]string{"PMIX_RANK": "5"}, "a PMIx launcher", 5, 0, "libmpi.so.40"},
		{"not a number", map[string]string{"PMI_RANK": "x", "PMI_SIZE": "3"}, "", 0, 0, ""},
		{"given library", map[string]string{"PMI_RANK": "0", "PMI_SIZE": "3", "GRAPH500_MPI": "my.so"}, "a PMI launcher", 0, 3, "my.so"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := Detect(func(name string) (string, bool) { v, set := c.variables[name]; return v, set })
			if c.launcher == "" {
				if l != nil {
					t.Fatalf("found %+v", *l)
				}
				return
			}
			if l == nil {
				t.Fatal("found none")
			}
			if l.Name != c.launcher || l.Rank != c.rank || l.Size != c.size || l.libraries[0] != c.library {
				t.Errorf("found %+v", *l)
			}
			if c.library != "my.so" && !slices.Contains(l.libraries, "libmpi_abi.so.0") {
				t.Error("not the standard interface")
			}
		})
	}
}
