#!/usr/bin/env bash
# Compiles the CUDA sources of kernels/*/ and techniques/ to the .ptx and .cubin
# files that the program embeds, in the folder compiled/ of each package, with
# their checksums in kernels.sum there. A source that includes counted.cuh is
# compiled a second time, to PTX that counts (.counted.ptx).
#
#   scripts/kernels.sh                 all subjects
#   scripts/kernels.sh bfs/search push these only
#   scripts/kernels.sh --check         all, elsewhere; fails where a file differs
#
# nvcc is $NVCC, the one on PATH, or that of build/cuda, where
# scripts/fetch-cuda.sh puts it. Only release 11.8 will do: what it writes is
# the same, byte for byte, on every machine and in every folder.
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
		if [[ -x $candidate ]] && "$candidate" --version | grep -q 'release 11\.8,'; then
			printf '%s\n' "$candidate"
			return
		fi
	done
	return 1
}

nvcc=$(find_nvcc) || fail "no nvcc 11.8 on PATH or in build/cuda: scripts/fetch-cuda.sh fetches it, NVCC names another place"
version=$("$nvcc" --version) || fail "cannot run $nvcc"
[[ $version == *'release 11.8,'* ]] ||
	fail "$nvcc is not of release 11.8, which alone writes the committed files: scripts/fetch-cuda.sh fetches it, NVCC names another place"

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

# nvcc 11.8 knows compilers up to g++ 11 and works with 12 just as well.
options=(-std=c++17 -O3 -allow-unsupported-compiler)

news=()
trap 'rm -rf "${news[@]}"' EXIT

# compile_ptx TARGET FILE OPTION ...: $subject.cu for a compute capability.
compile_ptx() {
	local target=$1 file=$2
	shift 2
	"$nvcc" "${options[@]}" "$@" -arch="$target" -ptx -o "$file" "$subject.cu"
	# Names of internal functions hold a checksum of the directory.
	sed -Ei 's/(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_/\100000000_/g' "$file"
}

# compile writes the files of $subject, and what they come from and are in
# $subject.sum, to $new. Their names are in made.
compile() {
	local included includes
	# Summed before they are compiled, so that a change meanwhile shows later.
	includes=$("$nvcc" "${options[@]}" -MM "$subject.cu")
	# Headers of the toolkit have another folder in their names.
	mapfile -t included < <(grep -oE '[^[:space:]\\]+' <<<"${includes#*:}" | while read -r file; do
		full=$(realpath -s --relative-to="$root" "$file")
		[[ $full != ../* && $full != /* && $full != build/* ]] && realpath -s --relative-to=. "$file"
	done | LC_ALL=C sort)
	sha256sum -- "${included[@]}" >"$new/$subject.sum"
	made=("$subject.ptx" "$subject.cubin")
	compile_ptx compute_80 "$new/$subject.ptx"
	compile_ptx compute_90 "$new/compute_90.ptx"
	"$nvcc" -arch=sm_90 -cubin -o "$new/$subject.cubin" "$new/compute_90.ptx"
	if printf '%s\n' "${included[@]}" | grep -qE '(^|/)counted\.cuh$'; then
		made+=("$subject.counted.ptx")
		compile_ptx compute_80 "$new/$subject.counted.ptx" -DCOUNTED
	fi
	(cd "$new" && sha256sum -- "${made[@]}") >>"$new/$subject.sum"
	sed -i "s/^/$subject /" "$new/$subject.sum"
}

# The lines of kernels.sum are: subject, sha256, file. Those of subjects that
# were not compiled now stay; those of subjects that are gone go.
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

wrong=()
root=$PWD
for folder in "${folders[@]}"; do
	cd "$root/$folder"
	mkdir -p compiled
	new=$(mktemp -d "$PWD/compiled/.new.XXXXXX")
	news+=("$new")
	for subject in "${subjects[@]}"; do
		[[ ${subject%/*} == "$folder" ]] || continue
		subject=${subject##*/}
		compile
		for file in "${made[@]}"; do
			if [[ $check == yes ]]; then
				cmp -s "$new/$file" "compiled/$file" || wrong+=("$folder/compiled/$file")
			else
				mv -f "$new/$file" "compiled/$file"
			fi
		done
	done
	if [[ $check == yes ]]; then
		cmp -s compiled/kernels.sum <(sums) || wrong+=("$folder/compiled/kernels.sum")
		continue
	fi
	# One at a time: several may compile their subjects at once.
	exec 9<.
	flock 9
	sums >"$new/kernels.sum"
	mv -f "$new/kernels.sum" compiled/kernels.sum
	exec 9<&-
done
((${#wrong[@]} == 0)) || fail "not what the sources give: ${wrong[*]}; run make kernels"
