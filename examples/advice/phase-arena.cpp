// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A map of which each node is a block, and all of them are gone after a part of
// the run.
#include <cstdio>
#include <map>
#include <memory_resource>
#include <vector>

static long sumOfShuffled(int Count) {
#ifdef ADVICE
  std::pmr::monotonic_buffer_resource Arena;
  std::pmr::map<int, long> Shuffled(&Arena);
#else
  std::map<int, long> Shuffled;
#endif
  for (int I = 0; I < Count; ++I)
    Shuffled[I * 7 % Count] += I;
  long Sum = 0;
  for (const auto &[Key, Value] : Shuffled)
    Sum += Key * Value;
  return Sum;
}

/// The rest of the run.
static long goOn(int Step) {
  std::vector<long> Kept(10000, Step);
  std::vector<long> *volatile Hidden = &Kept; // from the compiler, too
  return Hidden->back();
}

int main() {
  long Sum = sumOfShuffled(8191);
  for (int Step = 0; Step < 40; ++Step)
    Sum += goOn(Step);
  std::printf("%ld\n", Sum);
}
