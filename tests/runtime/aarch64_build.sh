#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# aarch64_build.sh SOURCE BUILD LLVM TARGET... - cross-compiles targets into BUILD/aarch64. Tests that need it may run at the same time.
set -euo pipefail
source=$1 build=$2 llvm=$3
shift 3
folder=$build/aarch64
exec 9>"$folder.lock"
flock 9
cmake -S "$source" -B "$folder" -G Ninja --toolchain "$source/cmake/aarch64-linux-gnu.cmake" \
  -DLLVM_VERSION="$llvm" -DINMEM_RUNTIME_ONLY=ON -DINMEM_BUILD_TESTS=ON >"$folder.log" 2>&1 || { tail -n 30 "$folder.log"; exit 1; }
cmake --build "$folder" --target "$@" >>"$folder.log" || { tail -n 30 "$folder.log"; exit 1; }
