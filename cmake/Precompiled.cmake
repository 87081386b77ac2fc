# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Headers of others, compiled once for all units of a room: most of what a unit
# costs is theirs. No unit relies on it: with -DINMEM_PCH=OFF each includes what it
# uses.

# inmem_precompile(TARGET <HEADER>...): precompiles these headers for a target.
function(inmem_precompile Target)
  if(NOT INMEM_PCH)
    return()
  endif()
  target_precompile_headers(${Target} PRIVATE ${ARGN})
  # A time inside would be a miss of every unit for ccache.
  target_compile_options(${Target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()

# inmem_reuse_precompiled(TARGET OTHER): takes what another target, compiled with
# the same options, has precompiled.
function(inmem_reuse_precompiled Target Other)
  if(NOT INMEM_PCH)
    return()
  endif()
  target_precompile_headers(${Target} REUSE_FROM ${Other})
  target_compile_options(${Target} PRIVATE
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endfunction()
