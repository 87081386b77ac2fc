//===- ProfileOf.h - The profile of one trace -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_REPORT_PROFILEOF_H
#define INMEM_TESTS_REPORT_PROFILEOF_H

#include "report/model/Profile.h"

#include <gtest/gtest.h>

namespace inmem::report {

inline Profile profileOf(const trace::Trace &T, const ProfileOptions &Options) {
  auto P = buildProfile({&T, 1}, Options);
  EXPECT_TRUE(P) << P.status().str();
  return P ? *P : Profile();
}

/// The row of a type, or null.
inline const TypeResult *typeOf(const Profile &P, std::string_view Name) {
  for (const TypeResult &T : P.Types)
    if (T.Name == Name)
      return &T;
  return nullptr;
}

} // namespace inmem::report

#endif
