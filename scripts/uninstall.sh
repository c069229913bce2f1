#!/usr/bin/env bash
# Removes what scripts/install.sh has put below DESTDIR for use in PREFIX, and the
# directories that only this program has:
#   scripts/uninstall.sh DESTDIR PREFIX
# Files that are not there are no error. The list of files is that of another installation,
# into an empty directory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

destdir=$1 prefix=${2%/}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
scripts/install.sh "$scratch" "$prefix"
while IFS= read -r -d '' file; do
	rm -f -- "$destdir${file#"$scratch"}"
done < <(find "$scratch" ! -type d -print0)
for dir in "$destdir$prefix/share/graph500" "$destdir$prefix/share/doc/graph500"; do
	[[ ! -d $dir ]] || rmdir --ignore-fail-on-non-empty -- "$dir"
done
