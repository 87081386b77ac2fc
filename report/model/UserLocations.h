//===- UserLocations.h - The caller of library code -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_USERLOCATIONS_H
#define INMEM_REPORT_USERLOCATIONS_H

#include "report/model/Profile.h"

namespace inmem::report {

/// The innermost frame in the user's code; null: there is none.
const SourceLocation *userFrame(const Profile &P, const StackResult &R);

/// True if a site's own place is in the C or C++ library, which allocates on
/// behalf of others.
bool isInLibrary(const SiteResult &S);

/// True if it is, and for whom is not known.
inline bool isCallerUnknown(const SiteResult &S) {
  return !S.Caller && isInLibrary(S);
}

/// The location to show to a reader: the caller's if it is known, else the
/// site's own. Valid as long as the site.
inline const SourceLocation &locationOf(const SiteResult &S) {
  return S.Caller ? *S.Caller : S.Where;
}

} // namespace inmem::report

#endif
