#!/usr/bin/env bash
# Builds graph500 if necessary and runs it, on a workstation or as a cluster job:
#
#   ./run.sh -scale=20
#   sbatch --cpus-per-task=16 run.sh -scale=24
#   SCALE=24 OUT=results qsub -V run.sh
#   NODES=4 RANKS_PER_NODE=2 ./run.sh -engine=cpu -scale=26     over ranks
#
# All arguments go to the program (-help lists them), except --dry-run: it prints
# the command, the record of host and job, and whether a build is needed. Environment:
#
#   SCALE EDGEFACTOR NROOTS KERNEL GPUS GPU_MEM OUT   -scale -edgefactor -roots -kernel
#                                 -gpus -gpu-memory -out; flags take precedence
#   SKIP_VALIDATION SKIP_BFS TMPFILE REUSEFILE   used by the program
#   NODES RANKS_PER_NODE          ranks to start; unset: those of the job, or one
#   CORES_PER_RANK GPUS_PER_NODE  what the launcher grants; one rank for each GPU of a node
#                                 unless RANKS_PER_NODE is set
#   LAUNCHER                      srun, flux or mpirun, also for one rank; auto (default):
#                                 the first of them that is installed, for several ranks;
#                                 none: one process
#   GRAPH500_DIR                  path of this repository, if it cannot be found
#   CUDA_HOME                     CUDA toolkit for scripts/build.sh
#   GRAPH500_CUDA                 "no": scripts/build.sh builds without the GPU engine
#
# The launcher starts the program and not this script, so every rank gets the same flags.
# It also works the other way: "srun run.sh" starts this script once for each rank.
#
# The number of threads of a rank is -threads, or else what SLURM (--cpus-per-task) or
# PBS (ncpus) granted, or else one for each processor that the process may use. With an
# output directory, OUT/run.log gets a record of host and job, and the program's
# messages unless standard error is a terminal.

# For "sh run.sh", where sh is another shell.
if [ -z "${BASH_VERSION-}" ]; then
	command -v bash >/dev/null || {
		echo 'run.sh: bash is missing: install it, or start build/graph500 itself' >&2
		exit 1
	}
	exec bash "$0" "$@"
fi
set +o posix
set -euo pipefail

# If stdout or stderr is closed, the next opened file would get its descriptor. The
# program recognises /dev/null opened for reading and writing as a closed stdout and
# reports an error if the result would be lost.
{ : >&1; } 2>/dev/null || exec 1<>/dev/null
{ : >&2; } 2>/dev/null || exec 2>/dev/null

log() { printf 'run.sh: %s\n' "$*" >&2; }
fail() {
	log "$*"
	exit 1
}

# repository_above prints the nearest directory at or above $1 that is the repository
# of this program.
repository_above() {
	local dir
	dir=$(cd "$1" 2>/dev/null && pwd) || return 1
	while ! grep -qx 'module graph500' "$dir/go.mod" 2>/dev/null; do
		[[ $dir != / && -n $dir ]] || return 1
		dir=${dir%/*}
	done
	printf '%s\n' "$dir"
}

# find_repository prints the path of the repository. Schedulers run a copy of this
# script from a spool directory, so the script can be outside the repository.
find_repository() {
	local candidate target
	if [[ -n ${GRAPH500_DIR-} ]]; then
		repository_above "$GRAPH500_DIR"
		return
	fi
	target=$(realpath "${BASH_SOURCE[0]}" 2>/dev/null) || target=${BASH_SOURCE[0]}
	for candidate in "$(dirname "${BASH_SOURCE[0]}")" "$(dirname "$target")" "${SLURM_SUBMIT_DIR-}" "${PBS_O_WORKDIR-}" "$PWD"; do
		[[ -n $candidate ]] && repository_above "$candidate" && return
	done
	if [[ -n ${SLURM_JOB_ID-} ]] && command -v scontrol >/dev/null; then
		candidate=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's/^ *Command=//p')
		[[ $candidate == */run.sh* ]] && repository_above "${candidate%/run.sh*}" && return
	fi
	return 1
}

