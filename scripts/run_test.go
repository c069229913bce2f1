// Package scripts tests run.sh and the job scripts, started as by a user or a scheduler,
// with a small program instead of graph500.
package scripts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// program is used instead of graph500. It prints its arguments and follows instructions
// in the environment. With -version it fails in the way that the environment gives.
const program = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"
)

var commit = "unset"

func main() {
	if slices.Contains(os.Args, "-version") { // run.sh checks the flags, and that the program starts
		fmt.Println("graph500, a version")
		if ranks := os.Getenv("GRAPH500_RANKS"); ranks != "" && os.Getenv("TEST_ONE_RANK") != "" {
			fmt.Fprintf(os.Stderr, "graph500: not over %s ranks\n", ranks)
			os.Exit(2)
		}
		if fault := os.Getenv("TEST_FAULT"); fault != "" {
			fmt.Fprintln(os.Stderr, fault)
			os.Exit(2)
		}
		return
	}
	fmt.Printf("program %q\n", os.Args[1:])
	fmt.Fprintf(os.Stderr, "commit %q process %d\n", commit, os.Getpid())
	if os.Getenv("TEST_WAIT") != "" {
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, syscall.SIGTERM, syscall.SIGINT)
		fmt.Fprintln(os.Stderr, "waiting")
		select {
		case s := <-ended:
			time.Sleep(50 * time.Millisecond)
			fmt.Fprintln(os.Stderr, "last words")
			os.Exit(128 + int(s.(syscall.Signal)))
		case <-time.After(20 * time.Second):
		}
	}
	status, _ := strconv.Atoi(os.Getenv("TEST_STATUS"))
	os.Exit(status)
}
`

// newRepository creates a repository with the real scripts and the small program. Its
// path contains spaces and a quote.
func newRepository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "the user's own", "copy")
	for _, name := range []string{"run.sh", "scripts/build.sh", "scripts/cuda-headers.sh", "scripts/slurm.sbatch", "scripts/pbs.sh", "scripts/flux.sh", "scripts/lsf.sh"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(text), 0o755)
	}
	write(t, filepath.Join(dir, "go.mod"), "module graph500\n\ngo 1.26.0\n", 0o644)
	write(t, filepath.Join(dir, "graph500/main.go"), program, 0o644)
	return dir
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// tools creates a directory with only the commands that the scripts use, and with extra
// scripts under the given names.
func tools(t *testing.T, extra map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"awk", "bash", "cat", "date", "dirname", "env", "find", "grep", "mkdir", "mv", "rm", "sed", "tee", "uname"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range extra {
		write(t, filepath.Join(dir, name), "#!/usr/bin/env bash\n"+text, 0o755)
	}
	return dir
}

// command returns the command for a script. Its environment contains only the given
// settings and what Go needs.
func command(dir, script string, environment []string, arguments ...string) *exec.Cmd {
	cmd := exec.Command(script, arguments...)
	cmd.Dir = dir
	for _, name := range []string{"PATH", "HOME", "GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOTOOLCHAIN"} {
		if value, set := os.LookupEnv(name); set {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, "GOWORK=off")
	cmd.Env = append(cmd.Env, environment...)
	return cmd
}

// run runs a command and returns its output, messages and exit status.
func run(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, status int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// field returns the value of a line "name: value".
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

func TestDryRun(t *testing.T) {
	repository := newRepository(t)
	hosts := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(hosts, []byte("a\na\nb\nb\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name        string
		environment []string
		arguments   []string
		command     string // after the program's path
		log         string
		set         []string
	}{
		{name: "plain", arguments: []string{"-scale=20"}, command: "-scale=20"},
		{name: "nothing", command: ""},
		{
			name:        "environment",
			environment: []string{"SCALE=22", "EDGEFACTOR=8", "NROOTS=4", "KERNEL=both", "GPUS=all", "GPU_MEM=8GiB", "OUT=my results", "SKIP_VALIDATION=", "SKIP_BFS=1", "TMPFILE=/scratch/a b", "REUSEFILE=1"},
			command:     `-scale=22 -edgefactor=8 -roots=4 -kernel=both -gpus=all -gpu-memory=8GiB -out=my\ results`,
			log:         "my results/run.log",
			set:         []string{"EDGEFACTOR=8", "GPUS=all", "GPU_MEM=8GiB", "NROOTS=4", "KERNEL=both", `OUT=my\ results`, "REUSEFILE=1", "SCALE=22", "SKIP_BFS=1", "SKIP_VALIDATION=''", `TMPFILE=/scratch/a\ b`},
		},
		{
			name:        "flags win",
			environment: []string{"SCALE=22", "EDGEFACTOR=8", "NROOTS=4", "KERNEL=both", "OUT=a", "SLURM_CPUS_PER_TASK=8"},
			arguments:   []string{"-scale=20", "--edgefactor", "16", "-roots", "2", "-kernel=sssp", "--out=b", "-threads=3"},
			command:     "-scale=20 --edgefactor 16 -roots 2 -kernel=sssp --out=b -threads=3",
			log:         "b/run.log",
		},
		{
			name:        "flags that contradict the environment win",
			environment: []string{"SCALE=22", "EDGEFACTOR=8", "NROOTS=4", "OUT=a"},
			arguments:   []string{"-graph=g.mtx", "-root=5"},
			command:     "-out=a -graph=g.mtx -root=5",
			log:         "a/run.log",
		},
		{
			name:        "parents are only checked",
			environment: []string{"SCALE=22", "NROOTS=4", "OUT=a"},
			arguments:   []string{"-check-parents=p", "-root=5"},
			command:     "-scale=22 -check-parents=p -root=5",
		},
		{
			name:        "a like name is another flag",
			environment: []string{"OUT=a"},
			arguments:   []string{"-outer=1", "x-out=b", "out"},
			command:     "-out=a -outer=1 x-out=b out",
			log:         "a/run.log",
		},
		{
			name:        "strategies",
			environment: []string{"SCALE=22", "KERNEL=sssp", "GPUS=2", "SLURM_CPUS_PER_TASK=8"},
			arguments:   []string{"strategies", "-roots=3", "push"},
			command:     "strategies -scale=22 -kernel=sssp -threads=8 -roots=3 push",
			set:         []string{"GPUS=2", "KERNEL=sssp", "SCALE=22", "SLURM_CPUS_PER_TASK=8"},
		},
		{
			name:        "chart",
			environment: []string{"SCALE=22", "OUT=a", "SLURM_CPUS_PER_TASK=8"},
			arguments:   []string{"chart", "b/result.json"},
			command:     "chart b/result.json",
		},
		{name: "leaderboard", environment: []string{"SCALE=22", "OUT=a"}, arguments: []string{"leaderboard", "-out=board", "runs"}, command: "leaderboard -out=board runs"},
		{name: "submit", environment: []string{"OUT=a"}, arguments: []string{"submit", "run"}, command: "submit run"},
		{name: "help", arguments: []string{"help", "chart"}, environment: []string{"SCALE=22", "OUT=a"}, command: "help chart"},
		{name: "unknown command", arguments: []string{"chrt", "-scale=3"}, environment: []string{"SCALE=22", "OUT=a"}, command: "chrt -scale=3"},
		{name: "the last output counts", arguments: []string{"-out=a", "--out", "b", "-out=c d"}, command: `-out=a --out b -out=c\ d`, log: "c d/run.log"},
		{name: "no log for help", environment: []string{"OUT=a"}, arguments: []string{"-scale=4", "-help"}, command: "-out=a -scale=4 -help"},
		{name: "no log for a memory plan", arguments: []string{"-out=a", "-memory"}, command: "-out=a -memory"},
		{name: "no log for a list", arguments: []string{"-out=a", "-strategy", "help"}, command: "-out=a -strategy help"},
		{name: "output given in two words", arguments: []string{"-out", "a b"}, command: `-out a\ b`, log: "a b/run.log"},
		{name: "empty settings", environment: []string{"SCALE=", "OUT="}, arguments: []string{"-scale=5"}, command: "-scale=5"},
		{
			name:        "shell characters",
			environment: []string{"OUT=$(touch x);`touch y`*"},
			arguments:   []string{"-graph=a 'b' \"c\" $HOME"},
			command:     "-out=\\$\\(touch\\ x\\)\\;\\`touch\\ y\\`\\* -graph=a\\ \\'b\\'\\ \\\"c\\\"\\ \\$HOME",
			log:         "$(touch x);`touch y`*/run.log",
		},
		{
			name:        "SLURM",
			environment: []string{"SLURM_JOB_ID=77", "SLURM_PROCID=0", "SLURM_CPUS_PER_TASK=16", "LOADEDMODULES=go/1.26:gcc/14", "SLURM_CPU_BIND=quiet,mask_cpu:0xFF"},
			command:     "-threads=16",
			set:         []string{"SLURM_CPUS_PER_TASK=16", `SLURM_CPU_BIND=quiet\,mask_cpu:0xFF`, "SLURM_JOB_ID=77"},
		},
		{name: "PBS", environment: []string{"PBS_JOBID=12.server", "NCPUS=32"}, command: "-threads=32"},
		{name: "PBS, a rank of MPICH", environment: []string{"NCPUS=32", "PMI_RANK=0", "PMI_SIZE=4", "MPI_LOCALNRANKS=4"}, command: "-threads=8"},
		{name: "PBS, a rank of two processes a node", environment: []string{"NCPUS=32", "PBS_NODEFILE=" + hosts, "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_SIZE=2"}, command: "-threads=32"},
		{name: "PBS, a rank of Open MPI", environment: []string{"NCPUS=32", "OMPI_COMM_WORLD_RANK=0", "OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_LOCAL_SIZE=2"}, command: "-threads=16"},
		{name: "PBS, ranks that are not counted", environment: []string{"NCPUS=32", "PALS_RANKID=0"}, command: ""},
		{name: "a task of srun", environment: []string{"SLURM_CPUS_PER_TASK=16", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4"}, command: "-threads=16"},
		{name: "Torque", environment: []string{"PBS_JOBID=12.server", "PBS_NUM_PPN=4"}, command: "-threads=4"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, errs, status := run(t, command(repository, "./run.sh", test.environment, append([]string{"--dry-run"}, test.arguments...)...))
			if status != 0 || errs != "" {
				t.Fatalf("status %d, %s", status, errs)
			}
			_, line, _ := strings.Cut(field(out, "command"), "copy/build/graph500")
			if got := strings.TrimSpace(line); got != test.command {
				t.Errorf("command\n%s, want\n%s", got, test.command)
			}
			if got := field(out, "log"); got != test.log {
				t.Errorf("log %q, want %q", got, test.log)
			}
			for _, set := range test.set {
				if !slices.ContainsFunc(strings.Split(out, "\n"), func(line string) bool {
					return strings.Join(strings.Fields(line), " ") == "set: "+strings.Join(strings.Fields(set), " ")
				}) {
					t.Errorf("no line for %s in\n%s", set, out)
				}
			}
			for _, name := range []string{"build", "results", "x", "y", "a", "b", "my results"} {
				if _, err := os.Stat(filepath.Join(repository, name)); err == nil {
					t.Errorf("the dry run made %s", name)
				}
			}
		})
	}
	out, _, _ := run(t, command(repository, "./run.sh", []string{"SLURM_JOB_ID=77", "LOADEDMODULES=go/1.26:gcc/14"}, "-scale=9", "-dry-run"))
	for name, want := range map[string]string{"repository": repository, "directory": repository, "build": "needed", "job": "77", "modules": "go/1.26:gcc/14", "commit": "not built"} {
		if got := field(out, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if runtime.GOOS == "linux" && !strings.ContainsAny(field(out, "processors"), "0123456789") {
		t.Errorf("processors: %q", field(out, "processors"))
	}
}

func TestOtherShells(t *testing.T) {
	repository := newRepository(t)
	for _, shell := range []string{"sh run.sh", "bash --posix run.sh", "dash run.sh"} {
		words := strings.Fields(shell)
		if _, err := exec.LookPath(words[0]); err != nil {
			t.Log(err)
			continue
		}
		out, errs, status := run(t, command(repository, words[0], nil, append(words[1:], "--dry-run", "-out=a b")...))
		if status != 0 || errs != "" || field(out, "log") != "a b/run.log" {
			t.Errorf("%s: status %d\n%s%s", shell, status, out, errs)
		}
	}
	sh, err := exec.LookPath("dash")
	if err != nil {
		t.Skip(err)
	}
	out, errs, status := run(t, command(repository, sh, []string{"PATH=" + t.TempDir()}, "run.sh"))
	if status != 1 || out != "" || errs != "run.sh: bash is missing: install it, or start build/graph500 itself\n" {
		t.Errorf("without bash: status %d\n%s%s", status, out, errs)
	}
}

// A batch job of PBS fails if it does not know the directory of its submission, which is
// that of the results.
func TestMissingDirectoryOfPBS(t *testing.T) {
	repository := newRepository(t)
	for _, test := range []struct{ directory, want string }{
		{"", "run.sh: PBS_O_WORKDIR is not set, "},
		{"PBS_O_WORKDIR=/missing", "run.sh: cannot enter PBS_O_WORKDIR=/missing: "},
	} {
		out, errs, status := run(t, command(repository, "./run.sh", []string{"PBS_ENVIRONMENT=PBS_BATCH", test.directory}, "--dry-run"))
		if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, test.want) {
			t.Errorf("%q: status %d\n%s%s", test.directory, status, out, errs)
		}
	}
}

// Job scripts started by hand print how to submit them.
func TestJobScriptsByHand(t *testing.T) {
	repository := newRepository(t)
	for script, want := range map[string]string{"slurm.sbatch": "with sbatch", "pbs.sh": "with qsub", "flux.sh": "with flux batch", "lsf.sh": "with bsub"} {
		out, errs, status := run(t, command(repository, "scripts/"+script, []string{"PATH=" + tools(t, nil)}))
		if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.HasPrefix(errs, script+": ") || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d\n%s%s", script, status, out, errs)
		}
	}
}

// Schedulers run a copy of the script from their own directory.
func TestRepositoryIsFound(t *testing.T) {
	repository := newRepository(t)
	spool := t.TempDir()
	script := filepath.Join(spool, "slurm_script")
	text, err := os.ReadFile(filepath.Join(repository, "run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, script, string(text), 0o755)
	elsewhere := t.TempDir()
	scontrol := tools(t, map[string]string{"scontrol": `[[ $* == "show job 5" ]] && printf 'JobId=5 JobName=x\n   Command=%s/run.sh -scale=20\n   WorkDir=/\n' "$REPOSITORY"`})
	for _, test := range []struct {
		name        string
		dir         string
		environment []string
		directory   string // working directory of the program
	}{
		{"working directory", repository, nil, repository},
		{"below it", filepath.Join(repository, "scripts"), nil, filepath.Join(repository, "scripts")},
		{"SLURM_SUBMIT_DIR", elsewhere, []string{"SLURM_SUBMIT_DIR=" + repository}, elsewhere},
		{"below SLURM_SUBMIT_DIR", elsewhere, []string{"SLURM_SUBMIT_DIR=" + filepath.Join(repository, "scripts")}, elsewhere},
		{"scontrol", elsewhere, []string{"SLURM_SUBMIT_DIR=" + elsewhere, "SLURM_JOB_ID=5", "REPOSITORY=" + repository, "PATH=" + scontrol}, elsewhere},
		{"PBS", elsewhere, []string{"PBS_ENVIRONMENT=PBS_BATCH", "PBS_O_WORKDIR=" + repository}, repository},
		{"PBS interactive", elsewhere, []string{"PBS_ENVIRONMENT=PBS_INTERACTIVE", "PBS_O_WORKDIR=" + repository}, elsewhere},
		{"GRAPH500_DIR", elsewhere, []string{"GRAPH500_DIR=" + repository}, elsewhere},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, errs, status := run(t, command(test.dir, script, test.environment, "--dry-run"))
			if status != 0 || field(out, "repository") != repository {
				t.Errorf("status %d\n%s%s", status, out, errs)
			}
			if got := field(out, "directory"); got != test.directory {
				t.Errorf("runs in %q", got)
			}
		})
	}
	link := filepath.Join(elsewhere, "link")
	if err := os.Symlink(filepath.Join(repository, "run.sh"), link); err != nil {
		t.Fatal(err)
	}
	if out, errs, status := run(t, command(elsewhere, link, nil, "--dry-run")); status != 0 || field(out, "repository") != repository {
		t.Errorf("through a link: status %d\n%s%s", status, out, errs)
	}
	for _, environment := range [][]string{nil, {"SLURM_JOB_ID=5", "REPOSITORY=" + elsewhere, "PATH=" + scontrol}, {"SLURM_SUBMIT_DIR=" + repository, "GRAPH500_DIR=" + elsewhere}} {
		out, errs, status := run(t, command(elsewhere, script, environment, "--dry-run"))
		if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "GRAPH500_DIR") {
			t.Errorf("%q: status %d\n%s%s", environment, status, out, errs)
		}
	}
}

// Every task runs the program. Only the first one keeps a log, and none builds.
func TestSeveralTasks(t *testing.T) {
	repository := newRepository(t)
	names := []string{"SLURM_PROCID", "FLUX_TASK_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}
	first := []string{"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=4", "SLURM_NTASKS=4"}
	for rank, want := range map[string]string{"0": "must be built", "3": "task 3 finds no"} {
		out, errs, status := run(t, command(repository, "./run.sh", append(first, "PMI_RANK="+rank), "-scale=4"))
		if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, want) {
			t.Errorf("task %s without a program: status %d\n%s%s", rank, status, out, errs)
		}
	}
	if out, errs, status := run(t, command(repository, "scripts/build.sh", nil)); status != 0 {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	for _, name := range names {
		dir := t.TempDir()
		out, errs, status := run(t, command(repository, "./run.sh", append(first, name+"=3"), "-scale=4", "-out="+dir))
		if status != 0 || !strings.Contains(out, `program ["-scale=4"`) {
			t.Errorf("%s: status %d\n%s%s", name, status, out, errs)
		}
		if _, err := os.Stat(filepath.Join(dir, "run.log")); err == nil {
			t.Errorf("%s: task 3 wrote a log", name)
		}
	}
	dir := t.TempDir()
	out, errs, status := run(t, command(repository, "./run.sh", first, "-scale=4", "-out="+dir))
	if status != 0 || !strings.Contains(out, `program ["-scale=4"`) || strings.Contains(errs, "tasks were requested") {
		t.Errorf("task 0: status %d\n%s%s", status, out, errs)
	}
	if _, err := os.Stat(filepath.Join(dir, "run.log")); err != nil {
		t.Error(err)
	}
}

// An invalid rank, or 0 with several digits, does not end the script.
func TestWhatIsNoRank(t *testing.T) {
	repository := newRepository(t)
	for _, rank := range []string{"00", "abc", "-1"} {
		out, errs, status := run(t, command(repository, "./run.sh", []string{"PMI_RANK=" + rank}, "-scale=4", "--dry-run"))
		if status != 0 || errs != "" || field(out, "build") != "needed" {
			t.Errorf("%s: status %d\n%s%s", rank, status, out, errs)
		}
	}
}

func TestMissingOrOldGo(t *testing.T) {
	repository := newRepository(t)
	for _, test := range []struct {
		name, script, want string
	}{
		{"missing", "", "install Go 1.26.0 or later"},
		{"too old", "echo go1.22.5", "Go 1.22.5 is too old: install Go 1.26.0 or later"},
		{"one release too old", "echo go1.25.99", "too old"},
		{"cannot fetch a newer one", `[[ $1 == version ]] || { echo 'go: download: no' >&2; exit 1; }; echo go version go1.21.3 linux/amd64`, "Go 1.21.3 is too old"},
		{"too new for its name", "echo devel", "cannot tell the version"},
	} {
		t.Run(test.name, func(t *testing.T) {
			extra := map[string]string{}
			if test.script != "" {
				extra["go"] = test.script
			}
			out, errs, status := run(t, command(repository, "./run.sh", []string{"PATH=" + tools(t, extra)}, "-scale=4"))
			if status != 1 || out != "" || !strings.Contains(errs, test.want) {
				t.Errorf("status %d\n%s%s", status, out, errs)
			}
		})
	}
	for _, version := range []string{"go1.26.0", "go1.26", "go1.26rc2", "go1.27.1", "go2.0", "devel go1.27-abcdef"} {
		builds := `[[ $1 == env ]] && echo "` + version + `" && exit; while [[ $1 != -o ]]; do shift; done; printf '#!/usr/bin/env bash\necho built\n' >"$2"; chmod +x "$2"`
		path := tools(t, map[string]string{"go": builds})
		chmod, err := exec.LookPath("chmod")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(chmod, filepath.Join(path, "chmod")); err != nil {
			t.Fatal(err)
		}
		repository := newRepository(t)
		if out, errs, status := run(t, command(repository, "./run.sh", []string{"PATH=" + path})); status != 0 || out != "built\n" {
			t.Errorf("%s: status %d\n%s%s", version, status, out, errs)
		}
		// The built program runs without Go.
		if out, errs, status := run(t, command(repository, "./run.sh", []string{"PATH=" + tools(t, nil)})); status != 0 || out != "built\n" || errs != "" {
			t.Errorf("%s: without Go: status %d\n%s%s", version, status, out, errs)
		}
	}
}

func TestBuildAndRun(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program several times")
	}
	repository := newRepository(t)
	binary := filepath.Join(repository, "build", "graph500")
	main := filepath.Join(repository, "graph500", "main.go")

	// expect runs the script and checks whether it built the program.
	expect := func(why string, built bool) (stdout, stderr string) {
		t.Helper()
		out, errs, status := run(t, command(repository, "./run.sh", nil, "-scale=4", "two words"))
		if status != 0 {
			t.Fatalf("%s: status %d\n%s%s", why, status, out, errs)
		}
		if got := strings.Contains(errs, "building "); got != built {
			t.Fatalf("%s: built: %v\n%s", why, got, errs)
		}
		if left, err := os.ReadDir(filepath.Dir(binary)); err != nil || len(left) != 3 { // program, commit, engines
			t.Errorf("%s: %v in the build directory, %v", why, left, err)
		}
		return out, errs
	}
	// age sets the times of all files to before that of the program.
	age := func() {
		t.Helper()
		old := time.Now().Add(-time.Hour)
		if err := filepath.Walk(repository, func(path string, _ os.FileInfo, err error) error {
			if err != nil || path == binary {
				return err
			}
			return os.Chtimes(path, old, old)
		}); err != nil {
			t.Fatal(err)
		}
	}

	out, errs := expect("first run", true)
	if out != "program [\"-scale=4\" \"two words\"]\n" || !strings.Contains(errs, `commit "" `) {
		t.Errorf("%s%s", out, errs)
	}
	age()
	expect("second run", false)
	write(t, filepath.Join(repository, "graph500", "main_test.go"), "package main\n", 0o644)
	write(t, filepath.Join(repository, "README.md"), "text\n", 0o644)
	expect("another test", false)
	write(t, main, strings.Replace(program, "program %q", "changed %q", 1), 0o644)
	if out, _ := expect("source changed", true); out != "changed [\"-scale=4\" \"two words\"]\n" {
		t.Error(out)
	}
	age()
	write(t, main, "package main\n\nfunc main() { broken }\n", 0o644)
	if out, errs, status := run(t, command(repository, "./run.sh", nil)); status != 1 || out != "" || !strings.Contains(errs, "broken") {
		t.Errorf("broken source: status %d\n%s%s", status, out, errs)
	}
	write(t, main, program, 0o644)
	expect("source mended", true)
	age()
	if err := os.Remove(binary); err != nil {
		t.Fatal(err)
	}
	expect("program removed", true)

	if _, err := exec.LookPath("git"); err != nil {
		t.Log("no git: commits are not tested")
		return
	}
	git := func(arguments ...string) string {
		t.Helper()
		out, err := exec.Command("git", append([]string{"-C", repository, "-c", "user.name=n", "-c", "user.email=e"}, arguments...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	age()
	write(t, filepath.Join(repository, ".gitignore"), "/build/\n", 0o644)
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "first")
	if _, errs := expect("first commit", true); !strings.Contains(errs, `commit "`+git("rev-parse", "--short", "HEAD")+`" `) {
		t.Error(errs)
	}
	age()
	expect("same commit", false)
	write(t, filepath.Join(repository, "README.md"), "other text\n", 0o644)
	if _, errs := expect("file changed", true); !strings.Contains(errs, `-dirty" `) {
		t.Error(errs)
	}
	if out, _, _ := run(t, command(repository, "./run.sh", nil, "--dry-run")); field(out, "build") != "up to date" || !strings.HasSuffix(field(out, "commit"), "-dirty") {
		t.Error(out)
	}
}

