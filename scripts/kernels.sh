#!/usr/bin/env bash
# Compiles the CUDA sources of kernels/ to the .ptx and .cubin files that the
# program embeds, and writes their checksums to kernels/kernels.sum.
#
#   scripts/kernels.sh                 all subjects
#   scripts/kernels.sh search pack     these only
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
if (($#)); then
	subjects=("$@")
else
	subjects=(kernels/*.cu)
fi

cd kernels
shopt -s nullglob
new=$(mktemp -d .new.XXXXXX)
trap 'rm -rf "$new"' EXIT

# nvcc 11.8 knows compilers up to g++ 11 and works with 12 just as well.
options=(-std=c++17 -O3 -allow-unsupported-compiler)

wrong=()
for subject in "${subjects[@]}"; do
	subject=$(basename "$subject" .cu)
	[[ -f $subject.cu ]] || fail "there is no kernels/$subject.cu"
	# Summed before they are compiled, so that a change meanwhile shows later.
	made=$("$nvcc" "${options[@]}" -MM "$subject.cu")
	# Headers of the toolkit have a folder in their names, those of kernels/ none.
	mapfile -t sources < <(grep -oE '[^[:space:]\\]+' <<<"${made#*:}" | grep -v / | LC_ALL=C sort)
	sha256sum -- "${sources[@]}" >"$new/$subject.sum"
	for target in compute_80 compute_90; do
		"$nvcc" "${options[@]}" -arch=$target -ptx -o "$new/$target.ptx" "$subject.cu"
		# Names of internal functions hold a checksum of the directory.
		sed -Ei 's/(_INTERNAL_|_GLOBAL__N__)[0-9a-f]{8}_/\100000000_/g' "$new/$target.ptx"
	done
	mv "$new/compute_80.ptx" "$new/$subject.ptx"
	"$nvcc" -arch=sm_90 -cubin -o "$new/$subject.cubin" "$new/compute_90.ptx"
	(cd "$new" && sha256sum -- "$subject.ptx" "$subject.cubin") >>"$new/$subject.sum"
	sed -i "s/^/$subject /" "$new/$subject.sum"
	for file in "$subject.ptx" "$subject.cubin"; do
		if [[ $check == yes ]]; then
			cmp -s "$new/$file" "$file" || wrong+=("kernels/$file")
		else
			mv -f "$new/$file" "$file"
		fi
	done
done

# The lines of kernels.sum are: subject, sha256, file. Those of subjects that
# were not compiled now stay; those of subjects that are gone go.
sums() {
	local subject
	for subject in *.cu; do
		subject=${subject%.cu}
		if [[ -f $new/$subject.sum ]]; then
			cat "$new/$subject.sum"
		elif [[ -f kernels.sum ]]; then
			grep "^$subject " kernels.sum || true
		fi
	done
}
if [[ $check == yes ]]; then
	cmp -s kernels.sum <(sums) || wrong+=(kernels/kernels.sum)
	((${#wrong[@]} == 0)) || fail "not what the sources give: ${wrong[*]}; run make kernels"
	exit
fi
# One at a time: several may compile their subjects at once.
exec 9<.
flock 9
sums >"$new/kernels.sum"
mv -f "$new/kernels.sum" kernels.sum
