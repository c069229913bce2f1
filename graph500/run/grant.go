package run

import (
	"context"
	"os"
	"strconv"
	"strings"

	"graph500/graph500/commandline"
)

// receiver is what a job grants a number of threads to.
type receiver int

const (
	rank    receiver = iota
	host             // for all its ranks
	process          // of those that the job asked for on a host (mpiprocs of PBS)
)

// processesOfHost returns how many processes a PBS job asked for on a host: PBS_NODEFILE has a
// line with the host of each. It is 1 without such a file.
func processesOfHost(lookup func(string) (string, bool)) int {
	path, _ := lookup("PBS_NODEFILE")
	text, err := os.ReadFile(path)
	if err != nil {
		return 1
	}
	lines := strings.Fields(string(text))
	hosts := make(map[string]bool)
	for _, line := range lines {
		hosts[line] = true
	}
	return max(1, len(lines)/max(1, len(hosts)))
}

// grantedThreads returns the number of threads that a job grants each of the ranks of a host,
// and the variable that says so; 0 if none does. The variables are in the order of preference:
// those of run.sh, then that of OpenMP.
func grantedThreads(lookup func(string) (string, bool), ranks int) (threads int, name string, err error) {
	for _, v := range []struct {
		name string
		of   receiver
	}{
		{"SLURM_CPUS_PER_TASK", rank}, // --cpus-per-task
		{"NCPUS", process},            // PBS
		{"PBS_NUM_PPN", host},         // Torque
		{"OMP_NUM_THREADS", rank},
	} {
		text, _ := lookup(v.name)
		text, _, _ = strings.Cut(text, ",") // OMP_NUM_THREADS: of nested levels
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if threads, err = strconv.Atoi(text); err != nil || threads < 1 {
			return 0, "", commandline.Usagef("environment variable %s: %q is not a number of threads of at least 1", v.name, text)
		}
		switch v.of {
		case host:
			threads = max(1, threads/ranks)
		case process:
			threads = max(1, threads*processesOfHost(lookup)/ranks)
		}
		return threads, v.name, nil
	}
	return 0, "", nil
}

// TakeThreads sets the number of threads, if -threads does not: that which the job grants, but
// no more than this rank's share of the processors that it may use. All ranks must call it.
func TakeThreads(ctx context.Context, p *Process, o *commandline.Options) error {
	usable, err := p.World.Threads(ctx, 0)
	if err != nil || o.ThreadsGiven {
		return err
	}
	granted, name, err := grantedThreads(p.Lookup, int(p.World.OnHost()))
	if granted > 0 && granted < usable {
		o.Threads = granted
		consoleOf(p, o).Printf("%d threads on %d processors, as %s says; -threads overrides it", granted, usable, name)
	}
	return err
}
