#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# aarch64_system.sh SOURCE BUILD LLVM - boots a whole AArch64 machine with Debian's kernel under qemu. Programs of lit-tests/heap take
# their snapshots there, which qemu-user does not let them: it knows no clone() without a signal at the end.
# Exit code 77: skipped, the cross libraries, the emulator or the kernel (ensure_aarch64_kernel of scripts/setup.sh) are not there.
set -euo pipefail
source=$1 build=$2 llvm=$3
folder=$build/aarch64
{ command -v qemu-system-aarch64 >/dev/null && [ -e /usr/aarch64-linux-gnu/lib/crt1.o ]; } || { echo "skipped: no cross libraries or qemu"; exit 77; }
[ -e "$source/build/aarch64-kernel/.installed" ] || { echo "skipped: no kernel for AArch64"; exit 77; }
"$source/tests/runtime/aarch64_build.sh" "$source" "$build" "$llvm" inmem_rt runtime_unit_test inmem_place_tests

# The wrapper with this runtime where it looks for it, and nothing of the build's lib/ but the plugin.
work=$folder/system prefix=$folder/system/prefix
rm -rf "$work"
mkdir -p "$prefix/bin" "$prefix/lib"
cp "$build/bin/inmem-clang" "$build/bin/inmem-clang++" "$prefix/bin"
ln -s "$build/lib/libinmem.so" "$build/lib/inmem" "$prefix/lib"
ln -s "$folder/lib" "$prefix/lib/aarch64-linux-gnu"

target=(--target=aarch64-linux-gnu -fuse-ld=lld -O1 -Wall -Wextra -Werror)
"clang-$llvm" "${target[@]}" -std=gnu2x -static "$source/tests/runtime/guest/init.c" -o "$work/init"
"clang++-$llvm" "${target[@]}" -std=c++20 -I"$source" -I"$source/include" -I"$source/tools/inmem" "$source/tests/runtime/guest/Ctl.cpp" "$source/tools/inmem/live/LiveProcess.cpp" "$source/tools/inmem/live/Patience.cpp" -o "$work/ctl"

# That with pages of 16 KiB is there where INMEM_AARCH64_16K was set once.
for kernel in "$source/build/aarch64-kernel" "$source/build/aarch64-kernel-16k"; do
  [ -e "$kernel/.installed" ] || continue
  python3 "$source/tests/runtime/aarch64_heap.py" --build "$build" --prefix "$prefix" --kernel "$kernel" --init "$work/init" --ctl "$work/ctl" \
    --unit "$folder/tests" --llvm "$llvm" --work "$work/${kernel##*/}"
done
