// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of two units; with -fdebug-types-section, in separate type units.
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

struct Item {
  int A, B, C;
  virtual ~Item();
};
struct Shared {
  long Values[5];
};
std::vector<Item *> &items();
Item *makeDerived(int A);
Shared *makeShared();
