# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets INMEM_LINES_OBJECT: Lines.cpp and the parts of libbacktrace that read ELF and
# DWARF, linked into one object that shows only the former's functions, since
# programs may have a libbacktrace of their own. GCC brings the library as a
# static archive of position-independent code; clang finds it where it finds
# libgcc. Where there is none, Lines.cpp stands alone, and stacks have no lines
# before `inmem symbolize`.
set(CompileFor ${CMAKE_C_COMPILER})
if(CMAKE_C_COMPILER_TARGET)
  list(APPEND CompileFor --target=${CMAKE_C_COMPILER_TARGET})
endif()
execute_process(COMMAND ${CompileFor} -print-file-name=libbacktrace.a
  OUTPUT_VARIABLE Archive OUTPUT_STRIP_TRAILING_WHITESPACE)
cmake_path(GET Archive PARENT_PATH Folder)
find_program(INMEM_OBJCOPY NAMES llvm-objcopy-${LLVM_VERSION} llvm-objcopy objcopy)

add_library(inmem_rt_lines OBJECT stacks/Lines.cpp)
inmem_runtime_settings(inmem_rt_lines)
set(INMEM_LINES_OBJECT $<TARGET_OBJECTS:inmem_rt_lines> CACHE INTERNAL "")
if(NOT IS_ABSOLUTE "${Archive}" OR NOT EXISTS "${Folder}/include/backtrace.h"
   OR NOT INMEM_OBJCOPY)
  message(STATUS "No libbacktrace.a beside libgcc, or no objcopy: programs "
    "write no lines of stacks, `inmem symbolize` does")
  return()
endif()

# The header alone: beside it are others of GCC's that clang must not see.
set(Made ${CMAKE_CURRENT_BINARY_DIR}/libbacktrace)
configure_file(${Folder}/include/backtrace.h ${Made}/backtrace.h COPYONLY)
target_include_directories(inmem_rt_lines PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_compile_definitions(inmem_rt_lines PRIVATE INMEM_LIBBACKTRACE HAVE_STDINT_H)

separate_arguments(LinkFlags UNIX_COMMAND "${CMAKE_EXE_LINKER_FLAGS}")
set(LinkParts ${CompileFor} ${LinkFlags} -r -nostdlib)
set(Parts dwarf.o elf.o fileline.o state.o)
add_custom_command(OUTPUT ${Made}/Lines.o
  COMMAND ${CMAKE_AR} x ${Archive} ${Parts}
  COMMAND ${LinkParts} -o parts.o ${Parts}
  # What it would use of the system and must not (Lines.cpp).
  COMMAND ${INMEM_OBJCOPY} --redefine-sym dl_iterate_phdr=inmem_lines_modules
    --redefine-sym snprintf=inmem_lines_print
    --redefine-sym memcpy=inmem_lines_copy parts.o
  COMMAND ${LinkParts} -o Lines.o parts.o $<TARGET_OBJECTS:inmem_rt_lines>
  COMMAND ${INMEM_OBJCOPY} --wildcard --localize-symbol=backtrace_*
    --localize-symbol=inmem_lines_* Lines.o
  WORKING_DIRECTORY ${Made}
  DEPENDS ${Archive} inmem_rt_lines $<TARGET_OBJECTS:inmem_rt_lines>
  COMMENT "Hiding libbacktrace"
  VERBATIM COMMAND_EXPAND_LISTS)
# Several targets take it, and only one may make it.
add_custom_target(inmem_rt_lines_object DEPENDS ${Made}/Lines.o)
set(INMEM_LINES_OBJECT ${Made}/Lines.o CACHE INTERNAL "")
set_source_files_properties(${INMEM_LINES_OBJECT} PROPERTIES
  EXTERNAL_OBJECT TRUE GENERATED TRUE)
