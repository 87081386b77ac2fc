// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "types.h"

struct Derived : Item {
  std::string Name;
};
Item *makeDerived(int A) {
  auto *D = new Derived;
  D->A = A;
  return D;
}
Shared *makeShared() {
  auto *S = static_cast<Shared *>(malloc(sizeof(Shared)));
  S->Values[0] = 1;
  return S;
}
