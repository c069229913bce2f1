#!/usr/bin/env bash
#PBS -N graph500
#PBS -l select=1:ncpus=16:mem=16gb
#PBS -l walltime=00:30:00
#PBS -j oe

# One node, from the repository's directory; settings through the environment:
#
#   qsub scripts/pbs.sh
#   qsub -v SCALE=26,SKIP_VALIDATION=1 -l select=1:ncpus=64:mem=48gb scripts/pbs.sh
#
# Results and logs are written to results/JOB.
# Load a module with Go here if the program was not built on a login node.
set -euo pipefail

if [[ -z ${PBS_JOBID-} || -z ${PBS_O_WORKDIR-} ]]; then
	echo 'pbs.sh: PBS_JOBID and PBS_O_WORKDIR are not set: submit this script with qsub' >&2
	exit 1
fi

export SCALE=${SCALE:-24} OUT=${OUT:-results/$PBS_JOBID}

cd "$PBS_O_WORKDIR"
exec ./run.sh "$@"
