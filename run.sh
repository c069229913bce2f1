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
# PBS (ncpus) granted, divided by the ranks, or else one for each processor that the process
# may use. With an output directory, OUT/run.log gets a record of host and job, and the program's
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
	local candidate
	if [[ -n ${GRAPH500_DIR-} ]]; then
		repository_above "$GRAPH500_DIR"
		return
	fi
	for candidate in "$(dirname "${BASH_SOURCE[0]}")" "$(dirname "$(real_path "${BASH_SOURCE[0]}")")" "${SLURM_SUBMIT_DIR-}" "${PBS_O_WORKDIR-}" "$PWD"; do
		[[ -n $candidate ]] && repository_above "$candidate" && return
	done
	repository_above "$(dirname "$(submitted_script)")"
}

# submitted_script prints the path with which SLURM was given this script, which it runs as
# a copy. It prints nothing if that is not known, or if the script is another one.
submitted_script() {
	local script
	[[ -n ${SLURM_JOB_ID-} ]] && command -v scontrol >/dev/null || return 0
	script=$(scontrol show job "$SLURM_JOB_ID" | sed -n 's/^ *Command=//p')
	[[ $script != */run.sh* ]] || printf '%s\n' "${script%%/run.sh*}/run.sh"
}

# program_beside prints the path of the program if script $1 was installed with it
# (make install).
program_beside() {
	local dir
	dir=$(cd "$(dirname "$1")" 2>/dev/null && pwd -P) || return 1
	[[ $dir == */share/graph500 && -x ${dir%/share/graph500}/bin/graph500 ]] || return 1
	printf '%s\n' "${dir%/share/graph500}/bin/graph500"
}

# installed_program prints the path of the program if GRAPH500_DIR names no repository and
# one of the scripts that $1 and the following name was installed with it.
installed_program() {
	local script
	[[ -z ${GRAPH500_DIR-} ]] || return 1
	for script; do
		[[ -n $script ]] && program_beside "$script" && return
	done
	return 1
}

