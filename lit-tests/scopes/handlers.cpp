// Intent: a budget throws exactly where its exception reaches a handler that keeps it, in code of every form; where the
// function is compiled with inmem this is no guess: neither optimisation, inlining nor a large function changes it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 %s %S/Inputs/rethrows.cpp -o %t.O0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.inmem %t.O0 2>&1 | %FileCheck %s %}
// RUN: %if all-tiers %{ %if first-llvm %{ %inmem-clangxx -std=c++17 -O1 -fPIC -pie %s %S/Inputs/rethrows.cpp -o %t.O1 %} %}
// RUN: %if all-tiers %{ %if first-llvm %{ env INMEM_OPTIONS=output=%t.inmem %t.O1 2>&1 | %FileCheck %s %} %}
// RUN: %inmem-clangxx -std=c++17 -O2 -fno-pic -no-pie %s %S/Inputs/rethrows.cpp -o %t.O2
// RUN: env INMEM_OPTIONS=output=%t.inmem %t.O2 2>&1 | %FileCheck %s
// RUN: %if all-tiers %{ %if first-llvm %{ %inmem-clangxx -std=c++17 -O3 -fno-rtti %s %S/Inputs/rethrows.cpp -o %t.O3 %} %}
// RUN: %if all-tiers %{ %if first-llvm %{ env INMEM_OPTIONS=output=%t.inmem %t.O3 2>&1 | %FileCheck %s %} %}
// RUN: %if lld %{ %inmem-clangxx -std=c++17 -O2 -flto -fuse-ld=lld %s %S/Inputs/rethrows.cpp -o %t.full %}
// RUN: %if lld %{ env INMEM_OPTIONS=output=%t.inmem %t.full 2>&1 | %FileCheck %s %}
// RUN: %if all-tiers %{ %if lld %{ %inmem-clangxx -std=c++17 -O2 -flto=thin -fuse-ld=lld %s %S/Inputs/rethrows.cpp -o %t.thin %} %}
// RUN: %if all-tiers %{ %if lld %{ env INMEM_OPTIONS=output=%t.inmem %t.thin 2>&1 | %FileCheck %s %} %}
// CHECK-NOT: failed
// CHECK: done

#include "Inputs/check.h"
#include <memory>
#include <stdexcept>
#include <string>

struct Foo {
  long a[3];
};
static void *volatile Sink;
static volatile int Zero;

#define APART __attribute__((noinline))

static void make() {
  Foo *F = new Foo;
  Sink = F;
  delete F;
}

/// Something to be cleaned up, and more code than one looks through.
struct Guard {
  std::string Text = std::string(3, 'x');
  ~Guard() {
    if (Zero) {
#define MUCH(N) Sink = Text.data() + Zero * N, Text += char(Zero + N);
      MUCH(1) MUCH(2) MUCH(3) MUCH(4) MUCH(5) MUCH(6) MUCH(7) MUCH(8)
    }
  }
};

//===-- Handlers that keep it ----------------------------------------------===

static void swallow() {
  try {
    make();
  } catch (...) {
  }
}
APART static void swallowWithGuards() {
  Guard A, B;
  try {
    Guard C;
    make();
  } catch (const std::logic_error &) {
    Sink = &A;
  } catch (...) {
    Guard D;
    Sink = &D;
  }
}
APART static void swallowWithinNoexcept() noexcept { swallow(); }
APART static void swallowTypedWithinNoexcept() noexcept {
  Guard A;
  try {
    make();
  } catch (const std::exception &E) {
    Sink = const_cast<std::exception *>(&E);
  }
}
APART static void rethrowToHandlerWithinNoexcept() noexcept {
  try {
    try {
      Guard A;
      make();
    } catch (...) {
      throw;
    }
  } catch (const std::bad_alloc &) {
  }
}
APART static void handleNestedWithinNoexcept() noexcept {
  try {
    throw 1;
  } catch (int) { // within a handler that is thrown on elsewhere
    try {
      make();
    } catch (...) {
    }
  }
}

