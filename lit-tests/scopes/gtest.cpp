// Intent: GoogleTest and GoogleMock check allocations; failures list types and sites; a test that leaks fails, with
// what the framework keeps left out; without instrumentation tests are skipped, not passed.
// REQUIRES: llvm-22, gmock
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 -pthread %s -o %t.O0 -lgmock -lgtest %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.O0 --gtest_filter='Passing*' > %t.out %}
// RUN: %if all-tiers %{ %FileCheck --check-prefix=PASSING %s < %t.out %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %not %t.O0 --gtest_filter='Failing*' > %t.out %}
// RUN: %if all-tiers %{ %FileCheck --check-prefix=FAILING %s < %t.out %}
// RUN: %inmem-clangxx -std=c++20 -O2 -pthread -Wall -Wextra -Werror %s -o %t.O2 -lgmock -lgtest
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 --gtest_filter='Passing*' --gtest_repeat=3 > %t.out
// RUN: %FileCheck --check-prefix=PASSING %s < %t.out
// RUN: env INMEM_OPTIONS=output=%t.inmem %not %t.O2 --gtest_filter='Failing*' > %t.out
// RUN: %FileCheck --check-prefix=FAILING %s < %t.out
//
// What threads of a test leak, if the listener looks at all threads.
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 --gtest_filter='Threads*' > %t.out
// RUN: env INMEM_OPTIONS=output=%t.inmem %not %t.O2 --all-threads --gtest_filter='Threads*' > %t.out
// RUN: %FileCheck --check-prefix=THREADS %s < %t.out
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 --all-threads --gtest_filter='Passing*-*FrameworkLeaks*' > %t.out
//
// Not a test passes that could not look.
// RUN: env INMEM_OPTIONS=mode=off %t.O2 --gtest_filter='Passing*-*Leak*' > %t.out 2>&1
// RUN: %FileCheck --check-prefix=OFF %s < %t.out
// gtest-without.test has this file without instrumentation.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <inmem/gtest.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using namespace inmem;
using testing::AllOf;
using testing::Eq;
using testing::Ge;
using testing::Le;
using testing::Not;

struct Foo {
  long a[3];
};

static void *volatile Sink;

__attribute__((noinline)) static Foo *make() {
  Foo *F = new Foo;
  Sink = F;
  return F;
}

static int methodThatDoesNotAllocateAnything(int N) {
  int Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += I * I;
  return Sum;
}

static void allocate(int Bytes) {
  char *P = new char[Bytes];
  Sink = P;
  delete[] P;
}

// PASSING-NOT: FAILED
// PASSING: [  PASSED  ] 7 tests.
// OFF-NOT: [       OK ]
// OFF: inmem records nothing (mode=off or start=off): skipped
// OFF: [  PASSED  ] 0 tests.
// OFF-NEXT: [  SKIPPED ] 5 tests
// PLAIN-NOT: [       OK ]
// PLAIN: not instrumented: skipped
// PLAIN: [  PASSED  ] 0 tests.
// PLAIN-NEXT: [  SKIPPED ] 5 tests
// PRELOADED: [       OK ] Passing.None
// PRELOADED: not instrumented, so types are not known: skipped
// PRELOADED: [  SKIPPED ] Passing.Types

TEST(Passing, None) {
  EXPECT_NO_ALLOCATIONS { methodThatDoesNotAllocateAnything(1000); }
  EXPECT_NO_ALLOCATIONS methodThatDoesNotAllocateAnything(10);
  for (int I = 0; I < 3; ++I)
    EXPECT_NO_ALLOCATIONS {
      if (I == 1)
        continue;
      Sink = &I;
    }
  // The bytes of others are not ours.
  std::thread Other;
  bool Done = false;
  Other = std::thread([&] {
    for (int I = 0; I < 1000; ++I)
      allocate(100);
    Done = true;
  });
  EXPECT_NO_ALLOCATIONS { Other.join(); }
  EXPECT_TRUE(Done);
}

