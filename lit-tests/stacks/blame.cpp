// Intent: every class on the stack has its share once; the direct blame goes to the innermost frame
// that is neither ignored nor outside of the target nor, unless asked for, of the C++ library; per type too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -fno-inline %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:stacks=32 %t.exe
// RUN: %inmem report --by blame --format csv %t.inmem | tr -d '\r' | %FileCheck %s --check-prefix=ALL --implicit-check-not=std:: --implicit-check-not=__gnu_cxx
// RUN: %inmem report --by blame --blame-ignore lib::,std:: --format csv %t.inmem | tr -d '\r' | %FileCheck %s --check-prefix=IGNORE
// RUN: %inmem report --by blame --blame-target app::Server --format csv %t.inmem | tr -d '\r' | %FileCheck %s --check-prefix=TARGET
// RUN: %inmem report --by blame --blame-ignore '' --format csv %t.inmem | tr -d '\r' | %FileCheck %s --check-prefix=LIBRARY
// RUN: %inmem report --by blame --blame-ignore '' --blame-ignore std::,__gnu --format csv %t.inmem | tr -d '\r' | %FileCheck %s --check-prefix=PREFIX
// RUN: %inmem report --blame %t.inmem | %FileCheck %s --check-prefix=TEXT
// RUN: %inmem report --by blame --format json %t.inmem > %t.json
// RUN: %expect %t.json '[c["direct_allocations"] for c in report["blame"]["types"][[t["type"] for t in report["types"]].index("Foo")]["classes"] if c["class"] == "lib::Pool"] == [7]'

// class, method, direct bytes, direct blocks, bytes, blocks, live
// ALL-DAG: {{^}}lib::Pool,,280,7,280,7,0{{$}}
// ALL-DAG: {{^}}lib::Pool,lib::Pool::make,280,7,280,7,0{{$}}
// ALL-DAG: {{^}}app::Cache,,0,0,200,5,0{{$}}
// ALL-DAG: {{^}}app::Cache,app::Cache::put,0,0,200,5,0{{$}}
// ALL-DAG: {{^}}app::Server,,0,0,280,7,0{{$}}
// ALL-DAG: {{^}}app::Server,app::Server::direct,0,0,80,2,0{{$}}
// ALL-DAG: {{^}}app::Server,app::Server::run,0,0,280,7,0{{$}}
// The vector's elements are its owner's.
// ALL-DAG: {{^}}app::Numbers,,4000,1,4000,1,0{{$}}
// LIBRARY: {{^}}std::{{.*}}allocat{{.*}},4000,1,4000,1,0{{$}}
// LIBRARY: {{^}}app::Numbers,,0,0,4000,1,0{{$}}
// PREFIX-NOT: {{^}}std::
// PREFIX: {{^}}app::Numbers,,4000,1,4000,1,0{{$}}
// IGNORE-NOT: lib::
// IGNORE-DAG: {{^}}app::Cache,,200,5,200,5,0{{$}}
// IGNORE-DAG: {{^}}app::Server,,80,2,280,7,0{{$}}
// TARGET-NOT: Cache
// TARGET: {{^}}app::Server,,280,7,280,7,0{{$}}
// TARGET-NEXT: {{^}}app::Server,app::Server::run,200,5,280,7,0{{$}}
// TARGET-NEXT: {{^}}app::Server,app::Server::direct,80,2,80,2,0{{$}}
// TEXT: BLAME
// TEXT: lib::Pool

#include <vector>

struct Foo {
  int values[10];
};
namespace lib {
struct Pool {
  Foo *make() {
    Foo *foo = new Foo;
    asm volatile("" : : "r"(foo));
    return foo;
  }
};
} // namespace lib
namespace app {
struct Cache {
  lib::Pool pool;
  void put() { delete pool.make(); }
};
struct Server {
  Cache cache;
  lib::Pool pool;
  void direct() { delete pool.make(); }
  void run() {
    for (int i = 0; i < 5; ++i)
      cache.put();
    direct();
    direct();
    asm volatile("");
  }
};
struct Numbers {
  std::vector<int> values;
  void fill() {
    values.reserve(1000);
    asm volatile("");
  }
};
} // namespace app

int main() {
  app::Server server;
  server.run();
  app::Numbers().fill();
}