# installed_program prints the path of the program if this script was installed with it
# (make install) and GRAPH500_DIR names no repository.
installed_program() {
	local dir
	dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P) || return 1
	[[ -z ${GRAPH500_DIR-} && $dir == */share/graph500 && -x ${dir%/share/graph500}/bin/graph500 ]] || return 1
	printf '%s\n' "${dir%/share/graph500}/bin/graph500"
}

# Variables with the rank of this process, set by the launchers, and with the number of
# ranks. Below a launcher, this script is started once for each rank.
rank_variables=(SLURM_PROCID FLUX_TASK_RANK OMPI_COMM_WORLD_RANK PMIX_RANK PMI_RANK PALS_RANKID)
rank=0
launched=no
for name in "${rank_variables[@]}"; do
	[[ ! ${!name-} =~ ^0*([1-9][0-9]*)$ ]] || rank=${BASH_REMATCH[1]}
	# SLURM sets its variable in batch scripts, too.
	[[ -z ${!name-} || $name == SLURM_PROCID ]] || launched=yes
done
ranks=1
for name in SLURM_STEP_NUM_TASKS FLUX_JOB_SIZE OMPI_COMM_WORLD_SIZE PMI_SIZE; do
	[[ ! ${!name-} =~ ^[1-9][0-9]*$ ]] || ranks=${!name} launched=yes
done

repository= # empty if installed
if ! program=$(installed_program); then
	repository=$(find_repository) ||
		fail "cannot find the graph500 repository${GRAPH500_DIR:+ at GRAPH500_DIR=$GRAPH500_DIR}: submit from inside it, or set GRAPH500_DIR to its path"
	program=$repository/build/graph500
fi

# PBS starts a batch job in the home directory.
if [[ ${PBS_ENVIRONMENT-} == PBS_BATCH ]]; then
	[[ -n ${PBS_O_WORKDIR-} ]] ||
		fail 'PBS_O_WORKDIR is not set, so the directory of the run is unknown: submit with qsub, which sets it'
	cd "$PBS_O_WORKDIR" 2>/dev/null ||
		fail "cannot enter PBS_O_WORKDIR=$PBS_O_WORKDIR: submit from a directory that this node has too"
fi

# given succeeds if flag $1 is among the remaining arguments. It sets $value to the
# value of the last occurrence, which is the one that the program uses.
given() {
	local name=$1 found=1
	shift
	while (($#)); do
		case $1 in
		--) break ;;
		"-$name" | "--$name") value=${2-} found=0 ;;
		"-$name="* | "--$name="*) value=${1#*=} found=0 ;;
		esac
		shift
	done
	return $found
}

# granted is the name of the variable with the number of granted processors.
granted=SLURM_CPUS_PER_TASK
for name in NCPUS PBS_NUM_PPN; do
	[[ -n ${!granted-} ]] || granted=$name
done
run=("$program")
dry=no
arguments=()
for argument; do
	case $argument in
	-dry-run | --dry-run) dry=yes ;;
	*) arguments+=("$argument") ;;
	esac
done
set -- ${arguments[@]+"${arguments[@]}"}
# A command comes before all flags. command is empty for the benchmark.
command=
if [[ -n ${1-} && $1 != -* ]]; then
	command=$1
	run+=("$1")
	shift
fi
out=
# A variable sets its flag unless that flag, or one that excludes it, is given.
settings=()
while read -r name setting others; do
	[[ -n ${!setting-} && $command == @(|strategies) ]] || continue
	[[ $name != gpus || -z $command ]] || continue # strategies use one GPU
	for other in $name $others; do
		given "$other" "$@" && continue 2
	done
	run+=("-$name=${!setting}")
	settings+=("$name $setting")
	[[ $name != out ]] || out=$OUT
