// Intent: nothing is placed where another allocator would free it: the process's malloc is not ours because the program
// hides ours or has its own, because another one was preloaded, or because we were loaded apart from the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O1 -fno-builtin -I%include -c %s -o %t.o
// RUN: %clangxx %t.o -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.exe
// RUN: %t.exe 1
// RUN: %clangxx %t.o -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -Wl,--exclude-libs,ALL -o %t.hidden
// RUN: %t.hidden 0
//
// The program's own malloc.
// RUN: %clang -O1 -fno-builtin -fPIC -c %S/Inputs/bump.c -o %t.bump.o
// RUN: %clangxx %t.o %t.bump.o -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.own
// RUN: %t.own 0
// RUN: %clang -O1 -fno-builtin -DONLY_FOUR -c %S/Inputs/bump.c -o %t.four.o
// RUN: %clangxx -O1 -fno-builtin -DONLY_FOUR -I%include -static %s %t.four.o -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray,--wrap=free \
// RUN:   -Wl,--wrap=memalign,--wrap=aligned_alloc,--wrap=posix_memalign,--wrap=malloc_usable_size \
// RUN:   -Wl,--whole-archive %libdir/libinmem_place_wrap.a -Wl,--no-whole-archive -o %t.own
// RUN: %t.own 0
//
// A preloaded allocator that has no operators.
// RUN: %clang -shared %t.bump.o -o %t.bump.so
// RUN: env LD_PRELOAD=Output/%basename_t.tmp.bump.so %t.exe 1
// RUN: %clangxx %t.o -Wl,--no-as-needed %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.shared
// RUN: %t.shared 1
// RUN: env LD_PRELOAD=Output/%basename_t.tmp.bump.so %t.shared 0
// One that calls ours and has a header before each block.
// RUN: env LD_PRELOAD=libmemusage.so %t.shared 1
//
// A library with its own malloc.
// RUN: %clangxx -O1 -fno-builtin -shared -fPIC -DLIBRARY -I%include %s %libdir/libinmem_place.so -Wl,-rpath,%libdir -o %t.so
// RUN: %clangxx -O1 -DPROGRAM %s -o %t.plain
// RUN: %t.plain %t.so
// RUN: %t.plain %t.so deep
// RUN: %clangxx -O1 -DPROGRAM %s -Wl,--whole-archive %libdir/libinmem_place.a -Wl,--no-whole-archive -o %t.program
// RUN: %t.program %t.so
// RUN: %t.program %t.so deep
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <new>
#include <string>

#ifdef PROGRAM
int main(int argc, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_DEEPBIND : 0));
  if (!library)
    return std::puts(dlerror()), 2;
  for (const char *name : {"makeByMalloc", "makeByNew"}) {
    auto make = reinterpret_cast<char *(*)()>(dlsym(library, name));
    char *text = static_cast<char *>(std::realloc(make(), 1000));
    std::puts(text);
    std::free(text);
  }
}
#else
#include "inmem/place.h"

enum class __hot_cold_t : std::uint8_t {};
void *operator new(std::size_t, __hot_cold_t);

#ifdef LIBRARY
extern "C" char *makeByMalloc() { return std::strcpy(static_cast<char *>(__inmem_place_malloc(10, INMEM_PLACE_STEADY)), "malloc"); }
extern "C" char *makeByNew() { return std::strcpy(static_cast<char *>(operator new(10, __hot_cold_t(1))), "new"); }
#else
// argv[1]: whether blocks are placed.
int main(int, char **argv) {
  void *block = __inmem_place_malloc(10, INMEM_PLACE_STEADY);
  const bool placed = inmem_place_stats().blocks == 1;
  std::free(block);
  ::operator delete(operator new(10, __hot_cold_t(100)));
  delete new std::string(100, 'x');
  // The C library frees and resizes it.
  std::size_t size = 8;
  auto *line = static_cast<char *>(__inmem_place_malloc(size, INMEM_PLACE_STEADY));
  FILE *file = std::fopen("/proc/self/status", "r");
  for (int i = 0; i < 8; ++i)
    if (!file || getline(&line, &size, file) < 0)
      return 2;
  std::fclose(file);
  std::free(line);
#ifndef ONLY_FOUR
  __inmem_place_expect(INMEM_PLACE_STEADY);
  if (posix_memalign(&block, 64, 100) != 0)
    return 2;
  std::free(block);
#endif
  std::printf("placed %d\n", placed);
  return placed != (argv[1][0] == '1');
}
#endif
#endif
