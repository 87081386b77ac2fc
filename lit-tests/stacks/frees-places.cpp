// Intent: a thread frees blocks that several threads allocated, in several places: each place has its own count for each
// of those threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem:frees=on %t.exe
// RUN: sh -c '%inmem report --by frees --top 0 --format csv %t.inmem | grep "^Item,make" | wc -l' | %FileCheck %s --check-prefix=ROWS
// ROWS: {{^}}16{{$}}
// RUN: %inmem report --by frees --top 0 --format csv %t.inmem | tr -d '\r' | %FileCheck %s
// CHECK-DAG: {{^}}Item,make{{.*}},1,40{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},2,80{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},3,120{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},4,160{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},5,200{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},6,240{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},7,280{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},8,320{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},9,360{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},10,400{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},11,440{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},12,480{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},13,520{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},14,560{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},15,600{{$}}
// CHECK-DAG: {{^}}Item,make{{.*}},16,640{{$}}

#include <thread>
#include <vector>

struct Item {
  char Bytes[40];
};

__attribute__((noinline)) static Item *make() { return new Item; }

template <int N> __attribute__((noinline)) static void release(Item *Each) {
  delete Each;
  __asm__ volatile("" ::"i"(N) : "memory");
}

int main() {
  void (*const Places[])(Item *) = {release<0>, release<1>, release<2>, release<3>};
  std::vector<Item *> Made[4][4]; // by thread and place
  std::thread Threads[4];
  for (int T = 0; T < 4; ++T)
    Threads[T] = std::thread([&, T] {
      for (int P = 0; P < 4; ++P)
        for (int I = 0; I <= T * 4 + P; ++I)
          Made[T][P].push_back(make());
    });
  for (std::thread &Each : Threads)
    Each.join();
  for (auto &OfThread : Made)
    for (int P = 0; P < 4; ++P)
      for (Item *Each : OfThread[P])
        Places[P](Each);
}
