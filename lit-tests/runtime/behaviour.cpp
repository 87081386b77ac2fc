// Intent: output, exit code, errno, alignment and signals of a program are what they are
// under plain clang.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -O2 %s -o %t.plain
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: sh -c '%t.plain > %t.plain.out 2> %t.plain.err; echo $? >> %t.plain.out'
// RUN: env INMEM_OPTIONS=output=%t.inmem sh -c '%t.exe > %t.out 2> %t.err; echo $? >> %t.out'
// RUN: diff %t.plain.out %t.out
// RUN: diff %t.plain.err %t.err
// RUN: %FileCheck %s < %t.out
// CHECK: errno kept: 1, set: 1
// CHECK-NEXT: misaligned: 0
// CHECK-NEXT: 43

// No function that succeeds changes errno, in any mode; the trace cannot grow meanwhile, so that what the
// runtime itself tries fails.
// RUN: sh -c 'for o in mode=trace clock=exact clock=events stacks=8 frees=on every=3 sample_bytes=100 mode=off addresses=hash; do INMEM_OPTIONS=$o:output=%t.inmem %t.exe errno || { echo $o; exit 1; }; done'
// RUN: env INMEM_OPTIONS=output=/nonexistent/folder/x %t.exe errno

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

static void *volatile Sink;

// Out of the optimiser's sight: it takes malloc for a function that leaves errno alone.
__attribute__((noinline)) static int errnoNow() {
  asm volatile("" ::: "memory");
  return errno;
}

static int Changed = 0;

template <class Function> static void keeps(const char *name, Function call) {
  errno = 77;
  call();
  if (errnoNow() != 77 && ++Changed)
    std::printf("%s: errno %d\n", name, errnoNow());
}
#define KEEPS(...) keeps(#__VA_ARGS__, [] { __VA_ARGS__; })

// The same from code that was not instrumented, as far as the runtime can tell.
static void *(*volatile Malloc)(std::size_t) = std::malloc;
static void *(*volatile Realloc)(void *, std::size_t) = std::realloc;
static void (*volatile Free)(void *) = std::free;

struct alignas(64) Aligned {
  char bytes[64];
};
template <int N> struct Sized {
  char bytes[100 + N];
  Sized() { bytes[0] = 1; }
  ~Sized() { bytes[0] = 2; }
};

// Each N has sites of its own, whose first events need room in the trace.
template <int N> static void everyHook() {
  KEEPS(Sink = std::malloc(100 + N));
  KEEPS(Sink = std::realloc(Sink, 200 + N));
  KEEPS(std::free(Sink));
  KEEPS(Sink = std::calloc(10, 10 + N));
  KEEPS(Sink = reallocarray(Sink, 20, 20 + N));
  KEEPS(Free(Sink));
  KEEPS(Sink = aligned_alloc(64, 640 + 64 * N));
  KEEPS(std::free(Sink));
  KEEPS(void *p = nullptr; if (posix_memalign(&p, 64, 100 + N) != 0) std::abort(); Sink = p);
  KEEPS(std::free(Sink));
  KEEPS(Sink = memalign(64, 100 + N));
  KEEPS(std::free(Sink));
  KEEPS(Sink = valloc(100 + N));
  KEEPS(std::free(Sink));
  KEEPS(Sink = pvalloc(100 + N));
  KEEPS(std::free(Sink));
  KEEPS(Sink = strdup("a string"));
  KEEPS(std::free(Sink));
  KEEPS(Sink = strndup("a string", 3 + N % 3));
  KEEPS(std::free(Sink));
  KEEPS(Sink = Malloc(100 + N));
  KEEPS(Sink = Realloc(Sink, 200 + N));
  KEEPS(std::free(Sink));
  KEEPS(Sink = new Sized<N>);
  KEEPS(delete static_cast<Sized<N> *>(Sink));
  KEEPS(Sink = new Sized<N>[3]);
  KEEPS(delete[] static_cast<Sized<N> *>(Sink));
  KEEPS(Sink = new (std::nothrow) Sized<N>);
  KEEPS(delete static_cast<Sized<N> *>(Sink));
  KEEPS(Sink = new Aligned);
  KEEPS(delete static_cast<Aligned *>(Sink));
  if constexpr (N > 0)
    everyHook<N - 1>();
}

int main(int argc, char **) {
  if (argc > 1) {
    constexpr rlimit none = {0, 0};
    if (setrlimit(RLIMIT_FSIZE, &none) != 0)
      return 1;
    everyHook<2>();
    return Changed != 0;
  }
  errno = 77;
  for (int i = 0; i < 1000; ++i) {
    Sink = std::malloc(i);
    std::free(Sink);
    delete[] (Sink = new char[i + 1], static_cast<char *>(Sink));
  }
  int kept = errnoNow() == 77;
  volatile std::size_t huge = SIZE_MAX / 2;
  Sink = std::malloc(huge);
  int set = errnoNow() == ENOMEM && Sink == nullptr;
  errno = 77;
  Sink = reallocarray(nullptr, huge, 3);
  set &= errnoNow() == ENOMEM && Sink == nullptr;
  int misaligned = 0;
  for (int i = 1; i < 300; ++i) {
    Sink = new char[i];
    misaligned += reinterpret_cast<std::uintptr_t>(Sink) % 16 != 0;
  }
  std::printf("errno kept: %d, set: %d\nmisaligned: %d\n", kept, set, misaligned);
  std::fprintf(stderr, "to stderr\n");
  return 43;
}
