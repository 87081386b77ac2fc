//===- Match.h - Types and sites by glob ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One matching rule for --type, --site and the keys of budgets.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_REPORT_MATCH_H
#define INMEM_REPORT_MATCH_H

#include "report/base/Words.h"
#include "report/model/Profile.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"

#include <algorithm>

namespace inmem::report {

/// Matches the spelling or the alias.
inline bool matchesType(std::string_view Glob, const TypeResult &Type) {
  if (!Type.Name)
    return Glob == kUnknownType;
  return matchesGlob(Glob, *Type.Name) ||
         (!Type.Alias.empty() && matchesGlob(Glob, Type.Alias)) ||
         // The name that all its blocks have in reports.
         (!Type.BlocksAlias.empty() && matchesGlob(Glob, Type.BlocksAlias));
}

/// Matches the function, with or without parameters, and the file or file:line,
/// with or without folders. It must be cheap, because it is called for each
/// site and limit.
inline bool matchesLocation(std::string_view Glob, const SourceLocation &P) {
  const std::string Line = ':' + std::to_string(P.Line);
  const std::string Name = P.File.substr(P.File.rfind('/') + 1);
  return matchesGlob(Glob, P.Function) ||
         matchesGlob(Glob, bareFunction(P.Function)) ||
         matchesGlob(Glob, P.File) || matchesGlob(Glob, P.File + Line) ||
         matchesGlob(Glob, Name) || matchesGlob(Glob, Name + Line);
}

/// Matches any location of the inlined chain, the user's code that called it,
/// or the module of an uninstrumented caller.
inline bool matchesSite(std::string_view Glob, const SiteResult &Site) {
  return matchesLocation(Glob, Site.Where) || matchesGlob(Glob, Site.Module) ||
         (Site.Caller && matchesLocation(Glob, *Site.Caller)) ||
         std::any_of(
             Site.Chain.begin(), Site.Chain.end(),
             [&](const SourceLocation &P) { return matchesLocation(Glob, P); });
}

/// Matches the name, or the tid or index. \p Known is null for a thread without
/// a record.
inline bool matchesThread(std::string_view Glob, uint32_t Index,
                          const trace::Thread *Known) {
  return Glob == std::to_string(Index) ||
         (Known && (Glob == std::to_string(Known->Tid) ||
                    matchesGlob(Glob, Known->Name)));
}

} // namespace inmem::report

#endif
