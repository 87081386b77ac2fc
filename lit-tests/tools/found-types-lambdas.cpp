// Intent: types of lambdas that are found without recompiling have one name, whatever compiled the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// DEFINE: %{check} = %expect %t.json \
// DEFINE:   'sorted((t.type.rpartition("/")[2], t.allocations) for t in report.types if (t.type or "").startswith("(lambda")) == [("found-types-lambdas.cpp:20)", 1), ("found-types-lambdas.cpp:22)", 3)]'
// RUN: g++ -O2 -g %s -o %t.gcc && %inmem run -q --trace %t.inmem -- %t.gcc && %inmem report --format json %t.inmem > %t.json
// RUN: %{check}
// RUN: %clangxx -O2 -g %s -o %t.clang && %inmem run -q --trace %t.inmem -- %t.clang && %inmem report --format json %t.inmem > %t.json
// RUN: %{check}
#include <functional>
#include <vector>

struct Big {
  long Words[8];
};

int main() {
  Big B{};
  std::vector<std::function<long()>> All;
  All.reserve(4);
  All.push_back([B] { return B.Words[0]; });
  for (int I = 0; I < 3; ++I)
    All.push_back([B, I] { return B.Words[I]; });
  long Sum = 0;
  for (const auto &Each : All)
    Sum += Each();
  return Sum != 0;
}
