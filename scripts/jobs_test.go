package scripts

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakes are launchers that write their options to $LAUNCHED and run the rest of the
// command once, as the first rank.
func fakes(names ...string) map[string]string {
	list := map[string]string{}
	for _, name := range names {
		skip := `while [[ $1 != */build/graph500 && $1 != */bin/graph500 ]]; do options+=("$1") && shift; done`
		list[name] = `[[ $1 != --version ]] || { echo "mpirun (Open MPI) 4.1.4" && exit; }
			options=() && ` + skip + ` && echo "${0##*/} ${options[*]}" >>"$LAUNCHED" && exec "$@"`
	}
	return list
}

// run.sh starts the ranks that it is asked for, or that the job has, by the launcher that
// it is told or finds.
func TestLauncher(t *testing.T) {
	repository := newRepository(t)
	hosts := func(lines ...string) string {
		file := filepath.Join(t.TempDir(), "nodes")
		write(t, file, strings.Join(lines, "\n")+"\n", 0o644)
		return file
	}
	two, cores := hosts("a", "a", "b", "b"), hosts("a", "a", "a", "b", "b", "b")
	const nothing = "nothing"
	hydra := map[string]string{"mpirun": "echo HYDRA build details:"}
	for _, test := range []struct {
		name        string
		commands    map[string]string
		environment []string
		arguments   []string
		command     string // before the program
		fault       string
		after       string // the program, if not empty; nothing for no arguments
	}{
		{name: "processors of PBS, shared by ranks", commands: fakes("mpirun"), environment: []string{"NCPUS=64", "RANKS_PER_NODE=2"},
			command: "mpirun -n 2 --map-by ppr:2:node --bind-to none", after: "-threads=32"},
		{name: "processors of a task, shared by ranks", commands: fakes("srun"), environment: []string{"SLURM_CPUS_PER_TASK=64", "SLURM_JOB_NUM_NODES=1", "RANKS_PER_NODE=4"},
			command: "srun --nodes=1 --ntasks=4 --ntasks-per-node=4 --cpus-per-task=16 --cpu-bind=cores", after: "-threads=16"},
		{name: "processors of tasks", commands: fakes("srun"), environment: []string{"SLURM_CPUS_PER_TASK=16", "SLURM_JOB_NUM_NODES=2", "SLURM_NTASKS=4", "RANKS_PER_NODE=1"},
			command: "srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --cpus-per-task=32 --cpu-bind=cores", after: "-threads=32"},
		{name: "cores of a rank, not those of a task", commands: fakes("srun"), environment: []string{"SLURM_CPUS_PER_TASK=64", "CORES_PER_RANK=8", "RANKS_PER_NODE=2"},
			command: "srun --nodes=1 --ntasks=2 --ntasks-per-node=2 --cpus-per-task=8 --cpu-bind=cores", after: nothing},
		{name: "tasks of nodes", commands: fakes("mpirun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_NTASKS=4", "SLURM_TASKS_PER_NODE=2(x2)"},
			command: "mpirun -n 4 --map-by ppr:2:node --bind-to none"},
		{name: "nodes by their other name", commands: fakes("mpirun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_NTASKS=4", "SLURM_NNODES=2"},
			command: "mpirun -n 4 --map-by ppr:2:node --bind-to none"},
		{name: "tasks that would fit", commands: fakes("srun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_NNODES=2", "SLURM_TASKS_PER_NODE=64(x2)"},
			command: "srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --cpu-bind=cores"},
		{name: "uneven list of tasks", commands: fakes("mpirun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_NTASKS=3", "SLURM_TASKS_PER_NODE=2,1"},
			fault: "run.sh: 3 tasks of the job do not spread evenly over 2 nodes (SLURM_TASKS_PER_NODE=2,1): set RANKS_PER_NODE"},
		{name: "uneven sum", commands: fakes("mpirun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_NTASKS=4", "SLURM_TASKS_PER_NODE=1,3"}, fault: "run.sh: 4 tasks of the job do not spread evenly over 2 nodes"},
		{name: "no list of tasks", environment: []string{"SLURM_NTASKS=3", "SLURM_TASKS_PER_NODE=2(y2)"}, fault: "run.sh: SLURM_TASKS_PER_NODE=2(y2) is not a list"},
		{name: "no number of tasks", environment: []string{"SLURM_NTASKS=x"}, fault: "run.sh: SLURM_NTASKS=x is not a whole number above 0"},
		{name: "no number of nodes", environment: []string{"SLURM_JOB_NUM_NODES=1+1"}, fault: "run.sh: SLURM_JOB_NUM_NODES=1+1 is not a whole number above 0"},
		{name: "one process", commands: fakes("srun", "flux", "mpirun")},
		{name: "srun is the first", commands: fakes("srun", "flux", "mpirun"), environment: []string{"NODES=4", "RANKS_PER_NODE=2"},
			command: "srun --nodes=4 --ntasks=8 --ntasks-per-node=2 --cpu-bind=cores"},
		{name: "flux is the second", commands: fakes("flux", "mpirun"), environment: []string{"NODES=4"},
			command: "flux run --nodes=4 --ntasks=4"},
		{name: "mpirun is the third", commands: fakes("mpirun"), environment: []string{"NODES=4", "LAUNCHER=auto"},
			command: "mpirun -n 4 --map-by ppr:1:node --bind-to none"},
		{name: "mpirun of MPICH", commands: hydra, environment: []string{"NODES=4", "RANKS_PER_NODE=2"}, command: "mpirun -n 8 -ppn 2"},
		{name: "no launcher", environment: []string{"RANKS_PER_NODE=2"}, fault: "run.sh: 2 ranks need a launcher"},
		{name: "chosen", commands: fakes("srun", "flux", "mpirun"), environment: []string{"RANKS_PER_NODE=2", "LAUNCHER=mpirun", "SKIP_VALIDATION=1", "OMP_NUM_THREADS=3", "GRAPH500_SIMD=plain", "GOGC=50"},
			command: "mpirun -n 2 --map-by ppr:2:node --bind-to none -x SKIP_VALIDATION -x GRAPH500_SIMD -x OMP_NUM_THREADS -x GOGC"},
		{name: "chosen for one rank", commands: fakes("srun"), environment: []string{"LAUNCHER=srun"},
			command: "srun --nodes=1 --ntasks=1 --ntasks-per-node=1 --cpu-bind=cores"},
		{name: "chosen, but missing", commands: fakes("mpirun"), environment: []string{"NODES=2", "LAUNCHER=srun"}, fault: "run.sh: LAUNCHER=srun: there is no srun"},
		{name: "unknown", environment: []string{"NODES=2", "LAUNCHER=aprun"}, fault: "run.sh: LAUNCHER=aprun is none of "},
		{name: "none", commands: fakes("srun"), environment: []string{"NODES=2", "LAUNCHER=none"}},
		{name: "no number", environment: []string{"NODES=two"}, fault: "run.sh: NODES=two is not a whole number above 0"},
		{name: "no ranks", environment: []string{"RANKS_PER_NODE=0"}, fault: "run.sh: RANKS_PER_NODE=0 is not"},
		{name: "cores by srun", commands: fakes("srun"), environment: []string{"NODES=2", "CORES_PER_RANK=16", "SLURM_CPUS_PER_TASK=8"}, arguments: []string{"-threads=16"},
			command: "srun --nodes=2 --ntasks=2 --ntasks-per-node=1 --cpus-per-task=16 --cpu-bind=cores"},
		{name: "cores by flux", commands: fakes("flux"), environment: []string{"NODES=2", "CORES_PER_RANK=16"},
			command: "flux run --nodes=2 --ntasks=2 --cores-per-task=16"},
		{name: "cores by Open MPI", commands: fakes("mpirun"), environment: []string{"NODES=2", "CORES_PER_RANK=16"},
			command: "mpirun -n 2 --map-by ppr:1:node:PE=16 --bind-to core"},
		{name: "cores by MPICH", commands: hydra, environment: []string{"NODES=2", "CORES_PER_RANK=16"}, fault: "run.sh: CORES_PER_RANK needs srun, flux or Open MPI"},
		{name: "a rank for each GPU, by srun", commands: fakes("srun"), environment: []string{"GPUS_PER_NODE=4"},
			command: "srun --nodes=1 --ntasks=4 --ntasks-per-node=4 --cpu-bind=cores --gpus-per-node=4 --gpu-bind=none"},
		{name: "a rank for each GPU, by flux", commands: fakes("flux"), environment: []string{"GPUS_PER_NODE=4"},
			command: "flux run --nodes=1 --ntasks=4 --gpus-per-task=1"},
		{name: "two GPUs for each rank", commands: fakes("flux"), environment: []string{"GPUS_PER_NODE=4", "RANKS_PER_NODE=2"},
			command: "flux run --nodes=1 --ntasks=2 --gpus-per-task=2"},
		{name: "tasks of a SLURM job", commands: fakes("srun", "mpirun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_PROCID=0", "SLURM_JOB_NUM_NODES=4", "SLURM_NTASKS=8"},
			command: "srun --nodes=4 --ntasks=8 --ntasks-per-node=2 --cpu-bind=cores"},
		{name: "nodes of a SLURM job", commands: fakes("srun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=4"},
			command: "srun --nodes=4 --ntasks=4 --ntasks-per-node=1 --cpu-bind=cores"},
		{name: "fewer nodes than the job has", commands: fakes("srun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=4", "SLURM_NTASKS=8", "NODES=1"},
			command: "srun --nodes=1 --ntasks=2 --ntasks-per-node=2 --cpu-bind=cores"},
		{name: "uneven tasks", commands: fakes("srun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=2", "SLURM_NTASKS=5"},
			fault: "run.sh: 5 tasks of the job do not spread evenly over 2 nodes: set RANKS_PER_NODE"},
		{name: "a task of a step", commands: fakes("srun"), environment: []string{"SLURM_JOB_ID=7", "SLURM_JOB_NUM_NODES=4", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "NODES=4"}},
		{name: "a rank of mpirun", commands: fakes("mpirun"), environment: []string{"OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=4", "NODES=4"}},
		{name: "ranks of a PBS job", commands: fakes("mpirun"), environment: []string{"PBS_JOBID=7", "PBS_NODEFILE=" + two},
			command: "mpirun -n 4 --map-by ppr:2:node --bind-to none --hostfile " + two},
		{name: "processors of a Torque job", commands: fakes("mpirun"), environment: []string{"PBS_JOBID=7", "PBS_NUM_PPN=3", "PBS_NODEFILE=" + cores},
			command: "mpirun -n 2 --map-by ppr:1:node --bind-to none --hostfile " + cores},
		{name: "one chunk of PBS", commands: fakes("mpirun"), environment: []string{"PBS_JOBID=7", "PBS_NODEFILE=" + hosts("a")}},
		{name: "another command", commands: fakes("srun"), environment: []string{"NODES=4"}, arguments: []string{"chart", "a.json"}},
		{name: "strategies", commands: fakes("srun"), environment: []string{"NODES=4"}, arguments: []string{"strategies"}},
		{name: "help", commands: fakes("srun"), environment: []string{"NODES=4"}, arguments: []string{"-help"}},
		{name: "list of strategies", commands: fakes("srun"), environment: []string{"NODES=4"}, arguments: []string{"-strategy=help"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			environment := append(test.environment, "PATH="+tools(t, test.commands))
			out, errs, status := run(t, command(repository, "./run.sh", environment, append([]string{"--dry-run"}, test.arguments...)...))
			if test.fault != "" {
				if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, test.fault) {
					t.Errorf("status %d\n%s%s", status, out, errs)
				}
				return
			}
			program := strings.NewReplacer(" ", `\ `, "'", `\'`).Replace(repository) + "/build/graph500"
			before, after, found := strings.Cut(field(out, "command"), program)
			if got := strings.TrimSpace(after); test.after == nothing && got != "" || test.after != nothing && test.after != "" && got != test.after {
				t.Errorf("the program gets %s, want %s", after, test.after)
			}
			if got := strings.TrimSpace(before); status != 0 || errs != "" || !found || got != test.command {
				t.Errorf("status %d, %s\n%q, want\n%q", status, errs, got, test.command)
			}
		})
	}
}

