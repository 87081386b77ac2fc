// Intent: eight threads use inmem/doctest.h's checks in one test: each sees its own allocations, and nothing races.
// REQUIRES: doctest, tsan
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe | %FileCheck %s
// RUN: %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s -o %t.tsan
// RUN: env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan | %FileCheck %s
// CHECK: test cases: 1 | 1 passed | 0 failed
// CHECK: assertions: 2000 | 2000 passed | 0 failed
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <inmem/doctest.h>

#include <vector>
#undef REQUIRE
#include "../threads/Inputs/eight.h"

TEST_CASE("threads see their own" * inmem::needsInstrumentation()) {
  const std::vector<Job *> Shared = {new Job, new Job};
  std::atomic<unsigned> Good{0};
  onEight(50, [&](unsigned Thread, unsigned) {
    CHECK_NO_ALLOCATIONS { Good += Thread < kEight; }
    inmem::Allocations A = inmem::allocationsOf([&] { makeJobs(Thread); });
    CAPTURE(A);
    CHECK(A.bytes() == 100 * Thread);
    CHECK(A.of<Job>().blocks == Thread);
    CHECK(inmem::owned<Job>(Shared) == 2);
    CHECK(inmem::deepSize(Shared) == sizeof Shared + 2 * sizeof(Job *) + 200);
  });
  for (Job *Each : Shared)
    delete Each;
}
