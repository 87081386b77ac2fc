// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <string>
#include <vector>

namespace app {
struct Node {
  char Kind;
  double Value;
  char Flag;
  Node *Next;
};

[[gnu::noinline]] std::vector<int> grown(int N) {
  std::vector<int> Out;
  for (int I = 0; I < N; ++I)
    Out.push_back(I);
  return Out;
}

[[gnu::noinline]] Node *made() {
  return new Node;
}
} // namespace app

int main(int Count, char **) {
  size_t Sum = 0;
  for (int I = 0; I < 300; ++I)
    Sum += app::grown(100).size();
  /* 😀 */ app::Node *First = app::made(); app::Node *Other = new app::Node;
  First->Next = Other;
  Other->Next = First;
  for (int I = 1; I < Count; ++I)
    Sum += app::grown(100).size();
  std::free(std::malloc(64));
  return Sum > 0 && First->Next->Next == First ? 0 : 1;
}
