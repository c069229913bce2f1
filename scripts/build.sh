#!/usr/bin/env bash
# Builds build/graph500. The program contains the commit. If cuda.h
# (scripts/cuda-headers.sh) and a C compiler are found, the program has the GPU engine
# and runs with and without a GPU. Otherwise, and with GRAPH500_CUDA=no, it has the
# CPU engine only and needs no C compiler.
#   scripts/build.sh           build
#   scripts/build.sh --stale   do not build; succeed if a build is needed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'graph500: %s\n' "$*" >&2
	exit 1
}

# Not the commit of a repository that contains this directory.
commit=
if [[ -e .git ]]; then
	commit=$(git describe --always --dirty 2>/dev/null) || commit=
fi

headers=
no_cuda=
# find_cuda sets headers to the directory of cuda.h. If the GPU engine cannot be built, it
# fails and sets no_cuda to the reason.
find_cuda() {
	local compiler
	compiler=$(go env CC 2>/dev/null) || compiler=gcc
	if [[ ${GRAPH500_CUDA-} == no ]]; then
		no_cuda='GRAPH500_CUDA=no'
	elif [[ $(uname -s) != Linux || $(uname -m) != @(x86_64|aarch64) ]]; then
		no_cuda="not for $(uname -s) on $(uname -m)"
	elif ! headers=$(scripts/cuda-headers.sh 2>/dev/null); then
		no_cuda='no cuda.h found; CUDA_HOME can name a toolkit'
	elif ! command -v "${compiler%% *}" >/dev/null; then
		no_cuda="no C compiler $compiler"
	elif [[ $PWD$headers =~ [^[:alnum:]\ ./:@%+,=~_-] ]]; then
		no_cuda='the go command cannot pass these paths to the C compiler'
	fi
	[[ -z $no_cuda ]]
}

if [[ ${1-} == --stale ]]; then
	[[ -x build/graph500 && -f build/commit ]] || exit 0
	if [[ ${GRAPH500_CUDA-} == no && $(cat build/engines 2>/dev/null) != cpu ]] && command -v go >/dev/null; then
		exit 0
	fi
	# The GPU engine is missing and can be built now.
	if [[ $(cat build/engines 2>/dev/null) == cpu ]] && command -v go >/dev/null && find_cuda; then
		exit 0
	fi
	# Without git, as on some compute nodes, the times of the files decide.
	[[ -z $commit || $commit == "$(<build/commit)" ]] || exit 0
	newer=$(find . \( -path ./.git -o -path ./build \) -prune -o \
		\( -name '*.go' ! -name '*_test.go' -o -name '*.s' -o -name '*.[ch]' -o -name '*.ptx' -o -name '*.cubin' \
		-o -name go.mod -o -name go.sum -o -path ./scripts/build.sh \) \
		-newer build/graph500 -print)
	[[ -n $newer ]]
	exit
fi

need=$(awk '$1 == "go" { print $2 }' go.mod)
command -v go >/dev/null ||
	fail "the go command is missing: install Go $need or later (https://go.dev/dl), or load your site's module of it, and make sure that PATH holds its bin directory"

# Inside the module, a go command that may fetch a newer Go reports the version of that.
have=$(go env GOVERSION 2>/dev/null) || have=$(go version)
number='([0-9]+)\.([0-9]+)(\.([0-9]+))?'
[[ $have =~ go$number ]] || fail "cannot tell the version of Go from \"$have\": install Go $need or later"
have=${BASH_REMATCH[0]#go}
value=$((BASH_REMATCH[1] * 1000000 + BASH_REMATCH[2] * 1000 + ${BASH_REMATCH[4]:-0}))
[[ $need =~ $number ]] || fail "go.mod names no Go version"
((value >= BASH_REMATCH[1] * 1000000 + BASH_REMATCH[2] * 1000 + ${BASH_REMATCH[4]:-0})) ||
	fail "Go $have is too old: install Go $need or later (https://go.dev/dl), or load your site's module of it"

mkdir -p build
# Build under a temporary name, then rename: other jobs in this directory can build or
# run the old program at the same time.
new=build/graph500.$$
trap 'rm -f "$new"' EXIT
# Without the build id, which depends on the directory, two builds of one commit are the
# same byte for byte.
link="-buildid= -X main.commit=$commit"
flags=(-trimpath -buildvcs=false -o "$new")
if find_cuda; then
	engines='cpu gpu'
	printf 'graph500: building with the GPU engine, headers of %s\n' "$headers" >&2
	CGO_ENABLED=1 CGO_CFLAGS="${CGO_CFLAGS--O2} \"-I$PWD/device/compat\" \"-I$headers\"" go build -tags cuda "${flags[@]}" -ldflags "$link" ./graph500
else
	engines=cpu
	printf 'graph500: building without the GPU engine: %s\n' "$no_cuda" >&2
	# The entry checks the address space before the Go runtime takes it.
	if [[ -e graph500/addressspace_$(go env GOOS)_$(go env GOARCH).s ]]; then
		link+=' -E=graph500_entry'
	fi
	CGO_ENABLED=0 go build "${flags[@]}" -ldflags "$link" ./graph500
fi
mv -f "$new" build/graph500
printf '%s\n' "$engines" >build/engines
printf '%s\n' "${commit:-unknown}" >build/commit
