// Intent: eight threads start, stop, reset and read one watcher at once, and make and destroy their own: nothing crashes, hangs or races, and the watcher works afterwards.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe %if all-tiers %{ %} %else %{ few %}
// RUN: env INMEM_OPTIONS=output=%t.inmem:watch=5ms,1KiB:watch_output=%t.lines %t.exe %if all-tiers %{ %} %else %{ few %}
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan few %}
// ThreadSanitizer allocates in each thread before its first function, in inmem's own, too.
// RUN: %if all-tiers %{ rm -f %t.own.inmem && env INMEM_OPTIONS=output=%t.own.inmem:watch=5ms,1KiB:watch_output=%t.lines:profile=50ms:periodic=1 TSAN_OPTIONS=halt_on_error=1 %t.tsan few %}
// RUN: %if all-tiers %{ %inmem report --format json %t.own.inmem | %FileCheck --check-prefix=OWN %s %}
// OWN: "threads"
// OWN-NOT: "inmem-
#include "Inputs/eight.h"
#include <inmem/threads.h>

#include <fcntl.h>

using namespace std::chrono_literals;

static inmem::ThreadWatcherOptions eachMillisecond() {
  inmem::ThreadWatcherOptions Options;
  Options.interval = 1ms;
  Options.threshold_bytes = 1000;
  return Options;
}

/// Each start() of a new watcher, by all at once.
static void startTogether(unsigned Rounds) {
  std::unique_ptr<inmem::ThreadWatcher> Shared;
  for (unsigned Round = 0; Round < Rounds; ++Round) {
    Shared = std::make_unique<inmem::ThreadWatcher>(eachMillisecond());
    std::atomic<unsigned> Wrong{0};
    onEight(1, [&](unsigned, unsigned) { Wrong += !Shared->start(); });
    REQUIRE(Wrong == 0);
  }
}

/// stop() returns although callbacks start the watcher again.
static void stopAgainstCallbacks(unsigned Rounds) {
  inmem::ThreadWatcher Shared(eachMillisecond());
  Shared.on_created([&](const inmem::ThreadInfo &) {
    Shared.stop();
    Shared.start();
  });
  onEight(Rounds, [&](unsigned Thread, unsigned) {
    Shared.start();
    std::thread([] { makeJobs(20); }).join();
    if (Thread < 2)
      Shared.stop();
  });
}

static void mixed(unsigned Rounds) {
  inmem::ThreadWatcher Shared(eachMillisecond());
  const int Null = open("/dev/null", O_WRONLY);
  std::atomic<unsigned> Told{0};
  onEight(Rounds, [&](unsigned Thread, unsigned Round) {
    makeJobs(30);
    switch ((Thread * 3 + Round) % 10) {
    case 0:
    case 1:
      Shared.start();
      break;
    case 2:
      Shared.stop();
      break;
    case 3:
      Shared.reset();
      break;
    case 4:
      Shared.reset(static_cast<uint32_t>(gettid()));
      break;
    case 5:
      Shared.on_threshold([&](const inmem::ThreadEvent &) { ++Told; });
      Shared.on_created([&](const inmem::ThreadInfo &) { ++Told; });
      Shared.on_died([&](const inmem::ThreadInfo &) { ++Told; });
      break;
    case 6:
      Shared.print(Null);
      break;
    case 7: {
      inmem::ThreadWatcher Own(eachMillisecond());
      Own.start();
      break;
    }
    case 8: {
      char Name[200];
      inmem_code_name(reinterpret_cast<const void *>(&makeJobs), Name, sizeof Name);
      break;
    }
    default:
      for (const inmem::ThreadInfo &T : Shared.threads())
        REQUIRE(T.id != 0);
    }
  });
  Shared.stop();
  std::atomic<unsigned> Died{0};
  Shared.on_died([&](const inmem::ThreadInfo &) { ++Died; });
  REQUIRE(Shared.start());
  onEight(1, [](unsigned, unsigned) { makeJobs(10); });
  Shared.stop();
  REQUIRE(Died == kEight);
  close(Null);
}

int main(int Count, char **) {
  const unsigned Less = Count > 1 ? 4 : 1;
  startTogether(200 / Less);
  stopAgainstCallbacks(40 / Less);
  mixed(400 / Less);
}
