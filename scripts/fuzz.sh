#!/usr/bin/env bash
# Runs every fuzz target of the module with the given number of inputs:
#   scripts/fuzz.sh 20000x
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Lines of "package target", out of the files of the tests: go test -list would link the tests
# of all packages.
# shellcheck disable=SC2016 # the go command expands them
files='{{$package := .}}{{range .TestGoFiles}}{{$package.ImportPath}} {{$package.Dir}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$package.ImportPath}} {{$package.Dir}}/{{.}}
{{end}}'
targets=$(go list -f "$files" ./... | while read -r package file; do
	sed -nE "s|^func (Fuzz\w*)\(.*|$package \1|p" "${file:-/dev/null}"
done)
if [[ -z $targets ]]; then
	echo "no fuzz target found" >&2
	exit 1
fi
# Most inputs are files: in memory they take a third of the time. What is compiled stays where
# programs can run.
if [[ -d /dev/shm && -w /dev/shm ]]; then
	export GOTMPDIR=${GOTMPDIR:-${TMPDIR:-/tmp}} TMPDIR=/dev/shm
fi
while read -r package target; do
	echo "== $package $target"
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$1" -fuzzminimizetime 100x "$package" </dev/null
done <<<"$targets"
