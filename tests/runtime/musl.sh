#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# musl.sh SOURCE BUILD LLVM [smoke] - builds the runtime for musl, instruments programs with it
# that musl's loader starts, or that are static, and checks their traces. smoke: the runtime and one program alone.
# Exit code 77: skipped, musl is not installed.
set -euo pipefail
source=$1 build=$2 llvm=$3 smoke=${4:-}
folder=$build/musl
musl=/usr/lib/x86_64-linux-musl
{ [ -e $musl/libc.a ] && [ -e /lib/ld-musl-x86_64.so.1 ]; } || { echo "skipped: no musl"; exit 77; }

# The C++ library, which scripts/setup.sh builds; without it, what takes one is left out.
cxx=$source/build/musl-cxx
[ -e "$cxx/.installed" ] && [ -z "$smoke" ] || cxx=
cmake -S "$source" -B "$folder" -G Ninja --toolchain "$source/cmake/x86_64-linux-musl.cmake" \
  -DLLVM_VERSION="$llvm" -DINMEM_RUNTIME_ONLY=ON -DINMEM_BUILD_TESTS="${cxx:+ON}" -DINMEM_MUSL_CXX="$cxx" >"$folder.log" 2>&1 || { tail -n 30 "$folder.log"; exit 1; }
targets=(inmem_rt inmem_rt_static)
[ -n "$smoke" ] || targets+=(inmem_place inmem_place_static inmem_place_wrap ${cxx:+runtime_unit_test inmem_place_tests})
cmake --build "$folder" --target "${targets[@]}" >>"$folder.log" || { tail -n 30 "$folder.log"; exit 1; }
cmake -DLIBRARY="$folder/lib/libinmem_rt.so" -DNM=nm -P "$source/tests/runtime/check_imports.cmake"
if [ -n "$cxx" ]; then
  "$folder/tests/runtime_unit_test" --gtest_brief=1
  "$folder/tests/inmem_place_tests" --gtest_brief=1
fi

# The wrapper with this runtime where it looks for it, and nothing of the build's lib/ but the plugin.
prefix=$folder/prefix
rm -rf "$prefix"
mkdir -p "$prefix/bin" "$prefix/lib"
cp "$build/bin/inmem-clang" "$build/bin/inmem-clang++" "$prefix/bin"
ln -s "$build/lib/libinmem.so" "$build/lib/inmem" "$prefix/lib"
ln -s "$folder/lib" "$prefix/lib/x86_64-linux-musl"

flags=(--target=x86_64-linux-musl --sysroot="$musl" -isystem /usr/include/x86_64-linux-musl -B"$musl" -L"$musl"
  --rtlib=compiler-rt --unwindlib=none -fuse-ld=lld)
expect() { python3 "$source/lit-tests/Inputs/expect.py" "$@"; }
fail() { echo "$@"; exit 1; }

