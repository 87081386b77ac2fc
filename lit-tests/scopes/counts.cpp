// Intent: a scope counts what its thread allocates between two points, exactly, by type and by site; 0 is 0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %if all-tiers %{ %inmem-clangxx -std=c++17 -O0 -Wall -Wextra -Werror -pthread %s -o %t.O0 %}
// RUN: %if all-tiers %{ env INMEM_OPTIONS=output=%t.O0.inmem %t.O0 %}
// RUN: %inmem-clangxx -std=c++20 -O2 -pthread %s -o %t.O2
// RUN: env INMEM_OPTIONS=output=%t.O2.inmem %t.O2
// RUN: env INMEM_OPTIONS=mode=trace:output=%t.O2.inmem %t.O2
// RUN: %if all-tiers %{ env INMEM_OPTIONS=clock=exact:output=%t.O2.inmem %t.O2 %}
// RUN: env INMEM_OPTIONS=clock=events:output=%t.O2.inmem %t.O2
// Scopes leave no mark in the trace: 10 Foo are made and freed by the program.
// RUN: %record %t.json -- %t.O2
// RUN: %expect %t.json 'types["Foo"].allocations == 30' 'types["Foo"].live_allocations == 0'

#include "Inputs/check.h"
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Foo {
  long a[3];
};

static void *volatile Sink;

static Foo *make() {
  Foo *P = new Foo;
  Sink = P;
  return P;
}

static void testZero() {
  inmem::AllocationScope Outer;
  {
    inmem::AllocationScope Scope;
    CHECK(Scope.blocks() == 0);
    inmem::Allocations A = Scope.end();
    CHECK(A.exact() && A.blocks() == 0 && A.bytes() == 0 && A.types().empty());
    CHECK(A.text() == "no allocations\n");
  }
  // Neither scope, result nor text is anybody's.
  CHECK(Outer.blocks() == 0);
  CHECK(Outer.counts().frees == 0);
}

static void testTypes() {
  inmem::AllocationScope Scope;
  Foo *One = make(), *Two = make();
  Foo *Three = new Foo[4];
  Sink = Three;
  delete[] Three;
  delete One;
  std::list<int> Numbers = {1, 2, 3, 4, 5};
  inmem::Allocations A = Scope.end();
  CHECK(A.blocks() == 8);
  CHECK(A.of<Foo>().blocks == 3 && A.of<Foo>().bytes == 6 * sizeof(Foo));
  CHECK(A.of<Foo>().live == 1 && A.live() == 6);
  CHECK(A.of<std::string>().blocks == 0);
  CHECK(A.of("std::_List_node<*>").blocks == 5);
  CHECK(A.peakBytes() ==
        static_cast<long>(6 * sizeof(Foo))); // then 3 nodes less than an array
  CHECK(A.text().find("Foo  make scopes/counts.cpp:28") != std::string::npos);
  delete Two;
  CHECK(Scope.allocations().of<Foo>().live == 1); // it has ended
}

static void testNested() {
  inmem::AllocationScope Outer;
  delete make();
  inmem::AllocationScope Inner(inmem::Follow::EachBlock);
  delete make();
  {
    inmem::AllocationScope Counting;
    delete make();
    CHECK(Counting.blocks() == 1 && Counting.counts().peakBytes == sizeof(Foo));
  }
  CHECK(Outer.blocks() == 3 && Inner.blocks() == 2);
  Outer.stop();
  delete make();
  CHECK(Outer.blocks() == 3 && Inner.blocks() == 3);
  CHECK(Outer.counts().peakBytes == sizeof(Foo));
}

// Peaks and survivors are those of the scope's own blocks.
static void testFollowed() {
  Foo *Old = make();
  Foo *Kept = nullptr, *Handed = nullptr;
  inmem::Allocations A = inmem::allocationsOf([&] {
    delete Old;
    Kept = make();
    Foo *Short = make();
    delete Short;
    Handed = make();
    std::thread([&] { delete Handed; }).join();
    Sink = malloc(10);
    Sink = realloc(Sink, 100);
    free(Sink);
  });
  CHECK(A.of<Foo>().blocks == 3 && A.of<Foo>().frees == 2);
  CHECK(A.of<Foo>().live == 1 && A.of<Foo>().liveBytes == sizeof(Foo));
  CHECK(A.of<Foo>().peakBytes == 2 * sizeof(Foo));
  CHECK(A.of<Foo>().lives == 1);
  CHECK(A.of<Foo>().longest < std::chrono::seconds(1));
  delete Kept;
}

// What lies where one of the scope's blocks was, is none of it.
static void testReused() {
  Foo *Handed = nullptr, *Again = nullptr;
  inmem::Allocations A = inmem::allocationsOf([&] {
    Handed = make();
    std::thread([&] {
      delete Handed;
      Again = make();
    }).join();
  });
  CHECK(Again == Handed); // as glibc does it
  CHECK(A.of<Foo>().blocks == 1 && A.of<Foo>().live == 0);
  delete Again;
}

int main() {
  testZero();
  testTypes();
  testNested();
  testFollowed();
  testReused();
  for (int I = 0; I < 17; ++I) // 30 in all
    delete make();
  return finish();
}
