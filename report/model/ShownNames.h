//===- ShownNames.h - Names of types and blocks ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A type has the same name in all output for people: text, page, check,
// exports.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_SHOWNNAMES_H
#define INMEM_REPORT_SHOWNNAMES_H

#include "report/model/Profile.h"

namespace inmem::report {

/// Name of memory of unknown type. Only a glob with exactly this text matches
/// it.
inline constexpr std::string_view kUnknownType = "(unknown type)";

/// "~" for names of types that are not certain; empty otherwise.
std::string_view sourceMark(trace::TypeSource Source);
/// As shownType() and shownBlocks(), with the mark.
std::string markedType(const TypeResult &T);
std::string markedBlocks(const Profile &P, const SiteResult &S);

/// A type by the name of its blocks: `std::string buffer`, or its simplified
/// spelling.
std::string shownType(const TypeResult &T);

/// As above, but with the name that all its blocks share.
std::string shownOwn(const TypeResult &T);

/// The name of a class. An alias that a type has from the blocks it is in
/// (`std::vector<Foo> buffer`) does not describe its objects.
std::string shownClass(const TypeResult &T);

/// Description of a site's blocks: the object they belong to or, without one,
/// their type.
std::string shownBlocks(const Profile &P, const SiteResult &S);

} // namespace inmem::report

#endif
