#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# aarch64.sh SOURCE BUILD LLVM [smoke] - cross-compiles runtime and placement, runs their unit tests
# under qemu-user, then instrumented programs and checks their traces. smoke: the runtime and two programs alone.
# Exit code 77: skipped, the cross libraries or the emulator are not installed.
set -euo pipefail
source=$1 build=$2 llvm=$3 smoke=${4:-}
folder=$build/aarch64
sysroot=/usr/aarch64-linux-gnu
{ command -v qemu-aarch64 >/dev/null && [ -e $sysroot/lib/crt1.o ]; } || { echo "skipped: no cross libraries or qemu"; exit 77; }

targets=(inmem_rt)
[ -n "$smoke" ] || targets+=(runtime_unit_test inmem_place inmem_place_tests)
"$source/tests/runtime/aarch64_build.sh" "$source" "$build" "$llvm" "${targets[@]}"
# qemu 7.2 takes twenty seconds to reserve what the runtime reserves in the whole address
# space. Most runs have 8 GiB (-R), one program 128 GiB, and the index's tests all.
small=(-R 0x200000000)
unit_tests() { # FILTER QEMU-OPTIONS
  local filter=$1; shift
  qemu-aarch64 "$@" -L $sysroot "$folder/tests/runtime_unit_test" --gtest_brief=1 --gtest_filter="$filter"
}
if [ -z "$smoke" ]; then
  unit_tests '*' "${small[@]}"
  unit_tests 'LiveIndex*'
  unit_tests 'TraceFile*' "${small[@]}" -p 65536
  unit_tests 'LiveIndex*' -p 65536
fi
ctest --test-dir "$folder" -R runtime_imports --output-on-failure --no-tests=error

# A whole process: threads, blocks freed by another thread, both clocks.
program=$folder/program
cat >"$program.cpp" <<'END'
#include <atomic>
#include <ctime>
#include <thread>
#include <vector>
struct Item { long Values[3]; };
static std::atomic<Item *> Shared[16];
static void work(unsigned Seed) {
  for (int I = 0; I < 5000; ++I) {
    Seed = Seed * 1664525u + 1013904223u;
    delete Shared[Seed >> 28].exchange(new Item);
  }
}
__attribute__((noinline)) static void often() {
  for (const clock_t End = clock() + CLOCKS_PER_SEC / 2; clock() < End;)
    work(3);
}
int main(int Count, char **) {
  std::thread Other(work, 1);
  work(2);
  Other.join();
  if (Count > 1)
    often();
  return 0;
}
END
compile() { # PROGRAM
  "clang++-$llvm" --target=aarch64-linux-gnu -std=c++17 -O2 -g1 -pthread -fuse-ld=lld \
    -fplugin="$build/lib/libinmem.so" -fpass-plugin="$build/lib/libinmem.so" "$1.cpp" -o "$1" \
    -Wl,--push-state,--no-as-needed "$folder/lib/libinmem_rt.so" -Wl,--pop-state -Wl,-rpath,"$folder/lib"
}
compile "$program"
run() { # OPTIONS QEMU-OPTIONS
  local options=$1; shift
  rm -f "$program.inmem"
  # A processor without SVE: with pages larger than the host's, qemu 7.2 refuses
  # SVE loads from the part of the loader's last page that ordinary ones may read.
  INMEM_OPTIONS=$options:output=$program.inmem qemu-aarch64 -cpu cortex-a72 "$@" -L $sysroot "$program"
  "$build/bin/inmem" report --no-symbols --diagnostics --format json "$program.inmem" >"$program.json" 2>"$program.txt"
  grep -q '; 0 diagnostics of the reader, 0 of the verifier' "$program.txt" || { cat "$program.txt"; exit 1; }
  python3 "$source/lit-tests/Inputs/expect.py" "$program.json" \
    'types["Item"].allocations == 10000' 'types["Item"].live_allocations == 16' 'processes[0].complete'
}
if [ -n "$smoke" ]; then
  run mode=summary "${small[@]}"
  run mode=trace "${small[@]}" -p 65536
else
  run mode=summary -R 0x2000000000
  for options in clock=exact clock=events mode=trace; do
    run $options "${small[@]}"
  done
  for page in 65536 16384; do
    for options in mode=summary mode=trace; do
      run $options "${small[@]}" -p $page
    done
  done
fi
# A program without instrumentation: the lines that called its wrappers.
plain=$folder/plain
for level in 0 2; do
  "clang-$llvm" --target=aarch64-linux-gnu -O$level -g -pthread -fuse-ld=lld "$source/lit-tests/tools/run-callers.c" -o "$plain"
  rm -f "$plain.inmem"
  qemu-aarch64 -cpu cortex-a72 "${small[@]}" -L $sysroot -E LD_PRELOAD="$folder/lib/libinmem_rt.so" \
    -E INMEM_OPTIONS="quiet=1:output=$plain.inmem" "$plain"
  python3 "$source/lit-tests/tools/Inputs/program-lines.py" "$source/lit-tests/tools/run-callers.c" "$plain.inmem" "$build/bin/inmem"
