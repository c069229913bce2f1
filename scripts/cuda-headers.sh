#!/usr/bin/env bash
# Prints the directory of cuda.h (CUDA 11.8, 12 or 13), or fails. Search order:
# CUDA_HOME, CUDA_PATH, the toolkit of the nvcc on PATH, /usr/local/cuda, build/cuda
# (scripts/fetch-cuda.sh), /usr/include.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")/..

nvcc=$(command -v nvcc || true)
[[ -z $nvcc ]] || nvcc=$(readlink -f "$nvcc")
for toolkit in "${CUDA_HOME-}" "${CUDA_PATH-}" "${nvcc%/bin/nvcc}" /usr/local/cuda "$here/build/cuda" /usr; do
	if [[ -n $toolkit && -f $toolkit/include/cuda.h ]]; then
		cd "$toolkit/include"
		pwd
		exit
	fi
done
printf 'graph500: no cuda.h: install a CUDA toolkit and set CUDA_HOME to it, or run scripts/fetch-cuda.sh\n' >&2
exit 1