TEST(Passing, BytesWithinALimit) {
  EXPECT_THAT(allocationsOf([] { allocate(100); }), Bytes(Le(120)));
  EXPECT_THAT(allocationsOf([] { allocate(100); }), Bytes(100));
}

TEST(Passing, Types) {
  auto Work = [] {
    std::vector<Foo> Foos(3);
    Sink = Foos.data();
    std::vector<char> Text(50);
    Sink = Text.data();
  };
  EXPECT_THAT(allocationsOf(Work),
              AllOf(OfType<Foo>(Eq(1)), OfType<char>(1), OfType<int>(0),
                    BytesOfType<Foo>(Eq(72)), OfType("F?o", Eq(1))));
}

TEST(Passing, All) {
  EXPECT_THAT(allocationsOf([] {
                delete make();
                delete make();
              }),
              AllOf(Bytes(Le(120)), Blocks(Le(3)), PeakBytes(24),
                    OfType<Foo>(Eq(2)), LivedAtMost<Foo>(10s), Leaks(0)));
}

TEST(Passing, Nested) {
  Allocations Outer = allocationsOf([] {
    EXPECT_THAT(allocationsOf([] { delete make(); }), Blocks(1));
    EXPECT_THAT(allocationsOf([] { delete make(); }), Blocks(Not(2)));
    EXPECT_NO_ALLOCATIONS { Sink = nullptr; }
  });
  EXPECT_THAT(Outer, OfType<Foo>(2));
}

// Nothing of this is the test's own leak: results, traces, mocks, streams,
// threads.
struct Mock {
  MOCK_METHOD(int, get, (int));
};

TEST(Passing, FrameworkLeaksNothing) {
  RecordProperty("key", "a value that is too long to be kept in place");
  SCOPED_TRACE("a trace that is too long to be kept in place");
  Mock M;
  EXPECT_CALL(M, get(testing::Ge(1))).WillOnce(testing::Return(2));
  EXPECT_EQ(M.get(1), 2);
  std::printf("a line\n");
  std::thread([] { Sink = new Foo; }).join(); // not of this thread
}

TEST(Passing, HandedOnIsNoLeak) {
  Foo *F = make();
  std::thread([F] { delete F; }).join();
}

// THREADS: [       OK ] Threads.FreeEverything
TEST(Threads, FreeEverything) {
  Foo *Made = nullptr;
  std::thread([&] {
    Made = make();
    std::string Text(100, 'x');
    Sink = Text.data();
  }).join();
  std::thread([&] { delete Made; }).join();
}

TEST(Threads, Leak) {
  // THREADS: [ RUN      ] Threads.Leak
  // THREADS-NEXT: gtest.cpp:[[#@LINE-2]]: Failure
  // THREADS-NEXT: Failed
  // THREADS-NEXT: The test leaks 2 blocks of 48 bytes.
  // THREADS: 2 Foo make scopes/gtest.cpp:[[#]]
  // THREADS: 1 FAILED TEST
  for (int I = 0; I < 2; ++I)
    std::thread(make).join();
}

TEST(Failing, None) {
  // FAILING: [ RUN      ] Failing.None
  // FAILING-NEXT: gtest.cpp:[[#@LINE+6]]: Failure
  // FAILING-NEXT: Failed
  // FAILING-NEXT: Expected: no allocations
  // FAILING-NEXT: Actual: 1 block, 24 bytes
  // FAILING-NEXT: blocks bytes live type
  // FAILING-NEXT: 1 24 0 Foo
  EXPECT_NO_ALLOCATIONS { delete make(); }
}

TEST(Failing, NoneThatThrows) {
  // FAILING: [ RUN      ] Failing.NoneThatThrows
  // FAILING: Expected: no allocations
  // FAILING: Foo make scopes/gtest.cpp:[[#]]
  try {
    EXPECT_NO_ALLOCATIONS {
      delete make();
      throw std::runtime_error("x");
    }
  } catch (const std::exception &) {
  }
}

