#!/usr/bin/env bash
# Follows packaging/Containerfile without a container engine, and runs its program:
#   scripts/container-test.sh
# Checked: every RUN in a chroot with only what the image before it has, every COPY (out of
# a clone of the last commit, as the context), the ENTRYPOINT in the last stage.
# Not checked: that the images of FROM exist. In their place are Debian 12 of debootstrap
# and, for that of Go, the Go of this machine, git, make and gcc, with this machine's
# network (name servers, certificates). Go's caches of modules and compiled packages are those
# of this machine, too: with empty ones the test takes several minutes longer.
# build/cuda stands for the download of fetch-cuda.sh, which then does nothing. Nor is
# .dockerignore checked, as the clone has nothing that it names.
# The systems take about 1 GB of memory and nothing of the disk.
# Needs root, the right to mount, and debootstrap.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'container-test: %s\n' "$*" >&2
	exit 1
}

archive=http://deb.debian.org/debian
command -v debootstrap >/dev/null || fail 'debootstrap is not on PATH'
[[ -d build/cuda ]] || fail 'there is no build/cuda: make fetch-cuda'
scratch=$(mktemp -d)
trap 'umount -q -R "$scratch" || true; rmdir "$scratch"' EXIT
mount -t tmpfs -o mode=755 container-test "$scratch"

# system NAME PACKAGE ...: makes the system of an image. All are copies of one small system.
system() {
	local name=$1
	shift
	if [[ ! -e $scratch/debian ]]; then
		debootstrap --variant=minbase bookworm "$scratch/debian" "$archive" >"$scratch/log" || fail "$(tail -n 3 "$scratch/log")"
		chroot "$scratch/debian" apt-get clean
	fi
	cp -a "$scratch/debian" "$scratch/$name"
	mount -t proc proc "$scratch/$name/proc"
	if (($#)); then
		cp /etc/resolv.conf "$scratch/$name/etc"
		chroot "$scratch/$name" apt-get install -q -y --no-install-recommends -o Dpkg::Options::=--force-unsafe-io "$@" >"$scratch/log" 2>&1 || fail "$(tail -n 3 "$scratch/log")"
	fi
}

# share FOLDER TARGET ro|rw: shows a folder of this machine in the stage.
share() {
	mkdir -p "$1" "$root/$2"
	mount --bind "$1" "$root/$2"
	mount -o "remount,bind,$3" "$root/$2"
}

# from IMAGE NAME: begins a stage.
from() {
	root=$scratch/$2 directory=/
	case $1 in
	*/golang:*-bookworm)
		system "$2" ca-certificates git make gcc libc6-dev
		version=${1##*/golang:}
		[[ $(go env GOVERSION) == "go${version%-bookworm}".* ]] || fail "this machine has another Go than $1"
		cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs"
		variables=(PATH=/usr/local/go/bin:/usr/bin:/bin GOPATH=/go GOTOOLCHAIN=local "GOPROXY=$(go env GOPROXY)" HOME=/root)
		share "$(go env GOROOT)" /usr/local/go ro
		share build/cuda /src/build/cuda ro
		share "$(go env GOMODCACHE)" /go/pkg/mod rw
		share "$(go env GOCACHE)" /root/.cache/go-build rw
		;;
	*/debian:bookworm-slim)
		system "$2"
		variables=(PATH=/usr/bin:/bin HOME=/root)
		;;
	*) fail "FROM $1: no system stands for this image" ;;
	esac
}

# inside COMMAND ...: runs a command in the stage.
# shellcheck disable=SC2016 # the inner shell expands them
inside() { env -i "${variables[@]}" "$(command -v chroot)" "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$directory" "$@"; }

# copy SOURCE TARGET, with --from=STAGE before them or without.
copy() {
	local source=$scratch/context target
	if [[ $1 == --from=* ]]; then
		source=$scratch/${1#--from=}
		shift
	fi
	[[ $# == 2 ]] || fail "COPY $*: one source, one target"
	target=$root/$directory/$2
	[[ $2 != /* ]] || target=$root/$2
	mkdir -p "$target"
	if [[ -d $source/$1 ]]; then cp -a "$source/$1/." "$target"; else cp -a "$source/$1" "$target"; fi
}

git clone -q . "$scratch/context"
last=0
while read -r instruction rest; do
	[[ -n $instruction && $instruction != \#* ]] || continue
	printf '%s %s\n' "$instruction" "$rest"
	[[ $rest != *\\ ]] || fail 'lines that go on are not read'
	case $instruction in
	FROM)
		last=$((last + 1))
		name=stage$last
		[[ $rest != *' AS '* ]] || name=${rest##* AS }
		from "${rest%% *}" "$name"
		;;
	WORKDIR) directory=$rest && mkdir -p "$root/$rest" ;;
	ENV)
		read -ra words <<<"$rest"
		variables+=("${words[@]}")
		;;
	COPY)
		read -ra words <<<"$rest"
		copy "${words[@]}"
		;;
	RUN) inside /bin/sh -c "$rest" </dev/null ;;
	ENTRYPOINT) entry=$rest ;;
	*) fail "$instruction is not read" ;;
	esac
done <packaging/Containerfile

[[ ${entry-} =~ ^\[\"([^\"]+)\"\]$ ]] || fail "ENTRYPOINT ${entry-} is not one program"
inside "${BASH_REMATCH[1]}" -scale=10 >"$scratch/result"
grep -q '^bfs  harmonic_mean_TEPS: *! ' "$scratch/result" || fail 'the program prints no result'
inside "${BASH_REMATCH[1]}" -version | grep -F "commit $(git describe --always)," || fail 'the program has another commit'
