//===- Typing.cpp - Rules that found types, and doubtful ones -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Typing.h"
#include "report/model/Match.h"
#include "report/names/TypeName.h"

#include "inmem/abi.h"
#include "trace/text/Names.h"

namespace inmem::report {

using trace::Trace;

namespace {

/// Stands for a rule in code without instrumentation.
constexpr uint32_t kCallerRule = ~0u;
/// Added to a trace::FoundRule.
constexpr uint32_t kFoundRules = 1u << 16;

std::string nameOfRule(uint32_t Rule) {
  if (Rule == kCallerRule)
    return "caller";
  return std::string(Rule >= kFoundRules
                         ? nameOf(trace::kFoundRuleNames, Rule - kFoundRules)
                         : nameOf(trace::kTypeRuleNames, Rule));
}

std::string_view fileName(std::string_view Path) {
  return Path.substr(Path.rfind('/') + 1);
}

} // namespace

/// Gives a site without a type the one that a std::pmr resource requested, that
/// the user named, or that a library function is known to allocate. \returns
/// false if none is known
bool Typing::assume(SiteResult &Site) {
  if (!Site.Chunk.empty()) {
    Site.Type = Types.named(std::string(Site.Chunk), 0);
    Site.Source = trace::TypeSource::Certain;
    return true;
  }
  if (Site.Module.empty())
    return false;
  const std::string_view File = fileName(Site.Module);
  if (const auto Known = typeInLibrary(File, Site.Where.Function)) {
    Site.Type = Types.named(std::string(Known->Name), Known->Size);
    Site.Source = trace::TypeSource::Certain;
    return true;
  }
  for (const Assumption &A : Options.Assumptions) {
    const std::string &Function = Site.Where.Function;
    if ((!matchesGlob(A.Module, File) && !matchesGlob(A.Module + ".*", File)) ||
        (!matchesGlob(A.Function, Function) &&
         !matchesGlob(A.Function, Function.substr(0, Function.find('(')))))
      continue;
    Site.Type = Types.named(A.Type, 0);
    Site.Source = trace::TypeSource::Symbol;
    return true;
  }
  return false;
}

const trace::SiteType &Typing::foundFor(const Trace &T, const trace::Entry &E) {
  const std::pair For(&T, uint64_t{E.Site} << 32 | E.Type);
  if (Found && FoundFor == For)
    return *Found;
  FoundFor = For;
  Found.emplace();
  if (const auto Known = T.FoundTypes.find(E.Site);
      Known != T.FoundTypes.end()) {
    const trace::FoundType &F = Known->second;
    *Found = {std::string(F.Name), F.Size,
              static_cast<trace::TypeSource>(F.Source),
              static_cast<trace::FoundRule>(F.Rule), F.Passed};
  } else if (Options.Resolver) {
    *Found = Options.Resolver->typeOf(T, E).value_or(trace::SiteType());
  }
  return *Found;
}

/// Assigns the inferred type to a site without instrumentation.
void Typing::find(const Trace &T, const trace::Entry &E, SiteResult &Site) {
  const trace::SiteType &By = foundFor(T, E);
  const bool Exact = By.Source == trace::TypeSource::Certain;
  if (By.Name.empty() || (Options.ExactTypes && !Exact))
    return;
  // The layout of a type that may be another is not used.
  Site.Type = Types.named(By.Name, Exact ? By.Size : 0);
  Site.Source = By.Source;
  Site.FoundBy = By.Rule;
  if (Site.Alias.empty() || By.Source != trace::TypeSource::Certain)
    return;
  std::vector<std::string_view> Functions;
  Functions.reserve(Site.Chain.size());
  for (const SourceLocation &P : Site.Chain)
    Functions.push_back(P.Function);
  if (std::string Alias = aliasOfSite(Functions, By.Name); !Alias.empty())
    Site.Alias = std::move(Alias);
}

/// Counts by which rule the type was found, and how doubtful it is. \returns
/// false if blocks of the site are too small for its type
bool Typing::examine(const Trace &T, const trace::Entry &E,
                     const SiteResult &Site, const Counts &C) {
  const trace::Site &S = T.site(E.Site);
  // A caller has no separate rule, whatever the block was before.
  if (S.Kind != INMEM_SITE_CALLER)
    Rules[E.Type == 0 ? uint32_t{INMEM_RULE_NONE} : S.Rule].add(C);
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
  else if (E.Type != 0)
    Site.Source = trace::TypeSource::Compiler;
  else if (!assume(Site) && T.site(E.Site).Kind == INMEM_SITE_CALLER)
    find(T, E, Site);
  if (T.site(E.Site).Kind == INMEM_SITE_CALLER)
    Rules[Site.FoundBy == trace::FoundRule::None
              ? kCallerRule
              : kFoundRules + static_cast<uint32_t>(Site.FoundBy)]
        .add(C);
  TypeResult &Row = Out.Types[Site.Type];
  if (Row.Name)
    Row.Source = std::max(Row.Source, Site.Source);
  if (Site.Type != Recorded)
    Retyped[Recorded], Retyped[Site.Type].insert(Recorded);
  return Site.Type;
}

void Typing::finish() {
  for (const auto &[Rule, Sum] : Rules)
    Out.Rules.push_back(
        {nameOfRule(Rule), Sum.Allocations, Sum.AllocatedBytes});
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
