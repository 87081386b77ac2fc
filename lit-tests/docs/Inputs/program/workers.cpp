// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread that allocates 1.3 MiB, waits, and allocates as much again.
#include <chrono>
#include <pthread.h>
#include <thread>
#include <vector>

static std::vector<char> Last;

static void work() {
  for (int I = 0; I < 1300; ++I)
    Last = std::vector<char>(1024);
}

void *serve(void *) {
  pthread_setname_np(pthread_self(), "worker");
  work();
  std::this_thread::sleep_for(std::chrono::milliseconds(1800));
  work();
  return nullptr;
}

int main() {
  pthread_t Worker;
  pthread_create(&Worker, nullptr, serve, nullptr);
  pthread_join(Worker, nullptr);
}
