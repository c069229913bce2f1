#!/usr/bin/env bash
# flux: --job-name=graph500
# flux: --nslots=1
# flux: --cores-per-slot=16
# flux: --time-limit=30m
# flux: --output=graph500-{{id}}.txt

# From the repository's directory; arguments go to the program. One node, four GPUs of one
# node, two ranks on each of four nodes:
#
#   SCALE=26 flux batch --cores-per-slot=64 scripts/flux.sh -verbose
#   SCALE=28 flux batch --gpus-per-slot=4 scripts/flux.sh -engine=gpu -gpus=4
#   SCALE=28 RANKS_PER_NODE=2 flux batch --nodes=4 --nslots=4 --cores-per-slot=64 scripts/flux.sh -engine=cpu
#
# Results and logs are written to results/JOB.
# Load a module with Go here if the program was not built on a login node.
set -euo pipefail

if ! flux getattr jobid >/dev/null 2>&1; then
	echo 'flux.sh: this is not a Flux job: submit this script with flux batch' >&2
	exit 1
fi

# The environment of a batch script has no job number.
job=$(flux job id --to=dec "$(flux getattr jobid)")
export SCALE=${SCALE:-24} OUT=${OUT:-results/$job}

fail() {
	printf 'flux.sh: %s\n' "$*" >&2
	exit 1
}

# The ranks share the cores of the job.
read -r nodes cores gpus < <(flux resource list --no-header --format '{nnodes} {ncores} {ngpus}') || true
[[ ${nodes-} =~ ^[1-9][0-9]*$ && ${cores-} =~ ^[1-9][0-9]*$ && ${gpus-} =~ ^[0-9]+$ ]] ||
	fail "flux resource list names no nodes, cores and GPUs of this job: ${nodes-} ${cores-} ${gpus-}"
for name in NODES RANKS_PER_NODE; do
	[[ -z ${!name-} || ${!name} =~ ^[1-9][0-9]{0,6}$ ]] || fail "$name=${!name} is not a whole number above 0"
done
export LAUNCHER=flux NODES=${NODES:-$nodes} RANKS_PER_NODE=${RANKS_PER_NODE:-1}
((cores >= NODES * RANKS_PER_NODE)) || fail "the job has $cores cores for $((NODES * RANKS_PER_NODE)) ranks: ask for more (--cores-per-slot), or start fewer (RANKS_PER_NODE)"
export CORES_PER_RANK=${CORES_PER_RANK:-$((cores / (NODES * RANKS_PER_NODE)))}
if ((gpus > 0)); then
	export GPUS_PER_NODE=${GPUS_PER_NODE:-$((gpus / nodes))}
fi
exec ./run.sh "$@"
