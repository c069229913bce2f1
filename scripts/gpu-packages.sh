#!/usr/bin/env bash
# Lists the packages whose tests need a GPU, real or emulated.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
printf '%s\n' device/driver device kernels/stream kernels/generate kernels/construct kernels/validate kernels/bfs kernels/hubs kernels/sssp kernels/hostrows kernels/distributed device/exchange techniques gpu
