//===- Selection.cpp - Rows that the options select -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Match.h"
#include "report/model/View.h"

#include <algorithm>

namespace inmem::report {

bool selects(const ProfileOptions &Options, const TypeResult &Type) {
  return Options.TypeGlobs.empty() ||
         std::any_of(
             Options.TypeGlobs.begin(), Options.TypeGlobs.end(),
             [&](const std::string &G) { return matchesType(G, Type); });
}

bool selects(const ProfileOptions &Options, const TypeResult &Type,
             const SiteResult &Site) {
  const auto Any = [](const std::vector<std::string> &Globs, auto Matches) {
    return std::any_of(Globs.begin(), Globs.end(), Matches);
  };
  const bool ByAlias = Type.Name && !Site.Alias.empty() &&
                       Any(Options.TypeGlobs, [&](const std::string &G) {
                         return matchesGlob(G, Site.Alias);
                       });
  return (ByAlias || selects(Options, Type)) &&
         (Options.SiteGlobs.empty() ||
          Any(Options.SiteGlobs,
              [&](const std::string &G) { return matchesSite(G, Site); }));
}

bool selectsThread(const ProfileOptions &Options, const trace::Trace &T,
                   uint32_t Index) {
  const auto Known = T.Threads.find(Index);
  return std::any_of(Options.ThreadGlobs.begin(), Options.ThreadGlobs.end(),
                     [&](const std::string &Glob) {
                       return matchesThread(
                           Glob, Index,
                           Known == T.Threads.end() ? nullptr : &Known->second);
                     });
}

bool selectsThread(const ProfileOptions &Options,
                   const trace::LivedThread &Thread) {
  trace::Thread Known;
  Known.Tid = Thread.Tid;
  Known.Name = Thread.Name;
  return std::any_of(Options.ThreadGlobs.begin(), Options.ThreadGlobs.end(),
                     [&](const std::string &Glob) {
                       return matchesThread(Glob, Thread.Index, &Known);
                     });
}

} // namespace inmem::report
