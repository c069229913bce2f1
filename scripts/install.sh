#!/usr/bin/env bash
# Installs build/graph500, its manual page and completions, the licences of dependencies,
# run.sh, the job scripts and a file for environment modules:
#   scripts/install.sh DESTDIR PREFIX
# The files are written below DESTDIR (empty, or the directory of a package) for use in
# PREFIX. Manual page and completions are made by the program itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'install: %s\n' "$*" >&2
	exit 1
}

destdir=$1 prefix=${2%/}
[[ $prefix =~ ^(/[[:alnum:]._+-]+)+$ ]] || fail "PREFIX=$2 is not an absolute path of letters, digits and ._+-"
[[ -x build/graph500 ]] || fail 'there is no build/graph500: make build builds it'
share=$destdir$prefix/share

# page FILE COMMAND ...: installs the output of the program.
page() {
	local file=$1
	shift
	build/graph500 "$@" | install -D -m 644 /dev/stdin "$share/$file"
}

install -D -m 755 build/graph500 "$destdir$prefix/bin/graph500"
# The names of the reference's programs, whose arguments the program takes as well.
for name in graph500_reference_bfs graph500_reference_bfs_sssp; do
	ln -sf graph500 "$destdir$prefix/bin/$name"
done
page man/man1/graph500.1 manual
page bash-completion/completions/graph500 completion bash
page zsh/site-functions/_graph500 completion zsh
page fish/vendor_completions.d/graph500.fish completion fish
install -D -m 644 THIRD_PARTY.md "$share/doc/graph500/THIRD_PARTY.md"
install -D -m 755 run.sh "$share/graph500/run.sh"
# Job scripts are copied by the schedulers, so they name run.sh with its whole path.
for script in slurm.sbatch pbs.sh flux.sh lsf.sh; do
	sed -e "s|\./run\.sh|$prefix/share/graph500/run.sh|; s|scripts/$script|$prefix/share/graph500/$script|" \
		-e "s|^# From the repository's directory; \(.\)|# \u\1|" "scripts/$script" |
		install -D -m 755 /dev/stdin "$share/graph500/$script"
done
# For module use; what is in /usr is on the paths already.
if [[ $prefix != /usr ]]; then
	sed "s|@PREFIX@|$prefix|" packaging/modulefile | install -D -m 644 /dev/stdin "$share/modulefiles/graph500"
fi
