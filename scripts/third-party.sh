#!/usr/bin/env bash
# Writes THIRD_PARTY.md: the licences of everything that is compiled into the program on
# any system. $1 is the package go-licenses with its version. The CUDA headers are those
# in build/cuda (make fetch-cuda). A test compares the file with the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'third-party.sh: %s\n' "$*" >&2
	exit 1
}

cub=build/cuda/include/cub
[[ -f $cub/cub.cuh ]] || fail "there is no $cub: run make fetch-cuda first"
(($# == 1)) || fail 'needs the package of go-licenses with its version: run make third-party'

# section TITLE LICENCE: prints a section with the text on standard input.
section() {
	printf '\n## %s\n\n%s\n\n~~~\n' "$1" "$2"
	cat
	printf '\n~~~\n'
}

# more MODULE FILE LICENCE: prints a licence file that go-licenses does not find.
more() {
	local dir version
	dir=$(go list -m -f '{{.Dir}}' "$1")
	version=$(go list -m -f '{{.Version}}' "$1")
	section "$1 $version" "$3" < <(as_utf8 "$dir/$2")
}

# as_utf8 FILE: prints a text that may be in Latin-1.
as_utf8() {
	if iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1; then cat "$1"; else iconv -f LATIN1 -t UTF-8 "$1"; fi
}

# cub_licence prints the copyright lines of all files of CUB, then the licence, which is
# the same in all of them, from the first comment of cub.cuh.
cub_licence() {
	grep -rh '^ \* Copyright' "$cub" | sort -u | sed 's/^ \* //'
	sed -n '2,/\*\*\*\//{ /\*\*\*\//d; /^ \* Copyright/d; s/^ \* \{0,1\}//; s/ *$//; p }' "$cub/cub.cuh"
}

cub_version=$(awk '$2 == "CUB_VERSION" { print int($3 / 100000) "." int($3 / 100) % 1000 "." $3 % 100 }' "$cub/version.cuh")

new=THIRD_PARTY.md.new
trap 'rm -f "$new"' EXIT
{
	cat <<-'END'
		# Third-party software

		Software of others that is compiled into the program or into the `.ptx` and
		`.cubin` files of this repository, with its licences. `make third-party` writes
		this file.
	END
	section Go 'BSD-3-Clause, the standard library and the runtime' <"$(go env GOROOT)/LICENSE"
	section "NVIDIA CUB $cub_version" 'BSD-3-Clause, compiled into the .ptx and .cubin files' < <(cub_licence)
	section 'Observable Plot and D3' 'ISC, BSD-3-Clause, MIT and Unlicense, embedded for the page of the leaderboard' <leaderboard/page/library/LICENSE.txt
	# purego is named because it is not a dependency of every build.
	GOOS=linux CGO_ENABLED=1 GOFLAGS=-tags=cuda go run "$1" report \
		--ignore graph500 --template scripts/third-party.tmpl ./graph500 github.com/ebitengine/purego |
		cat -s
	more codeberg.org/go-fonts/liberation LICENSE-SIL 'OFL-1.1, the fonts'
	more github.com/ajstarks/svgo LICENSE CC-BY-4.0
	more github.com/ajstarks/svgo LICENSE-link.txt CC-BY-4.0
	more github.com/golang/freetype LICENSE 'FTL, the one chosen of two'
	more github.com/golang/freetype licenses/ftl.txt FTL
} >"$new"
mv "$new" THIRD_PARTY.md
