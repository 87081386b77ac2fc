# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: clang, and programs run by qemu-user. With Debian's cross libraries
#   cmake -S . -B build-aarch64 --toolchain cmake/aarch64-linux-gnu.cmake -DINMEM_RUNTIME_ONLY=ON
# and with -DINMEM_SYSROOT=, where packages of AArch64 are unpacked (packaging/sysroot.sh), the tool and the plugin too.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(Target aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/ClangForTarget.cmake)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INMEM_SYSROOT)
foreach(Kind EXE SHARED MODULE)
  set(CMAKE_${Kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
if(INMEM_SYSROOT)
  set(CMAKE_SYSROOT ${INMEM_SYSROOT})
  set(CMAKE_FIND_ROOT_PATH ${INMEM_SYSROOT})
  find_program(CMAKE_STRIP llvm-strip-${LLVM_VERSION})
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_FIND_ROOT_PATH})