// built returns a repository with a built program.
func built(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("links a program")
	}
	repository := newRepository(t)
	if _, errs, status := run(t, command(repository, "scripts/build.sh", nil)); status != 0 {
		t.Fatal(errs)
	}
	return repository
}

func TestStatusAndLog(t *testing.T) {
	repository := built(t)
	for _, want := range []int{0, 1, 3, 130} {
		if _, errs, got := run(t, command(repository, "./run.sh", []string{fmt.Sprint("TEST_STATUS=", want)})); got != want {
			t.Errorf("status %d instead of %d\n%s", got, want, errs)
		}
	}
	log := func(dir string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(repository, dir, "run.log"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	out, errs, status := run(t, command(repository, "./run.sh", []string{"OUT=my results/a", "TEST_STATUS=7", "SLURM_JOB_ID=77", "SLURM_NTASKS=4", "LAUNCHER=none", "LOADEDMODULES=go/1.26"}, "-scale=4"))
	if status != 7 || out != "program [\"-out=my results/a\" \"-scale=4\"]\n" || !strings.Contains(errs, "4 tasks were requested") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	text := log("my results/a")
	for name, want := range map[string]string{"job": "77", "modules": "go/1.26", "commit": "unknown", "directory": repository} {
		if got := field(text, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if host, err := os.Hostname(); err != nil || !strings.HasPrefix(field(text, "host"), host+" ") {
		t.Errorf("host: %q, %v", field(text, "host"), err)
	}
	if !strings.HasSuffix(field(text, "command"), `/build/graph500 -out=my\ results/a -scale=4`) {
		t.Errorf("command: %q", field(text, "command"))
	}
	if !strings.Contains(text, "\ncommit \"\" process ") {
		t.Errorf("no message of the program in\n%s", text)
	}
	if strings.Contains(text, "program [") {
		t.Errorf("results in the log:\n%s", text)
	}
	// A second run appends to the log.
	run(t, command(repository, "./run.sh", nil, "-out", "my results/a"))
	if again := log("my results/a"); !strings.HasPrefix(again, text) || strings.Count(again, "\ndate:") != 2 {
		t.Errorf("log after two runs:\n%s", again)
	}
	write(t, filepath.Join(repository, "file"), "", 0o644)
	if out, errs, status := run(t, command(repository, "./run.sh", nil, "-out=file/a")); status != 1 || out != "" || !strings.Contains(errs, "file/a") {
		t.Errorf("output below a file: status %d\n%s%s", status, out, errs)
	}
}

// An error at the start creates neither directory nor log, and the message names the
// setting.
func TestFaultsAtTheStart(t *testing.T) {
	repository := built(t)
	for _, test := range []struct {
		name, fault string
		environment []string
		status      int
		want        string
	}{
		{"flag", `graph500: flag -scale: "x" is not a whole number`, nil, 2, `graph500: flag -scale: "x" is not a whole number`},
		{"variable", `graph500: flag -scale: "x" is not a whole number`, []string{"SCALE=x"}, 2,
			`graph500: environment variable SCALE, taken as -scale: "x" is not a whole number`},
		{"scheduler's variable", "graph500: flag -threads: -1 is not in 0..4096", []string{"NCPUS=-1"}, 2,
			"graph500: environment variable NCPUS, taken as -threads: -1 is not in 0..4096"},
		{"variable of the Go runtime", "", []string{"GOMEMLIMIT=abc"}, 1, " cannot start: fatal error: malformed GOMEMLIMIT"},
		{"variable of the Go runtime, named", "", []string{"GOMEMLIMIT=abc"}, 1, ", status 2; look at GOMEMLIMIT=abc, "},
		{"dump without its head", "\nruntime: out of memory", nil, 1, " cannot start: runtime: out of memory, status 2; look at ulimit -"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, errs, status := run(t, command(repository, "./run.sh", append(test.environment, "OUT=results", "TEST_FAULT="+test.fault)))
			if status != test.status || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, test.want) {
				t.Errorf("status %d\n%s%s", status, out, errs)
			}
			if _, err := os.Stat(filepath.Join(repository, "results")); err == nil {
				t.Error("a directory for results was made")
			}
		})
	}
}

// No other file gets the descriptor of a closed stdout.
func TestClosedStdout(t *testing.T) {
	repository := built(t)
	_, errs, status := run(t, command(repository, "bash", []string{"OUT=results"}, "-c", "./run.sh >&-"))
	if status != 0 {
		t.Errorf("status %d\n%s", status, errs)
	}
	text, err := os.ReadFile(filepath.Join(repository, "results", "run.log"))
	if err != nil || strings.Contains(string(text), "program [") || !strings.Contains(string(text), "commit \"\" process ") {
		t.Errorf("%v, log:\n%s", err, text)
	}
}

// A signal reaches the program if it is sent to the script only, or, as by schedulers and
// terminals, to all processes of the script.
func TestSignals(t *testing.T) {
	repository := built(t)
	for _, test := range []struct {
		name   string
		signal syscall.Signal
		group  bool
	}{
		{"SIGTERM", syscall.SIGTERM, false},
		{"SIGINT", syscall.SIGINT, false},
		{"SIGTERM to all", syscall.SIGTERM, true},
		{"SIGINT to all", syscall.SIGINT, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			cmd := command(repository, "./run.sh", []string{"TEST_WAIT=1", "OUT=results"})
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			pipe, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			buffer := make([]byte, 1024)
			target := cmd.Process.Pid
			if test.group {
				target = -target
			}
			sent := false
			for {
				n, err := pipe.Read(buffer)
				errs.Write(buffer[:n])
				if !sent && strings.Contains(errs.String(), "waiting\n") {
					sent = true
					if err := syscall.Kill(target, test.signal); err != nil {
						t.Fatal(err)
					}
				}
				if err != nil {
					break
				}
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != 128+int(test.signal) {
				t.Errorf("status %d\n%s", got, errs.String())
			}
			text, err := os.ReadFile(filepath.Join(repository, "results", "run.log"))
			if err != nil || !strings.HasSuffix(string(text), "last words\n") {
				t.Errorf("%v, log:\n%s", err, text)
			}
		})
	}
}
