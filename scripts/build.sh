#!/usr/bin/env bash
# Builds build/graph500, a static program with the commit in it.
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

if [[ ${1-} == --stale ]]; then
	[[ -x build/graph500 && -f build/commit ]] || exit 0
	# Where git is missing, as on some compute nodes, the files' times decide.
	[[ -z $commit || $commit == "$(<build/commit)" ]] || exit 0
	newer=$(find . \( -path ./.git -o -path ./build \) -prune -o \
		\( -name '*.go' ! -name '*_test.go' -o -name '*.s' -o -name go.mod -o -name go.sum -o -path ./scripts/build.sh \) \
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
CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-X main.commit=$commit" -o "$new" ./graph500
mv -f "$new" build/graph500
printf '%s\n' "${commit:-unknown}" >build/commit