done <<-END
	scale SCALE graph
	edgefactor EDGEFACTOR graph
	roots NROOTS root check-parents
	kernel KERNEL
	gpus GPUS
	gpu-memory GPU_MEM
	out OUT check-parents
	threads $granted
END
if given out "$@"; then
	out=$value
fi
# Only a run has a log, and only with a result.
[[ $command == @(|strategies) ]] || out=
for name in help h version memory check-parents; do
	! given "$name" "$@" || out=
done
if given strategy "$@" && [[ $value == help ]]; then
	out=
fi
run+=("$@")

# job_layout sets job_nodes and job_ranks to what SLURM or PBS granted, and to 1 and 1
# without a job.
job_layout() {
	job_nodes=${SLURM_JOB_NUM_NODES:-1}
	job_ranks=${SLURM_NTASKS:-$job_nodes}
	if [[ -r ${PBS_NODEFILE-} ]]; then
		# The file has a line for each rank. That of Torque, which sets PBS_NUM_PPN, has one
		# for each processor.
		read -r job_nodes job_ranks < <(awk '!seen[$1]++ { n++ } END { print n + 0, NR }' "$PBS_NODEFILE")
		[[ -z ${PBS_NUM_PPN-} ]] || job_ranks=$job_nodes
	fi
}

# layout sets nodes and per_node, the ranks of a node.
layout() {
	local name
	for name in NODES RANKS_PER_NODE CORES_PER_RANK GPUS_PER_NODE; do
		[[ -z ${!name-} || ${!name} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$name=${!name} is not a whole number above 0"
	done
	job_layout
	nodes=${NODES:-$job_nodes} per_node=${RANKS_PER_NODE:-${GPUS_PER_NODE-}}
	if [[ -z $per_node ]]; then
		((job_nodes > 0 && job_ranks % job_nodes == 0)) ||
			fail "$job_ranks tasks of the job do not spread evenly over $job_nodes nodes: set RANKS_PER_NODE"
		per_node=$((job_ranks / job_nodes))
	fi
}

# choose_launcher sets launcher, empty for one process without any.
choose_launcher() {
	launcher=${LAUNCHER:-auto}
	case $launcher in
	none) launcher= ;;
	srun | flux | mpirun) command -v "$launcher" >/dev/null || fail "LAUNCHER=$launcher: there is no $launcher" ;;
	auto)
		((nodes * per_node > 1)) || launcher=
		[[ -n $launcher ]] || return 0
		for launcher in srun flux mpirun; do
			! command -v "$launcher" >/dev/null || return 0
		done
		fail "$((nodes * per_node)) ranks need a launcher, and there is no srun, flux or mpirun; LAUNCHER=none starts one process"
		;;
	*) fail "LAUNCHER=$launcher is none of auto, srun, flux, mpirun and none" ;;
	esac
}

# launch_by_mpirun appends the options of mpirun to launch. Open MPI gives variables only
# to the ranks of its own host, and binds each rank to less than its share of the cores.
launch_by_mpirun() {
	local name
	if [[ $(mpirun --version 2>&1) != *@('Open MPI'|OpenRTE|open-mpi)* ]]; then
		[[ -z ${CORES_PER_RANK-} ]] || fail "CORES_PER_RANK needs srun, flux or Open MPI: give -threads=$CORES_PER_RANK instead"
		launch+=(-ppn "$per_node")
		return
	fi
	if [[ -n ${CORES_PER_RANK-} ]]; then
		launch+=(--map-by "ppr:$per_node:node:PE=$CORES_PER_RANK" --bind-to core)
	else
		launch+=(--map-by "ppr:$per_node:node" --bind-to none)
	fi
	[[ ! -r ${PBS_NODEFILE-} ]] || launch+=(--hostfile "$PBS_NODEFILE")
	for name in SKIP_VALIDATION SKIP_BFS TMPFILE REUSEFILE GRAPH500_MPI CUDA_VISIBLE_DEVICES \
		GOMAXPROCS GOGC GOMEMLIMIT GODEBUG LD_LIBRARY_PATH; do
		[[ -z ${!name+set} ]] || launch+=(-x "$name")
	done
}

