// Intent: eight threads call every function of inmem/inmem.h at once: nothing hangs or races, and what is recorded afterwards is exact.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["Job"].allocations == 8000' 'types["Job"].frees == 8000'
// RUN: %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan
// RUN: env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan
#include "Inputs/eight.h"
#include <inmem/inmem.h>

#include <string>

int main() {
  std::atomic<int> Wrong{0};
  onEight(40, [&](unsigned Thread, unsigned Round) {
    makeJobs(20);
    switch ((Thread + Round) % 9) {
    case 0:
      return inmem_start();
    case 1:
      return inmem_stop();
    case 2:
      return inmem_reset();
    case 3:
      return inmem_flush();
    case 4:
      return inmem_phase(("phase " + std::to_string(Thread)).c_str());
    case 5:
      return inmem_snapshot("named");
    case 6:
      if (Round % 10 == 0) // forks
        inmem_snapshot();
      return;
    case 7:
      Wrong += inmem_recording() > 1;
      return;
    default:
      inmem_counters Own, All;
      inmem_thread_counters(&Own);
      inmem_process_counters(&All);
      Wrong += All.frees > All.allocations + 100000;
    }
  });
  REQUIRE(Wrong == 0);
  inmem_start();
  inmem_reset();
  inmem_counters Before, After;
  inmem_process_counters(&Before);
  onEight(1, [](unsigned, unsigned) { makeJobs(1000); });
  inmem_process_counters(&After);
  REQUIRE(After.allocations - Before.allocations >= 8000);
  REQUIRE(inmem_recording() == 1);
}
