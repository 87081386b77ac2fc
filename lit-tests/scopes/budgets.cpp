// Intent: a budget throws out of the very allocation that goes over it, where an exception may pass; elsewhere
// it reports at its end, and never terminates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -shared -fPIC -O2 %S/Inputs/through.c -o %t.c.so
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++20 -O0 -pthread %s %t.c.so -o %t.O0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.O0 2>&1 | %FileCheck %s %}
// RUN: %inmem-clangxx -std=c++20 -O2 -pthread %s %t.c.so -o %t.O2
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 2>&1 | %FileCheck %s
// RUN: env INMEM_OPTIONS=mode=trace:output=%t.inmem %t.O2 2>&1 | %FileCheck %s
// RUN: %inmem report --format json %t.inmem > %t.json
// RUN: %expect %t.json 'types["Foo"].live_allocations == 0'

#include "Inputs/check.h"
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

extern "C" void *throughC(void *(*Function)(void));

struct Foo {
  long a[3];
};
struct Bar {
  char a[10];
};

static void *volatile Sink;

__attribute__((noinline)) static std::unique_ptr<Foo> make() {
  return std::unique_ptr<Foo>(new Foo);
}

/// Whether \p Work throws budget_exceeded; says what it says.
template <class Function> static bool exceeds(Function Work) {
  try {
    Work();
  } catch (const inmem::budget_exceeded &E) {
    std::fprintf(stderr, "threw: %s\n", E.what());
    return true;
  }
  return false;
}

static void testBytes() {
  // CHECK: threw: an allocation of 24 bytes (Foo) by make scopes/budgets.cpp:[[#]]: 120 bytes, the budget is 99
  int Made = 0;
  auto Work = [&] {
    for (Made = 0; Made < 5; ++Made)
      make();
  };
  CHECK(exceeds([&] {
    inmem::AllocationBudget Budget{.bytes = 99};
    CHECK(Budget.enforced());
    Work();
  }));
  CHECK(Made == 4);
  CHECK(!exceeds([&] {
    inmem::AllocationBudget Budget{.bytes = 120};
    Work();
    CHECK(Budget.usedBytes() == 120 && Budget.usedBlocks() == 5);
  }));
}

static void testBlocks() {
  // CHECK: threw: an allocation of 10 bytes (Bar) by {{.*}}: 2 blocks, the budget is 1
  // CHECK: threw: an allocation of 24 bytes (Foo) by make scopes/budgets.cpp:[[#]], where none is allowed of type Foo
  CHECK(exceeds([&] {
    inmem::AllocationBudget Budget{.blocks = 1};
    delete make().release();
    Sink = new Bar;
  }));
  CHECK(exceeds([&] {
    inmem::AllocationBudget Budget{.types = {inmem::limit<Foo>(0)}};
    Bar *B = new Bar;
    Sink = B;
    delete B;
    make();
  }));
}

// The refused block was not made: it counts as freed, and the budget goes on.
static void testRefused() {
  // CHECK: threw: an allocation of 24 bytes (Foo)
  // CHECK: threw: an allocation of 24 bytes (Foo)
  inmem::AllocationScope Scope(inmem::Follow::EachBlock);
  {
    inmem::AllocationBudget Budget{.bytes = 30};
    std::unique_ptr<Foo> First = make();
    CHECK(exceeds([] { make(); }));
    CHECK(exceeds([] { make(); }));
    CHECK(Budget.usedBytes() == sizeof(Foo) && Budget.excesses() == 2);
  }
  inmem::Allocations A = Scope.end();
  CHECK(A.of<Foo>().live == 0 && A.live() == 0);
}

// Inside the standard library's own code, and through its handlers.
static void testLibrary() {
  // CHECK: threw: an allocation of {{[0-9]+}} bytes ({{.*}}char{{.*}}) by
  // CHECK: threw: an allocation of {{[0-9]+}} bytes ({{.*}}) by
  CHECK(exceeds([&] {
    std::string Text = "a text that is too long to be kept in place";
    inmem::detail::hide(&Text);
    inmem::AllocationBudget Budget{.blocks = 0};
    Text += Text; // in libstdc++.so
    inmem::detail::hide(&Text);
  }));
  CHECK(exceeds([&] {
    std::map<std::string, std::string> Map;
    std::string Key = "a key that is too long to be kept in place";
    inmem::AllocationBudget Budget{.blocks = 1};
    Map.emplace(Key, Key); // the node, then the key in a try that catches all
  }));
}

// Where nothing can pass.
__attribute__((noinline)) static void makeNoexcept() noexcept { make(); }

struct Careful {
  ~Careful() { make(); } // a destructor is noexcept
};

