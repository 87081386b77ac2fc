// Intent: a watcher tells of threads that come and go between its looks, with exact totals for each; of each multiple of a threshold once; and goes on after callbacks that throw, allocate, reset and stop it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O2 -pthread %s -o %t
// RUN: env INMEM_OPTIONS=output=%t.inmem %t 2>%t.err && %FileCheck %s < %t.err
// CHECK: a callback of a ThreadWatcher threw std::runtime_error: no luck with 'unlucky' (reported once)
// CHECK: a callback of a ThreadWatcher threw std::logic_error: two?lines?[m (reported once)
// CHECK-NOT: a callback of a ThreadWatcher
#include "../Inputs/until.h"
#include <inmem/threads.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <pthread.h>
#include <set>
#include <stdexcept>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;

#define REQUIRE(C)                                                             \
  ((C) ? (void)0                                                               \
       : (std::fprintf(stderr, "line %d: %s\n", __LINE__, #C), std::_Exit(1)))

namespace {

struct Own { // what a thread itself counts
  uint64_t Blocks = 0, Bytes = 0, Freed = 0;
};
std::mutex Mutex;
std::map<uint32_t, Own> OwnCounts;

uint32_t tid() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

__attribute__((noinline)) void *take(size_t Bytes) {
  void *volatile P = std::malloc(Bytes);
  return P;
}

void *work(void *Argument) {
  const auto N = reinterpret_cast<uintptr_t>(Argument);
  Own Mine;
  for (uintptr_t I = 0; I <= N; ++I) {
    const size_t Bytes = 16 + N % 7 * 8 + I;
    void *P = take(Bytes);
    ++Mine.Blocks;
    Mine.Bytes += Bytes;
    if (I % 3 != 0) {
      std::free(P);
      Mine.Freed += Bytes;
    }
  }
  pthread_setname_np(pthread_self(), ("w" + std::to_string(N)).c_str());
  // The map's node is the main thread's: made before.
  const std::lock_guard<std::mutex> Held(Mutex);
  OwnCounts[static_cast<uint32_t>(N)] = Mine;
  return nullptr;
}

/// 200 threads, ten at a time, most of which no look meets alive.
void comeAndGo() {
  for (uint32_t I = 0; I < 200; ++I)
    OwnCounts[I];
  inmem::ThreadWatcher Watcher;
  std::atomic<int> Created{0}, Died{0}, WrongTotals{0};
  Watcher.on_created([&](const inmem::ThreadInfo &) { ++Created; });
  Watcher.on_died([&](const inmem::ThreadEvent &E) {
    ++Died;
    const std::lock_guard<std::mutex> Held(Mutex);
    const Own &Mine = OwnCounts[static_cast<uint32_t>(std::stoi(E.name.substr(1)))];
    if (E.alive || Mine.Blocks != E.allocations ||
        Mine.Bytes != E.allocated_bytes || Mine.Freed != E.freed_bytes)
      ++WrongTotals;
  });
  REQUIRE(Watcher.start());
  for (uintptr_t I = 0; I < 200; I += 10) {
    pthread_t Ids[10];
    for (uintptr_t J = 0; J < 10; ++J)
      REQUIRE(pthread_create(&Ids[J], nullptr, work,
                             reinterpret_cast<void *>(I + J)) == 0);
    for (pthread_t Id : Ids)
      pthread_join(Id, nullptr);
  }
  Watcher.stop();
  REQUIRE(Created == 200);
  REQUIRE(Died == 200);
  REQUIRE(WrongTotals == 0);
  std::set<std::string> Names;
  for (const inmem::ThreadInfo &T : Watcher.threads()) {
    if (T.alive)
      continue;
    Names.insert(T.name);
    REQUIRE(T.start_routine.find("work(void*)") != std::string::npos);
    REQUIRE(T.died >= T.created);
    const Own &Mine = OwnCounts[static_cast<uint32_t>(std::stoi(T.name.substr(1)))];
    REQUIRE(T.allocations == Mine.Blocks);
    REQUIRE(T.allocated_bytes == Mine.Bytes);
    REQUIRE(T.freed_bytes == Mine.Freed);
    REQUIRE(T.live_bytes == int64_t(Mine.Bytes - Mine.Freed));
  }
  REQUIRE(Names.size() == 200);
  Watcher.reset();
  const auto Left = Watcher.threads();
  REQUIRE(Left.size() == 1);
  REQUIRE(Left[0].tid == tid() && Left[0].alive);
}

/// A thread whose steps the main thread commands.
class Stepper {
public:
  explicit Stepper(const char *Name) : T([this] { run(); }) {
    pthread_setname_np(T.native_handle(), Name);
  }
  ~Stepper() {
    step(0);
    T.join();
  }
  void step(size_t Bytes) {
    std::unique_lock<std::mutex> Held(M);
    Next = Bytes;
    Ready = true;
    Changed.notify_all();
    if (Bytes)
      Changed.wait(Held, [this] { return !Ready; });
  }

private:
  void run() {
    for (;;) {
      std::unique_lock<std::mutex> Held(M);
      Changed.wait(Held, [this] { return Ready; });
      if (Next == 0)
        return;
      std::free(take(Next));
      Ready = false;
      Changed.notify_all();
    }
  }
  std::mutex M;
  std::condition_variable Changed;
  bool Ready = false;
  size_t Next = 0;
  std::thread T;
};

const inmem::ThreadInfo *named(const std::vector<inmem::ThreadInfo> &All,
                               const char *Name) {
  for (const inmem::ThreadInfo &T : All)
    if (T.name == Name)
      return &T;
  return nullptr;
}

template <class F> void waitUntil(F Holds) { UNTIL(Holds()); }

void thresholds() {
  inmem::ThreadWatcherOptions Options;
  Options.interval = 5ms;
  Options.threshold_bytes = 1000;
  Options.threshold_blocks = 4;
  inmem::ThreadWatcher Watcher(Options);
  std::mutex M;
  std::vector<uint64_t> Bytes, Blocks;
  std::atomic<int> Looks{0};
  Watcher.on_threshold([&](const inmem::ThreadEvent &E) {
    Looks += E.name == "looks" && E.kind == inmem::ThreadEvent::Kind::Bytes;
    if (E.name != "steps")
      return;
    const std::lock_guard<std::mutex> Held(M);
    (E.kind == inmem::ThreadEvent::Kind::Bytes ? Bytes : Blocks).push_back(E.amount);
  });
  Stepper S("steps"), Other("looks");
  REQUIRE(Watcher.start());
  for (int I = 0; I < 10; ++I)
    S.step(550); // 5500 bytes in 10 blocks
  waitUntil([&] {
    const std::lock_guard<std::mutex> Held(M);
    return Bytes.size() >= 5 && Blocks.size() >= 2;
  });
  // Two further looks find nothing more.
  for (int Look = 1; Look <= 2; ++Look) {
    Other.step(1000);
    waitUntil([&] { return Looks == Look; });
  }
  const std::lock_guard<std::mutex> Held(M);
  REQUIRE((Bytes == std::vector<uint64_t>{1000, 2000, 3000, 4000, 5000}));
  REQUIRE((Blocks == std::vector<uint64_t>{4, 8}));
  REQUIRE(named(Watcher.threads(), "steps")->allocated_bytes == 5500);
}

/// What a reset in a callback takes away is neither told nor lost.
void resetWhileCrossing() {
  inmem::ThreadWatcherOptions Options;
  Options.interval = 1ms;
  Options.threshold_bytes = 100;
  inmem::ThreadWatcher Watcher(Options);
  std::atomic<uint64_t> Told{0}, Taken{0};
  Watcher.on_threshold([&](const inmem::ThreadEvent &E) {
    if (E.name != "resets")
      return;
    ++Told;
    Taken += E.allocated_bytes;
    Watcher.reset(E);
    REQUIRE(E.amount == 100); // counts began anew after each
  });
  Stepper S("resets");
  REQUIRE(Watcher.start());
  for (int I = 0; I < 50; ++I)
    S.step(1050);
  waitUntil([&] {
    const auto All = Watcher.threads();
    return named(All, "resets")->allocated_bytes < 100;
  });
  Watcher.stop();
  REQUIRE(Told >= 1 && Told <= 50);
  REQUIRE(Taken <= 50 * 1050);
}

void callbacks() {
  auto Watcher = std::make_unique<inmem::ThreadWatcher>(
      inmem::ThreadWatcherOptions{1ms, 0, 0});
  std::atomic<int> Threw{0};
  Watcher->on_died([&](const inmem::ThreadInfo &T) {
    ++Threw;
    throw std::runtime_error("no luck with '" + T.name + "'");
  });
  REQUIRE(Watcher->start());
  REQUIRE(Watcher->start());
  for (int I = 1; I <= 3; ++I) {
    std::thread T([] { pthread_setname_np(pthread_self(), "unlucky"); });
    T.join();
    waitUntil([&] { return Threw == I; });
  }
  Watcher->on_died([&](const inmem::ThreadInfo &) {
    ++Threw;
    throw std::logic_error("two\nlines\033[m");
  });
  std::thread([] {}).join();
  waitUntil([&] { return Threw == 4; });
  // A callback stops the watcher, and starts it again.
  std::atomic<bool> Stopped{false};
  Watcher->on_died([&](const inmem::ThreadInfo &, uint64_t) {
    std::vector<int> Own(100);
    Watcher->threads();
    Watcher->stop();
    Stopped = true;
  });
  std::thread([] {}).join();
  waitUntil([&] { return Stopped.load(); });
  Watcher->stop();
  REQUIRE(Watcher->start());
  Watcher->stop();
  // Another one destroys it.
  std::atomic<bool> Destroyed{false};
  auto *Doomed = new inmem::ThreadWatcher(inmem::ThreadWatcherOptions{1ms, 0, 0});
  Doomed->on_created([Doomed, &Destroyed](const inmem::ThreadInfo &) {
    delete Doomed;
    Destroyed = true;
  });
  REQUIRE(Doomed->start());
  std::thread([] {}).join();
  waitUntil([&] { return Destroyed.load(); });
}

/// The C interface without options.
void usualOptions() {
  inmem_watch *Watch = inmem_watch_new(
      nullptr,
      [](void *, const inmem_thread_event *, const inmem_thread_info *) {},
      nullptr, nullptr);
  REQUIRE(Watch);
  REQUIRE(inmem_watch_start(Watch));
  inmem_watch_delete(Watch);
}

/// "i" is also how typeid calls int.
extern "C" void *i(void *End) {
  while (!*static_cast<std::atomic<bool> *>(End))
    std::this_thread::yield();
  return nullptr;
}

/// Threads that no hook sees come, and those that were there before.
void others() {
  Stepper Before("before");
  inmem::ThreadWatcher Watcher(inmem::ThreadWatcherOptions{2ms, 0, 0});
  std::atomic<int> Created{0};
  Watcher.on_created([&](const inmem::ThreadInfo &) { ++Created; });
  REQUIRE(Watcher.start());
  REQUIRE(named(Watcher.threads(), "before"));
  Stepper Late("late");
  waitUntil([&] { return Created == 1; });
  Late.step(4000);
  const auto All = Watcher.threads();
  REQUIRE(named(All, "late")->allocated_bytes == 4000);
  REQUIRE(named(All, "late")->start_routine.find("Stepper") != std::string::npos);
  REQUIRE(!named(All, "inmem-watch"));
  std::atomic<bool> End{false};
  pthread_t OfC;
  REQUIRE(pthread_create(&OfC, nullptr, i, &End) == 0);
  waitUntil([&] { return Created == 2; });
  REQUIRE(Watcher.threads().back().start_routine == "i");
  End = true;
  pthread_join(OfC, nullptr);
}

} // namespace

int main() {
  comeAndGo();
  thresholds();
  resetWhileCrossing();
  callbacks();
  others();
  usualOptions();
  std::puts("done");
}