//===-- Ways into std::terminate --------------------------------------------===

APART static void plain() noexcept { make(); }
APART static void withGuards() noexcept {
  Guard A, B;
  make();
}
APART static void otherHandler() noexcept {
  Guard A;
  try {
    make();
  } catch (const std::logic_error &) {
  } catch (int) {
  }
}
APART static void rethrows() noexcept {
  Guard A;
  try {
    make();
  } catch (...) {
    Guard B;
    throw;
  }
}
APART static void rethrowsSometimes(int How) noexcept {
  try {
    make();
  } catch (...) {
    if (How == Zero)
      throw;
  }
}
APART static void rethrowsTyped() noexcept {
  try {
    make();
  } catch (const std::bad_alloc &) {
    throw;
  }
}
static void throwsOn() {
  try {
    make();
  } catch (...) {
    throw;
  }
}
static void throwsOnTwice() {
  try {
    throwsOn();
  } catch (const std::exception &) {
    throw;
  }
}
APART static void aroundThrowsOn() noexcept { throwsOnTwice(); }
APART static void apartThrowsOn() { throwsOn(); }
APART static void aroundApart() noexcept { apartThrowsOn(); }
APART static void withinHandler() noexcept {
  try {
    throw 1;
  } catch (int) {
    make();
  }
}
struct Destroyed {
  ~Destroyed() { make(); }
};
APART static void destroys() { Destroyed D; }

// An LTO link inlines it here.
void throwsOnElsewhere(void (*Work)());
APART static void aroundElsewhere() noexcept { throwsOnElsewhere(make); }

//===-- Through and on ------------------------------------------------------===

APART static void through() {
  Guard A;
  throwsOnTwice();
}
APART static void throughElsewhere() {
  Guard A;
  throwsOnElsewhere(make);
}

static bool throws(void (*Work)()) {
  try {
    inmem::NoAllocation None(inmem::OnExcess::Throw);
    Work();
  } catch (const inmem::budget_exceeded &) {
    return true;
  }
  return false;
}

/// Does the budget report \p Work's allocation at its end? Else it has thrown,
/// and the block was not made.
static std::uint64_t reported(void (*Work)()) {
  inmem::TypeLimits NoFoo = {inmem::limit<Foo>(0)};
  inmem::Action Throw = inmem::OnExcess::Throw;
  inmem::detail::ActiveBudget Budget(inmem::noLimit, inmem::noLimit, &NoFoo,
                                     &Throw, "", 1);
  Work();
  bool Refused = NoFoo.data()->used_blocks == 0;
  CHECK(Budget.counters().excesses == 1);
  try {
    Budget.check();
    CHECK(Refused);
  } catch (const inmem::budget_exceeded &) {
    CHECK(!Refused);
  }
  return !Refused;
}

int main() {
  CHECK(throws(make));
  CHECK(throws(through));
  CHECK(throws(apartThrowsOn));
  CHECK(throws(throughElsewhere));

  CHECK(!reported(swallow));
  CHECK(!reported(swallowWithGuards));
  CHECK(!reported(swallowWithinNoexcept));
  CHECK(!reported(swallowTypedWithinNoexcept));
  CHECK(!reported(rethrowToHandlerWithinNoexcept));
  CHECK(!reported(handleNestedWithinNoexcept));

  CHECK(reported(plain));
  CHECK(reported(withGuards));
  CHECK(reported(otherHandler));
  CHECK(reported(rethrows));
  CHECK(reported([] { rethrowsSometimes(1); }));
  CHECK(reported(rethrowsTyped));
  CHECK(reported(aroundThrowsOn));
  CHECK(reported(aroundApart));
  CHECK(reported(aroundElsewhere));
  CHECK(reported(withinHandler));
  CHECK(reported(destroys));
  std::fprintf(stderr, "done\n");
  return finish();
}