# A whole process: threads, each function of the allocator, what it does with memory of its own, a child.
program=$folder/program
cat >"$program.c" <<'END_OF_C'
#define _GNU_SOURCE
#include <inmem/inmem.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
typedef struct Item { long Values[3]; } Item;
typedef struct Zero { long Values[5]; } Zero;
typedef struct Line { char Bytes[64]; } Line;
typedef struct Child { long Value; } Child;
static Item *Shared[16];
static void *volatile Made;
static void *work(void *Seed) {
  unsigned N = (unsigned)(uintptr_t)Seed;
  for (int I = 0; I < 5000; ++I) {
    N = N * 1664525u + 1013904223u;
    Item *New = malloc(sizeof(Item));
    free(__atomic_exchange_n(&Shared[N >> 28], New, __ATOMIC_ACQ_REL));
  }
  return NULL;
}
/* No code of musl's, which has no unwind tables. */
__attribute__((noinline)) static void often(void) {
  for (const clock_t End = clock() + CLOCKS_PER_SEC / 2; clock() < End;)
    for (volatile unsigned Rounds = 1000000; Rounds > 0; --Rounds)
      ;
}
static long residentKiB(void) {
  struct rusage Usage;
  getrusage(RUSAGE_SELF, &Usage);
  return Usage.ru_maxrss;
}
int main(int Count, char **Arguments) {
  pthread_t Other;
  pthread_create(&Other, NULL, work, (void *)1);
  work((void *)2);
  pthread_join(Other, NULL);
  if (Count > 1)
    often();
  // calloc clears what was in use, and leaves fresh pages alone.
  for (int I = 0; I < 1000; ++I) {
    Zero *Z = calloc(I % 50 + 1, sizeof(Zero));
    for (size_t W = 0; W < (I % 50 + 1) * sizeof(Zero); ++W)
      if (((char *)Z)[W])
        return 3;
    memset(Z, 0xff, (I % 50 + 1) * sizeof(Zero));
    free(Z);
  }
  const long Before = residentKiB();
  char *Large = Made = calloc(64, 1 << 20);
  if (residentKiB() - Before > 1024)
    return 4;
  Large[123] = 1;
  free(Large);
  Made = calloc(SIZE_MAX / 2, 3);
  if (Made)
    return 5;
  void *Lines[5] = {aligned_alloc(64, sizeof(Line)), memalign(128, sizeof(Line)), valloc(sizeof(Line)), NULL, NULL};
  if (posix_memalign(&Lines[3], 256, sizeof(Line)) != 0 || posix_memalign(&Lines[4], 3, 8) == 0)
    return 6;
  for (int I = 0; I < 4; ++I) {
    if ((uintptr_t)Lines[I] % (I == 2 ? 4096 : 64u << I % 3) != 0)
      return 7;
    free(Lines[I]);
  }
  if (fork() == 0) {
    Child *Only = malloc(sizeof(Child));
    Made = Only;
    exit(Made ? 0 : 1);
  }
  int Status;
  wait(&Status);
  return Status;
}
END_OF_C
libraries=(-O1 -g1 "${flags[@]}")
"$prefix/bin/inmem-clang" "${libraries[@]}" "$program.c" -o "$program.dynamic"
"$prefix/bin/inmem-clang" "${libraries[@]}" -static "$program.c" -o "$program.static"
"$prefix/bin/inmem-clang" "${libraries[@]}" -static-pie "$program.c" -o "$program.pie"
run() { # KIND OPTIONS [ARGUMENT]
  rm -f "$program".*.inmem "$program".*.heap
  INMEM_OPTIONS=$2:output=$program.%p.inmem "$program.$1" ${3:+"$3"} || fail "$1 with $2 ends with $?"
  local traces=("$program".*.inmem)
  [ ${#traces[@]} = 2 ] || fail "$1 with $2 wrote other traces than two"
  for trace in "${traces[@]}"; do
    "$build/bin/inmem" report --diagnostics --format json "$trace" >"$program.json" 2>"$program.txt"
    if grep -q '"Child"' "$program.json"; then
      expect "$program.json" 'types["Child"].allocations == 1' 'processes[0].complete' '"Item" not in types or types["Item"].allocations == 0'
    else
      parent=$trace
      grep -q '; 0 diagnostics of the reader, 0 of the verifier' "$program.txt" || { cat "$program.txt"; exit 1; }
      cp "$program.json" "$program.parent.json"
    fi
  done
}
kinds=(dynamic static pie) modes=(mode=summary clock=events mode=trace stacks=16:frees=on)
[ -z "$smoke" ] || kinds=(dynamic static) modes=(mode=summary stacks=16:frees=on)
for kind in "${kinds[@]}"; do
  for options in "${modes[@]}"; do
    run "$kind" "$options"
    # Each block once, however musl's functions call one another.
    expect "$program.parent.json" 'types["Item"].allocations == 10000' 'types["Item"].live_allocations == 16' 'types["Zero"].allocations == 1000' \
      'types["Zero"].allocated_bytes == 1000 * 40 * 51 // 2' 'types["Line"].allocations == 4' 'types["Line"].allocated_bytes == 256' \
      'any(s.allocated_bytes == 64 << 20 and s.allocations == 1 for s in sites)' 'processes[0].complete'
  done
  "$build/bin/inmem" flame --format folded "$parent" >"$program.txt"
  grep -q 'main;work' "$program.txt" || { cat "$program.txt"; exit 1; }
  [ -z "$smoke" ] || continue
  # What the profiler's signal and a snapshot's writer find.
  run "$kind" snapshot=exit:profile=5ms:profile_clock=cpu again
  expect "$program.parent.json" '[f for f in report.profile.functions if f.function.startswith("often") and f.total > 20]'
  "$build/bin/inmem" heap "${parent%.inmem}.heap" >"$program.txt"
  grep -q '^  Item  *16 ' "$program.txt" || { cat "$program.txt"; exit 1; }
done
[ -z "$smoke" ] || exit 0
# The loader that lists its libraries is musl's.
"$build/bin/inmem" doctor "$program.dynamic" >"$program.txt" || true
grep -q '^ok     its runtime: .*/libinmem_rt.so.0$' "$program.txt" || { cat "$program.txt"; exit 1; }
# The runtime may also be loaded into a program that was not instrumented.
"clang-$llvm" "${libraries[@]}" -I"$source/include" "$program.c" -o "$program.plain"
rm -f "$program".*.inmem
INMEM_OPTIONS=output=$program.inmem LD_PRELOAD=$folder/lib/libinmem_rt.so "$program.plain"
"$build/bin/inmem" report --format json "$program.inmem" >"$program.json"
expect "$program.json" 'totals.allocations == 11005'

# A library that the program opens is recorded, if the runtime was there from the start.
cat >"$folder/opened.c" <<'END_OF_C'
#include <stdlib.h>
typedef struct Opened { int Values[6]; } Opened;
void *make(void) { return (Opened *)malloc(sizeof(Opened)); }
END_OF_C
cat >"$folder/host.c" <<'END_OF_C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int Count, char **Arguments) {
  void *Library = dlopen(Arguments[1], RTLD_NOW);
  if (!Library)
    return puts(dlerror()), 1;
  free(((void *(*)(void))dlsym(Library, "make"))());
  return dlclose(Library);
}
END_OF_C
"$prefix/bin/inmem-clang" "${libraries[@]}" -shared -fPIC "$folder/opened.c" -o "$folder/opened.so"
"$prefix/bin/inmem-clang" "${libraries[@]}" "$folder/host.c" -o "$folder/host"
"clang-$llvm" "${libraries[@]}" "$folder/host.c" -o "$folder/host.plain"
INMEM_OPTIONS=output=$program.inmem "$folder/host" "$folder/opened.so"
"$build/bin/inmem" report --format json "$program.inmem" >"$program.json"
expect "$program.json" 'types["Opened"].allocations == 1' 'types["Opened"].frees == 1'
"$folder/host.plain" "$folder/opened.so" >"$program.txt" && fail "musl opens the runtime late by now: docs/platforms.md says otherwise"
grep -q 'initial-exec TLS' "$program.txt" || { cat "$program.txt"; exit 1; }

# The allocator that places: a program of the lit suite says how many of its blocks are placed, and blocks behave as malloc's do.
suite=$source/lit-tests
for kind in pie static static-pie; do
  "$prefix/bin/inmem-clang" -O2 -I"$source/include" "${flags[@]}" -$kind \
    -fplugin-arg-inmem-optimize="$suite/optimize/Inputs/malloc.yaml" "$suite/optimize/malloc.c" -o "$folder/placed"
  "$folder/placed" 5 || fail "places other blocks, $kind"
done
if [ -n "$cxx" ]; then
  cxxflags=(-std=c++20 -O1 -pthread -fno-builtin -nostdinc++ -isystem "$cxx/include" -isystem "/usr/lib/llvm-$llvm/include/c++/v1"
    "${flags[@]}" -Wno-unused-command-line-argument -I"$source/include")
  wrapped=(-static "-Wl,--whole-archive" "$folder/lib/libinmem_place_wrap.a" "-Wl,--no-whole-archive")
  for name in malloc calloc realloc reallocarray free memalign aligned_alloc posix_memalign malloc_usable_size; do wrapped+=("-Wl,--wrap=$name"); done
  for name in m{,RKSt9nothrow_t} mSt11align_val_t{,RKSt9nothrow_t}; do wrapped+=("-Wl,-u,_Znw$name" "-Wl,-u,_Zna$name"); done
  place() { # PROGRAM WAY ARGUMENTS: by the archive, the library, or in a static program
    local program=$1 way=$2; shift 2
    local -a how
    case $way in
      archive) how=("$folder/lib/libinmem_place.a") ;;
      library) how=("$folder/lib/libinmem_place.so" "-Wl,-rpath,$folder/lib") ;;
      static) how=("${wrapped[@]}") ;;
    esac
    "clang++-$llvm" "${cxxflags[@]}" "$suite/place/$program.cpp" "${how[@]}" -nostdlib++ -L"$cxx" -lc++ -o "$folder/placed"
    "$folder/placed" "$@" || fail "$program, $way, ends with $?"
  }
  for way in archive library static; do place blocks $way placed; done
  for way in archive library; do place classes $way; done
  place process archive 1
  # A static program that has its own malloc keeps it.
  "clang-$llvm" -O1 -fno-builtin -DONLY_FOUR "${flags[@]}" -Wno-unused-command-line-argument -c "$suite/place/Inputs/bump.c" -o "$folder/four.o"
  cxxflags+=(-DONLY_FOUR)
  place process static 1
  cxxflags+=("$folder/four.o")
  place process static 0
fi

# Programs of the lit suite report what they report with glibc.
python3 "$source/tests/runtime/musl_programs.py" --build "$build" --prefix "$prefix" --work "$folder/programs" ${cxx:+--cxx "$cxx"} -- "${flags[@]}"
