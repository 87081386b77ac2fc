// REQUIRES: memory-cgroup
// Intent: in a container with a limit on memory a program runs as ever below it; one that the kernel
// kills because it goes beyond has all that it counted in its trace.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program has more debug information than memory, which its end must not read.
// RUN: %clang -c -DMIB=100 %inputs/large-debug.S -o %t.o
// RUN: %inmem-clangxx -O1 -g -pthread %s %t.o -o %t.exe && rm %t.o
// RUN: %python %inputs/memory_limit.py %t.exe %t.work && rm %t.exe

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

struct Item {
  char bytes[4000];
};

static Item *volatile Sink;

/// What a program knows of itself, where the kernel keeps it.
struct Known {
  unsigned long begun, done;
};

int main(int argc, char **argv) {
  int file = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || ftruncate(file, sizeof(Known)) != 0)
    return 1;
  auto *known = static_cast<volatile Known *>(
      mmap(nullptr, sizeof(Known), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  const unsigned long most = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : -1;
  for (unsigned long i = 0; i < most; ++i) {
    known->begun = i + 1;
    Sink = new Item;
    known->done = i + 1;
    std::memset(Sink->bytes, 1, sizeof Sink->bytes);
  }
  std::puts("done");
}
