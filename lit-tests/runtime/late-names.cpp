// Intent: a thread is called in reports what it was called when it ended.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report --by thread --format csv %t.inmem | %FileCheck %s
// CHECK-NOT: at first
// CHECK: at the end
// CHECK-NOT: at first

#include <pthread.h>
#include <thread>

static int *volatile Sink;

int main() {
  std::thread([] {
    pthread_setname_np(pthread_self(), "at first");
    Sink = new int;
    delete Sink;
    pthread_setname_np(pthread_self(), "at the end");
  }).join();
}
