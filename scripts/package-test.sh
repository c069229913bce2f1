#!/usr/bin/env bash
# Installs the packages build/package/graph500*.deb and .rpm below an empty directory, runs
# what they hold, and removes them again:
#   scripts/package-test.sh
# Needs root, dpkg, rpm and man. The machine's own packages are not touched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'package-test: %s\n' "$*" >&2
	exit 1
}

for tool in dpkg rpm man; do
	command -v "$tool" >/dev/null || fail "$tool is not on PATH"
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# check ROOT: tests the installed files. The C library is that of this machine.
check() {
	local root=$1 version out
	version=$("$root/usr/bin/graph500" -version)
	[[ $version == *"commit $(<build/commit),"* ]] || fail "another program: $version"
	(cd "$scratch" && "$root/usr/bin/graph500" -engine=cpu -scale=10 >"$scratch/result" 2>"$scratch/log") ||
		fail "the program ends with: $(tail -n 1 "$scratch/log")"
	grep -q '^bfs  harmonic_mean_TEPS: *! ' "$scratch/result" || fail 'the program prints no result'
	(cd "$scratch" && "$root/usr/share/graph500/run.sh" -engine=cpu -scale=10 >"$scratch/result" 2>"$scratch/log") ||
		fail "run.sh ends with: $(tail -n 1 "$scratch/log")"
	grep -q '^bfs  harmonic_mean_TEPS: *! ' "$scratch/result" || fail 'run.sh prints no result'
	out=$(man -M "$root/usr/share/man" -w graph500)
	[[ $out == "$root/usr/share/man/man1/graph500.1"* ]] || fail "man finds $out"
	grep -q -e -scale <<<"$(man -M "$root/usr/share/man" graph500)" || fail 'the manual page is empty'
}

# list ROOT: the installed files, with those of the package databases left out.
list() { (cd "$1" && find . -path ./var -prune -o ! -type d -print | sort); }

# left ROOT: what a removed package has left. Directories that all packages share are
# those of other packages on a real system.
left() { (cd "$1" && find . -path ./var -prune -o \( ! -type d -o -name '*graph500*' \) -print); }

# same FORM ROOT: fails unless the package holds exactly what make install installs.
same() {
	diff <(list "$2") <(list build/package/root | if [[ $1 == deb ]]; then sed 's|zsh/site-functions|zsh/vendor-completions|'; else cat; fi) ||
		fail "the $1 package has other files than make install"
}

# stage: makes build/package/root again, for the comparison. A make above, which may run
# several targets at a time, does not share its slots with a script.
stage() { MAKEFLAGS='' make -s install DESTDIR=build/package/root PREFIX=/usr; }

test_deb() {
	local file=$1 root=$scratch/deb
	local -a dpkg=(dpkg "--root=$root" --force-depends --force-bad-path)
	dpkg --no-act -i "$file" >"$scratch/log" 2>&1 || fail "dpkg would not install it here: $(tail -n 1 "$scratch/log")"
	mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
	touch "$root"/var/lib/dpkg/{status,available}
	"${dpkg[@]}" -i "$file" 2>"$scratch/log" >&2 || fail "$(<"$scratch/log")"
	same deb "$root"
	check "$root"
	"${dpkg[@]}" -P graph500 >"$scratch/log" 2>&1 || fail "$(<"$scratch/log")"
	[[ -z $(left "$root") ]] || fail "dpkg has left $(left "$root")"
}

test_rpm() {
	local file=$1 root=$scratch/rpm
	local -a rpm=(rpm --quiet "--root=$root" --dbpath /var/lib/rpm)
	mkdir -p "$root"
	"${rpm[@]}" --initdb
	grep -q '^libc\.so\.6(GLIBC_2\.[0-9]*)(64bit)$' <<<"$(rpm -qp --requires "$file")" || fail 'the rpm package does not name its C library'
	"${rpm[@]}" --nodeps -i "$file" # the database of this root knows no other package
	same rpm "$root"
	check "$root"
	"${rpm[@]}" -e graph500
	[[ -z $(left "$root") ]] || fail "rpm has left $(left "$root")"
}

for form in deb rpm; do
	files=(build/package/graph500*."$form")
	[[ ${#files[@]} == 1 && -e ${files[0]} ]] || fail "build/package has ${#files[@]} $form packages: make deb rpm"
	stage
	"test_$form" "${files[0]}"
	printf '%s installed, run, removed\n' "${files[0]#build/package/}"
done
