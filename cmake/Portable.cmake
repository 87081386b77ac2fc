# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# -DINMEM_PORTABLE=ON: what is built runs on older systems than the one that builds it, as scripts/package wants it. The tool
# brings its libraries; the runtime and the placement library need glibc 2.17, tool and plugins 2.28, which
# packaging/check_symbols.py checks. Links differ; what is compiled is what every other build compiles, but plugins have no
# type information, so that they load into a clang that was built without.
option(INMEM_PORTABLE "Link for older systems: see cmake/Portable.cmake" OFF)
option(INMEM_SIDE_BY_SIDE
  "Install plugins into a folder for each LLVM, behind one that loads the right one" OFF)
set(INMEM_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR})
if(INMEM_SIDE_BY_SIDE)
  string(APPEND INMEM_PLUGIN_DIR /inmem/llvm-${LLVM_VERSION})
endif()
# The C++ library of a toolchain for musl is an archive.
set(INMEM_STATIC_CXX -static-libstdc++ -static-libgcc)
if(INMEM_MUSL_ROOT)
  set(INMEM_STATIC_CXX "")
endif()
set(INMEM_HTTPLIB_INCLUDE "" CACHE PATH
  "Folder of cpp-httplib as one header, without its own libraries: for INMEM_PORTABLE")

# inmem_link_for_glibc(TARGET LIMIT [COMPAT <name>...]): binds to symbols that glibc
# LIMIT has. COMPAT: the parts of packaging/glibc/Compat.c to use in place of newer ones.
function(inmem_link_for_glibc Target Limit)
  if(NOT INMEM_PORTABLE OR INMEM_MUSL_ROOT)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 Link "" "" "COMPAT")
  set(Out ${PROJECT_BINARY_DIR}/glibc-${Limit})
  set(Compiler ${CMAKE_C_COMPILER})
  if(CMAKE_C_COMPILER_TARGET)
    list(APPEND Compiler --target=${CMAKE_C_COMPILER_TARGET})
  endif()
  list(TRANSFORM CMAKE_FIND_ROOT_PATH APPEND /usr OUTPUT_VARIABLE RootUsr)
  list(JOIN Compiler " " Compiler)
  if(NOT TARGET inmem_glibc_${Limit})
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    find_file(INMEM_LIBC_NONSHARED libc_nonshared.a PATHS ${CMAKE_FIND_ROOT_PATH} ${RootUsr} /usr
      PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    find_file(INMEM_LIBC_SHARED libc.so.6 PATHS ${CMAKE_FIND_ROOT_PATH} /usr /
      PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE} NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    cmake_path(GET INMEM_LIBC_SHARED PARENT_PATH Folder)
    set(Script ${PROJECT_SOURCE_DIR}/packaging/glibc/stubs.py)
    add_custom_command(OUTPUT ${Out}/libc.so
      COMMAND ${Python3_EXECUTABLE} ${Script} --limit ${Limit} --out ${Out} --cc "${Compiler}"
        --nonshared ${INMEM_LIBC_NONSHARED} ${Folder}
      DEPENDS ${Script} COMMENT "Stubs of glibc ${Limit}" VERBATIM)
    add_custom_target(inmem_glibc_${Limit} DEPENDS ${Out}/libc.so)
  endif()
  add_dependencies(${Target} inmem_glibc_${Limit})
  set_property(TARGET ${Target} APPEND PROPERTY LINK_DEPENDS ${Out}/libc.so)
  foreach(Part ${Link_COMPAT})
    if(NOT TARGET inmem_compat_${Part})
      add_library(inmem_compat_${Part} OBJECT ${PROJECT_SOURCE_DIR}/packaging/glibc/Compat.c)
      target_compile_definitions(inmem_compat_${Part} PRIVATE INMEM_COMPAT_${Part})
      target_compile_options(inmem_compat_${Part} PRIVATE -O2 -fPIC)
    endif()
    target_sources(${Target} PRIVATE $<TARGET_OBJECTS:inmem_compat_${Part}>)
    if(Part STREQUAL START)
      target_link_options(${Target} PRIVATE LINKER:--wrap=__libc_start_main)
    endif()
  endforeach()
  # An older glibc has threads, dlopen and timers in libraries of their own; the stubs of
  # these are empty, and the loader is to load them all the same.
  target_link_options(${Target} PRIVATE -L${Out} LINKER:--push-state LINKER:--no-as-needed
    ${Out}/libpthread.so.0 ${Out}/libdl.so.2 LINKER:--pop-state)
endfunction()

# Archives in place of shared libraries. Found here first, they are what the rooms find.
if(INMEM_PORTABLE AND NOT INMEM_TOOL AND NOT INMEM_RUNTIME_ONLY)
  set(Suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(CURSES_NEED_WIDE TRUE)
  find_package(ZLIB REQUIRED)
  find_package(Curses REQUIRED)
  set(Protobuf_USE_STATIC_LIBS ON)
  find_package(Protobuf REQUIRED)
  find_library(INMEM_ZSTD zstd REQUIRED)
  find_library(INMEM_UTF8PROC utf8proc REQUIRED)
  find_library(INMEM_LIBDW dw REQUIRED)
  find_library(INMEM_LIBELF elf REQUIRED)
  if(NOT INMEM_MUSL_ROOT) # which has none
    find_library(INMEM_CAPSTONE capstone)
  endif()
  find_library(INMEM_LIBTINFO tinfo REQUIRED)
  find_library(INMEM_LIBLZMA lzma REQUIRED)
  find_library(INMEM_LIBBZ2 bz2 REQUIRED)
  set(CMAKE_FIND_LIBRARY_SUFFIXES ${Suffixes})
  if(NOT EXISTS ${INMEM_HTTPLIB_INCLUDE}/httplib.h)
    message(FATAL_ERROR "INMEM_PORTABLE needs INMEM_HTTPLIB_INCLUDE; scripts/package sets it")
  endif()
endif()

# inmem_link_portable_tool(TARGET): everything but glibc comes with the program.
function(inmem_link_portable_tool Target)
  if(NOT INMEM_PORTABLE)
    return()
  endif()
  inmem_link_for_glibc(${Target} 2.28 COMPAT STAT THREADS RANDOM CLOCKWAIT UNWIND START)
  if(INMEM_MUSL_ROOT)
    # Threads of musl's have 128 KiB unless the program says more.
    target_link_options(${Target} PRIVATE LINKER:-z,stack-size=8388608)
  endif()
  target_sources(${Target} PRIVATE ${PROJECT_SOURCE_DIR}/packaging/glibc/Fmt.cpp)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/packaging/glibc/Fmt.cpp
    PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
  target_link_libraries(${Target} PRIVATE ${CURSES_NCURSES_LIBRARY} ${INMEM_LIBTINFO} ${INMEM_LIBLZMA} ${INMEM_LIBBZ2} ${INMEM_ZSTD} ZLIB::ZLIB)
  target_link_options(${Target} PRIVATE -fuse-ld=lld ${INMEM_STATIC_CXX} LINKER:--gc-sections LINKER:-s)
endfunction()
