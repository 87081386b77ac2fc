// Intent: a heap snapshot that cannot be written is said to be lost and leaves nothing behind; memory that is mapped but cannot be read loses none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t/program
// RUN: env INMEM_OPTIONS=output=%t/full.inmem %t/program full 2>&1 | %FileCheck %s --check-prefix=FULL
// FULL-DAG: inmem: the heap snapshot '{{.*}}full.heap' could not be written
// FULL-DAG: still here
// RUN: ls %t | %FileCheck %s --check-prefix=LEFT
// LEFT-NOT: .heap
// LEFT-NOT: .part
// RUN: env INMEM_OPTIONS=output=%t/file.inmem %t/program file %t/data 2>&1 | %FileCheck %s --check-prefix=FILE
// FILE-NOT: inmem:
// FILE: still here
// RUN: %inmem heap --format json %t/file.heap -o %t/file.json
// RUN: %python %inputs/heap.py %t/file.json 'totals.unreachable_bytes == 0' 'types["Node"].objects == 20000'
// RUN: env INMEM_OPTIONS=output=%t/guard.inmem %t/program guard 2>&1 | %FileCheck %s --check-prefix=FILE
// RUN: %inmem heap --format json %t/guard.heap -o %t/guard.json
// RUN: %python %inputs/heap.py %t/guard.json 'types["Node"].objects == 20000'
#include <inmem/inmem.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

struct Node {
  Node *Next = nullptr;
  long Value = 0;
};
static Node *First;

static void snapshotInTheSize(rlim_t Bytes) {
  const rlimit Limit = {Bytes, RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &Limit);
  inmem_snapshot();
}

static bool mapShortenedFile(const char *Path) {
  const int File = open(Path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (File < 0 || ftruncate(File, 64 * 4096) != 0)
    return false;
  void *Mapped = mmap(nullptr, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, File, 0);
  const bool Good = Mapped != MAP_FAILED && ftruncate(File, 4096) == 0;
  close(File);
  return Good;
}

// A stack in a block of the heap, with a page in its midst that nobody may read.
static ucontext_t Back, There;
static void onOwnStack() { inmem_snapshot(); }
static void snapshotOnGuardedStack() {
  constexpr size_t Page = 4096, Bytes = 64 * Page;
  auto *Stack = static_cast<char *>(aligned_alloc(Page, Bytes + 16 * Page));
  mprotect(Stack + Bytes, Page, PROT_NONE);
  getcontext(&There);
  There.uc_stack.ss_sp = Stack;
  There.uc_stack.ss_size = Bytes;
  There.uc_link = &Back;
  makecontext(&There, onOwnStack, 0);
  swapcontext(&Back, &There);
  mprotect(Stack + Bytes, Page, PROT_READ | PROT_WRITE);
  free(Stack);
}

int main(int, char **Arguments) {
  for (int I = 0; I < 20000; ++I) {
    auto *Fresh = new Node;
    Fresh->Next = First;
    First = Fresh;
  }
  if (std::strcmp(Arguments[1], "full") == 0)
    snapshotInTheSize(100'000);
  else if (std::strcmp(Arguments[1], "guard") == 0)
    snapshotOnGuardedStack();
  else if (!mapShortenedFile(Arguments[2]))
    return 1;
  else
    inmem_snapshot();
  std::puts("still here");
}
