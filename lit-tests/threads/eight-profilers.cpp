// Intent: eight threads start, stop and read the sampling profiler at once, with snapshots in between: nothing hangs or races, and it samples afterwards.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem:periodic=0.01:profile=1ms %t.exe
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan %}
#include "../Inputs/until.h"
#include "Inputs/eight.h"
#include <inmem/inmem.h>
#include <inmem/threads.h>

using namespace std::chrono_literals;

static inmem::ProfileStartOptions each(std::chrono::nanoseconds Interval,
                                       inmem::ProfileClock Clock) {
  inmem::ProfileStartOptions Options;
  Options.interval = Interval;
  Options.clock = Clock;
  return Options;
}

int main() {
  onEight(60, [](unsigned Thread, unsigned Round) {
    makeJobs(50);
    switch ((Thread + Round) % 6) {
    case 0:
      inmem::profile_start(each(1ms, inmem::ProfileClock::Wall));
      break;
    case 1:
      inmem::profile_start(each(1ms, inmem::ProfileClock::Cpu));
      break;
    case 2:
      inmem::profile_stop();
      break;
    case 3:
      inmem_snapshot("between");
      break;
    default:
      inmem::profile_read();
    }
  });
  inmem::profile_stop();
  REQUIRE(inmem::profile_start(each(1ms, inmem::ProfileClock::Wall)));
  const auto Before = inmem::profile_read().samples;
  UNTIL(inmem::profile_read().samples > Before);
  inmem::profile_stop();
}
