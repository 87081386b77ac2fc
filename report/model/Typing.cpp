//===- Typing.cpp - Rules that found types, and doubtful ones -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Typing.h"
#include "report/model/Match.h"
#include "report/names/TypeName.h"

#include "inmem/abi.h"
#include "trace/Names.h"

namespace inmem::report {

using trace::Trace;

namespace {

/// In the place of a rule: code without instrumentation.
constexpr uint32_t kCallerRule = ~0u;

std::string_view fileName(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

} // namespace

/// The type that the user named for a site without instrumentation, or the
/// row that it has.
size_t Typing::assumed(const SiteResult &Site) {
  if (Site.Module.empty())
    return Site.Type;
  const std::string_view File = fileName(Site.Module);
  if (const auto Known = typeInLibrary(File, Site.Where.Function))
    return Types.named(std::string(Known->Name), Known->Size);
  for (const Assumption &A : Options.Assumptions) {
    const std::string &Function = Site.Where.Function;
    if ((!matchesGlob(A.Module, File) && !matchesGlob(A.Module + ".*", File)) ||
        (!matchesGlob(A.Function, Function) &&
         !matchesGlob(A.Function, Function.substr(0, Function.find('(')))))
      continue;
    return Types.named(A.Type, 0);
  }
  return Site.Type;
}

/// Counts how the type was found, and in what doubt it is.
/// \returns false if blocks of the site are too small for its type.
bool Typing::examine(const Trace &T, const trace::Entry &E,
                     const SiteResult &Site, const Counts &C) {
  const trace::Site &S = T.site(E.Site);
  // A caller has no rule of its own, whatever the block was before.
  Counts &Sum = Rules[S.Kind == INMEM_SITE_CALLER ? kCallerRule
                      : E.Type == 0               ? uint32_t{INMEM_RULE_NONE}
                                                  : S.Rule];
  Sum.add(C);
  const auto Doubt = [&](DoubtResult::Kind What) {
    const trace::Type &Type = T.type(E.Type);
    DoubtResult D{What, Site, std::string(Type.Name), Type.Size};
    D.Site.Sum = C;
    Out.Doubts.push_back(std::move(D));
  };
  if (S.Flags & INMEM_SITE_DISAGREE)
    Doubt(DoubtResult::Kind::Disagree);
  if (S.Flags & INMEM_SITE_TOO_SMALL)
    Doubt(DoubtResult::Kind::TooSmall);
  const trace::Type &Type = T.type(E.Type);
  if (E.Type == 0 || !S.isConcluded() || Type.Size < 2)
    return true;
  // A struct may end in an array of any length.
  const std::vector<trace::Field> Fields = T.fields(Type);
  const auto Last = std::max_element(
      Fields.begin(), Fields.end(),
      [](const auto &A, const auto &B) { return A.Offset < B.Offset; });
  const bool Open = Last != Fields.end() && Last->Kind == INMEM_FIELD_ARRAY;
  const uint64_t Least = Open ? Last->Offset : Type.Size;
  if (Least > 0 && E.Totals.Bytes / Least < E.Totals.Allocations) {
    Doubt(DoubtResult::Kind::TooSmall);
    Out.Doubts.back().Type.clear();
    return false;
  }
  if (!Open && !(S.Flags & INMEM_SITE_EXTRA) && E.Totals.Bytes % Type.Size != 0)
    Doubt(DoubtResult::Kind::Remainder);
  return true;
}

size_t Typing::decide(const Trace &T, const trace::Entry &E, SiteResult &Site,
                      const Counts &C) {
  const size_t Recorded = Site.Type;
  if (!examine(T, E, Site, C))
    Site.Type = Types.of(T, 0);
  else if (E.Type == 0)
    Site.Type = assumed(Site);
  if (Site.Type != Recorded)
    Retyped[Recorded], Retyped[Site.Type].insert(Recorded);
  return Site.Type;
}

void Typing::finish() {
  for (const auto &[Rule, Sum] : Rules)
    Out.Rules.push_back(
        {Rule == kCallerRule
             ? "caller"
             : std::string(trace::nameOf(trace::kTypeRuleNames, Rule)),
         Sum.Allocations, Sum.AllocatedBytes});
  const auto Key = [](const DoubtResult &D) {
    const SourceLocation &At = D.Site.Where;
    return std::tuple(~D.Site.Sum.AllocatedBytes, At.File, At.Line, At.Column,
                      D.Site.Key, D.What);
  };
  std::sort(Out.Doubts.begin(), Out.Doubts.end(),
            [&](const auto &A, const auto &B) { return Key(A) < Key(B); });
}

std::string_view nameOf(DoubtResult::Kind What) {
  switch (What) {
  case DoubtResult::Kind::Disagree:
    return "disagree";
  case DoubtResult::Kind::TooSmall:
    return "too-small";
  case DoubtResult::Kind::Remainder:
    return "remainder";
  }
  return "";
}

} // namespace inmem::report
