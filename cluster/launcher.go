package cluster

import "strconv"

// Launcher is what the environment says about the program that started this process
// as one of several ranks.
type Launcher struct {
	Name      string
	Rank      int // -1: unknown
	Size      int // ranks in the world; 0: unknown
	libraries []string
}

// Names of MPI libraries, by binary interface.
var (
	openMPI  = []string{"libmpi.so.40"}
	mpich    = []string{"libmpi.so.12", "libmpich.so.12"}
	standard = []string{"libmpi_abi.so.0"}
)

// launchers lists the variables of the launchers, the surest first. Inside a SLURM job,
// mpirun starts its daemons with srun. SLURM's variables below mpirun describe the
// daemons, so they come last. SLURM_NTASKS is also set in a batch script that srun did
// not start, SLURM_STEP_NUM_TASKS is not.
func launchers() []struct {
	name, rank, size string
	libraries        [][]string
} {
	return []struct {
		name, rank, size string
		libraries        [][]string
	}{
		{"mpirun of Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", [][]string{openMPI, standard}},
		{"flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", [][]string{openMPI, mpich, standard}},
		{"a PMI launcher", "PMI_RANK", "PMI_SIZE", [][]string{mpich, standard, openMPI}},
		{"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", [][]string{openMPI, mpich, standard}},
		{"a PMIx launcher", "PMIX_RANK", "", [][]string{openMPI, mpich, standard}},
	}
}

// Detect returns the launcher of this process, or nil if it was started as a single
// one. lookup reads the environment. GRAPH500_MPI names the MPI library to take.
func Detect(lookup func(string) (string, bool)) *Launcher {
	for _, l := range launchers() {
		rank, err := strconv.Atoi(first(lookup(l.rank)))
		if err != nil {
			continue
		}
		found := &Launcher{Name: l.name, Rank: rank}
		if l.size != "" {
			if found.Size, err = strconv.Atoi(first(lookup(l.size))); err != nil {
				continue
			}
		}
		if found.Size == 1 {
			return nil
		}
		for _, names := range l.libraries {
			found.libraries = append(found.libraries, names...)
		}
		if name := first(lookup("GRAPH500_MPI")); name != "" {
			found.libraries = []string{name}
		}
		return found
	}
	return nil
}

func first(value string, _ bool) string { return value }
