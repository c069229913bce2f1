#!/usr/bin/env bash
#BSUB -J graph500
#BSUB -n 1
#BSUB -R "span[ptile=1] affinity[core(16)]"
#BSUB -W 00:30
#BSUB -o graph500-%J.txt

# From the repository's directory; settings through the environment. One node, two ranks
# on each of four nodes:
#
#   SCALE=26 bsub -R "span[ptile=1] affinity[core(64)]" <scripts/lsf.sh
#   SCALE=28 CORES_PER_RANK=32 bsub -n 8 -R "span[ptile=2] affinity[core(32)]" <scripts/lsf.sh
#
# Results and logs are written to results/JOB, the output of the job to graph500-JOB.txt.
# Load a module with Go here if the program was not built on a login node.
set -euo pipefail

if [[ -z ${LSB_JOBID-} || -z ${LSB_MCPU_HOSTS-} ]]; then
	echo 'lsf.sh: LSB_JOBID and LSB_MCPU_HOSTS are not set: submit this script with bsub <lsf.sh' >&2
	exit 1
fi

export SCALE=${SCALE:-24} OUT=${OUT:-results/$LSB_JOBID}

fail() {
	printf 'lsf.sh: %s\n' "$*" >&2
	exit 1
}

# Names of the nodes, each with the number of its ranks, all the same. With several ranks,
# run.sh starts mpirun.
read -ra hosts <<<"$LSB_MCPU_HOSTS"
slots=${hosts[1]-}
for ((i = 1; i <= ${#hosts[@]}; i += 2)); do
	[[ ${hosts[i]-} =~ ^[1-9][0-9]{0,6}$ ]] || fail "LSB_MCPU_HOSTS=$LSB_MCPU_HOSTS is not a list of hosts, each with a number of slots"
	[[ ${hosts[i]} == "$slots" || -n ${NODES-} && -n ${RANKS_PER_NODE-} ]] ||
		fail "the slots of the job do not spread evenly over its hosts ($LSB_MCPU_HOSTS; the first can be a launch host): use span[ptile=N], or set NODES and RANKS_PER_NODE"
done
export NODES=${NODES:-$((${#hosts[@]} / 2))} RANKS_PER_NODE=${RANKS_PER_NODE:-$slots}
exec ./run.sh "$@"
