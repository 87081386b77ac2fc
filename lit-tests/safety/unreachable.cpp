// Intent: the program closes all descriptors and the trace cannot be opened again, since it was renamed: the trace ends
// there with what it has, and the program, which goes on at new sites, on new threads and in children, is as without us.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 -pthread %s -o %t.exe
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: env INMEM_OPTIONS=output=%t.d/first.inmem %t.exe %t.d/first.inmem %t.d/renamed.inmem 2>&1 | %FileCheck %s
// CHECK: inmem: the trace cannot grow (Bad file descriptor) at {{[0-9]+}} bytes and ends here: {{.*}}first.inmem
// CHECK-NEXT: done
// RUN: %inmem report --format json %t.d/renamed.inmem > %t.json
// RUN: %expect %t.json 'types["Before"].allocations == 200' 'types["Before"].frees == 200' \
// RUN:   'types["Before"].lifetime.count == 200' 'not processes[0].complete'

#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

struct Before {
  char Bytes[40];
};
template <int N> struct Item {
  char Bytes[16 + N];
};
static void *volatile Sink;

template <int N> static void work() {
  for (int I = 0; I < 100; ++I) {
    auto *One = new Item<N>;
    Sink = One;
    delete One;
  }
  if constexpr (N > 0)
    work<N - 1>();
}

int main(int, char **Arguments) {
  for (int I = 0; I < 200; ++I) {
    auto *One = new Before;
    Sink = One;
    delete One;
  }
  if (std::rename(Arguments[1], Arguments[2]) != 0)
    return 2;
  for (int Fd = 3; Fd < 2000; ++Fd)
    close(Fd);
  work<400>();
  for (int I = 0; I < 20; ++I)
    std::thread([] { work<100>(); }).join();
  const pid_t Child = fork();
  if (Child == 0) {
    work<50>();
    _exit(0);
  }
  int Status = 1;
  waitpid(Child, &Status, 0);
  std::puts(Status == 0 ? "done" : "the child failed");
  return Status != 0;
}
