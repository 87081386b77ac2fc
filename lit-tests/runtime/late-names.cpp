// Intent: a thread is called in reports what it was called when it ended, also if it named itself by a system call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: rm -f %t.inmem && env INMEM_OPTIONS=output=%t.inmem %t.exe
// RUN: %inmem report --by thread --format csv %t.inmem | %FileCheck %s
// CHECK-NOT: at first
// CHECK: at the end
// CHECK-NOT: at first

#include <sys/prctl.h>
#include <thread>

static int *volatile Sink;

int main() {
  std::thread([] {
    prctl(PR_SET_NAME, "at first");
    Sink = new int;
    delete Sink;
    prctl(PR_SET_NAME, "at the end");
  }).join();
}
