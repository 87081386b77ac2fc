// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program of docs/howto/three-questions.md: a peak, and small survivors all over it. The page has lines of it.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

static std::vector<std::string> Kept;

int main() {
  std::vector<std::string> All;
  for (int I = 0; I < 100000; ++I)
    All.push_back(std::string(1000, 'a'));
  for (int I = 0; I < 100000; I += 20)
    Kept.push_back(std::move(All[static_cast<size_t>(I)]));
  std::vector<std::string>().swap(All);
  std::fputs("the rest is free\n", stderr); // until then the pages are live
  using namespace std::chrono_literals;
  for (int I = 0; I < 120000; ++I) {
    std::this_thread::sleep_for(1ms);
    Kept.back() = std::string(100, 'b'); // a snapshot is taken at an allocation
  }
}