// A job script names the variable that is wrong, and refuses hosts with different numbers of
// slots, as SLURM's tasks are.
func TestJobScriptsRefuse(t *testing.T) {
	repository := built(t)
	flux := func(resources string) map[string]string {
		return map[string]string{"flux": `case $1 in getattr) echo fABC ;; job) echo 99 ;; resource) echo "` + resources + `" ;; esac`}
	}
	for _, test := range []struct {
		script      string
		commands    map[string]string
		environment []string
		want        string
	}{
		{"lsf.sh", nil, []string{"LSB_JOBID=1", "LSB_MCPU_HOSTS=h1 1 h2 4"}, "lsf.sh: the slots of the job do not spread evenly over its hosts (h1 1 h2 4; the first can be a launch host): "},
		{"lsf.sh", nil, []string{"LSB_JOBID=1", "LSB_MCPU_HOSTS=h1"}, "lsf.sh: LSB_MCPU_HOSTS=h1 is not a list of hosts, each with a number of slots"},
		{"lsf.sh", nil, []string{"LSB_JOBID=1", "LSB_MCPU_HOSTS=h1 2 h2"}, "lsf.sh: LSB_MCPU_HOSTS=h1 2 h2 is not a list"},
		{"lsf.sh", nil, []string{"LSB_JOBID=1", "LSB_MCPU_HOSTS=h1 x"}, "lsf.sh: LSB_MCPU_HOSTS=h1 x is not a list"},
		{"flux.sh", flux("2 8 0"), []string{"NODES=x"}, "flux.sh: NODES=x is not a whole number above 0"},
		{"flux.sh", flux("2 8 0"), []string{"RANKS_PER_NODE=8"}, "flux.sh: the job has 8 cores for 16 ranks: ask for more (--cores-per-slot), or start fewer (RANKS_PER_NODE)"},
		{"flux.sh", flux(""), nil, "flux.sh: flux resource list names no nodes, cores and GPUs of this job"},
	} {
		out, errs, status := run(t, command(repository, "scripts/"+test.script, append(test.environment, "PATH="+tools(t, test.commands)+":"+os.Getenv("PATH"))))
		if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, test.want) {
			t.Errorf("%s %q: status %d\n%s%s", test.script, test.environment, status, out, errs)
		}
	}
	out, errs, status := run(t, command(repository, "scripts/lsf.sh", []string{"PATH=" + tools(t, fakes("mpirun")) + ":" + os.Getenv("PATH"),
		"LAUNCHED=/dev/null", "LSB_JOBID=1", "LSB_MCPU_HOSTS=launch 1 h1 4 h2 4", "NODES=2", "RANKS_PER_NODE=4"}))
	if status != 0 {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

// What ranks cannot do shows before there is a directory of results.
func TestFlagsAreCheckedForRanks(t *testing.T) {
	repository := built(t)
	path := "PATH=" + tools(t, fakes("mpirun")) + ":" + os.Getenv("PATH")
	out, errs, status := run(t, command(repository, "./run.sh", []string{path, "LAUNCHED=/dev/null", "RANKS_PER_NODE=2", "OUT=unmade", "TEST_ONE_RANK=1"}))
	if status != 2 || out != "" || errs != "graph500: not over 2 ranks\n" {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	if _, err := os.Stat(filepath.Join(repository, "unmade")); err == nil {
		t.Error("there is a directory of results")
	}
	if out, errs, status := run(t, command(repository, "./run.sh", []string{"TEST_ONE_RANK=1"})); status != 0 {
		t.Errorf("one process: status %d\n%s%s", status, out, errs)
	}
}

// The record has the connections of the GPUs, if the driver's program tells them.
func TestTopology(t *testing.T) {
	repository := newRepository(t)
	smi := `[[ $* == "topo -m" ]] && printf '\t\e[4mGPU0\tGPU1\e[0m\nGPU0\t X \tNV18\n'`
	out, errs, status := run(t, command(repository, "./run.sh", []string{"PATH=" + tools(t, map[string]string{"nvidia-smi": smi})}, "--dry-run"))
	if status != 0 || errs != "" || !strings.Contains(out, "\ntopology:   \tGPU0\tGPU1\ntopology:   GPU0\t X \tNV18\ncommand:") {
		t.Errorf("status %d\n%q%s", status, out, errs)
	}
	for name, text := range map[string]string{"fails": "echo none >&2; exit 9", "is missing": ""} {
		commands := map[string]string{}
		if text != "" {
			commands["nvidia-smi"] = text
		}
		out, errs, status := run(t, command(repository, "./run.sh", []string{"PATH=" + tools(t, commands)}, "--dry-run"))
		if status != 0 || errs != "" || strings.Contains(out, "topology") || field(out, "command") == "" {
			t.Errorf("nvidia-smi %s: status %d\n%s%s", name, status, out, errs)
		}
	}
}

// The launcher starts the program with all flags. The script keeps the log and passes on
// the status.
func TestLaunchedRun(t *testing.T) {
	repository := built(t)
	record := filepath.Join(t.TempDir(), "launched")
	for _, name := range []string{"srun", "flux", "mpirun"} {
		environment := []string{"LAUNCHED=" + record, "PATH=" + tools(t, fakes(name)) + ":" + os.Getenv("PATH"),
			"LAUNCHER=" + name, "NODES=2", "SCALE=12", "OUT=" + name, "TEST_STATUS=3"}
		out, errs, status := run(t, command(repository, "./run.sh", environment, "-verbose"))
		if status != 3 || out != "program [\"-scale=12\" \"-out="+name+"\" \"-verbose\"]\n" {
			t.Errorf("%s: status %d\n%s%s", name, status, out, errs)
		}
		launched, err := os.ReadFile(record)
		if err != nil || !strings.HasPrefix(string(launched), name+" ") || strings.Count(string(launched), "\n") != 1 {
			t.Errorf("%s: %v, started with %q", name, err, launched)
		}
		if err := os.Remove(record); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(repository, name, "run.log"))
		if err != nil || !strings.HasPrefix(field(string(text), "command"), strings.TrimSpace(string(launched))) || !strings.Contains(string(text), "\ncommit \"\" process ") {
			t.Errorf("%s: %v, log:\n%s", name, err, text)
		}
	}
	// Wrong flags show before any rank starts.
	environment := []string{"LAUNCHED=" + record, "PATH=" + tools(t, fakes("srun")) + ":" + os.Getenv("PATH"), "NODES=2", "SCALE=x",
		`TEST_FAULT=graph500: flag -scale: "x" is not a whole number`}
	if out, errs, status := run(t, command(repository, "./run.sh", environment)); status != 2 || out != "" || !strings.Contains(errs, "environment variable SCALE") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	if _, err := os.Stat(record); err == nil {
		t.Error("ranks were started with wrong flags")
	}
}

// The options of mpirun are right for the launchers of this machine.
func TestRealLaunchers(t *testing.T) {
	repository := built(t)
	for _, name := range []string{"mpirun.openmpi", "mpirun.mpich"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Log(err)
			continue
		}
		environment := []string{"PATH=" + tools(t, map[string]string{"mpirun": `exec "` + path + `" "$@"`}) + ":" + os.Getenv("PATH"),
			"LAUNCHER=mpirun", "RANKS_PER_NODE=3", "SKIP_VALIDATION=1",
			"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1"}
		out, errs, status := run(t, command(repository, "./run.sh", environment, "-scale=4", "two words"))
		if want := strings.Repeat("program [\"-scale=4\" \"two words\"]\n", 3); status != 0 || out != want {
			t.Errorf("%s: status %d\n%s%s", name, status, out, errs)
		}
	}
}

