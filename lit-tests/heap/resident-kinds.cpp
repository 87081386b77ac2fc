// Intent: memory that is not malloc's, in resident memory: sbrk next to malloc's heap, shared, named and huge pages, copies of a file's pages; with callers and without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O1 -g %s -o app
// RUN: env INMEM_OPTIONS=mmap=on:snapshot=exit:output=on.inmem ./app >on.txt
// RUN: env INMEM_OPTIONS=snapshot=exit:output=off.inmem ./app >off.txt
// RUN: %python %S/Inputs/resident-kinds.py %inmem
// RUN: %inmem resident off.heap | %FileCheck %s
// CHECK: OTHER OWNERS
// CHECK: (mmap=on names callers) {{.*}}mapped
#include "Inputs/resident.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <unistd.h>

#include <vector>

constexpr size_t kMiB = 1 << 20;

static bool fill(void *P, size_t Bytes) {
  if (P == MAP_FAILED)
    return false;
  memset(P, 7, Bytes);
  return true;
}
static void *mapped(size_t Bytes, int Flags, int Fd = -1) {
  return mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, Flags, Fd, 0);
}

int main() {
  constexpr int kPrivate = MAP_PRIVATE | MAP_ANONYMOUS;
  // malloc's heap grows around what the program takes for itself.
  std::vector<char *> Blocks;
  for (int I = 0; I < 2000; ++I)
    Blocks.push_back(strdup("before"));
  const bool Break = fill(sbrk(2 * kMiB), 2 * kMiB);
  for (int I = 0; I < 20000; ++I)
    Blocks.push_back(strdup("behind"));
  const bool SecondBreak = fill(sbrk(1 * kMiB), 1 * kMiB);
  const int Memory = memfd_create("samples", 0);
  const bool Shared = !ftruncate(Memory, 3 * kMiB) &&
                      fill(mapped(3 * kMiB, MAP_SHARED, Memory), 3 * kMiB);
  const int Id = shmget(IPC_PRIVATE, 4 * kMiB, 0600 | IPC_CREAT);
  const bool SystemV =
      Id >= 0 && fill(shmat(Id, nullptr, 0), 4 * kMiB);
  shmctl(Id, IPC_RMID, nullptr);
  void *Named = mapped(5 * kMiB, kPrivate);
  fill(Named, 5 * kMiB);
  // EINVAL: the kernel keeps no names.
  const bool HasName =
      prctl(0x53564d41 /*PR_SET_VMA*/, 0, Named, 5 * kMiB, "my pool") == 0;
  // Not a part of RSS.
  const bool Hugetlb = fill(mapped(2 * kMiB, kPrivate | MAP_HUGETLB), 2 * kMiB);
  // One byte in each huge page, if the kernel has them.
  char *Thin = static_cast<char *>(mapped(6 * kMiB, kPrivate));
  Thin += -reinterpret_cast<size_t>(Thin) % (2 * kMiB);
  madvise(Thin, 4 * kMiB, MADV_HUGEPAGE);
  Thin[0] = Thin[2 * kMiB] = 1;
  printf("{\"rss\": %zu, \"sbrk\": %d, \"memfd\": %d, \"sysv\": %d, \"name\": "
         "%d, \"hugetlb\": %d}\n",
         residentNow(), Break + SecondBreak, Shared, SystemV, HasName, Hugetlb);
  fflush(stdout);
  _Exit(Blocks.size() == 22000 && Named ? 0 : 1);
}
