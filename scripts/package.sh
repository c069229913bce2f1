#!/usr/bin/env bash
# Makes a package of what make install has put below build/package/deb or build/package/rpm for PREFIX=/usr:
#   scripts/package.sh deb|rpm NFPM
# NFPM is the packager's module with its version. The package is build/package/graph500*.deb
# or .rpm; the same commit makes the same file, byte for byte.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'package: %s\n' "$*" >&2
	exit 1
}

form=$1 nfpm=$2
root=build/package/$form
commit=$(<build/commit)
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null) || fail 'the date of a package is that of its commit, and this is no git repository'
export SOURCE_DATE_EPOCH

# A tag is the version. A commit without one is not in order, so its date comes first.
if [[ $commit =~ ^v?[0-9]+\. ]]; then
	VERSION=${commit#v}
else
	VERSION=0+$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M).$commit
fi
VERSION=${VERSION//-/.} # a hyphen separates the release
ARCH=$(go env GOARCH)
# Without cgo the program names no version of the C library: any of today will do.
GLIBC=$({ echo GLIBC_2.17 && objdump -T build/graph500 | grep -o 'GLIBC_[0-9.]*'; } | sort -Vu | tail -n 1)
GLIBC=${GLIBC#GLIBC_}
export VERSION ARCH GLIBC ROOT=$root

# Debian's zsh reads completions of packages from a directory of its own.
if [[ $form == deb ]]; then
	mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
fi
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
rm -f build/package/graph500*."$form"
go run "$nfpm" package --config packaging/nfpm.yaml --packager "$form" --target build/package
