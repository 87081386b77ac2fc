//===- UserLocations.cpp - The caller of library code ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/LibraryCode.h"

#include "report/model/Blame.h"
#include "report/names/TypeName.h"

namespace inmem::report {

const SourceLocation *userFrame(const Profile &P, const StackResult &R) {
  const auto F = innermostThatMatters(P, R.Frames, {});
  return F && !isLibrary(P.Calls.Frames[*F]) ? &P.Calls.Frames[*F].Where
                                             : nullptr;
}

bool isInLibrary(const SiteResult &S) {
  if (!S.Where.File.empty())
    return isSystemPath(S.Where.File);
  StackFrame F;
  F.Where = S.Where;
  F.Module = S.Module.substr(S.Module.rfind('/') + 1);
  return isLibrary(F);
}

} // namespace inmem::report
