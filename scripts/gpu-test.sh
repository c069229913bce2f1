#!/usr/bin/env bash
# Tests and measures the GPU engine on a machine with a GPU, with the output of
# scripts/gpu-build.sh, which can come from another machine. It needs no Go.
#
#   scripts/gpu-test.sh [tests] [sanitizer] [benchmark] [residency] [energy]     the first three by default
#
# tests      every test of the GPU packages
# sanitizer  the short tests under compute-sanitizer: memcheck, initcheck and
#            synccheck on all, racecheck on some, because it takes 100 times as long
#            as the tests alone; SANITIZERS="memcheck racecheck" selects tools;
#            at most SANITIZER_SECONDS (1200) per package and tool
# benchmark  the program at scales 20, 22, 24 and 26 (SCALES="20 22" selects scales),
#            64 official keys, validated, BFS alone and both kernels (KERNELS="bfs both"
#            selects); then a table and a chart
# residency  graphs larger than -gpu-memory, in the cases SCALE:SIZE of CASES (without SIZE:
#            the whole memory), SEARCHES (64) official keys, validated;
#            RESIDENCIES="prefix zero-copy:16" selects where the neighbours are, each with
#            a number of keys of its own if it is slow, KERNELS="bfs sssp" the kernels (bfs
#            by default), GPUS=2 the number of GPUs (prefix only, if several), each
#            with that memory; then a table. Bytes and requests over the bus, and the levels (T
#            top-down, B bottom-up), are those of the median search; with prefix on several
#            GPUs no bytes and requests are known
# energy     -energy -repeat-for=30s at scales 24 and 28 (SCALES selects) of each kernel
#            alone (KERNELS="bfs sssp" selects); then runs without -repeat-for at the first
#            scale, five each with and without -energy in turn, for the cost of measuring
#
# All output is saved in $OUT, build/gpu/results by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$PWD/build/gpu
results=${OUT:-$bin/results}

fail() {
	printf 'gpu-test: %s\n' "$*" >&2
	exit 1
}

