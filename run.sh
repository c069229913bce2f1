#!/usr/bin/env bash
# Builds graph500 if need be and runs it, on a workstation or as a cluster job:
#
#   ./run.sh -scale=20
#   sbatch --cpus-per-task=16 run.sh -scale=24
#   SCALE=24 OUT=results qsub -V run.sh
#
# All arguments go to the program (-help lists them), except --dry-run, which
# prints what would be done and does nothing. Read from the environment:
#
#   SCALE EDGEFACTOR NROOTS OUT   -scale -edgefactor -roots -out; flags win
#   SKIP_VALIDATION TMPFILE REUSEFILE   read by the program itself
#   GRAPH500_DIR                  this repository, where it cannot be found
#   CUDA_HOME GRAPH500_CUDA       scripts/build.sh: a CUDA toolkit; "no" builds
#                                 without the GPU engine
#
# Threads are those that SLURM (--cpus-per-task) or PBS (ncpus) granted, unless
# -threads is given; elsewhere the program takes every core it may use. With an
# output directory, OUT/run.log receives a record of the host and the job, and
# the program's messages if standard error is no terminal.

# Also started as "sh run.sh".
if [ -z "${BASH_VERSION-}" ]; then
	command -v bash >/dev/null || {
		echo 'run.sh: bash is missing: install it, or start build/graph500 itself' >&2
		exit 1
	}
	exec bash "$0" "$@"
fi
set +o posix
set -euo pipefail

# The next file that is opened must not take the place of a closed stdout or
# stderr. The program refuses such a stdout if the result would be lost.
{ : >&1; } 2>/dev/null || exec 1<>/dev/null
{ : >&2; } 2>/dev/null || exec 2>/dev/null

say() { printf 'run.sh: %s\n' "$*" >&2; }
fail() {
	say "$*"
	exit 1
}