__attribute__((noinline)) static void makeWithLocals() noexcept {
  std::string Local(100, 'x');
  inmem::detail::hide(&Local);
  make();
}

__attribute__((noinline)) static void insertNoexcept() noexcept {
  std::map<std::string, std::string> Map;
  std::string Key = "a key that is too long to be kept in place";
  Map.emplace(Key, Key); // catches all and throws it on, to nowhere
}

static void testNoexcept() {
  // CHECK: inmem: budget of scopes/budgets.cpp:[[#]]: an allocation of 24 bytes (Foo) by make scopes/budgets.cpp:[[#]], where none is allowed
  bool Threw = exceeds([&] {
    inmem::AllocationBudget Budget{.blocks = 0};
    makeNoexcept();
  });
  CHECK(!Threw);
  // CHECK: inmem: budget of scopes/budgets.cpp:[[#]]: {{.*}}(Foo){{.*}}, where none is allowed
  CHECK(!exceeds([&] {
    inmem::AllocationBudget Budget{.blocks = 0};
    { Careful C; }
  }));
  // CHECK: inmem: budget of scopes/budgets.cpp:[[#]]: {{.*}}where none is allowed (and 1 more like it)
  CHECK(!exceeds([&] {
    inmem::AllocationBudget Budget{.blocks = 0};
    makeWithLocals();
  }));
  // malloc and the nothrow operator cannot throw.
  // CHECK: inmem: budget of scopes/budgets.cpp:[[#]]: an allocation of 12 bytes {{.*}} (and 1 more like it)
  CHECK(!exceeds([&] {
    inmem::AllocationBudget Budget{.blocks = 0};
    Sink = malloc(12);
    free(Sink);
    Bar *B = new (std::nothrow) Bar;
    Sink = B;
    CHECK(B != nullptr);
    delete B;
  }));
  // CHECK: inmem: budget of scopes/budgets.cpp:[[#]]: {{.*}} bytes, the budget is 200
  CHECK(!exceeds([&] {
    inmem::AllocationBudget Budget{.bytes = 200};
    insertNoexcept();
  }));
  // check() throws it instead.
  // CHECK-NEXT: threw: an allocation of 24 bytes (Foo)
  CHECK(exceeds([&] {
    inmem::AllocationBudget Budget{.blocks = 0};
    makeNoexcept();
    Budget.check();
  }));
}

// What C code holds would never be given back.
static void testThroughC() {
  // CHECK-NEXT: inmem: budget of scopes/budgets.cpp:[[#]]: an allocation of 24 bytes (Foo)
  CHECK(!exceeds([&] {
    inmem::AllocationBudget Budget{.types = {inmem::limit<Foo>(0)}};
    throughC([]() -> void * {
      make();
      return nullptr;
    });
  }));
}

// A handler of everything is one; handlers.cpp has all forms.
static void testCatchAll() {
  bool Caught = false;
  try {
    inmem::AllocationBudget Budget{.blocks = 0};
    make();
  } catch (...) {
    Caught = true;
  }
  CHECK(Caught);
}

static void testCallback() {
  // CHECK-NEXT: called: 24 of Foo, 2 blocks for 1
  // CHECK-NEXT: called: 24 of Foo, 3 blocks for 1
  inmem::AllocationScope Scope;
  int Calls = 0;
  inmem::AllocationBudget Budget{
      .blocks = 1, .onExcess = [&](const inmem::Excess &E) {
        std::vector<int> Unseen(100);
        inmem::detail::hide(Unseen.data());
        ++Calls;
        std::fprintf(stderr, "called: %d of %s, %d %s for %d\n", (int)E.size,
                     E.type.c_str(), (int)E.reached, E.what.c_str(),
                     (int)E.limit);
      }};
  make();
  make();
  make();
  CHECK(Calls == 2 && Scope.blocks() == 3);
}

// The innermost budget that is exceeded acts.
static void testNested() {
  // CHECK-NEXT: threw: an allocation of 24 bytes (Foo) by {{.*}}: 48 bytes, the budget is 30
  // CHECK-NEXT: threw: an allocation of 24 bytes (Foo) by {{.*}}: 3 blocks, the budget is 2
  CHECK(exceeds([&] {
    inmem::AllocationBudget Outer{.blocks = 2};
    CHECK(exceeds([&] {
      inmem::AllocationBudget Inner{.bytes = 30};
      make();
      make();
    }));
    CHECK(Outer.usedBlocks() == 1);
    make();
    make();
  }));
}

int main() {
  testBytes();
  testBlocks();
  testRefused();
  testLibrary();
  testNoexcept();
  testThroughC();
  testCatchAll();
  testCallback();
  testNested();
  // CHECK-NEXT: done
  std::fprintf(stderr, "done\n");
  return finish();
}
