#!/usr/bin/env bash
# Builds build/graph500, with the commit in it. Where cuda.h and a C compiler
# are found (scripts/cuda-headers.sh says where it looks; CUDA_HOME is first)
# the program has the GPU engine and runs with and without a GPU; elsewhere, and
# with GRAPH500_CUDA=no, it is a static program with the CPU engine alone.
#   scripts/build.sh           build
#   scripts/build.sh --stale   build nothing; succeed if a build is needed
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'graph500: %s\n' "$*" >&2
	exit 1
}

# Only this directory's own repository counts, not one that happens to hold it.
commit=
if [[ -e .git ]]; then
	commit=$(git describe --always --dirty 2>/dev/null) || commit=
fi

# Sets headers to the directory of cuda.h if the GPU engine can be built.
headers=
no_cuda=
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
		no_cuda='the go command hands no such paths to the C compiler'
	fi
	[[ -z $no_cuda ]]
}

if [[ ${1-} == --stale ]]; then
	[[ -x build/graph500 && -f build/commit ]] || exit 0
	if [[ ${GRAPH500_CUDA-} == no && $(cat build/engines 2>/dev/null) != cpu ]] && command -v go >/dev/null; then
		exit 0
	fi
	# A program without the GPU engine where one with it can be built now.
	if [[ $(cat build/engines 2>/dev/null) == cpu ]] && command -v go >/dev/null && find_cuda; then
		exit 0
	fi
	# Where git is missing, as on some compute nodes, the files' times decide.
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

# Asked inside the module, so that a go command that may fetch a newer one does.
have=$(go env GOVERSION 2>/dev/null) || have=$(go version)
number='([0-9]+)\.([0-9]+)(\.([0-9]+))?'
[[ $have =~ go$number ]] || fail "cannot tell the version of Go from \"$have\": install Go $need or later"
have=${BASH_REMATCH[0]#go}
value=$((BASH_REMATCH[1] * 1000000 + BASH_REMATCH[2] * 1000 + ${BASH_REMATCH[4]:-0}))
[[ $need =~ $number ]] || fail "go.mod names no Go version"
((value >= BASH_REMATCH[1] * 1000000 + BASH_REMATCH[2] * 1000 + ${BASH_REMATCH[4]:-0})) ||
	fail "Go $have is too old: install Go $need or later (https://go.dev/dl), or load your site's module of it"

mkdir -p build
# A name of its own and a rename: jobs that share this directory may build at
# the same time, or run the old program meanwhile.
new=build/graph500.$$
trap 'rm -f "$new"' EXIT
flags=(-trimpath -buildvcs=false -ldflags "-X main.commit=$commit" -o "$new")
if find_cuda; then
	engines='cpu gpu'
	printf 'graph500: building with the GPU engine, headers of %s\n' "$headers" >&2
	CGO_ENABLED=1 CGO_CFLAGS="${CGO_CFLAGS--O2} \"-I$PWD/device/compat\" \"-I$headers\"" go build -tags cuda "${flags[@]}" ./graph500
else
	engines=cpu
	printf 'graph500: building without the GPU engine: %s\n' "$no_cuda" >&2
	CGO_ENABLED=0 go build "${flags[@]}" ./graph500
fi
mv -f "$new" build/graph500
printf '%s\n' "$engines" >build/engines
printf '%s\n' "${commit:-unknown}" >build/commit
