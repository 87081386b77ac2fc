// Intent: exports to Perfetto and to DevTools, opened in Perfetto's own page and in DevTools itself, say what the report says.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: chromium, web, perfetto
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -std=c++17 -O1 -g -I %inputs %s -o %t/app -pthread
// RUN: env INMEM_OPTIONS=output=%t/a.inmem:stacks=16:snapshot=exit:profile=1ms:profile_clock=wall %t/app
// RUN: %inmem report --format json -o %t/a.json %t/a.inmem
// RUN: %inmem heap --format json -o %t/heap.json %t/a.heap
//
// RUN: %inmem export --format perfetto -o %t/a.perfetto %t/a.inmem
// RUN: %viewers --screenshot %t/a.png perfetto %t/a.perfetto %t/a.json | %FileCheck %s --check-prefix=BLOCKS
// BLOCKS: complaints: []
// BLOCKS: allocated:
// BLOCKS: types: {{.*}}type Session
// BLOCKS: live bytes at the end:
//
// RUN: %inmem export --samples --format perfetto -o %t/samples.perfetto %t/a.inmem
// RUN: %viewers --screenshot %t/samples.png samples %t/samples.perfetto %t/a.json | %FileCheck %s --check-prefix=SAMPLES
// SAMPLES: complaints: []
// SAMPLES: samples: {{[1-9]}}
// SAMPLES: blocked: {{[1-9]}}
// SAMPLES: self: {{.*}}busy
//
// RUN: %inmem heap --format perfetto -o %t/heap.perfetto %t/a.heap
// RUN: %viewers --screenshot %t/heap.png heapgraph %t/heap.perfetto %t/heap.json | %FileCheck %s --check-prefix=GRAPH
// GRAPH: complaints: []
// GRAPH: Session: [50,
//
// RUN: %inmem heap --format heapsnapshot -o %t/a.heapsnapshot %t/a.heap
// RUN: %viewers --screenshot %t/devtools.png heapsnapshot %t/a.heapsnapshot %t/heap.json | %FileCheck %s --check-prefix=DEVTOOLS
// DEVTOOLS: Session: [50,
#include "busy.h"
#include <inmem/inmem.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Session {
  long Id = 0;
  std::string Name;
  std::vector<int> History;
};
static auto &Sessions = *new std::vector<std::unique_ptr<Session>>;

[[gnu::noinline]] static void open(int Count) {
  for (int I = 0; I < Count; ++I) {
    Sessions.push_back(std::make_unique<Session>());
    Sessions.back()->Name = std::string(40, 'n');
    Sessions.back()->History.resize(10);
  }
}

int main() {
  inmem_phase("open");
  open(70);
  inmem_phase("work");
  Sessions.resize(50);
  volatile double Kept = busy(0.1);
  std::thread([&Kept] { Kept = busy(0.05); }).join();
}
