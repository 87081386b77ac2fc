// Intent: samples say where threads are: which function runs how long, which waits in which system call on what; with both clocks, while the program runs, and after kill -9.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -g -O2 -pthread %s -o %t
// RUN: %record %t.wall.json profile=5ms -- %t
// RUN: %expect %t.wall.json --in %s --prefix WALL
// WALL: report.profile.clock == "wall"
// WALL: report.profile.unwound >= 0.9 * report.profile.samples
// WALL: report.profile.blocked > report.profile.running > 0
// WALL: [w for w in report.profile.waits if w["wait"].startswith("read pipe:")]
// WALL: [w for w in report.profile.waits if w["wait"].startswith("futex ")]
// WALL: [t for t in report.profile.threads if t["thread"] == "reader"]
// RUN: %record %t.cpu.json profile=1ms:profile_clock=cpu -- %t
// RUN: %expect %t.cpu.json --in %s --prefix CPU
// CPU: report.profile.clock == "cpu"
// CPU: report.profile.blocked == 0
// CPU: abs([f.total for f in report.profile.functions if f.function == "hot()"][0] / (report.profile.samples or 1) - 0.75) < 0.12
// CPU: sum(f.interesting for f in report.profile.functions if f.function.startswith("spin")) > 0.8 * report.profile.samples
// RUN: env INMEM_OPTIONS=output=%t.sessions.inmem %t sessions
// RUN: %record %t.list.json profile=1ms:profile_clock=cpu -- %t list
// RUN: %expect %t.list.json --in %s --prefix LIST
// LIST: [f for f in report.profile.functions if f.function == "makeList()" and f.allocator > 0.3 * report.profile.samples and f.allocations > 1000]
// LIST: sum(f.allocator for f in report.profile.functions if f.function.startswith("std::")) < 0.05 * report.profile.samples
// RUN: env INMEM_OPTIONS=output=%t.killed:profile=5ms sh -c '%t kill || true'
// RUN: %inmem report --by cpu --color never %t.killed | %FileCheck %s
// CHECK: WHERE THREADS WERE
// CHECK: waiting in
// RUN: %inmem dump %t.killed > %t.text && %assemble -o %t.again %t.text && %inmem dump %t.again | diff - %t.text
// RUN: %inmem flame --metric wall --format folded %t.killed | %FileCheck %s --check-prefix=FOLDED
// FOLDED: main;hot;spin
// Parts of it:
// RUN: cp %t.wall.json.inmem %t.part.inmem
// RUN: %inmem report --by cpu --top 0 --thread reader --color never %t.part.inmem | %FileCheck %s --check-prefix=READER
// READER: {{^}}  clock wall
// READER: threads:
// READER-NEXT: {{^ +}}reader 100 %{{$}}
// RUN: %inmem report --by cpu --thread nobody --color never %t.part.inmem | %FileCheck %s --check-prefix=NOBODY
// NOBODY: · 0 samples
// RUN: %not %inmem report --by cpu --lived 0s..1s --color never %t.part.inmem 2>&1 | %FileCheck %s --check-prefix=LIVED
// LIVED: --by cpu: samples are of the whole run
// RUN: %not %inmem flame --metric cpu %t.part.inmem 2>&1 | %FileCheck %s --check-prefix=CLOCK
// CLOCK: --metric cpu: the samples are of the other clock: --metric wall
// RUN: %inmem top --once %t.part.inmem | %FileCheck %s --check-prefix=ENDED
// ENDED: ended, live
// ENDED: all types
// RUN: %if python-own %{ %inmem export --samples --format perfetto -o %t.perfetto %t.wall.json.inmem %}
// RUN: %if python-own %{ %python-own %inputs/proto_exports.py samples %t.perfetto %t.wall.json %}
#include "../Inputs/until.h"
#include <inmem/threads.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <list>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <unistd.h>

volatile double Sink;

/// Until the calling thread has run for so long.
__attribute__((noinline)) void spin(double Seconds) {
  const auto Now = [] {
    timespec T;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &T);
    return double(T.tv_sec) + double(T.tv_nsec) * 1e-9;
  };
  double X = 1;
  for (const double End = Now() + Seconds; Now() < End;)
    for (int I = 0; I < 20000; ++I)
      X = X * 1.0000001 + 0.1;
  Sink = X;
}
__attribute__((noinline)) void hot() {
  spin(0.6);
  asm volatile("");
}
__attribute__((noinline)) void warm() {
  spin(0.2);
  asm volatile("");
}

/// The library's functions are inlined here.
__attribute__((noinline)) void makeList() {
  std::list<int> L;
  for (int I = 0; I < 2000; ++I)
    L.push_back(I);
  Sink = L.back();
}

/// Only samples of the last clock and interval, and no frame before main.
static void sessions() {
  using namespace std::chrono_literals;
  if (!inmem::profile_start({5ms}))
    std::_Exit(5);
  UNTIL(inmem::profile_read().blocked > 0);
  inmem::profile_stop();
  if (!inmem::profile_start({1ms, inmem::ProfileClock::Cpu}))
    std::_Exit(7);
  hot();
  inmem::profile_stop();
  const inmem::ProfileResult R = inmem::profile_read();
  if (R.running == 0 || R.blocked != 0)
    std::_Exit(8);
  for (const inmem::ProfileFunction &F : R.functions)
    if (F.function == "_start" || F.function.find("libc_start") != F.function.npos)
      std::_Exit(9);
}

int main(int Count, char **Arguments) {
  if (Count > 1 && std::string(Arguments[1]) == "sessions") {
    sessions();
    return 0;
  }
  if (Count > 1 && std::string(Arguments[1]) == "list") {
    for (int I = 0; I < 6000; ++I)
      makeList();
    return 0;
  }
  std::mutex M;
  M.lock();
  int Pipe[2];
  if (pipe(Pipe) != 0)
    return 1;
  std::thread Reader([&] {
    pthread_setname_np(pthread_self(), "reader");
    char C;
    if (read(Pipe[0], &C, 1) != 1)
      std::_Exit(2); // interrupted, although it is restarted
  });
  std::thread Locker([&] {
    M.lock();
    M.unlock();
  });
  hot();
  warm();
  const inmem::ProfileResult R = inmem::profile_read();
  if (R.samples == 0 || R.functions.empty())
    std::_Exit(3);
  if (Count > 1)
    kill(getpid(), SIGKILL);
  M.unlock();
  if (write(Pipe[1], "x", 1) != 1)
    return 4;
  Reader.join();
  Locker.join();
}
