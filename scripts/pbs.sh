#!/usr/bin/env bash
#PBS -N graph500
#PBS -l select=1:ncpus=16:mem=16gb
#PBS -l walltime=00:30:00
#PBS -j oe

# From the repository's directory; settings through the environment. One node, four GPUs
# of one node, two ranks on each of four nodes (ompthreads: the threads of a rank):
#
#   qsub -v SCALE=26,SKIP_VALIDATION=1 -l select=1:ncpus=64:mem=48gb scripts/pbs.sh
#   qsub -v SCALE=28,GPUS=4 -l select=1:ncpus=16:ngpus=4:mem=64gb scripts/pbs.sh
#   qsub -v SCALE=28 -l select=4:ncpus=64:mpiprocs=2:ompthreads=32:mem=96gb -l place=scatter:excl scripts/pbs.sh
#
# Results and logs are written to results/JOB.
# Load a module with Go here if the program was not built on a login node.
set -euo pipefail

if [[ -z ${PBS_JOBID-} || -z ${PBS_O_WORKDIR-} ]]; then
	echo 'pbs.sh: PBS_JOBID and PBS_O_WORKDIR are not set: submit this script with qsub' >&2
	exit 1
fi

export SCALE=${SCALE:-24} OUT=${OUT:-results/$PBS_JOBID}

# With several ranks, run.sh starts mpirun.
cd "$PBS_O_WORKDIR"
exec ./run.sh "$@"
