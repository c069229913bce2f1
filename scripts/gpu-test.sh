#!/usr/bin/env bash
# Tests and measures the GPU engine on a machine with a GPU, with the output of
# scripts/gpu-build.sh, which can come from another machine. It needs no Go.
#
#   scripts/gpu-test.sh [tests] [sanitizer] [benchmark] [residency] [energy]     the first three by default
#
# tests      every test of the GPU packages
# sanitizer  the short tests under compute-sanitizer: memcheck on all, initcheck and
#            synccheck on those of kernels, racecheck on some of each kernel that uses
#            shared memory, because it takes 100 times as long as the tests alone;
#            SANITIZERS="memcheck racecheck" selects tools;
#            at most SANITIZER_SECONDS (1200) per package and tool; JOBS (4) at once,
#            because much of the work is the host's
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
# PACKAGES="kernels/bfs gpu" selects packages of the stages tests and sanitizer.
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

# count LOG prints how the tests of a log ended.
count() {
	printf '%d passed, %d failed, %d skipped\n' "$(grep -c '^--- PASS' "$1")" "$(grep -c '^--- FAIL' "$1")" "$(grep -c '^--- SKIP' "$1")"
}

tests() {
	local package start
	for package in ${PACKAGES:-$(scripts/gpu-packages.sh)}; do
		start=$SECONDS
		test_package "$package" -test.v >"$results/tests.new" 2>&1 || failed+=("tests of $package")
		cat "$results/tests.new" >>"$results/tests.log"
		printf '\n== tests of %s (%d s)\n' "$package" $((SECONDS - start))
		grep -E '^ *--- FAIL|^--- SKIP|^(panic|FAIL|PASS)' "$results/tests.new" || true
		count "$results/tests.new"
		found_gpu "$results/tests.new" || failed+=("tests of $package: no GPU")
	done
	rm -f "$results/tests.new"
}

# racechecked PACKAGE prints the tests that racecheck runs: small graphs, so that a
# package takes less than a minute, and together all kernels that use shared memory. It prints
# nothing for a package that has none, nor for kernels/hubs: there racecheck reports pairs of
# accesses that have a barrier of the block between them (docs/notebook.md).
racechecked() {
	case $1 in
	kernels/construct) printf '%s|' TestBuildSmall/'^star$' TestBuildOfficial/'^4,' TestBuildRefuses TestHas ;;
	kernels/validate) printf 'TestTraps/./devices=[12]' ;;
	kernels/bfs) printf '%s|' TestSearch{OfFirstNeighborsThatAreNoHubs,WithAFilter,GoesThroughTheList,OfLongRowsTopDown,'OrdersParents$',OfSplitRowsOnRandomGraphs} TestTailReads/star ;;
	kernels/sssp) printf '%s|' TestSearchIfTheSampleIsZero TestRandomGraphs/one_device/^0_ TestRandomGraphs/1_devices/^0_ ;;
	kernels/hostrows) printf TestRowsOfManyLengths ;;
	kernels/distributed) printf '%s|' TestSearchOfLongRows TestPathsOfHubs ;;
	techniques) printf '%s|' TestOfficial{Graphs,Paths} TestSingleBlockReturns 'TestPrivateQueueOverflow/(1_0|2048_2049)' TestBucketLimits TestGatheringLimits/544 ;;
	esac
}

# sanitizer_options TOOL PACKAGE prints the options of the tests, or nothing if the tool does not
# run them.
sanitizer_options() {
	local tests
	case $1-$2 in
	*-device/driver) ;; # has no kernels
	racecheck-*)
		tests=$(racechecked "$2")
		[[ -z $tests ]] || printf -- '-test.run=%s' "${tests%|}"
		;;
	# The kernel of TestLostDevice writes out of bounds on purpose. initcheck does not see what
	# another process writes.
	initcheck-device) printf -- '-test.skip=TestLostDevice|TestMemoryOfAnotherProcess' ;;
	*-device) printf -- -test.skip=TestLostDevice ;;
	# Package gpu launches the kernels of the other packages. Package techniques has the same
	# tests of each strategy.
	memcheck-gpu) printf -- '-test.skip=^TestCountWork$' ;;
	*-gpu) ;;
	*) printf -- -test.run=. ;;
	esac
}

# sanitize TOOL PACKAGE OPTIONS runs a tool on the tests of a package. It leaves a file with what
# failed, because it runs in a shell of its own.
#
# API errors are not reported, because the calling code checks them and some tests cause
# them on purpose.
sanitize() {
	local tool=$1 package=$2 options=$3 log=$results/$1-${2//\//.} start=$SECONDS
	test_package "$package" "-test.short -test.v $options" timeout "${SANITIZER_SECONDS:-1200}" \
		compute-sanitizer --tool "$tool" --report-api-errors no --error-exitcode 9 >"$log.new" 2>&1 ||
		printf '%s of %s\n' "$tool" "$package" >"$log.failed"
	found_gpu "$log.new" || printf '%s of %s: no GPU\n' "$tool" "$package" >"$log.failed"
	{
		printf '\n== %s of %s (%d s)\n' "$tool" "$package" $((SECONDS - start))
		grep -E 'SUMMARY|^ *--- FAIL|^--- SKIP|^(FAIL|PASS|panic)' "$log.new" || true
		grep -q SUMMARY "$log.new" || printf 'did not complete\n'
		count "$log.new"
	} >"$log.short"
	cat "$log.short" # at once, so that the lines of several jobs do not mix
}

sanitizer() {
	local tool package options file
	command -v compute-sanitizer >/dev/null || fail "compute-sanitizer is not on PATH: it comes with the CUDA toolkit"
	rm -f "$results"/*check-*.{new,short,failed}
	for tool in ${SANITIZERS:-memcheck initcheck synccheck racecheck}; do
		for package in ${PACKAGES:-$(scripts/gpu-packages.sh)}; do
			options=$(sanitizer_options "$tool" "$package")
			[[ -n $options ]] || continue
			if [[ $package == gpu ]]; then # its tests take all memory of the GPU
				wait
				sanitize "$tool" "$package" "$options"
				continue
			fi
			while (($(jobs -rp | wc -l) >= ${JOBS:-4})); do wait -n; done
			sanitize "$tool" "$package" "$options" &
		done
	done
	wait
	for file in "$results"/*.failed; do
		[[ ! -e $file ]] || failed+=("$(<"$file")")
	done
	cat "$results"/*check-*.new >>"$results/sanitizer.log"
	rm -f "$results"/*check-*.{new,short,failed}
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
		name == "slowest" { summary = 1 } # it names the root of a search again
		summary { summary = name != "}"; next }
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
