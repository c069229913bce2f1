#!/usr/bin/env bash
# Runs every fuzz target of the module with the given number of inputs:
#   scripts/fuzz.sh 20000x
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Lines of "package target". go test prints the targets of a package before the line of
# the package.
targets=$(go test -list '^Fuzz' ./... | awk '/^Fuzz/ { names[n++] = $1 } /^ok/ { for (i = 0; i < n; i++) print $2, names[i]; n = 0 }')
if [[ -z $targets ]]; then
	echo "no fuzz target found" >&2
	exit 1
fi
while read -r package target; do
	echo "== $package $target"
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" "$package" </dev/null
done <<<"$targets"
