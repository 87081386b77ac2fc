// Intent: inmem's own threads are never listed as the program's, however often calls that want a single thread restarted them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -std=c++17 -O1 -pthread %s -o %t.exe
// RUN: env INMEM_OPTIONS=output=%t.inmem:periodic=1000 %t.exe
#include <cstdio>
#include <cstdlib>
#include <inmem/threads.h>
#include <sched.h>
#include <thread>

using namespace std::chrono_literals;

int main() {
  void *volatile Block = std::malloc(1);
  std::free(Block);
  inmem::ThreadWatcher::Options Options;
  Options.interval = 10s;
  inmem::ThreadWatcher Watcher(Options);
  Watcher.start();
  for (int I = 0; I < 100; ++I)
    if (unshare(CLONE_THREAD) != 0) // inmem's thread ends before it and starts again after it
      return std::perror("unshare"), 1;
  unsigned Most = 0;
  for (int I = 0; I < 20; ++I) {
    std::this_thread::sleep_for(1ms);
    const auto Threads = Watcher.threads();
    if (Threads.size() > Most) {
      Most = static_cast<unsigned>(Threads.size());
      for (const auto &Each : Threads)
        std::printf("%s\n", Each.name.c_str());
    }
  }
  std::printf("%u threads\n", Most);
  Watcher.stop();
  return Most != 1;
}
