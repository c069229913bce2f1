#!/usr/bin/env bash
# Builds the emulated GPU into build/emulation: libcuda.so.1 with the functions of the
# CUDA driver that the program calls, libnccl.so.2 with those of NCCL, and a module for each
# compiled form of kernels/*/*.cu and techniques/*.cu. It needs g++ only. A program loads it like the
# driver:
#
#   LD_LIBRARY_PATH=$PWD/build/emulation build/graph500 -engine=gpu -scale=10
#
# settings.h and nccl/nccl.cpp in device/emulation list the settings.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$PWD/build/emulation
runtime=device/emulation
common=(-std=c++20 -O2 -g1 -fPIC -U_FORTIFY_SOURCE)

# stale FILE SOURCE ...: succeeds if FILE is missing or older than a SOURCE.
stale() {
	local file=$1
	shift
	[[ ! -e $file || -n $(find "$@" -newer "$file" -print -quit) ]]
}

# module PTX SOURCE OPTION ...: builds the module that replaces that PTX file.
module() {
	local ptx=$1 source=$2 name dynamic work
	shift 2
	name=$(dirname "$ptx")
	name=$(basename "${name%/compiled}").$(basename "$ptx" .ptx)
	stale "$out/modules/$name.so" "$ptx" "$0" "$runtime" kernels/*.cuh kernels/*/*.cu kernels/*/*.cuh techniques/*.cu techniques/*.cuh || return 0
	printf 'emulation: %s\n' "$name"
	work=$(mktemp -d "$out/work.XXXXXX")
	{
		printf '#include "module.h"\n#include "%s"\nextern "C" {\nextern const emulation::Kernel emulation_kernels[] = {\n' "$source"
		# Without names that begin with _Z: templates of CUB.
		sed -nE 's/^\.visible \.entry ([a-z]\w+)\(.*/\temulation::describe<\&\1>("\1"),/p' "$ptx"
		printf '\t{}};\nthread_local char emulation_shared;\n}\n'
	} >"$work/module.cpp"
	# -fsanitize=thread turns every memory access into a call, which the emulation
	# implements instead of the sanitizer's library. With -O1 the modules compile in two thirds of
	# the time; the emulation takes most of the time of a kernel.
	g++ "${common[@]}" -I "$runtime" -I "$out/sources/kernels" -include language.h -fno-strict-aliasing -fno-gnu-unique -fno-extern-tls-init -fno-tree-vectorize \
		-O1 -fsanitize=thread --param tsan-instrument-func-entry-exit=0 --param tsan-distinguish-volatile=1 \
		"$@" -c -o "$work/module.o" "$work/module.cpp"
	# Undefined thread_local variables are dynamic shared memory.
	dynamic=$(readelf -sW "$work/module.o" | awk '$4 == "TLS" && $7 == "UND" { print $8 }')
	printf 'extern "C" {\nextern const char emulation_dynamic[] = "%s";\n}\n' "$dynamic" >"$work/dynamic.cpp"
	[[ -z $dynamic ]] || printf 'alignas(1024) thread_local char dynamic[%d] asm("%s");\n' $((227 << 10)) "$dynamic" >>"$work/dynamic.cpp"
	g++ "${common[@]}" -c -o "$work/dynamic.o" "$work/dynamic.cpp"
	g++ -shared -Wl,-Bsymbolic -Wl,-z,defs -o "$work/module.so" "$work/module.o" "$work/dynamic.o" "$out/libcuda.so.1"
	mv "$work/module.so" "$out/modules/$name.so"
	cp "$ptx" "$out/modules/$name.ptx"
	rm -r "$work"
}

# xargs below starts one process for each module, several at the same time.
if [[ ${1-} == --module ]]; then
	shift
	module "$@"
	exit
fi

mkdir -p "$out/modules" "$out/sources"
exec 9>"$out/lock"
flock 9
rm -rf "$out"/work.*
if stale "$out/libcuda.so.1" "$runtime"/*.cpp "$runtime"/*.h "$0"; then
	printf 'emulation: libcuda.so.1\n'
	g++ "${common[@]}" -Wall -Wextra -shared -Wl,-soname,libcuda.so.1 -o "$out/libcuda.so.1" "$runtime"/*.cpp -ldl -pthread
fi
if stale "$out/libnccl.so.2" "$runtime"/nccl/*.cpp "$out/libcuda.so.1" "$0"; then
	printf 'emulation: libnccl.so.2\n'
	g++ "${common[@]}" -Wall -Wextra -shared -Wl,-soname,libnccl.so.2 -Wl,-z,defs -o "$out/libnccl.so.2" "$runtime"/nccl/*.cpp "$out/libcuda.so.1" -pthread -lrt
fi

# Links to the sources. Headers of device/emulation replace headers of kernels with the
# same name.
shopt -s nullglob
for file in kernels/*.cuh kernels/*/*.cu kernels/*/*.cuh techniques/*.cu techniques/*.cuh; do
	mkdir -p "$out/sources/${file%/*}"
	target=$PWD/$runtime/$(basename "$file")
	[[ $file == kernels/* && -e $target ]] || target=$PWD/$file
	[[ $out/sources/$file -ef $target ]] || ln -sf "$target" "$out/sources/$file"
	[[ $file == *.cu ]] || continue
	subject=$out/sources/${file%.cu}
	for form in "" .counted; do
		ptx=${file%/*}/compiled/$(basename "$file" .cu)$form.ptx
		[[ -e $ptx ]] || continue
		option=-UCOUNTED
		[[ -z $form ]] || option=-DCOUNTED
		printf '%s\0%s\0%s\0' "$ptx" "$subject.cu" "$option"
	done
done >"$out/list"

# The PTX in a Go test needs a module, too.
mkdir -p "$out/test"
# shellcheck disable=SC2016 # backquotes of Go
sed -n '/^const testPTX = `/,/^`$/p' device/kernel_test.go | sed '1s/.*`//; $d' >"$out/test/kernel_test.ptx.new"
cmp -s "$out/test/kernel_test.ptx.new" "$out/test/kernel_test.ptx" || mv "$out/test/kernel_test.ptx.new" "$out/test/kernel_test.ptx"
printf '%s\0%s\0-UCOUNTED\0' "$out/test/kernel_test.ptx" "$PWD/$runtime/kernel_test.cu" >>"$out/list"

xargs -0 -n 3 -P "$(nproc)" bash "$0" --module <"$out/list"
