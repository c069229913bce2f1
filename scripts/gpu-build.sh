#!/usr/bin/env bash
# Builds what scripts/gpu-test.sh needs into build/gpu: the program and the tests of the
# GPU packages. To test on a machine without Go, copy the repository with build/gpu.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

headers=$(scripts/cuda-headers.sh)
export CGO_ENABLED=1 CGO_CFLAGS="${CGO_CFLAGS--O2} \"-I$PWD/device/compat\" \"-I$headers\""
commit=$(git describe --always --dirty 2>/dev/null || echo unknown)

mkdir -p build/gpu
go build -tags cuda -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.commit=$commit" -o build/gpu/graph500 ./graph500
while read -r package; do
	go test -c -tags cuda -trimpath -ldflags '-s -w' -o "build/gpu/${package//\//.}.test" "./$package"
done < <(scripts/gpu-packages.sh)
printf '%s\n' "$commit" >build/gpu/commit
