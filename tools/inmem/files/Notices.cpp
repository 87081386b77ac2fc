//===- Notices.cpp - Notices that a reader should see first ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/Inputs.h"

#include "report/base/Words.h"
#include "report/model/Match.h"
#include "report/model/Phases.h"
#include "trace/format/ImportedFlags.h"

#include <algorithm>
#include <cctype>

namespace inmem::tools {

using namespace report;

/// Counts runs: the processes of one run overlap in time, and runs of one
/// program do not.
static size_t countRuns(const std::vector<trace::Trace> &Traces) {
  std::vector<std::pair<uint64_t, uint64_t>> Times;
  for (const trace::Trace &T : Traces)
    if (T.Header.StartUnixNs != 0)
      Times.emplace_back(T.Header.StartUnixNs,
                         T.Header.StartUnixNs + durationOf(T.Header));
  std::ranges::sort(Times);
  size_t Runs = 0;
  uint64_t End = 0;
  for (const auto &[From, To] : Times) {
    Runs += From > End ? 1 : 0;
    End = std::max(End, To);
  }
  return Runs;
}

/// True if blocks were recorded, all of unknown type, and no program was
/// compiled with inmem.
static bool lacksTypes(const std::vector<trace::Trace> &Traces) {
  constexpr uint32_t kKnown =
      uint32_t{trace::kFlagInstrumented} | uint32_t{trace::kFlagImported};
  const auto Any = [&](auto Has) { return std::ranges::any_of(Traces, Has); };
  return Any([](const trace::Trace &T) { return T.Rows.size() > 0; }) &&
         !Any([](const trace::Trace &T) {
           return T.Types.size() > 1 || (T.Header.Flags & kKnown) != 0;
         });
}

static std::string lowered(std::string_view Text) {
  std::string Out(Text);
  std::ranges::transform(Out, Out.begin(),
                         [](unsigned char C) { return std::tolower(C); });
  return Out;
}

/// Suggests a glob that matches one of the names: a name that contains the
/// user's text, or one with a similar spelling.
static std::string meantBy(const std::string &Glob,
                           const std::vector<std::string> &Names) {
  std::string Typed = lowered(Glob);
  std::erase_if(Typed, [](char C) { return C == '*' || C == '?'; });
  constexpr size_t kTelling = 3; // shorter text is part of too many names
  for (const std::string &Name : Names)
    if (Typed.size() >= kTelling &&
        lowered(Name).find(Typed) != std::string::npos)
      return "; did you mean '" + Name + "'?";
  return didYouMean(Glob, Names);
}

/// Adds notes on globs that match nothing in \p All, the unfiltered profile.
static void noteUnmatched(const ProfileOptions &Built, const Profile &All,
                          Profile &P) {
  const auto Note = [&](const char *Option, const std::string &Glob,
                        const char *What, const std::string &Meant) {
    P.Notes.push_back(std::string(Option) + " '" + Glob + "' matches no " +
                      What + Meant);
  };
  for (const std::string &Glob : Built.TypeGlobs) {
    const auto Matches = [&](const auto &T) { return matchesType(Glob, T); };
    const auto OfSite = [&](const SiteResult &S) {
      return matchesGlob(Glob, S.Alias);
    };
    if (std::ranges::any_of(All.Types, Matches) ||
        std::ranges::any_of(All.Sites, OfSite))
      continue;
    std::vector<std::string> Names;
    for (const TypeResult &T : All.Types)
      if (T.Name)
        Names.push_back(T.Alias.empty() ? *T.Name : T.Alias);
    Note("--type", Glob, "type", meantBy(Glob, Names));
  }
  for (const std::string &Glob : Built.SiteGlobs) {
    const auto Matches = [&](const auto &S) { return matchesSite(Glob, S); };
    if (std::ranges::any_of(All.Sites, Matches))
      continue;
    std::vector<std::string> Names;
    for (const SiteResult &S : All.Sites) {
      Names.push_back(std::string(bareFunction(S.Where.Function)));
      Names.push_back(S.Where.File.substr(S.Where.File.rfind('/') + 1));
    }
    Note("--site", Glob, "site", meantBy(Glob, Names));
  }
}

void addNotices(const std::vector<trace::Trace> &Traces,
                const ProfileOptions &Built, Profile &P) {
  if (const size_t Runs = countRuns(Traces); Runs > 1)
    P.Notes.push_back(std::to_string(Runs) +
                      " runs are added up; name one trace for one run");
  const auto IsFound = [](const SiteResult &S) {
    return S.FoundBy != trace::FoundRule::None;
  };
  if (lacksTypes(Traces) && std::ranges::none_of(P.Sites, IsFound))
    P.Notes.push_back("no type is known: the program was not compiled with "
                      "inmem (compile and link it with inmem-clang++)");
  if (!Built.ThreadGlobs.empty() && P.Threads.empty())
    P.Notes.push_back("--thread matches no thread; --by thread lists them");
  const auto Lacks = [](const auto &Globs, const auto &Rows, auto Matches) {
    return std::ranges::any_of(Globs, [&](const std::string &Glob) {
      return std::ranges::none_of(
          Rows, [&](const auto &Row) { return Matches(Glob, Row); });
    });
  };
  if (!Lacks(Built.TypeGlobs, P.Types, matchesType) &&
      !Lacks(Built.SiteGlobs, P.Sites, matchesSite))
    return;
  // The filtered rows do not show which of several globs matches nothing.
  ProfileOptions Whole;
  Whole.Resolver = Built.Resolver;
  if (const auto All = buildProfile(Traces, Whole))
    noteUnmatched(Built, *All, P);
}

} // namespace inmem::tools
