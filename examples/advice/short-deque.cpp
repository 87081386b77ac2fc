// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stack of a few elements for each call: a deque takes two blocks for it.
#include <cstdio>
#include <stack>
#include <vector>

static int deepest(const char *Text) {
#ifdef ADVICE
  std::stack<int, std::vector<int>> Open;
#else
  std::stack<int> Open;
#endif
  int Deepest = -1;
  for (int At = 0; Text[At]; ++At)
    if (Text[At] == '(') {
      Open.push(At);
    } else if (!Open.empty()) {
      Deepest = Open.top();
      Open.pop();
    }
  return Deepest;
}

int main() {
  int Sum = 0;
  for (int I = 0; I < 2000; ++I)
    Sum += deepest("()()()");
  std::printf("%d\n", Sum);
}