stages=("$@")
((${#stages[@]})) || stages=(tests sanitizer benchmark)
for stage in "${stages[@]}"; do
	[[ $stage == @(tests|sanitizer|benchmark|residency|energy) ]] || fail "there is no stage $stage: tests, sanitizer, benchmark, residency, energy"
done
[[ -x $bin/graph500 ]] || fail "build/gpu is empty: run scripts/gpu-build.sh, here or elsewhere"
mkdir -p "$results"

failed=()

# test_package PACKAGE OPTIONS [COMMAND ...]: runs the tests of a package in its
# directory, as arguments of COMMAND if given.
test_package() {
	local package=$1 options=$2
	shift 2
	# shellcheck disable=SC2086 # several options
	(cd "$package" && "$@" "$bin/${package//\//.}.test" -test.timeout=10m $options)
}

# found_gpu fails if a log contains tests that were skipped because there is no GPU.
found_gpu() { ! grep -qE '_test\.go:[0-9]+: (no NVIDIA|the NVIDIA driver)' "$1"; }

tests() {
	local package
	for package in $(scripts/gpu-packages.sh); do
		printf '\n== tests of %s\n' "$package"
		test_package "$package" -test.v >"$results/tests.new" 2>&1 || failed+=("tests of $package")
		cat "$results/tests.new" >>"$results/tests.log"
		grep -E '^ *--- FAIL|^--- SKIP|^(panic|FAIL|PASS)' "$results/tests.new" || true
		printf '%d passed, %d failed, %d skipped\n' \
			"$(grep -c '^--- PASS' "$results/tests.new")" "$(grep -c '^--- FAIL' "$results/tests.new")" "$(grep -c '^--- SKIP' "$results/tests.new")"
		found_gpu "$results/tests.new" || failed+=("tests of $package: no GPU")
	done
	rm -f "$results/tests.new"
}

# API errors are not reported, because the calling code checks them and some tests cause
# them on purpose.
#
# racecheck (shared memory) skips tests that only repeat what other tests do: hundreds of
# levels (paths; searches that stop or that run out of counters, which use paths), many or
# large graphs for the kernels around the search, and package gpu, which launches the same
# kernels. The tools run one after the other, because in parallel they take longer on one
# GPU.
sanitizer() {
	local tool package options
	command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on PATH: it comes with the CUDA toolkit"
	for tool in ${SANITIZERS:-memcheck initcheck synccheck racecheck}; do
		for package in $(scripts/gpu-packages.sh | grep -v driver); do
			options='-test.short -test.v'
			case $tool-$package in
			racecheck-kernels/*) options+=' -test.skip=Construct(Random|Kronecker|Regenerated)|Validate(Random|Official|Nasty|DepthLimits|Regenerated)|KeptTreesOf|TestTuples$|SearchStops|NastyGraphs/(.*path|grid)' ;;
			*-device) options+=' -test.skip=TestLostDevice' ;; # its kernel writes out of bounds on purpose
			racecheck-techniques) options+=' -test.skip=LevelsBeyond|NastyGraphs/path$|MixedRows/20' ;;
			racecheck-gpu) continue ;;
			esac
			printf '\n== %s of %s\n' "$tool" "$package"
			test_package "$package" "$options" timeout "${SANITIZER_SECONDS:-1200}" \
				compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 >"$results/$tool.new" 2>&1 ||
				failed+=("$tool of $package")
			found_gpu "$results/$tool.new" || failed+=("$tool of $package: no GPU")
			grep -E 'SUMMARY|^ *--- FAIL|^--- SKIP|^(FAIL|PASS|panic)' "$results/$tool.new" || true
			grep -q SUMMARY "$results/$tool.new" || printf 'did not complete\n'
			cat "$results/$tool.new" >>"$results/sanitizer.log"
			rm -f "$results/$tool.new"
		done
	done
}

# rows KERNELS SCALE SECONDS: prints the rows of the table for the result block on standard
# input, one for each kernel of the run.
rows() {
	awk -v kernels="$1" -v scale="$2" -v whole="$3" '
		{ value[$1 " " $2] = $NF; value[$1] = $NF }
		function row(kernel) {
			if (kernel " harmonic_mean_TEPS:" in value)
				printf "| %s | %s | %s | %.1f | %.1f | %.1f | %.4f | %.4f | %.4f | %.2f |\n", kernels, kernel, scale,
					value[kernel " harmonic_mean_TEPS:"] / 1e9, value[kernel " median_time:"] * 1e6, value[kernel " max_time:"] * 1e6,
					value["graph_generation:"], value["construction_time:"], value[kernel " median_validate:"], whole
		}
		END { row("bfs"); row("sssp") }'
}

benchmark() {
	local kernels scale run seconds
	printf '\n== benchmark of %s\n' "$(cat "$bin/commit")"
	printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' run kernel scale GTEPS 'median search (us)' 'slowest (us)' 'generation (s)' 'kernel 1 (s)' 'validation (s)' 'whole run (s)' >"$results/table.md"
	printf '|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n' >>"$results/table.md"
	: >"$results/levels.txt"
	for kernels in ${KERNELS:-bfs both}; do
		for scale in ${SCALES:-20 22 24 26}; do
			run=$results/$kernels$scale
			seconds=$EPOCHREALTIME
			if ! "$bin/graph500" -engine=gpu "-kernel=$kernels" "-scale=$scale" -verbose "-out=$run" >"$run.txt" 2>"$run.log"; then
				failed+=("$kernels at scale $scale")
				tail -n 5 "$run.log"
				continue
			fi
			rows "$kernels" "$scale" "$(awk -v a="$seconds" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" <"$run.txt" >>"$results/table.md"
			{ printf '\n' && cat "$run.log"; } >>"$results/levels.txt"
			rm "$run.log"
		done
	done
	"$bin/graph500" chart "$results"/*/result.json >"$results/gteps.svg" || failed+=("the chart")
	cat "$results/table.md"
}

# residency_row KERNEL SCALE SIZE RESIDENCY RESULT: prints the row of the table for a
# result.json, as the program writes it: a value in each line.
residency_row() {
	awk -v kernel="$1" -v scale="$2" -v size="$3" -v where="$4" '
		function quantity(of, unit) { return of == "" ? "-" : sprintf("%.4g", of / unit) }
		{ gsub(/[",]/, ""); name = $1; sub(/:$/, "", name) }
		name == "kernel" { other = $2 != kernel }
		other { next }
		name == "harmonic_mean" { teps = $2 }
		name == "peak_bytes" { peak = $2 }
		name == "construction_time" { construction = $2 }
		name == "prefix" { prefix = $2 }
		name == "host_neighbor_bytes" { host = $2 }
		name == "root" { n++; in_level = 0 }
		name == "levels" { in_level = 1 }
		!n || name == "]" { next }
		!in_level && name == "seconds" { seconds[n] = $2 }
		!in_level && name == "host_bytes" { bytes[n] = $2 }
		!in_level && name == "host_requests" { requests[n] = $2 }
		!in_level && name == "validate_seconds" { validated += $2 != "null" }
		name == "direction" { levels[n] = levels[n] (kernel == "bfs" ? toupper(substr($2, 1, 1)) : "") }
		!in_level && name == "level_count" { count[n] = $2 }
		END {
			for (i = 1; i <= n; i++) { # the median, the lower one of two
				below = 0
				for (j = 1; j <= n; j++) below += seconds[j] < seconds[i] || seconds[j] == seconds[i] && j < i
				if (below == int((n - 1) / 2)) median = i
				if (seconds[i] > slowest) slowest = seconds[i]
			}
			printf "| %s | %s | %s | %s | %.4g | %.4g | %.4g | %s | %s | %s | %.3f | %s | %s | %.3f | %d of %d |\n", kernel, scale, size, where, teps / 1e9,
				seconds[median] * 1e3, slowest * 1e3, quantity(bytes[median], 1e6), quantity(requests[median], 1),
				levels[median] == "" ? count[median] : levels[median], construction, prefix == "" ? "-" : prefix, quantity(host, 2^30), peak / 2^30, validated, n
		}' "$5"
}

residency() {
	local kernel case scale size where keys run table=$results/residency.md
	printf '\n== residency of %s\n' "$(cat "$bin/commit")"
	printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' kernel scale memory residency GTEPS 'median search (ms)' 'slowest (ms)' \
		'over the bus (MB)' requests levels 'kernel 1 (s)' prefix 'host memory (GiB)' 'peak of GPU memory (GiB)' validated >"$table"
	printf '|---|--:|--:|---|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|\n' >>"$table"
	for case in ${CASES:-26:4GiB 26:8GiB 28:16GiB 28:40GiB 30}; do
		scale=${case%%:*} size=${case#"${case%%:*}"}
		for kernel in ${KERNELS:-bfs}; do for where in ${RESIDENCIES:-prefix}; do
			keys=${SEARCHES:-64}
			[[ $where != *:* ]] || keys=${where#*:}
			where=${where%%:*}
			run=$results/$where-$kernel$scale${size/:/-}
			if ! "$bin/graph500" -engine=gpu ${GPUS:+"-gpus=$GPUS"} "-kernel=$kernel" "-scale=$scale" ${size:+"-gpu-memory=${size#:}"} "-residency=$where" "-roots=$keys" \
				-verbose "-out=$run" >"$run.txt" 2>"$run.log"; then
				tail -n 1 "$run.log" # such a case may be larger than the memory
				failed+=("$where of $kernel at scale $scale$size")
				continue
			fi
			residency_row "$kernel" "$scale" "${size#:}" "$where" "$run/result.json" | tee -a "$table"
		done; done
	done
	printf '\n'
	cat "$table"
}

energy() {
	local kernel scale first run number option
	printf '\n== energy of %s\n' "$(cat "$bin/commit")"
	: >"$results/energy.txt"
	for kernel in ${KERNELS:-bfs sssp}; do
		for scale in ${SCALES:-24 28}; do
			run=$results/energy-$kernel$scale
			if "$bin/graph500" -engine=gpu "-kernel=$kernel" "-scale=$scale" -energy -repeat-for=30s -verbose "-out=$run" >"$run.txt" 2>"$run.log"; then
				sed -nE "s/^graph500: (.*energy.*|.* only: .*)/scale $scale: \1/p" "$run.log" | tee -a "$results/energy.txt"
			else
				failed+=("energy of $kernel at scale $scale")
				tail -n 5 "$run.log"
			fi
		done
	done
	first=${SCALES:-24 28}
	first=${first%% *}
	for number in 1 2 3 4 5; do
		for option in '' -energy; do
			# shellcheck disable=SC2086 # an empty option is none
			"$bin/graph500" -engine=gpu "-scale=$first" $option 2>/dev/null |
				awk -v run="scale $first, ${option:-without -energy}, run $number:" '/harmonic_mean_TEPS/ { print run, $NF / 1e9, "GTEPS" }' |
				tee -a "$results/energy.txt"
		done
	done
}

# describe_machine prints date, commit, system and GPU.
describe_machine() {
	printf '%s  commit %s  %s\n' "$(date '+%Y-%m-%d %H:%M:%S %z')" "$(cat "$bin/commit")" "$(uname -srm)"
	nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm,clocks.max.mem,pci.bus_id --format=csv,noheader || true
}

: >"$results/machine.txt"
describe_machine | tee "$results/machine.txt"
for stage in "${stages[@]}"; do
	case $stage in
	tests) : >"$results/tests.log" ;;
	sanitizer) : >"$results/sanitizer.log" ;;
	esac
	"$stage"
done
if ((${#failed[@]})); then
	printf '\nfailed:\n' && printf '  %s\n' "${failed[@]}"
	exit 1
fi
printf '\nall passed\n'
