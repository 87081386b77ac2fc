//===- UserPlaces.h - Who called the library code that allocated ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_USERPLACES_H
#define INMEM_REPORT_USERPLACES_H

#include "report/model/Profile.h"

#include <map>
#include <utility>

namespace inmem::report {

/// The innermost frame in the user's code; null: there is none.
const Place *userFrame(const Profile &P, const StackResult &R);

/// The nearest places in the user's code: of a site's inlined chain, else of
/// the stack through it that allocated the most bytes (stacks=N). Looks at all
/// stacks once.
class UserPlaces {
public:
  explicit UserPlaces(const Profile &P);

  /// Null: all that is known of the site is inside a library. Valid as long as
  /// the profile.
  const Place *of(const SiteResult &S) const;

private:
  /// By type, and function that allocates.
  std::map<std::pair<size_t, std::string_view>, const Place *> Callers;
};

} // namespace inmem::report

#endif
