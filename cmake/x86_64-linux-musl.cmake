# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: clang with Debian's musl, for x86-64.
#   cmake -S . -B build-musl --toolchain cmake/x86_64-linux-musl.cmake -DINMEM_RUNTIME_ONLY=ON
# -DINMEM_MUSL_CXX=build/musl-cxx: with the C++ library that scripts/setup.sh builds, for unit tests.
# -DINMEM_MUSL_ROOT=build-package/x86_64-linux-musl/sysroot: with what the tool links (packaging/musl_libraries.py), for the tool.
# Where musl is the system's own C library, such as on Alpine, none is needed.
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(Target x86_64-linux-musl)
include(${CMAKE_CURRENT_LIST_DIR}/ClangForTarget.cmake)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES INMEM_MUSL_CXX INMEM_MUSL_ROOT)
set(Libraries /usr/lib/x86_64-linux-musl)
# Headers that are of no C library, without glibc's, which Debian has beside them.
set(Headers ${CMAKE_BINARY_DIR}/headers)
file(MAKE_DIRECTORY ${Headers})
foreach(Header linux asm-generic x86_64-linux-gnu/asm xxhash.h)
  cmake_path(GET Header FILENAME Name)
  file(CREATE_LINK /usr/include/${Header} ${Headers}/${Name} SYMBOLIC)
endforeach()
# A root without usr/ keeps glibc out. Debian has neither libgcc nor a C++ library for
# musl: compiler-rt is in place of the first, and the runtime needs none of the second.
set(Flags "--sysroot=${Libraries} -isystem /usr/include/x86_64-linux-musl -isystem ${Headers}")
if(INMEM_MUSL_ROOT)
  # Its programs run here as they are.
  set(CMAKE_CROSSCOMPILING_EMULATOR env)
  string(APPEND Flags " -isystem ${INMEM_MUSL_ROOT}/usr/include")
endif()
set(CMAKE_C_FLAGS_INIT "${Flags}")
set(CMAKE_CXX_FLAGS_INIT "-nostdinc++ ${Flags}")
if(INMEM_MUSL_CXX)
  set(CMAKE_CXX_FLAGS_INIT
    "-nostdinc++ -isystem ${INMEM_MUSL_CXX}/include -isystem /usr/lib/llvm-${LLVM_VERSION}/include/c++/v1 ${Flags}")
  set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "-L${INMEM_MUSL_CXX} -lc++")
endif()
foreach(Kind EXE SHARED MODULE)
  set(CMAKE_${Kind}_LINKER_FLAGS_INIT
    "-B${Libraries} -L${Libraries} --rtlib=compiler-rt --unwindlib=none -nostdlib++ -fuse-ld=lld -Wno-unused-command-line-argument")
endforeach()
set(CMAKE_FIND_ROOT_PATH ${INMEM_MUSL_ROOT} ${Libraries})
