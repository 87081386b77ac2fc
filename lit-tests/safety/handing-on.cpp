// Intent: a malloc or operator new before ours that hands calls on to the next one (dlsym(RTLD_NEXT))
// sees each call once, and so does the trace: whether it calls or jumps, alone or before another, in a
// library or in the program itself.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clang -O2 -shared -fPIC -x c -DFORWARDER %s -o %t.call.so
// RUN: %clang -O2 -shared -fPIC -x c -DFORWARDER -DJUMP %s -o %t.jump.so
// RUN: %clangxx -O2 -shared -fPIC -DOPERATORS %s -o %t.operators.so
// RUN: %clangxx -O2 -shared -fPIC -DOPERATORS -DJUMP %s -o %t.jumping.so
// RUN: %clangxx -O2 -fno-builtin -shared -fPIC -DPLAIN %s -o %t.plain.so
// RUN: %inmem-clangxx -O2 %s %t.plain.so -o %t.exe

// RUN: %record %t.json -- env LD_PRELOAD=Output/%basename_t.tmp.call.so %t.exe 2>&1 | %FileCheck %s --check-prefix=SEEN
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'
// RUN: %record %t.json -- env LD_PRELOAD=Output/%basename_t.tmp.jump.so %t.exe 2>&1 | %FileCheck %s --check-prefix=SEEN
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'
// RUN: %record %t.json -- env LD_PRELOAD="Output/%basename_t.tmp.jump.so Output/%basename_t.tmp.call.so" %t.exe 2>&1 | %FileCheck %s --check-prefix=TWICE
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'
// RUN: %record %t.json -- env LD_PRELOAD=Output/%basename_t.tmp.operators.so %t.exe 2>&1 | %FileCheck %s --check-prefix=NEW
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'
// RUN: %record %t.json -- env LD_PRELOAD="Output/%basename_t.tmp.jumping.so Output/%basename_t.tmp.jump.so" %t.exe 2>&1 | %FileCheck %s --check-prefixes=SEEN,NEW
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'
// A helper that hands on for the operator does not count as its caller.
// RUN: %clangxx -O2 -shared -fPIC -DOPERATORS -DAPART %s -o %t.apart.so
// RUN: %record %t.json -- env LD_PRELOAD=Output/%basename_t.tmp.apart.so %t.exe alone 2>&1 | %FileCheck %s --check-prefix=APART
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'len(types["Item"].sites) == 1'
// Calls that reach it before they reach us are counted once, too; with a malloc before ours they do not.
// RUN: %record %t.json -- env LD_PRELOAD=Output/%basename_t.tmp.apart.so %t.exe 2>&1 | %FileCheck %s --check-prefix=NEW
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'
// RUN: %record %t.json -- env LD_PRELOAD="Output/%basename_t.tmp.apart.so Output/%basename_t.tmp.call.so" %t.exe 2>&1 | %FileCheck %s --check-prefixes=SEEN,NEW
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'

// RUN: %clang -O2 -x c -DFORWARDER -c %s -o %t.o
// RUN: %inmem-clangxx -O2 %s %t.o %t.plain.so -o %t.own
// RUN: %record %t.json -- %t.own 2>&1 | %FileCheck %s --check-prefix=SEEN
// RUN: %expect %t.json 'types["Item"].allocations == 100' 'types["Item"].frees == 100' 'sum(s.allocations for s in types[None].sites if s.function in ("plain", "operator new(unsigned long)")) == 202'

// SEEN-DAG: malloc 300 free 300
// TWICE: malloc 300 free 300
// TWICE: malloc 300 free 300
// NEW-DAG: new 200 delete 200
// APART: new 100 delete 100

#if defined(FORWARDER) || defined(OPERATORS)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#ifdef JUMP
#define LEAVE
#else
#define LEAVE __asm__ volatile("")
#endif
static int Made, Gone;
static void tell(const char *What, const char *Undo) {
  char line[64];
  int length = snprintf(line, sizeof line, "%s %d %s %d\n", What, Made, Undo, Gone);
  if (write(2, line, length) != length)
    _exit(9);
}
#endif

#ifdef FORWARDER
__attribute__((destructor)) static void atEnd(void) { tell("malloc", "free"); }
void *malloc(size_t size) {
  static void *(*next)(size_t);
  if (!next)
    next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  if (size == 777)
    ++Made;
  void *block = next(size);
  LEAVE;
  return block;
}
void *calloc(size_t count, size_t size) {
  static void *(*next)(size_t, size_t);
  if (!next)
    next = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
  void *block = next(count, size);
  LEAVE;
  return block;
}
void *realloc(void *old, size_t size) {
  static void *(*next)(void *, size_t);
  if (!next)
    next = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  void *block = next(old, size);
  LEAVE;
  return block;
}
void free(void *block) {
  static void (*next)(void *);
  if (!next)
    next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
  size_t usable = block ? malloc_usable_size(block) : 0;
  if (usable >= 777 && usable < 800)
    ++Gone;
  next(block);
  LEAVE;
}

#elif defined(OPERATORS)
#include <new>
#ifdef APART
#define PART __attribute__((noinline))
#else
#define PART
#endif
__attribute__((destructor)) static void atEnd(void) { tell("new", "delete"); }
PART static void *handOn(std::size_t size) {
  static const auto next = reinterpret_cast<void *(*)(std::size_t)>(dlsym(RTLD_NEXT, "_Znwm"));
  void *block = next(size);
  LEAVE;
  return block;
}
void *operator new(std::size_t size) {
  if (size == 777)
    ++Made;
  void *block = handOn(size);
  LEAVE;
  return block;
}
void operator delete(void *block) noexcept {
  static const auto next = reinterpret_cast<void (*)(void *)>(dlsym(RTLD_NEXT, "_ZdlPv"));
  std::size_t usable = block ? malloc_usable_size(block) : 0;
  if (usable >= 777 && usable < 800)
    ++Gone;
  next(block);
  LEAVE;
}
void operator delete(void *block, std::size_t) noexcept { operator delete(block); }

#elif defined(PLAIN)
// A library without instrumentation: 100 blocks of malloc, 100 of operator new.
#include <cstdlib>
extern "C" void plain() {
  void *volatile blocks[100];
  for (auto &one : blocks)
    one = std::malloc(777);
  for (auto &one : blocks)
    std::free(one);
  for (auto &one : blocks)
    one = operator new(777);
  for (auto &one : blocks)
    operator delete(one);
  void *grown = std::calloc(3, 5);
  grown = std::realloc(grown, 50000);
  std::free(grown);
  if (std::calloc(-1, 16) || std::malloc(-1) || std::realloc(nullptr, -1))
    std::abort();
}

#else
extern "C" void plain();
struct Item {
  char bytes[777];
};
int main(int argc, char **) {
  Item *volatile items[100];
  for (auto &one : items)
    one = new Item;
  for (auto &one : items)
    delete one;
  if (argc == 1)
    plain();
}
#endif
