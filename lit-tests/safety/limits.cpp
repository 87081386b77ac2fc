// REQUIRES: mounts
// Intent: where the trace cannot be written, or not all of it, the program runs on as without us
// and says so in one line, without touching errno; what reached the file stays readable, and ends with a record of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 -pthread %s -o %t.exe
// RUN: %python %inputs/limits.py %t.exe %t.work

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <vector>

template <int N> struct Item {
  char bytes[16 + N];
};
static void *volatile Sink;

template <int N> static void work() {
  for (int i = 0; i < 1000; ++i) {
    errno = 0;
    auto *one = new Item<N>;
    Sink = one;
    delete one;
    if (errno != 0)
      std::abort(); // a call that succeeds leaves it alone
  }
  if constexpr (N > 0)
    work<N - 1>();
}

static void limit(int what, rlim_t value) {
  rlimit both = {value, value};
  if (setrlimit(what, &both) != 0)
    std::abort();
}

// First come 200 blocks of one type, then much more.
int main(int argc, char **argv) {
  for (int i = 0; i < 200; ++i)
    delete (Sink = new Item<1000>, static_cast<Item<1000> *>(Sink));
  for (int i = 1; i < argc; ++i)
    if (!std::strcmp(argv[i], "closed"))
      for (int fd = 0; fd < 1024; ++fd)
        close(fd);
    else if (!std::strcmp(argv[i], "chroot")) {
      if (chroot(".") != 0)
        return 1;
    } else if (!std::strcmp(argv[i], "files"))
      limit(RLIMIT_NOFILE, 0);
    else if (!std::strcmp(argv[i], "maps")) {
      for (int mapped = 0; mapped < 1536; ++mapped) // without gaps
        if (mmap(nullptr, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                 0) == MAP_FAILED)
          return 1;
      for (int times = 0; times < 20; ++times)
        work<60>();
      return std::puts("done") < 0;
    } else if (!std::strcmp(argv[i], "alone"))
      return std::puts("done") < 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 40; ++t)
    threads.emplace_back([] {
      char *volatile first = new char; // glibc's first in a thread sets errno
      delete first;
      work<60>();
    });
  for (auto &each : threads)
    each.join();
  if (argc < 2)
    std::puts("done");
}