# A run starts ranks, unless this script is one of them already.
starts=no
if [[ $launched == no && -z $command ]]; then
	starts=yes
	for name in help h version; do
		! given "$name" "$@" || starts=no
	done
	if given strategy "$@" && [[ $value == help ]]; then
		starts=no
	fi
fi
# launch is the command that starts the ranks, empty for one process.
launch=()
launcher=
if [[ $starts == yes ]]; then
	layout
	choose_launcher
fi
case $launcher in
srun)
	cores=${CORES_PER_RANK:-${SLURM_CPUS_PER_TASK-}}
	launch=(srun --nodes="$nodes" --ntasks=$((nodes * per_node)) --ntasks-per-node="$per_node")
	# Since SLURM 22.05 a step does not inherit --cpus-per-task from the job.
	launch+=(${cores:+--cpus-per-task="$cores"} --cpu-bind=cores ${GPUS_PER_NODE:+--gpus-per-node="$GPUS_PER_NODE" --gpu-bind=none})
	;;
flux)
	launch=(flux run --nodes="$nodes" --ntasks=$((nodes * per_node)) ${CORES_PER_RANK:+--cores-per-task="$CORES_PER_RANK"})
	[[ -z ${GPUS_PER_NODE-} ]] || launch+=(--gpus-per-task=$(((GPUS_PER_NODE + per_node - 1) / per_node)))
	;;
mpirun)
	launch=(mpirun -n $((nodes * per_node)))
	launch_by_mpirun
	;;
esac

# record prints the description of host and job for the log.
record() {
	local name
	printf 'date:       %s\n' "$(date '+%Y-%m-%d %H:%M:%S %z')"
	printf 'host:       %s (%s)\n' "$(uname -n)" "$(uname -srm)"
	printf 'job:        %s\n' "${SLURM_JOB_ID:-${PBS_JOBID:-${FLUX_JOB_ID:-${LSB_JOBID:-none}}}}"
	printf 'commit:     %s\n' "$(commit)"
	printf 'modules:    %s\n' "${LOADEDMODULES:-none}"
	printf 'processors: %s\n' "$(allowed Cpus)"
	printf 'memory:     nodes %s\n' "$(allowed Mems)"
	printf 'directory:  %s\n' "$PWD"
	for name in $(compgen -e); do
		case $name in
		NODES | RANKS_PER_NODE | CORES_PER_RANK | GPUS_PER_NODE | LAUNCHER | \
			SCALE | EDGEFACTOR | NROOTS | KERNEL | GPUS | GPU_MEM | OUT | SKIP_VALIDATION | SKIP_BFS | TMPFILE | REUSEFILE | \
			GOMAXPROCS | GOGC | GOMEMLIMIT | GODEBUG | NCPUS | \
			CUDA_VISIBLE_DEVICES | SLURM_JOB_* | SLURM_CPU* | SLURM_GPU* | SLURM_N* | SLURM_MEM* | PBS_JOB* | PBS_N* | FLUX_JOB* | LSB_JOB* | LSB_MCPU_HOSTS)
			printf 'set:        %s=%q\n' "$name" "${!name}"
			;;
		esac
	done
	if command -v nvidia-smi >/dev/null; then
		# Without the escape sequences that underline the head.
		nvidia-smi topo -m 2>/dev/null | sed $'s/\e\\[[0-9;]*m//g; s/^/topology:   /' || true
	fi
	printf 'command:   '
	printf ' %q' ${launch[@]+"${launch[@]}"} "${run[@]}"
	printf '\n'
}

# commit prints the commit of the program.
commit() {
	if [[ -n $repository ]]; then
		cat "$repository/build/commit" 2>/dev/null || echo 'not built'
	else
		"$program" -version | sed 's/.*, commit \([^,]*\),.*/\1/'
	fi
}

