// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A producer allocates what a consumer frees. (With -DADVICE the consumer hands
// the blocks back, and the producer uses them again.) Run with frees=on.
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

struct Message {
  int Number;
  char Text[60];
};
using Messages = std::vector<std::unique_ptr<Message>>;

static std::mutex Lock;
static std::condition_variable Changed;
static Messages Full, Empty;
constexpr size_t kMost = 50, kRounds = 400;

static void produce() {
  for (size_t Round = 0; Round < kRounds; ++Round) {
    std::unique_lock<std::mutex> Hold(Lock);
    Changed.wait(Hold, [] { return Full.empty(); });
    for (size_t I = 0; I < kMost; ++I) {
      if (Empty.empty())
        Empty.push_back(std::make_unique<Message>());
      Full.push_back(std::move(Empty.back()));
      Empty.pop_back();
    }
    Changed.notify_all();
  }
}

int main() {
  Full.reserve(kMost);
  Empty.reserve(kMost);
  std::thread Producer(produce);
  size_t Sum = 0;
  for (size_t Round = 0; Round < kRounds; ++Round) {
    std::unique_lock<std::mutex> Hold(Lock);
    Changed.wait(Hold, [] { return !Full.empty(); });
    Sum += Full.size();
#ifdef ADVICE
    for (std::unique_ptr<Message> &M : Full)
      Empty.push_back(std::move(M));
#endif
    Full.clear();
    Changed.notify_all();
  }
  Producer.join();
#ifdef ADVICE
  Empty.clear();
#endif
  std::printf("%zu\n", Sum);
}