done
# What stacks, who frees, forked processes and the clock's rate take.
whole=$folder/whole
cat >"$whole.cpp" <<'END'
#include <cstdio>
#include <ctime>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
struct Node { Node *Next; long Value; };
struct Slept { long Value; };
struct Inherited { long Value[5]; };
__attribute__((noinline)) static Node *innermost(Node *Next) { return new Node{Next, 1}; }
__attribute__((noinline)) static Node *left(Node *Next) { Node *Made = innermost(Next); asm volatile(""); return Made; }
__attribute__((noinline)) static Node *right(Node *Next) { Node *Made = innermost(Next); asm volatile(""); return Made; }
__attribute__((noinline)) static void release(Node *Of) { delete Of; }
static Node *List;
static long now() {
  timespec T;
  clock_gettime(CLOCK_MONOTONIC, &T);
  return T.tv_sec * 1000000000L + T.tv_nsec;
}
int main() {
  for (int I = 0; I < 30; ++I)
    List = left(List);
  for (int I = 0; I < 7; ++I)
    release(right(nullptr));
  const long Begin = now();
  auto *Sleeper = new Slept();
  asm volatile("" : "+r"(Sleeper));
  usleep(60000);
  delete Sleeper;
  std::printf("%ld\n", now() - Begin);
  std::fflush(stdout);
  std::unique_ptr<Inherited> Kept[3];
  for (auto &Each : Kept)
    Each = std::make_unique<Inherited>();
  asm volatile("" : : "r"(Kept) : "memory");
  if (fork() == 0) {
    Kept[0].reset();
    Kept[1] = std::make_unique<Inherited>();
    return 0; // destructors free them all
  }
  int Status;
  wait(&Status);
  return Status;
}
END
compile "$whole"
rm -f "$whole".*.inmem
slept=$(INMEM_OPTIONS="stacks=16:frees=on:clock=exact:output=$whole.%p.inmem" qemu-aarch64 -cpu cortex-a72 "${small[@]}" -L $sysroot "$whole")
traces=("$whole".*.inmem)
[ ${#traces[@]} = 2 ] || { echo "expected the traces of two processes"; exit 1; }
for trace in "${traces[@]}"; do
  "$build/bin/inmem" report --by type,stack --format json "$trace" >"$whole.json"
  if grep -q '"Slept"' "$whole.json"; then
    # The clock's rate is the true one: a life is as long as it was, and no longer than all around it.
    python3 "$source/lit-tests/Inputs/expect.py" "$whole.json" 'types["Node"].allocations == 37' 'types["Node"].live_allocations == 30' \
      'types["Inherited"].allocations == 3' "60e6 <= types['Slept'].lifetime.min <= $slept"
    "$build/bin/inmem" flame --format folded "$trace" >"$whole.txt"
    for function in left right innermost; do grep -q "$function" "$whole.txt" || { cat "$whole.txt"; exit 1; }; done
  else
    python3 "$source/lit-tests/Inputs/expect.py" "$whole.json" 'types["Inherited"].allocations == 1' 'processes[0].complete'
  fi
done
[ -z "$smoke" ] || exit 0
# Samples: walks in a signal's handler. qemu 7.2 has no timers on a thread's clock
# and cannot send the highest real-time signals; so the wall clock, and a low one.
rm -f "$program.inmem"
INMEM_OPTIONS=profile=5ms:profile_signal=RTMIN+5:output=$program.inmem \
  qemu-aarch64 -cpu cortex-a72 "${small[@]}" -L $sysroot "$program" sampled
"$build/bin/inmem" report --format json "$program.inmem" >"$program.json"
python3 "$source/lit-tests/Inputs/expect.py" "$program.json" \
  '[f for f in report.profile.functions if f.function.startswith("often") and f.total > 20]' \
  '[f for f in report.profile.functions if f.function.startswith("work") and f.total > 20]'
# The allocator that places, under its tests and under a program.
qemu-aarch64 "${small[@]}" -L $sysroot "$folder/tests/inmem_place_tests" --gtest_brief=1
for page in 4096 65536; do
  INMEM_OPTIONS=mode=off qemu-aarch64 -cpu cortex-a72 "${small[@]}" -p $page -L $sysroot -E LD_PRELOAD="$folder/lib/libinmem_place.so" "$program"
done
# Thirty programs and more report what they report here.
python3 "$source/tests/runtime/aarch64_programs.py" --build "$build" --runtime "$folder/lib" --llvm "$llvm" --work "$folder/programs"
# A signal between any two instructions of an event; other cases by hand.
python3 "$source/tests/runtime/aarch64_interrupts.py" --build "$build" --runtime "$folder/lib" --llvm "$llvm" --work "$folder/interrupts" "as usual"
# Instructions of a pair, which callers and stacks known before keep few.
python3 "$source/bench/check_instructions.py" --build "$build" --aarch64 "$folder" --llvm "$llvm"