# repository_above prints the nearest directory at or above $1 that is this
# program's repository.
repository_above() {
	local dir
	dir=$(cd "$1" 2>/dev/null && pwd) || return 1
	while ! grep -qx 'module graph500' "$dir/go.mod" 2>/dev/null; do
		[[ $dir != / && -n $dir ]] || return 1
		dir=${dir%/*}
	done
	printf '%s\n' "$dir"
}

# Schedulers run a copy of this script from a spool directory, so its own
# place need not be in the repository.
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

# The ranks of the launchers in use: one machine, one process.
for rank in "${SLURM_PROCID-}" "${FLUX_TASK_RANK-}" "${OMPI_COMM_WORLD_RANK-}" "${PMIX_RANK-}" "${PMI_RANK-}" "${PALS_RANKID-}"; do
	if [[ $rank =~ ^0*[1-9][0-9]*$ ]]; then
		say "task $rank has nothing to do: the program runs once, in task 0, with threads; ask for one task with more cores"
		exit 0
	fi
done

repository=$(find_repository) ||
	fail "cannot find the graph500 repository${GRAPH500_DIR:+ at GRAPH500_DIR=$GRAPH500_DIR}: submit from inside it, or set GRAPH500_DIR to its path"

# PBS starts a batch job in the home directory.
if [[ ${PBS_ENVIRONMENT-} == PBS_BATCH ]]; then
	[[ -n ${PBS_O_WORKDIR-} ]] ||
		fail 'PBS_O_WORKDIR is not set, so the directory of the run is unknown: submit with qsub, which sets it'
	cd "$PBS_O_WORKDIR" 2>/dev/null ||
		fail "cannot enter PBS_O_WORKDIR=$PBS_O_WORKDIR: submit from a directory that this node has too"
fi

# given succeeds if flag $1 is among the remaining arguments, and leaves its
# value, if any, in $value: the last one, as the program takes it.
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

# The variable that says how many processors were granted.
granted=SLURM_CPUS_PER_TASK
for name in NCPUS PBS_NUM_PPN; do
	[[ -n ${!granted-} ]] || granted=$name
done
run=("$repository/build/graph500")
dry=no
arguments=()
for argument; do
	case $argument in
	-dry-run | --dry-run) dry=yes ;;
	*) arguments+=("$argument") ;;
	esac
done
set -- ${arguments[@]+"${arguments[@]}"}
# The name of a command comes before all flags; the others have none.
command=
if [[ -n ${1-} && $1 != -* ]]; then
	command=$1
	run+=("$1")
	shift
fi
out=
# From the environment comes what no flag says or contradicts.
settings=()
while read -r name setting others; do
	[[ -n ${!setting-} && $command == @(|strategies) ]] || continue
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
	out OUT check-parents
	threads $granted
END
if given out "$@"; then
	out=$value
fi
# What makes no result has no log.
for name in help h version memory check-parents; do
	! given "$name" "$@" || out=
done
if given strategy "$@" && [[ $value == help ]]; then
	out=
fi
run+=("$@")

# record prints what a reader of the results needs to know of host and job.
record() {
	local name
	printf 'date:       %s\n' "$(date '+%Y-%m-%d %H:%M:%S %z')"
	printf 'host:       %s (%s)\n' "$(uname -n)" "$(uname -srm)"
	printf 'job:        %s\n' "${SLURM_JOB_ID:-${PBS_JOBID:-${FLUX_JOB_ID:-none}}}"
	printf 'commit:     %s\n' "$(cat "$repository/build/commit" 2>/dev/null || echo 'not built')"
	printf 'modules:    %s\n' "${LOADEDMODULES:-none}"
	printf 'processors: %s\n' "$(allowed Cpus)"
	printf 'memory:     nodes %s\n' "$(allowed Mems)"
	printf 'directory:  %s\n' "$PWD"
	for name in $(compgen -e); do
		case $name in
		SCALE | EDGEFACTOR | NROOTS | OUT | SKIP_VALIDATION | TMPFILE | REUSEFILE | \
			GOMAXPROCS | GOGC | GOMEMLIMIT | GODEBUG | NCPUS | \
			CUDA_VISIBLE_DEVICES | SLURM_JOB_* | SLURM_CPU* | SLURM_GPU* | SLURM_N* | SLURM_MEM* | PBS_JOB* | PBS_N* | FLUX_JOB*)
			printf 'set:        %s=%q\n' "$name" "${!name}"
			;;
		esac
	done
	printf 'command:   '
	printf ' %q' "${run[@]}"
	printf '\n'
}

# allowed prints the processors or memory nodes that this process is bound to.
allowed() {
	sed -n "s/^$1_allowed_list:[[:space:]]*//p" /proc/self/status 2>/dev/null || echo unknown
}

# refuse prints what the program says of its flags, ends the script, and names
# an environment variable in the place of a flag that nobody typed.
refuse() {
	local message=$1 pair flag
	for pair in ${settings[@]+"${settings[@]}"}; do
		flag=-${pair% *}
		message=${message//flag $flag:/environment variable ${pair#* }, taken as $flag:}
	done
	printf '%s\n' "$message" >&2
	exit 2
}

# reason prints the line of $1 that says why the program did not start: the
# fault of the Go runtime, or else the first line.
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

# limits lists what may keep a program from starting.
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

stale=no
if "$repository/scripts/build.sh" --stale; then
	stale=yes
fi

if [[ $dry == yes ]]; then
	printf 'repository: %s\n' "$repository"
	printf 'build:      %s\n' "$([[ $stale == yes ]] && echo needed || echo 'up to date')"
	printf 'log:        %s\n' "${out:+$out/run.log}"
	record
	exit
fi

if [[ $stale == yes ]]; then
	say "building $repository/build/graph500"
	"$repository/scripts/build.sh" >&2 || fail "the build failed"
fi

if [[ ${SLURM_NTASKS:-1} != 1 ]]; then
	say "$SLURM_NTASKS tasks were asked for; only this one works, with ${!granted:-all its} threads"
fi

# Wrong flags, and what keeps the program from starting, are found out before
# anything is made: with -version it checks its flags.
checked=("${run[0]}" -version)
if [[ $command == @(|strategies) ]]; then
	checked=("${run[0]}" ${command:+"$command"} -version "${run[@]:${command:+1}+1}")
fi
status=0
message=$({ "${checked[@]}" >/dev/null; } 2>&1) || status=$?
if ((status == 2)) && [[ $message == graph500:* ]]; then
	refuse "$message"
elif ((status)); then
	fail "$repository/build/graph500 cannot start: $(reason "$message"), status $status$(limits)"
fi

if [[ -n $out ]]; then
	mkdir -p -- "$out" || fail "cannot make the output directory $out"
	{
		printf '\n' && record
	} >>"$out/run.log" || fail "cannot write $out/run.log"
	if [[ ! -t 2 ]]; then
		# The copier outlives the signals that end the program, to copy its last words.
		exec 2> >(trap '' HUP INT TERM && exec tee -a -- "$out/run.log" >&2)
	fi
fi

# The program takes this process over: signals reach it and its exit status is
# this script's.
exec "${run[@]}"
