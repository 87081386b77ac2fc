// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.h"

struct OnlyHere {
  long Values[7];
};
Item::~Item() = default;
std::vector<Item *> &items() {
  static std::vector<Item *> Items;
  return Items;
}
static Shared *volatile Kept;
static OnlyHere *volatile Own;

int main() {
  for (int I = 0; I < 10; ++I)
    items().push_back(makeDerived(I));
  for (int I = 0; I < 5; ++I)
    Kept = new Shared;
  for (int I = 0; I < 3; ++I)
    Kept = makeShared();
  Own = new OnlyHere;
  std::map<int, Shared> Map;
  Map[3].Values[0] = 1;
  return Map.empty();
}
