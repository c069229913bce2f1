#!/bin/sh
# Unpacks the CUDA 11.8 compiler and headers of Debian 12 (bookworm, non-free), and the
# assembler of CUDA 12.4 of Debian 13 (trixie), into a directory, build/cuda by default,
# without root and without installing a package. They compile kernels/, techniques/ and the
# Go code of the GPU engine.
#
#   scripts/fetch-cuda.sh [DIR]
#
# DIR gets nvcc with cicc, ptxas, fatbinary, cudafe++, cuobjdump; libdevice; the headers
# of CUDA, CUB, Thrust and libcu++; and ptxas-12.4. It gets no libraries, because the program
# loads the driver at run time. The download has 950 MB, DIR takes 130 MB, and TMPDIR needs
# 1.5 GB during the run. The script does nothing if DIR is complete.
#
# Runs on Debian 12, amd64. The address of the archive is that of the machine's apt
# sources.
set -eu

[ $# -le 1 ] || { echo "usage: $0 [DIR]" >&2; exit 2; }
to=$(realpath -m "${1:-$(dirname "$0")/../build/cuda}")
log() { echo "fetch-cuda: $*" >&2; }

if "$to/bin/nvcc" --version 2>/dev/null | grep -q 'release 11\.8' && [ -f "$to/include/cuda.h" ] && [ -x "$to/bin/ptxas-12.4" ]; then
	log "$to is complete"
	exit 0
fi

if [ -e "$to" ] && [ ! -e "$to/bin/nvcc" ] && [ -n "$(ls -A "$to")" ]; then
	log "$to has other content; name an empty or a new directory"
	exit 1
fi

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM
chmod 755 "$tmp"
mkdir -p "$tmp/apt/lists/partial" "$tmp/apt/cache/archives/partial" "$tmp/deb" "$tmp/kit" "$tmp/out/bin" "$tmp/out/nvvm/libdevice"

# private_apt is apt-get with the machine's Debian archive plus non-free.
# shellcheck disable=SC2016 # apt-get expands them
uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
	awk '$1 !~ /security/ && $2 !~ /[-\/]/ && $3 == "main" { print $1; exit }')
if [ -z "$uri" ] || ! grep -q '^ID=debian' /etc/os-release; then
	log "needs a Debian machine with its archive among the apt sources"
	exit 1
fi
for suite in 'bookworm main contrib non-free' 'trixie non-free'; do
	echo "deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite"
done >"$tmp/apt/sources.list"
private_apt() {
	apt-get -qq -o Dir::Etc::SourceList="$tmp/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$tmp/apt/lists" -o Dir::Cache="$tmp/apt/cache" \
		-o Acquire::Languages=none -o APT::Architecture=amd64 -o APT::Sandbox::User=root "$@"
}
log "reading the package index"
private_apt update
log "downloading (about 950 MB)"
(cd "$tmp/deb" && private_apt download nvidia-cuda-toolkit/bookworm nvidia-cuda-dev/bookworm libcu++-dev libcub-dev libthrust-dev)
mkdir "$tmp/trixie"
(cd "$tmp/trixie" && private_apt download nvidia-cuda-toolkit/trixie)

log "unpacking"
cd "$tmp/kit"
for deb in "$tmp"/deb/nvidia-cuda-toolkit_*.deb "$tmp"/deb/lib*.deb; do
	dpkg-deb -x "$deb" .
done
# The headers are at the beginning of a 2.8 GB archive: read only that part.
dpkg-deb --fsys-tarfile "$tmp"/deb/nvidia-cuda-dev_*.deb 2>/dev/null | head -c 60M |
	tar x --wildcards './usr/include/*' 2>/dev/null || true
[ -f usr/include/cuda.h ] || { log "nvidia-cuda-dev does not contain usr/include/cuda.h in its first 60 MB"; exit 1; }

lib=usr/lib/nvidia-cuda-toolkit
mv $lib/bin/nvcc $lib/bin/cicc $lib/bin/crt "$tmp/out/bin"
mv usr/bin/ptxas usr/bin/fatbinary usr/bin/cudafe++ usr/bin/cuobjdump "$tmp/out/bin"
mv $lib/libdevice/* "$tmp/out/nvvm/libdevice"
mv usr/include "$tmp/out/include"
dpkg-deb --fsys-tarfile "$tmp"/trixie/nvidia-cuda-toolkit_*.deb | tar x -C "$tmp/trixie" ./usr/bin/ptxas
mv "$tmp/trixie/usr/bin/ptxas" "$tmp/out/bin/ptxas-12.4"
cat >"$tmp/out/bin/nvcc.profile" <<'PROFILE'
TOP = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(TOP)/bin:
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
PROFILE

# Move to a temporary name on the same disk, then rename, so that an interrupted copy
# is not mistaken for a complete one.
mkdir -p "$(dirname "$to")"
rm -rf "$to" "$to.new"
mv "$tmp/out" "$to.new"
mv "$to.new" "$to"
"$to/bin/nvcc" --version | tail -2 >&2
"$to/bin/ptxas-12.4" --version | tail -2 >&2