TEST(Failing, Bytes) {
  // FAILING: [ RUN      ] Failing.Bytes
  // FAILING: Value of: allocationsOf([] { allocate(100); })
  // FAILING-NEXT: Expected: bytes is <= 99
  // FAILING-NEXT: Actual: 1 block, 100 bytes
  // FAILING: whose bytes are 100
  EXPECT_THAT(allocationsOf([] { allocate(100); }), Bytes(Le(99)));
}

// One object and one byte allowed, five objects made: the failure lists types.
TEST(Failing, Scope) {
  // FAILING: [ RUN      ] Failing.Scope
  // FAILING: Expected: (bytes is <= 1) and (blocks is <= 1)
  // FAILING-NEXT: Actual: 5 blocks, 180 bytes, 3 still alive
  // FAILING-NEXT: blocks bytes live type
  // FAILING-NEXT: 1 100 0 char
  // FAILING-NEXT: 3 72 3 Foo
  // FAILING-NEXT: 1 8 0 long
  // FAILING-NEXT: blocks bytes live allocated by
  // FAILING-NEXT: 1 100 0 char allocate scopes/gtest.cpp:[[#]]
  // FAILING-NEXT: 3 72 3 Foo make scopes/gtest.cpp:[[#]]
  std::unique_ptr<Foo> Kept[3];
  EXPECT_THAT(allocationsOf([&] {
                for (auto &K : Kept)
                  K.reset(make());
                allocate(100);
                long *L = new long;
                Sink = L;
                delete L;
              }),
              AllOf(Bytes(Le(1)), Blocks(Le(1))));
}

TEST(Failing, Lives) {
  // FAILING: [ RUN      ] Failing.Lives
  // FAILING: Expected: no Foo lived longer than 1 ms
  // FAILING: in which a Foo lived {{[0-9.]+}} ms
  // FAILING: in which a Foo is {{[0-9.]+}} ms old and alive
  EXPECT_THAT(allocationsOf([] {
                std::unique_ptr<Foo> F(make());
                std::this_thread::sleep_for(5ms);
              }),
              LivedAtMost<Foo>(1ms));
  std::unique_ptr<Foo> F;
  EXPECT_THAT(allocationsOf([&] {
                F.reset(make());
                std::this_thread::sleep_for(5ms);
              }),
              LivedAtMost<Foo>(1ms));
}

TEST(Failing, TopTen) {
  // FAILING: [ RUN      ] Failing.TopTen
  // FAILING: 12 blocks
  // FAILING: ... 2 more
  EXPECT_NO_ALLOCATIONS {
#define ONE(N)                                                                 \
  {                                                                            \
    struct Local##N {                                                          \
      char a[N];                                                               \
    };                                                                         \
    auto *P = new Local##N;                                                    \
    Sink = P;                                                                  \
    delete P;                                                                  \
  }
    ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) ONE(8) ONE(9) ONE(10)
    ONE(11) ONE(12)
  }
}

TEST(Failing, Leaks) {
  // FAILING: [ RUN      ] Failing.Leaks
  // FAILING: gtest.cpp:[[#@LINE-2]]: Failure
  // FAILING: The test leaks 2 blocks of 48 bytes. What it made and did not free:
  // FAILING-NEXT: [[#]] blocks, [[#]] bytes, 2 still alive
  // FAILING: [[#]] [[#]] 2 Foo make scopes/gtest.cpp:[[#]]
  // FAILING: [  FAILED  ] Failing.Leaks
  EXPECT_NE(make(), nullptr);
  make();
  delete make();
  SUCCEED() << "a text that is too long to be kept in place";
}

// FAILING: 7 FAILED TESTS

int main(int Count, char **Arguments) {
  testing::InitGoogleTest(&Count, Arguments);
  bool All = Count > 1 && std::string(Arguments[1]) == "--all-threads";
  failTestsThatLeak(All ? allThreads : thisThread);
  return RUN_ALL_TESTS();
}
