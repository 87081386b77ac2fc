// Intent: a trace that is cut, removed or renamed while the program runs: the program runs on, what
// was cut is said in one line and never reported as whole; whoever else raises SIGBUS gets what
// they would get without us.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: %python %inputs/cut.py %t.exe %t.work

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

template <int N> struct Item {
  char bytes[16 + N];
};
static thread_local void *volatile Sink;

/// Sites and types that are new to each thread, so that the trace grows.
template <int N> static void work() {
  for (int i = 0; i < 50; ++i) {
    auto *one = new Item<N>;
    Sink = one;
    delete one;
  }
  if constexpr (N > 0)
    work<N - 1>();
}

static void allocateALot() {
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t)
    threads.emplace_back(work<60>);
  for (auto &each : threads)
    each.join();
}

static void onBusError(int) {
  std::puts("handled");
  std::fflush(stdout);
  _exit(7);
}

/// A page of a file that is no longer that long.
static volatile char *lostPage() {
  int fd = open("other", O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, 4096) != 0)
    std::abort();
  auto *page = static_cast<volatile char *>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  if (ftruncate(fd, 0) != 0)
    std::abort();
  return page;
}

int main(int argc, char **argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  for (int i = 0; i < 200; ++i)
    delete (Sink = new Item<1000>, static_cast<Item<1000> *>(Sink));
  if (how == "handler")
    std::signal(SIGBUS, onBusError);
  if (how == "cut" && truncate("trace.inmem", std::atoi(argv[2])) != 0)
    return 1;
  if (how == "remove" && unlink("trace.inmem") != 0)
    return 1;
  if (how == "rename" && rename("trace.inmem", "renamed.inmem") != 0)
    return 1;
  if (how == "while-busy") {
    std::atomic<bool> stop{false};
    std::thread busy([&] {
      while (!stop)
        work<30>();
    });
    allocateALot();
    if (truncate("trace.inmem", 20000) != 0)
      return 1;
    allocateALot();
    stop = true;
    busy.join();
  } else {
    allocateALot();
  }
  if (how == "idle" && truncate("trace.inmem", 20000) != 0)
    return 1;
  if (how == "other" || how == "handler")
    *lostPage() = 1;
  if (how == "sent")
    std::raise(SIGBUS);
  if (how == "child") { // after the loss, a child is as any other
    if (truncate("trace.inmem", 0) != 0)
      return 1;
    allocateALot();
    if (fork() == 0)
      allocateALot();
  }
  std::puts("done");
}
