// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Members that only the copy constructor reads.
#include <cstdio>
#include <memory>
#include <vector>

class Value {
public:
  explicit Value(long N) : Number(N) {
#ifndef ADVICE
    Start = N;
    Limit = N + 1;
#endif
  }
  Value(const Value &From) : Number(From.Number), Kind(From.Kind) {
#ifndef ADVICE
    Start = From.Start;
    Limit = From.Limit;
#endif
  }
  long sum() const { return Number + Kind; }

private:
  long Number = 0;
  long Kind = 0;
#ifndef ADVICE
  long Start = 0;
  long Limit = 0;
#endif
};

int main() {
  std::vector<std::unique_ptr<Value>> All;
  All.reserve(5000);
  for (long I = 0; I < 2500; ++I) {
    All.push_back(std::make_unique<Value>(I));
    All.push_back(std::make_unique<Value>(*All.back()));
  }
  long Sum = 0;
  for (const auto &Each : All)
    Sum += Each->sum();
  std::printf("%ld\n", Sum);
}
