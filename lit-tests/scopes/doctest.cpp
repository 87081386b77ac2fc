// Intent: doctest checks allocations, counts the checks as assertions, and a test that cannot know does not pass.
// REQUIRES: doctest
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.exe -tc='passing*' | %FileCheck --check-prefix=PASSING %s
// RUN: env INMEM_OPTIONS=output=%t.inmem %not %t.exe -tc='failing*' | %FileCheck --check-prefix=FAILING %s
// RUN: env INMEM_OPTIONS=mode=off %not %t.exe -tc='passing*' | %FileCheck --check-prefix=OFF %s

// PASSING: test cases: 2 | 2 passed | 0 failed
// PASSING: assertions: 4 | 4 passed | 0 failed
// FAILING: doctest.cpp:[[#]]: ERROR: CHECK_NO_ALLOCATIONS: 2 blocks, 48 bytes
// FAILING: 2 48 0 Foo work
// FAILING: CHECK( A.bytes() <= 99 ) is NOT correct!
// FAILING: values: CHECK( 120 <= 99 )
// FAILING: A := 5 blocks, 120 bytes
// FAILING: test cases: 2 | 0 passed | 2 failed
// OFF: inmem records nothing (mode=off or start=off): not checked
// OFF: test cases: 1 | 0 passed | 1 failed | 3 skipped

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <inmem/doctest.h>

#include "Inputs/framework-work.h"

TEST_CASE("passing: no allocations") {
  CHECK_NO_ALLOCATIONS { work(0); }
  CHECK_NO_ALLOCATIONS work(0);
}

TEST_CASE("passing: counts" * inmem::needsInstrumentation()) {
  inmem::Allocations A = inmem::allocationsOf([] { work(5); });
  CHECK(A.bytes() <= 120);
  CHECK(A.of<Foo>().blocks == 5);
}

TEST_CASE("failing: some allocations") {
  CHECK_NO_ALLOCATIONS { work(2); }
}

TEST_CASE("failing: too many bytes") {
  inmem::Allocations A = inmem::allocationsOf([] { work(5); });
  CAPTURE(A);
  CHECK(A.bytes() <= 99);
}
