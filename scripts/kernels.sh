#!/usr/bin/env bash
# Compiles the CUDA sources of kernels/*/ and techniques/ to the .ptx and .cubin files
# that the program embeds. They are written to the directory compiled/ of each package,
# with the checksums of sources and outputs in compiled/kernels.sum. A source that
# includes counted.cuh is also compiled to PTX that counts operations (.counted.ptx), unless
# it is for several GPUs (peerbarrier.cuh).
#
#   scripts/kernels.sh                 all sources
#   scripts/kernels.sh bfs/search push these sources
#   scripts/kernels.sh --check         change nothing; fail if a file differs
#
# nvcc is $NVCC, or the one on PATH, or the one in build/cuda (scripts/fetch-cuda.sh). It
# must be release 11.8, which compiles to PTX for all drivers since. The machine code of the
# sources in $newer is made from that PTX by the assembler of release 12.4: $PTXAS, or the one
# in build/cuda. Its code searches 3 to 4 % faster at scales 20 and 22, but the kernels of
# larger graphs are up to 1 % slower (docs/notebook.md). The output of both is the same on
# every machine and in every directory, byte for byte.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
	printf 'kernels: %s\n' "$*" >&2
	exit 1
}

find_nvcc() {
	local candidate
	if [[ -n ${NVCC-} ]]; then
		printf '%s\n' "$NVCC"
		return
	fi
	for candidate in "$(command -v nvcc || true)" "$PWD/build/cuda/bin/nvcc"; do
		if [[ -x $candidate && $("$candidate" --version) == *'release 11.8,'* ]]; then
			printf '%s\n' "$candidate"
			return
		fi
	done
	return 1
}

nvcc=$(find_nvcc) || fail "no nvcc 11.8 on PATH or in build/cuda: scripts/fetch-cuda.sh fetches it; or set NVCC to its path"
version=$("$nvcc" --version) || fail "cannot run $nvcc"
[[ $version == *'release 11.8,'* ]] ||
	fail "$nvcc is not release 11.8, which wrote the committed files: scripts/fetch-cuda.sh fetches it; or set NVCC to its path"

newer=(kernels/bfs/few kernels/hubs/peers kernels/hubs/search kernels/hubs/split kernels/hubs/splitmany kernels/hubs/splitpeers kernels/hubs/splitpeersmany kernels/sssp/fallback kernels/sssp/light kernels/sssp/search)
ptxas=${PTXAS:-$PWD/build/cuda/bin/ptxas-12.4}
version=$("$ptxas" --version) || fail "cannot run $ptxas: scripts/fetch-cuda.sh fetches it; or set PTXAS to the path of ptxas 12.4"
[[ $version == *'release 12.4,'* ]] ||
	fail "$ptxas is not release 12.4, which wrote the committed files: scripts/fetch-cuda.sh fetches it; or set PTXAS to its path"

check=no
if [[ ${1-} == --check ]]; then
	check=yes
	shift
