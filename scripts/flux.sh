#!/usr/bin/env bash
# flux: --job-name=graph500
# flux: --nslots=1
# flux: --cores-per-slot=16
# flux: --time-limit=30m
# flux: --output=graph500-{{id}}.txt

# One node, from the repository's directory; arguments go to the program:
#
#   flux batch scripts/flux.sh
#   SCALE=26 flux batch --cores-per-slot=64 scripts/flux.sh -verbose
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

cores=$(flux resource list --no-header --format '{ncores}')
exec flux run --ntasks=1 --cores-per-task="$cores" ./run.sh "$@"
