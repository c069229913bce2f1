package run

import (
	"context"
	"strconv"
	"strings"

	"graph500/graph500/commandline"
)

// grantedThreads returns the number of threads that a job grants each of the ranks of a host,
// and the variable that says so; 0 if none does. The variables are in the order of preference:
// those of run.sh, then that of OpenMP.
func grantedThreads(lookup func(string) (string, bool), ranks int) (threads int, name string, err error) {
	for _, v := range []struct {
		name   string
		ofHost bool // for all ranks of a host
	}{
		{"SLURM_CPUS_PER_TASK", false}, // --cpus-per-task
		{"NCPUS", true},                // PBS
		{"PBS_NUM_PPN", true},          // Torque
		{"OMP_NUM_THREADS", false},
	} {
		text, _ := lookup(v.name)
		text, _, _ = strings.Cut(text, ",") // OMP_NUM_THREADS: of nested levels
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if threads, err = strconv.Atoi(text); err != nil || threads < 1 {
			return 0, "", commandline.Usagef("environment variable %s: %q is not a number of threads of at least 1", v.name, text)
		}
		if v.ofHost {
			threads = max(1, threads/ranks)
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