fi
shopt -s nullglob
sources=(kernels/*/*.cu techniques/*.cu)
folders=()
for source in "${sources[@]}"; do
	[[ " ${folders[*]} " == *" ${source%/*} "* ]] || folders+=("${source%/*}")
done
if (($#)); then
	subjects=()
	for subject; do
		found=()
		for source in "${sources[@]}"; do
			[[ /$source != */${subject%.cu}.cu ]] || found+=("${source%.cu}")
		done
		((${#found[@]})) || fail "there is no $subject.cu in ${folders[*]}"
		subjects+=("${found[@]}")
	done
else
	subjects=("${sources[@]%.cu}")
fi

# One process for each source, several at the same time.
if ((${#subjects[@]} > 1)); then
	option=()
	[[ $check == no ]] || option=(--check)
	printf '%s\0' "${subjects[@]}" | xargs -0 -n 1 -P "$(nproc)" bash scripts/kernels.sh "${option[@]}"
	exit
fi

# nvcc 11.8 officially supports g++ up to 11; it also works with 12.
options=(-std=c++17 -O3 -allow-unsupported-compiler)

# compile_ptx TARGET FILE OPTION ...: compiles $subject.cu to PTX.
compile_ptx() {
	local target=$1 file=$2
	shift 2
	"$nvcc" "${options[@]}" "$@" -arch="$target" -ptx -o "$file" "$subject.cu"
	# Names of internal functions contain a checksum of the directory: replace it.
	sed -Ei 's/(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_/\100000000_/g' "$file"
}

# compile compiles $subject.cu into the directory $new and sets outputs to the names of
# the files. It writes the checksums of sources and outputs to $new/$subject.sum.
compile() {
	local included includes
	# Checksums before compiling, so that they do not match a source that changes during
	# the compilation.
	includes=$("$nvcc" "${options[@]}" -MM "$subject.cu")
	# Without headers of the toolkit.
	mapfile -t included < <(grep -oE '[^[:space:]\\]+' <<<"${includes#*:}" | while read -r file; do
		full=$(realpath -s --relative-to="$root" "$file")
		[[ $full != ../* && $full != /* && $full != build/* ]] && realpath -s --relative-to=. "$file"
	done | LC_ALL=C sort)
	sha256sum -- "${included[@]}" >"$new/$subject.sum"
	outputs=("$subject.ptx" "$subject.cubin")
	compile_ptx compute_80 "$new/$subject.ptx"
	compile_ptx compute_90 "$new/compute_90.ptx"
	# nvcc 11.8 names the version of its own instructions, and passes those of asm statements on
	# unread. Bulk copies (bulk.cuh) need 8.0.
	[[ " ${included[*]} " != *"/bulk.cuh "* ]] || sed -i 's/^\.version 7\.8$/.version 8.0/' "$new/compute_90.ptx"
	if [[ " ${newer[*]} " == *" $folder/$subject "* ]]; then
		"$ptxas" -arch=sm_90 -o "$new/$subject.cubin" "$new/compute_90.ptx"
	else
		"$nvcc" -arch=sm_90 -cubin -o "$new/$subject.cubin" "$new/compute_90.ptx"
	fi
	if [[ " ${included[*]} " == *"/counted.cuh "* && " ${included[*]} " != *"/peerbarrier.cuh "* ]]; then
		outputs+=("$subject.counted.ptx")
		compile_ptx compute_80 "$new/$subject.counted.ptx" -DCOUNTED
	fi
	(cd "$new" && sha256sum -- "${outputs[@]}") >>"$new/$subject.sum"
	sed -i "s/^/$subject /" "$new/$subject.sum"
}

# sums prints the new kernels.sum: lines of subject, sha256, file. The lines of subjects
# that were not compiled now come from the old file, unless the source is gone.
sums() {
	local subject
	for subject in *.cu; do
		subject=${subject%.cu}
		if [[ -f $new/$subject.sum ]]; then
			cat "$new/$subject.sum"
		elif [[ -f compiled/kernels.sum ]]; then
			grep "^$subject " compiled/kernels.sum || true
		fi
	done
}

root=$PWD
subject=${subjects[0]##*/} folder=${subjects[0]%/*}
cd "$folder"
mkdir -p compiled
new=$(mktemp -d "$PWD/compiled/.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
compile
if [[ $check == yes ]]; then
	differing=()
	for file in "${outputs[@]}"; do
		cmp -s "$new/$file" "compiled/$file" || differing+=("$folder/compiled/$file")
	done
	cmp -s compiled/kernels.sum <(sums) || differing+=("$folder/compiled/kernels.sum")
	((${#differing[@]} == 0)) || fail "not the output of the sources: ${differing[*]}; run make kernels"
	exit
fi
for file in "${outputs[@]}"; do
	mv -f "$new/$file" "compiled/$file"
done
# Lock, because several runs compile different subjects at the same time.
exec 9<.
flock 9
sums >"$new/kernels.sum"
mv -f "$new/kernels.sum" compiled/kernels.sum
