// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "names.h"
#include <functional>

static void *volatile Sink;
namespace { struct Hidden { int n[5]; }; }
void other_unit() {
  Sink = new Shared;
  Sink = new Pair<int, Shared>;
  Sink = new Hidden;
}
std::function<int()> from_other_unit() {
  int c[7] = {3};
  return [c] { return c[0]; };
}
