// Intent: what the kernel does with pages, in resident memory: huge pages, pages that KSM has merged, swapped ones, those of hugetlbfs, shared memory of each kind, page tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A feature that this kernel does not have is named by the command, and one that the test may not switch on is not tested.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %inmem-clangxx -O1 -g %s -o app
// RUN: %python %S/Inputs/resident-kernel.py %inmem ./app
#include "Inputs/serve.h"
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <string>

constexpr size_t kMiB = 1 << 20;

static char *mapped(size_t Bytes, int Flags = MAP_PRIVATE | MAP_ANONYMOUS,
                    int Fd = -1) {
  void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE, Flags, Fd, 0);
  return P == MAP_FAILED ? nullptr : static_cast<char *>(P);
}
/// Pages that differ.
static void fill(char *P, size_t Bytes) {
  for (size_t I = 0; P && I < Bytes; I += 4096)
    memset(P + I, 1, 4096), memcpy(P + I, &I, sizeof I);
}

/// The words of the first argument say which memory it has.
int main(int, char **Words) {
  const std::string Has = Words[1];
  const auto Wants = [&](const char *Word) {
    return Has.find(Word) != std::string::npos;
  };
  if (Wants("huge")) {
    char *P = mapped(10 * kMiB);
    P += -reinterpret_cast<size_t>(P) % (2 * kMiB);
    madvise(P, 8 * kMiB, MADV_HUGEPAGE);
    fill(P, 6 * kMiB);
  }
  if (Wants("ksm")) {
    char *P = mapped(4 * kMiB);
    memset(P, 9, 4 * kMiB); // equal pages
    madvise(P, 4 * kMiB, MADV_MERGEABLE);
  }
  if (Wants("swap")) {
    char *P = mapped(8 * kMiB);
    fill(P, 8 * kMiB);
    madvise(P, 8 * kMiB, MADV_PAGEOUT);
  }
  if (Wants("hugetlb"))
    fill(mapped(4 * kMiB, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB), 4 * kMiB);
  if (Wants("tables")) // each page in a page table of its own
    if (char *P = mapped(1024 * kMiB, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE))
      for (size_t I = 0; I < 512; ++I)
        P[I * 2 * kMiB] = 1;
  if (Wants("shared")) {
    const int Posix = shm_open(Words[2], O_RDWR | O_CREAT, 0600);
    shm_unlink(Words[2]);
    fill(ftruncate(Posix, 3 * kMiB) ? nullptr : mapped(3 * kMiB, MAP_SHARED, Posix), 3 * kMiB);
    fill(mapped(2 * kMiB, MAP_SHARED | MAP_ANONYMOUS), 2 * kMiB);
    const int Id = shmget(IPC_PRIVATE, kMiB, 0600 | IPC_CREAT);
    fill(static_cast<char *>(shmat(Id, nullptr, 0)), kMiB);
    shmctl(Id, IPC_RMID, nullptr);
  }
  serveUntilInput();
}
