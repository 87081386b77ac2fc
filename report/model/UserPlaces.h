//===- UserPlaces.h - Who called the library code that allocated ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_USERPLACES_H
#define INMEM_REPORT_USERPLACES_H

#include "report/model/Profile.h"

namespace inmem::report {

/// The innermost frame in the user's code; null: there is none.
const Place *userFrame(const Profile &P, const StackResult &R);

/// Whether a site's own place is in the C or C++ library, which allocates on
/// behalf of others.
bool isInLibrary(const SiteResult &S);

/// Whether it is, and for whom is not known.
inline bool isCallerUnknown(const SiteResult &S) {
  return !S.Caller && isInLibrary(S);
}

/// What a reader looks for: the caller's place if it is known, else the site's
/// own. Valid as long as the site.
inline const Place &placeOf(const SiteResult &S) {
  return S.Caller ? *S.Caller : S.Where;
}

} // namespace inmem::report

#endif
