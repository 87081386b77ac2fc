//===- TypeText.cpp - Names of types and blocks in text -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/text/LocationText.h"

#include "report/model/ShownNames.h"

namespace inmem::report {

std::string classText(const Style &S, const TypeResult &T) {
  return printable(S, shownClass(T));
}

std::string typeText(const Style &S, const TypeResult &T) {
  return printable(S, markedType(T));
}

std::string typeText(const Style &S, const TypeRow &R) {
  return std::string(sourceMark(R.Type->Source)) + printable(S, R.name());
}

std::string blocksText(const Style &S, const Profile &P, const SiteResult &R) {
  return printable(S, markedBlocks(P, R));
}

} // namespace inmem::report
