// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sixteen threads, each with a cache that keeps each tenth block, and a queue
// of blocks that the next thread frees.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

static std::mutex Lock;
static std::vector<char *> Handed;

static char *filled(size_t Size) {
  return static_cast<char *>(memset(malloc(Size), 1, Size));
}

static void work() {
  std::vector<char *> Large;
  static thread_local std::vector<char *> *Kept = new std::vector<char *>;
  for (int I = 0; I < 8000; ++I) {
    Large.push_back(filled(static_cast<size_t>(100 + I % 13 * 60)));
    if (I % 10 == 0)
      Kept->push_back(filled(56));
    if (I % 50 != 0)
      continue;
    char *Old = nullptr;
    {
      const std::lock_guard<std::mutex> L(Lock);
      if (!Handed.empty()) {
        Old = Handed.back();
        Handed.pop_back();
      }
      Handed.push_back(Large.back());
    }
    Large.pop_back();
    free(Old);
  }
  for (char *B : Large)
    free(B);
}

int main() {
  std::vector<std::thread> All;
  for (int I = 0; I < 16; ++I)
    All.emplace_back(work);
  for (std::thread &T : All)
    T.join();
}
