// Intent: eight threads use what inmem/catch2.h offers apart from assertions (Catch2 takes those from one thread only): each sees its own allocations, and nothing races.
// REQUIRES: catch2, tsan
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++17 -c %S/Inputs/catch2-main.cpp -o %t.main.o
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s %t.main.o -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem-clangxx -std=c++17 -O1 -fsanitize=thread -pthread %s %t.main.o -o %t.tsan
// RUN: env INMEM_OPTIONS=output=%t.inmem TSAN_OPTIONS=halt_on_error=1 %t.tsan
#include <catch2/catch.hpp>
#include <inmem/catch2.h>

#include <mutex>
#include <vector>
#undef REQUIRE
#include "../threads/Inputs/eight.h"

TEST_CASE("threads see their own") {
  std::atomic<unsigned> Wrong{0};
  std::mutex Reporting;
  const std::vector<Job *> Shared = {new Job, new Job};
  onEight(50, [&](unsigned Thread, unsigned) {
    inmem::Allocations A = inmem::allocationsOf([&] { makeJobs(Thread); });
    Wrong += !A.exact() || A.blocks() != Thread || A.of<Job>().blocks != Thread;
    Wrong += A.bytes() != 100 * Thread;
    const auto Small = inmem::DeepSizeLe(100) && !inmem::Owns<Job>(2);
    Wrong += Small.match(Shared) || Small.toString().empty();
    const std::lock_guard<std::mutex> Held(Reporting);
    CHECK_NO_ALLOCATIONS { Wrong += Thread >= kEight; }
    CAPTURE(A);
    INMEM_REQUIRE_EXACT(A);
    CHECK(A.blocks() == Thread);
  });
  CHECK(Wrong == 0);
  for (Job *Each : Shared)
    delete Each;
}