# real_path prints the path of a file without links, or the file where there is no realpath.
real_path() { realpath "$1" 2>/dev/null || printf '%s\n' "$1"; }

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
if ! program=$(installed_program "${BASH_SOURCE[0]}" "$(real_path "${BASH_SOURCE[0]}")"); then
	if repository=$(find_repository); then
		program=$repository/build/graph500
	elif program=$(installed_program "$(submitted_script)"); then
		repository=
	elif [[ -n ${GRAPH500_DIR-} ]] || ! program=$(command -v graph500); then
		fail "cannot find the graph500 repository${GRAPH500_DIR:+ at GRAPH500_DIR=$GRAPH500_DIR}, nor the installed program: submit from inside the repository, set GRAPH500_DIR to its path, or put graph500 on PATH"
	fi
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
# whole fails unless variable $1, if it is set, is a whole number above 0.
whole() { [[ -z ${!1-} || ${!1} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$1=${!1} is not a whole number above 0"; }

# job_layout sets job_nodes and job_ranks to what SLURM or PBS granted, and to 1 and 1
# without a job.
job_layout() {
	local name
	for name in SLURM_JOB_NUM_NODES SLURM_NNODES SLURM_NTASKS; do
		whole "$name"
	done
	job_nodes=${SLURM_JOB_NUM_NODES:-${SLURM_NNODES:-1}}
	job_ranks=${SLURM_NTASKS:-$job_nodes}
	# Without a number of tasks, SLURM lists how many would fit.
	if [[ -n ${SLURM_NTASKS-} && -n ${SLURM_TASKS_PER_NODE-} ]]; then
		tasks_of_nodes
	fi
	if [[ -r ${PBS_NODEFILE-} ]]; then
		# The file has a line for each rank. That of Torque, which sets PBS_NUM_PPN, has one
		# for each processor.
		read -r job_nodes job_ranks < <(awk '!seen[$1]++ { n++ } END { print n + 0, NR }' "$PBS_NODEFILE")
		[[ -z ${PBS_NUM_PPN-} ]] || job_ranks=$job_nodes
	fi
}

# tasks_of_nodes sets job_nodes and job_ranks from SLURM_TASKS_PER_NODE, such as 2(x3),1 for
# 2, 2, 2 and 1. Different numbers of tasks need RANKS_PER_NODE.
tasks_of_nodes() {
	local part first='' uneven=no nodes_listed=0 tasks=0
	for part in ${SLURM_TASKS_PER_NODE//,/ }; do
		[[ $part =~ ^([1-9][0-9]{0,6})(\(x([1-9][0-9]{0,6})\))?$ ]] || fail "SLURM_TASKS_PER_NODE=$SLURM_TASKS_PER_NODE is not a list such as 2(x3),1"
		((nodes_listed += ${BASH_REMATCH[3]:-1}, tasks += BASH_REMATCH[1] * ${BASH_REMATCH[3]:-1})) || true
		[[ ${first:=${BASH_REMATCH[1]}} == "${BASH_REMATCH[1]}" ]] || uneven=yes
	done
	[[ $uneven == no || -n ${RANKS_PER_NODE:-${GPUS_PER_NODE-}} ]] ||
		fail "$tasks tasks of the job do not spread evenly over $nodes_listed nodes (SLURM_TASKS_PER_NODE=$SLURM_TASKS_PER_NODE): set RANKS_PER_NODE"
	job_nodes=$nodes_listed job_ranks=$tasks
}

# layout sets nodes and per_node, the ranks of a node.
layout() {
	local name
	for name in NODES RANKS_PER_NODE CORES_PER_RANK GPUS_PER_NODE; do
		whole "$name"
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
launcher=
if [[ $starts == yes ]]; then
	layout
	choose_launcher
fi

# share sets threads to the number of granted processors for each rank, empty if that is not
# known: the program then takes its part of those that it may use. SLURM grants processors to
# a task of the job, PBS to a process of it (ompthreads) or, with one process, to a node.
share() {
	local here
	threads=${!granted-}
	if [[ -z $threads || ! $threads =~ ^[1-9][0-9]*$ ]]; then
		return
	elif [[ -n $launcher ]]; then
		threads=$((threads * job_ranks / job_nodes / per_node))
		[[ -z ${CORES_PER_RANK-} && $threads != 0 ]] || threads=
	elif [[ $launched == yes && $granted != SLURM_CPUS_PER_TASK ]]; then
		here=${OMPI_COMM_WORLD_LOCAL_SIZE:-${MPI_LOCALNRANKS-}}
		if [[ $granted == NCPUS ]]; then
			job_layout
			threads=$((threads * job_ranks / job_nodes))
		fi
		[[ $here =~ ^[1-9][0-9]*$ ]] && ((threads >= here)) && threads=$((threads / here)) || threads=
	fi
}
share

out=
# A variable sets its flag unless that flag, or one that excludes it, is given.
settings=()
while read -r name setting others; do
	setting_value=${!setting-}
	[[ $name != threads ]] || setting_value=$threads
	[[ -n $setting_value && $command == @(|strategies) ]] || continue
	[[ $name != gpus || -z $command ]] || continue # strategies use one GPU
	for other in $name $others; do
		given "$other" "$@" && continue 2
	done
	run+=("-$name=$setting_value")
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
	for name in SKIP_VALIDATION SKIP_BFS TMPFILE REUSEFILE GRAPH500_MPI GRAPH500_NCCL GRAPH500_SIMD CUDA_VISIBLE_DEVICES \
		OMP_NUM_THREADS GOMAXPROCS GOGC GOMEMLIMIT GODEBUG LD_LIBRARY_PATH; do
		[[ -z ${!name+set} ]] || launch+=(-x "$name")
	done
}

# launch is the command that starts the ranks, empty for one process.
launch=()
case $launcher in
srun)
	cores=${CORES_PER_RANK:-$threads}
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
			GRAPH500_* | OMP_NUM_THREADS | GOMAXPROCS | GOGC | GOMEMLIMIT | GODEBUG | NCPUS | \
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
	log "$((nodes * per_node)) tasks were requested; only this one runs the program, with ${threads:-all its} threads"
fi

# With -version the program checks its flags. So wrong flags, and reasons that prevent
# the program from starting, show before any file exists.
checked=("${run[0]}" -version)
if [[ $command == @(|strategies) ]]; then
	checked=("${run[0]}" ${command:+"$command"} -version "${run[@]:${command:+1}+1}")
fi
# They start alone, because a rank can join the others only once, and are told how many ranks
# there will be.
status=0
[[ -z $launcher ]] || export GRAPH500_RANKS=$((nodes * per_node))
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

unset GRAPH500_RANKS
# exec: signals reach the program, and its exit status is that of the script.
exec ${launch[@]+"${launch[@]}"} "${run[@]}"
