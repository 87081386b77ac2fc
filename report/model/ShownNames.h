//===- ShownNames.h - Names of types and blocks ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A type has the same name wherever people read it: text, page, check, exports.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_SHOWNNAMES_H
#define INMEM_REPORT_SHOWNNAMES_H

#include "report/model/Profile.h"

namespace inmem::report {

/// Name of memory of unknown type. The only glob that matches it is this very
/// text.
inline constexpr std::string_view kUnknownType = "(unknown type)";

/// "~", which comes before names of types that are not certain; or nothing.
std::string_view sourceMark(trace::TypeSource Source);
/// As shownType() and shownBlocks(), with the mark.
std::string markedType(const TypeResult &T);
std::string markedBlocks(const Profile &P, const SiteResult &S);

/// A type by the name of its blocks: `std::string buffer`, or its simplified
/// spelling.
std::string shownType(const TypeResult &T);

/// As above, but by the name that all its blocks share.
std::string shownOwn(const TypeResult &T);

/// A class by its own name: an alias that a type has from the blocks it is in
/// (`std::vector<Foo> buffer`) says nothing of its objects.
std::string shownClass(const TypeResult &T);

/// Description of a site's blocks: by the object they belong to, or else by
/// their type.
std::string shownBlocks(const Profile &P, const SiteResult &S);

} // namespace inmem::report

#endif
