// Intent: variables are known by name, and what they hold by their type: globals, static and thread-local ones, of a shared library too; a file without symbols has neither.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -std=c++17 -O1 -fPIC -shared -DLIBRARY %s -o %t/libshop.so
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t/program %t/libshop.so -Wl,-rpath,%t
// RUN: env INMEM_OPTIONS=output=%t/app.inmem %t/program
// RUN: %inmem heap --format json %t/app.heap -o %t/app.json
// RUN: %python %inputs/variables.py %t/app.json
// RUN: %inmem heap --why Session --top 0 %t/app.heap | %FileCheck %s --check-prefix=WHY
// WHY-DAG: global Cache.entries[] -> std::map<int, std::unique_ptr<Session>> node.second
// WHY-DAG: global Cache.entries[] -> std::map<int, std::unique_ptr<Session>> node.second -> Session.next
// WHY-DAG: global (anonymous namespace)::Hidden[] -> {{.*}}.second.next
// WHY-DAG: global shop::Open[] -> std::unique_ptr<Session>[]
// WHY-DAG: global shop::Plain{{$}}
// WHY-DAG: global Table+0x10{{$}}
// WHY-DAG: global local()::Known[] -> {{.*}}.second.next
// WHY-DAG: global library::Kept -> std::unique_ptr<Session>[]
// WHY-DAG: thread-local Mine of thread {{[0-9]+}}
// WHY-NOT: stack of
// RUN: strip -o %t/bare %t/program
// RUN: env INMEM_OPTIONS=output=%t/bare.inmem %t/bare
// RUN: %inmem heap --why Session --top 0 %t/bare.heap | %FileCheck %s --check-prefix=BARE
// BARE: global bare+0x
// BARE-NOT: Cache
// A variable that is destroyed holds nothing any more.
// RUN: env INMEM_OPTIONS=output=%t/end.inmem:snapshot=exit %t/program end
// RUN: %inmem heap --format json %t/end.heap -o %t/end.json
// RUN: %python %inputs/heap.py %t/end.json 'not any(c["owner"] == "Spare" for c in collections)'
#include <inmem/inmem.h>

#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Session {
  std::string name = std::string(60, 's');
  std::unique_ptr<Session> next;
};
namespace library {
#ifdef LIBRARY
static std::vector<std::unique_ptr<Session>> Kept;
void fill() {
  for (int I = 0; I < 10; ++I)
    Kept.push_back(std::make_unique<Session>());
}
#else
void fill();
#endif
} // namespace library

#ifndef LIBRARY
struct Registry {
  std::map<int, std::unique_ptr<Session>> entries;
  std::vector<int> room;
};
static Registry Cache;
namespace {
std::unordered_map<int, Session> Hidden;
}
namespace shop {
std::vector<std::unique_ptr<Session>> Open[3];
Session *Plain;
} // namespace shop
static void *Table[4];
static thread_local std::unique_ptr<Session> Mine;
std::vector<int> Spare;

[[gnu::noinline]] static void local() {
  static std::map<std::string, Session> Known;
  Known["one"].next = std::make_unique<Session>();
}
[[gnu::noinline]] static void fill() {
  for (int I = 0; I < 100; ++I) {
    Cache.entries[I] = std::make_unique<Session>();
    Hidden[I].next = std::make_unique<Session>();
    shop::Open[I % 3].push_back(std::make_unique<Session>());
  }
  Cache.entries[3]->next = std::make_unique<Session>();
  Hidden.reserve(10000);
  Spare.reserve(5000);
  Spare.push_back(1);
  Cache.room.reserve(1000);
  shop::Plain = new Session;
  Table[2] = new Session;
  Mine = std::make_unique<Session>();
  local();
  library::fill();
}

[[gnu::noinline]] static void wipe() {
  volatile char Room[64 * 1024];
  for (volatile char &C : Room)
    C = 0;
}

int main(int Count, char **) {
  fill();
  wipe();
  asm volatile("" : : "r"(Table) : "memory");
  if (Count < 2)
    inmem_snapshot();
}
#endif