# allowed prints the processors or memory nodes that this process is bound to.
allowed() {
	sed -n "s/^$1_allowed_list:[[:space:]]*//p" /proc/self/status 2>/dev/null || echo unknown
}

# refuse prints the program's error message about flags and ends the script. It names
# the environment variable instead of a flag that came from one.
refuse() {
	local message=$1 pair flag
	for pair in ${settings[@]+"${settings[@]}"}; do
		flag=-${pair% *}
		message=${message//flag $flag:/environment variable ${pair#* }, taken as $flag:}
	done
	printf '%s\n' "$message" >&2
	exit 2
}

# reason prints the line of $1 with the reason why the program did not start: the error
# of the Go runtime, or else the first line.
reason() {
	local line first=
	while read -r line; do
		if [[ $line == 'fatal error:'* ]]; then
			first=$line
			break
		fi
		first=${first:-$line}
	done <<<"$1"
	printf '%s' "${first:-no message}"
}

# limits prints settings that can prevent a program from starting.
limits() {
	local name limit list=
	for name in GOMEMLIMIT LD_LIBRARY_PATH LD_PRELOAD; do
		[[ -z ${!name+set} ]] || list+=", $name=${!name}"
	done
	for name in v d u n; do
		limit=$(ulimit -S "-$name" 2>/dev/null) || continue
		[[ $limit == unlimited ]] || list+=", ulimit -$name $limit"
	done
	printf '%s' "${list:+; look at ${list#, }}"
}

# Rank 0 checks, records and builds.
if ((rank > 0)); then
	[[ -x ${run[0]} ]] || fail "task $rank finds no $repository/build/graph500: build it with scripts/build.sh before a job with several tasks"
	exec "${run[@]}"
fi

stale=no
if [[ -n $repository ]] && "$repository/scripts/build.sh" --stale; then
	stale=yes
fi

if [[ $dry == yes ]]; then
	printf 'repository: %s\n' "${repository:-none, installed}"
	printf 'build:      %s\n' "$([[ $stale == yes ]] && echo needed || echo 'up to date')"
	printf 'log:        %s\n' "${out:+$out/run.log}"
	record
	exit
fi

if [[ $stale == yes ]]; then
	((ranks == 1)) || fail "the program must be built with scripts/build.sh before a job with several tasks"
	log "building $program"
	"$repository/scripts/build.sh" >&2 || fail "the build failed"
fi

if [[ $starts == yes && -z $launcher ]] && ((nodes * per_node > 1)); then
	log "$((nodes * per_node)) tasks were requested; only this one runs the program, with ${!granted:-all its} threads"
fi

# With -version the program checks its flags. So wrong flags, and reasons that prevent
# the program from starting, show before any file exists.
checked=("${run[0]}" -version)
if [[ $command == @(|strategies) ]]; then
	checked=("${run[0]}" ${command:+"$command"} -version "${run[@]:${command:+1}+1}")
fi
# They start alone, because a rank can join the others only once.
status=0
message=$(unset "${rank_variables[@]}" && { "${checked[@]}" >/dev/null; } 2>&1) || status=$?
if ((status == 2)) && [[ $message == graph500:* ]]; then
	refuse "$message"
elif ((status)); then
	fail "$program cannot start: $(reason "$message"), status $status$(limits)"
fi

if [[ -n $out ]]; then
	mkdir -p -- "$out" || fail "cannot make the output directory $out"
	{
		printf '\n' && record
	} >>"$out/run.log" || fail "cannot write $out/run.log"
	if [[ ! -t 2 ]]; then
		# tee ignores signals that end the program, to copy its last messages.
		exec 2> >(trap '' HUP INT TERM && exec tee -a -- "$out/run.log" >&2)
	fi
fi

# exec: signals reach the program, and its exit status is that of the script.
exec ${launch[@]+"${launch[@]}"} "${run[@]}"
