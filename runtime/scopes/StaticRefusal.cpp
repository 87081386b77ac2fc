//===- StaticRefusal.cpp - Budgets of static executables ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scopes/Scopes.h"

namespace inmem::rt {

// malloc inside operator new: an exception would have to pass through the
// operator.
bool canRefuse(bool, const char *&WhyNot) {
  WhyNot = nullptr;
  return false;
}
void refuse(void *) {}

} // namespace inmem::rt
