// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache that forgets nothing: 20 answers in each millisecond. (With -DADVICE
// it keeps the last hundred.) Run with periodic=0.02.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <list>
#include <thread>

struct Answer {
  long Of;
  char Text[120];
};

int main() {
  using namespace std::chrono;
  const auto Start = steady_clock::now();
  std::list<Answer> Cache;
  for (long Next = 0, Due = 0; Due < 14000;) {
    const long Passed =
        duration_cast<milliseconds>(steady_clock::now() - Start).count();
    Due = std::min(20 * Passed, 14000L);
    for (; Next < Due; ++Next)
      Cache.push_front({Next, {}});
#ifdef ADVICE
    while (Cache.size() > 100)
      Cache.pop_back();
#endif
    std::this_thread::sleep_for(milliseconds(1));
  }
  std::puts(Cache.empty() ? "empty" : "full");
}
