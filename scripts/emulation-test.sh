#!/usr/bin/env bash
# Runs the short tests of the GPU packages and the program on the emulated GPU.
# Arguments go to go test, such as -run=Construct or -count=1. The script fails if a test
# finds no GPU.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/emulation.sh

headers=$(scripts/cuda-headers.sh)
export CGO_ENABLED=1 CGO_CFLAGS="-O2 \"-I$PWD/device/compat\" \"-I$headers\""
export LD_LIBRARY_PATH=$PWD/build/emulation
export EMULATION_DEVICES=4 # for the tests of several GPUs
log=build/emulation/test/log

fail() {
	printf 'emulation-test: %s\n' "$*" >&2
	exit 1
}

# The packages with the longest tests begin, so that no processor waits for the last one.
longest=(gpu kernels/bfs kernels/construct kernels/validate)
all=$(scripts/gpu-packages.sh)
mapfile -t packages < <(printf '%s\n' "${longest[@]}" && grep -vxF -e device/driver "${longest[@]/#/-e}" <<<"$all")
# -count=1, because the test cache does not depend on the kernels. The tests of the program wait for
# ranks and time limits: those of the packages are beside them, and leave them the processors.
nice go test -tags cuda -count=1 -short -timeout 20m -v "$@" "${packages[@]/#/./}" >"$log" 2>&1 &
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
go test -tags cuda -count=1 -run 'SeveralGPUs|Exchange|GPURanks' ./graph500 || fail "the program does not run on several GPUs, or over ranks with GPUs"
passed=yes
wait $! || passed=no
awk '/^emulated GPU|^ *--- FAIL|^--- SKIP|^(ok|FAIL|panic)|_test\.go:/' "$log"
[[ $passed == yes ]] || fail "tests failed; the whole output is in $log"
! grep -E '_test\.go:[0-9]+: (no NVIDIA|the NVIDIA driver)' "$log" || fail "no GPU was found"
grep -q '^--- PASS' "$log" || fail "no test ran"
printf '%d passed, %d skipped\n' "$(grep -c -- '--- PASS' "$log")" "$(grep -c -- '--- SKIP' "$log")"

go build -tags cuda -o build/emulation/test/graph500 ./graph500
build/emulation/test/graph500 -engine=gpu -scale=10 >build/emulation/test/report

# Energy and state of the GPU board, with a fake NVML.
cc -shared -fPIC '-DBUS_ID="0000:00:00.0"' -o build/emulation/test/libnvidia-ml.so.1 device/nvml/testdata/fake.c
FAKE_NVML_REASONS=32 FAKE_NVML_PROCESSES=3 LD_LIBRARY_PATH+=:$PWD/build/emulation/test build/emulation/test/graph500 -engine=gpu -scale=8 -roots=4 -energy -repeat-for=1s \
	>build/emulation/test/report 2>build/emulation/test/energy
grep -q '^graph500: BFS, GPU boards only: .* MTEPS/W' build/emulation/test/energy || fail "no energy of the GPU; the output is in build/emulation/test/energy"
for line in 'warning: GPU 0000:00:00.0 was slowed down during the searches (heat; ' 'warning: 2 other processes compute on GPU 0000:00:00.0: '; do
	grep -qF "$line" build/emulation/test/energy || fail "no line \"$line\" about the GPU; the output is in build/emulation/test/energy"
done