// The job scripts, started from a copy as by their schedulers.
func TestJobScripts(t *testing.T) {
	repository := built(t)
	nodes := filepath.Join(t.TempDir(), "nodes")
	write(t, nodes, "a\na\nb\nb\nc\nc\nd\nd\n", 0o644)
	flux := `case $1 in
		getattr) echo fABC ;;
		job) [[ $* == "job id --to=dec fABC" ]] && echo 99 ;;
		resource) [[ $* == "resource list --no-header --format {nnodes} {ncores} {ngpus}" ]] && echo "$RESOURCES" ;;
		run) ` + fakes("flux")["flux"] + ` ;;
		esac`
	for _, test := range []struct {
		name        string
		script      string
		environment []string
		arguments   []string
		launched    string
		want        string
	}{
		{
			name: "one node", script: "slurm.sbatch",
			environment: []string{"SLURM_JOB_ID=5", "SLURM_PROCID=0", "SLURM_CPUS_PER_TASK=16", "SLURM_JOB_NUM_NODES=1", "SLURM_NTASKS=1"},
			arguments:   []string{"-verbose"},
			launched:    "srun --nodes=1 --ntasks=1 --ntasks-per-node=1 --cpus-per-task=16 --cpu-bind=cores",
			want:        `["-scale=24" "-out=results/5" "-threads=16" "-verbose"]`,
		},
		{
			name: "settings", script: "slurm.sbatch",
			environment: []string{"SLURM_JOB_ID=6", "SLURM_CPUS_PER_TASK=2", "SCALE=26", "OUT=here"},
			launched:    "srun --nodes=1 --ntasks=1 --ntasks-per-node=1 --cpus-per-task=2 --cpu-bind=cores",
			want:        `["-scale=26" "-out=here" "-threads=2"]`,
		},
		{
			name: "four nodes", script: "slurm.sbatch",
			environment: []string{"SLURM_JOB_ID=7", "SLURM_PROCID=0", "SLURM_CPUS_PER_TASK=32", "SLURM_JOB_NUM_NODES=4", "SLURM_NTASKS=8"},
			arguments:   []string{"-engine=cpu"},
			launched:    "srun --nodes=4 --ntasks=8 --ntasks-per-node=2 --cpus-per-task=32 --cpu-bind=cores",
			want:        `["-scale=24" "-out=results/7" "-threads=32" "-engine=cpu"]`,
		},
		{
			name: "four GPUs of one node", script: "slurm.sbatch",
			environment: []string{"SLURM_JOB_ID=8", "SLURM_CPUS_PER_TASK=16", "SLURM_GPUS_PER_NODE=4"},
			arguments:   []string{"-engine=gpu", "-gpus=4"},
			launched:    "srun --nodes=1 --ntasks=1 --ntasks-per-node=1 --cpus-per-task=16 --cpu-bind=cores",
			want:        `["-scale=24" "-out=results/8" "-threads=16" "-engine=gpu" "-gpus=4"]`,
		},
		{
			name: "one node", script: "pbs.sh",
			environment: []string{"PBS_ENVIRONMENT=PBS_BATCH", "PBS_JOBID=12.server", "NCPUS=8", "EDGEFACTOR=4"},
			want:        `["-scale=24" "-edgefactor=4" "-out=results/12.server" "-threads=8"]`,
		},
		{
			name: "four GPUs of one node", script: "pbs.sh",
			environment: []string{"PBS_ENVIRONMENT=PBS_BATCH", "PBS_JOBID=12.server", "NCPUS=8", "GPUS=4"},
			want:        `["-scale=24" "-gpus=4" "-out=results/12.server" "-threads=8"]`,
		},
		{
			name: "four nodes", script: "pbs.sh",
			environment: []string{"PBS_ENVIRONMENT=PBS_BATCH", "PBS_JOBID=13.server", "NCPUS=32", "PBS_NODEFILE=" + nodes},
			launched:    "mpirun -n 8 --map-by ppr:2:node --bind-to none --hostfile " + nodes,
			want:        `["-scale=24" "-out=results/13.server" "-threads=32"]`,
		},
		{
			name: "one node", script: "flux.sh",
			environment: []string{"RESOURCES=1 12 0"},
			arguments:   []string{"-scale=20"},
			launched:    "flux run --nodes=1 --ntasks=1 --cores-per-task=12",
			want:        `["-out=results/99" "-scale=20"]`,
		},
		{
			name: "four nodes", script: "flux.sh",
			environment: []string{"RESOURCES=4 256 0", "RANKS_PER_NODE=2", "SCALE=28"},
			launched:    "flux run --nodes=4 --ntasks=8 --cores-per-task=32",
			want:        `["-scale=28" "-out=results/99"]`,
		},
		{
			name: "four GPUs of one node", script: "flux.sh",
			environment: []string{"RESOURCES=1 16 4"},
			arguments:   []string{"-gpus=4"},
			launched:    "flux run --nodes=1 --ntasks=1 --cores-per-task=16 --gpus-per-task=4",
			want:        `["-scale=24" "-out=results/99" "-gpus=4"]`,
		},
		{
			name: "one node", script: "lsf.sh",
			environment: []string{"LSB_JOBID=44", "LSB_MCPU_HOSTS=a 1 "},
			want:        `["-scale=24" "-out=results/44"]`,
		},
		{
			name: "four nodes", script: "lsf.sh",
			environment: []string{"LSB_JOBID=45", "LSB_MCPU_HOSTS=a 2 b 2 c 2 d 2 ", "CORES_PER_RANK=32"},
			launched:    "mpirun -n 8 --map-by ppr:2:node:PE=32 --bind-to core",
			want:        `["-scale=24" "-out=results/45"]`,
		},
	} {
		t.Run(test.script+", "+test.name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(repository, "scripts", test.script))
			if err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(t.TempDir(), "job_script")
			write(t, script, string(text), 0o755)
			dir := repository
			if test.script == "pbs.sh" {
				dir = t.TempDir() // the home directory
			}
			commands := map[string]map[string]string{
				"slurm.sbatch": fakes("srun"), "pbs.sh": fakes("mpirun"), "lsf.sh": fakes("mpirun"), "flux.sh": {"flux": flux},
			}[test.script]
			record := filepath.Join(t.TempDir(), "launched")
			environment := append(test.environment, "LAUNCHED="+record, "PATH="+tools(t, commands)+":"+os.Getenv("PATH"), "PBS_O_WORKDIR="+repository)
			out, errs, status := run(t, command(dir, script, environment, test.arguments...))
			if status != 0 || out != "program "+test.want+"\n" {
				t.Errorf("status %d\n%s%s", status, out, errs)
			}
			launched, _ := os.ReadFile(record) // missing without a launcher
			if got := strings.TrimSpace(string(launched)); got != test.launched {
				t.Errorf("started with\n%s, want\n%s", got, test.launched)
			}
		})
	}
}
