// Intent: Catch2 checks allocations, counts the checks as assertions, and a test that cannot know does not pass.
// REQUIRES: catch2
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %clangxx -std=c++17 -c %S/Inputs/catch2-main.cpp -o %t.main.o
// RUN: %inmem-clangxx -std=c++17 -pthread %s %t.main.o -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe "[passing]" | %FileCheck --check-prefix=PASSING %s
// RUN: env INMEM_OPTIONS=output=%t.inmem %not %t.exe "[failing]" | %FileCheck --check-prefix=FAILING %s
// RUN: env INMEM_OPTIONS=mode=off %not %t.exe "[passing]" | %FileCheck --check-prefix=OFF %s

// PASSING: All tests passed (4 assertions in 2 test cases)
// FAILING: CHECK_NO_ALLOCATIONS: 2 blocks, 48 bytes
// FAILING: 2 48 0 Foo work
// FAILING: CHECK( A.bytes() <= 99 )
// FAILING: 120 {{.*}}<= 99
// FAILING: test cases: 2 | 2 failed
// OFF: inmem records nothing (mode=off or start=off): skipped
// OFF: test cases: 2 | 2 failed

#include <catch2/catch.hpp>
#include <inmem/catch2.h>

#include "Inputs/framework-work.h"

TEST_CASE("no allocations", "[passing]") {
  CHECK_NO_ALLOCATIONS { work(0); }
  CHECK_NO_ALLOCATIONS work(0);
}

TEST_CASE("counts", "[passing]") {
  inmem::Allocations A = inmem::allocationsOf([] { work(5); });
  INMEM_REQUIRE_EXACT(A);
  CHECK(A.bytes() <= 120);
  CHECK(A.of<Foo>().blocks == 5);
}

TEST_CASE("some allocations", "[failing]") {
  CHECK_NO_ALLOCATIONS { work(2); }
}

TEST_CASE("too many bytes", "[failing]") {
  inmem::Allocations A = inmem::allocationsOf([] { work(5); });
  INMEM_REQUIRE_EXACT(A);
  CAPTURE(A);
  CHECK(A.bytes() <= 99);
}
