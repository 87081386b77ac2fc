//===- SiteRows.cpp - Sites, as one row for one place ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/SiteRows.h"
#include "report/base/Arithmetic.h"
#include "report/model/LibraryCode.h"
#include "report/names/TypeName.h"

#include "inmem/abi.h"
#include "trace/text/Names.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

namespace {

/// True for a library function between a container and the heap. Only its
/// caller shows why the container needs memory.
bool handsOutMemory(const SourceLocation &P) {
  const std::string Name = bareFunction(P.Function);
  return Name.starts_with("std::") &&
         (Name.ends_with("allocate") || Name.ends_with("allocate_at_least"));
}

} // namespace

/// The name of code without a symbol. addr2line accepts the offset, as in
/// stacks.
static std::string nameOfAddress(const trace::Module &M, uint64_t Offset) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "+0x%llx",
                static_cast<unsigned long long>(Offset));
  const size_t Slash = M.Path.rfind('/');
  return std::string(M.Path.empty() ? "?"
                     : Slash == std::string_view::npos
                         ? M.Path
                         : M.Path.substr(Slash + 1)) +
         Text;
}

SiteResult SiteRows::describeCaller(const Trace &T, const trace::Site &S,
                                    size_t Type) {
  SiteResult R;
  R.Type = Type;
  const trace::Module &M = T.module(S.Module);
  R.Module = std::string(M.Path);
  SourceLocation P;
  P.Function = plain(S.Function);
  P.File = std::string(S.File);
  P.Line = S.Line;
  const std::string Exported = P.Function;
  if (Exported.empty()) {
    R.Chain = inlinedAt(T, S);
  } else if (P.Line == 0 && isUserPath(M.Path)) {
    R.Chain = shownCodeAt(M, minus(S.ModuleOffset, 1));
  }
  if (!R.Chain.empty()) {
    P = R.Chain.front();
    P.Function = Exported.empty() ? R.Chain.back().Function : Exported;
  }
  if (P.Function.empty() && Resolver && !M.Path.empty())
    if (auto Found = Resolver->resolve(M.Path, M.BuildId, M.Base,
                                       minus(S.ModuleOffset, 1))) {
      P = std::move(*Found);
      P.File = std::string(Calls.folders().shown(P.File));
      P.Function = plain(P.Function);
    }
  if (P.Function.empty())
    P.Function = plain(T.address(T.stack(S.Stack).Address).Function);
  if (P.Function.empty())
    P.Function = nameOfAddress(M, minus(S.ModuleOffset, 1));
  if (const std::string_view Hint = hintForPool(P.Function); !Hint.empty())
    Notes.add(T, std::string(Hint));
  // The library's code may have been inlined into the user's.
  const auto Own =
      std::ranges::find_if(R.Chain, isUserPath, &SourceLocation::File);
  if (Own != R.Chain.begin() && Own != R.Chain.end())
    R.Caller = *Own;
  R.Where = P;
  if (R.Chain.empty())
    R.Chain.push_back(std::move(P));
  else
    R.Chain.back().Function = P.Function;
  return R;
}

std::vector<SourceLocation> SiteRows::inlinedAt(const Trace &T,
                                                const trace::Site &S) {
  const trace::Module &M = T.module(S.Module);
  const uint64_t Offset = minus(S.ModuleOffset, 1);
  // The trace may have the source itself, if stacks were recorded.
  const auto &Source = T.address(T.stack(S.Stack).Address).Source;
  if (Source.empty())
    return shownCodeAt(M, Offset);
  std::vector<SourceLocation> Out;
  if (Resolver && !M.Path.empty())
    Out = Resolver->improve(M.Path, M.BuildId, Offset, Source);
  if (Out.empty())
    for (const trace::Frame &F : Source)
      Out.push_back(
          {std::string(F.Function), std::string(F.File), F.Line, F.Column});
  for (SourceLocation &P : Out) {
    P.Function = plain(P.Function);
    P.File = std::string(Calls.folders().shown(P.File));
  }
  return Out;
}

void SiteRows::addCallers(const Trace &T, const trace::Site &S,
                          std::vector<SourceLocation> &To) {
  for (const trace::CallerCall &C : T.callsOf(S)) {
    const trace::Module &M = T.module(C.Module);
    if (M.Path.empty())
      return;
    const std::vector<SourceLocation> &At = codeAt(M, C.Offset);
    if (At.empty())
      return;
    To.insert(To.end(), At.begin(), At.end());
  }
}

const std::vector<SourceLocation> &SiteRows::codeAt(const trace::Module &M,
                                                    uint64_t Offset) {
  std::string Key(M.Path);
  ((Key += '\n') += M.BuildId) += '\n' + std::to_string(Offset);
  const auto [Where, New] = Code.try_emplace(std::move(Key));
  if (New && Resolver && !M.Path.empty()) {
    Where->second = Resolver->expand(M.Path, M.BuildId, Offset);
    for (SourceLocation &P : Where->second)
      P.Function = plain(P.Function);
  }
  return Where->second;
}

std::vector<SourceLocation> SiteRows::shownCodeAt(const trace::Module &M,
                                                  uint64_t Offset) {
  std::vector<SourceLocation> Out = codeAt(M, Offset);
  for (SourceLocation &P : Out)
    P.File = std::string(Calls.folders().shown(P.File));
  return Out;
}

std::vector<SourceLocation> SiteRows::codeOfCall(const Trace &T,
                                                 const trace::CallerCall &C) {
  const trace::Module &M = T.module(C.Module);
  std::vector<SourceLocation> At = shownCodeAt(M, C.Offset);
  if (At.empty() && Resolver && !M.Path.empty())
    if (auto Found = Resolver->resolve(M.Path, M.BuildId, M.Base, C.Offset))
      At.push_back({plain(Found->Function), {}, 0, 0});
  return At;
}

std::string_view SiteRows::resourceOf(const Trace &T, const trace::Site &S) {
  for (const trace::CallerCall &C : T.callsOf(S))
    for (const SourceLocation &P : codeOfCall(T, C))
      if (const std::string_view Chunk = chunkOfResource(P.Function);
          !Chunk.empty())
        return Chunk;
  return {};
}

std::vector<std::string> SiteRows::throughAllocator(const Trace &T,
                                                    const trace::Site &S) {
  std::vector<std::string> Out;
  const auto Way = T.callsOf(S);
  for (const trace::CallerCall &C : Way) {
    for (SourceLocation &P : codeOfCall(T, C)) {
      if (&C == &Way.back() && isUserPath(P.File))
        return Out;
      const bool IsStandard = P.Function.starts_with("std::");
      // Otherwise the library constructs an object, which allocates.
      if (IsStandard && Out.empty() &&
          P.Function.find("allocate") == std::string::npos)
        return Out;
      if (IsStandard)
        Out.push_back(std::move(P.Function));
    }
  }
  return Out;
}

std::optional<SourceLocation> SiteRows::callerOf(const Trace &T,
                                                 const trace::Site &S) {
  if (!S.HasCaller)
    return std::nullopt;
  if (!S.Caller.Function.empty() || !S.Caller.File.empty())
    return SourceLocation{plain(S.Caller.Function), std::string(S.Caller.File),
                          S.Caller.Line, S.Caller.Column};
  const auto Way = T.callsOf(S);
  if (Way.empty())
    return std::nullopt;
  return placeOf(T, Way.back());
}

SourceLocation SiteRows::placeOf(const Trace &T,
                                 const trace::CallerCall &Last) {
  const trace::Module &M = T.module(Last.Module);
  const std::vector<SourceLocation> Chain = shownCodeAt(M, Last.Offset);
  if (const auto Own =
          std::ranges::find_if(Chain, isUserPath, &SourceLocation::File);
      Own != Chain.end())
    return *Own;
  SourceLocation P;
  if (!Chain.empty())
    P.Function = Chain.back().Function;
  if (P.Function.empty() && Resolver && !M.Path.empty())
    if (auto Found = Resolver->resolve(M.Path, M.BuildId, M.Base, Last.Offset))
      P.Function = plain(Found->Function);
  if (P.Function.empty())
    P.Function = nameOfAddress(M, Last.Offset);
  return P;
}

void SiteRows::chooseCaller(const Trace &T, const trace::Site &S, size_t Call,
                            SiteResult &Of) {
  const auto Way = T.callsOf(S);
  if (!S.HasCaller || Call + 1 >= Way.size())
    return;
  Of.Caller = placeOf(T, Way[Call]);
  if (*Of.Caller == Of.Where)
    Of.Caller.reset();
}

SiteResult SiteRows::describe(const Trace &T, const trace::Entry &E,
                              size_t Type) {
  const trace::Site &S = T.site(E.Site);
  SiteResult R;
  if (S.Kind == INMEM_SITE_CALLER) {
    R = describeCaller(T, S, Type);
  } else {
    R.Type = Type;
    R.Chain.push_back(
        {plain(S.Function), std::string(S.File), S.Line, S.Column});
    std::vector<bool> Passed = {(S.Flags & INMEM_SITE_PASSED) != 0};
    for (const trace::Frame &F : T.frames(S)) {
      R.Chain.push_back(
          {plain(F.Function), std::string(F.File), F.Line, F.Column});
      Passed.push_back(F.Passed);
    }
    size_t First = 0;
    while (First < R.Chain.size() &&
           (Passed[First] || !isUserPath(R.Chain[First].File)))
      ++First;
    if (First == R.Chain.size()) // all known frames are skipped
      First = static_cast<size_t>(
          std::ranges::find_if(R.Chain, isUserPath, &SourceLocation::File) -
          R.Chain.begin());
    R.Where = First < R.Chain.size() ? R.Chain[First] : R.Chain.back();
  }
  // A grown block has the call that enlarged it, which may be the site itself.
  if (auto Caller = callerOf(T, S); Caller && *Caller != R.Where)
    R.Caller = std::move(Caller);
  // If the program's allocator is not inlined, its callers show the container.
  const std::vector<std::string> Way = throughAllocator(T, S);
  if (R.Caller && Resolver && (!Way.empty() || handsOutMemory(R.Chain.back())))
    addCallers(T, S, R.Callers);
  R.Kind = std::string(trace::nameOf(trace::kSiteKindNames, S.Kind));
  R.Key = S.Key;
  std::vector<std::string_view> Functions;
  std::string Key;
  for (const SourceLocation &P : R.Chain) {
    Functions.push_back(P.Function);
    (Key += P.Function) += '\n';
  }
  for (const std::string &Function : Way) {
    Functions.push_back(Function);
    (Key += Function) += '\n';
  }
  // Many traces of a program have the same sites.
  const auto [Alias, New] = Aliases.try_emplace(std::move(Key));
  if (New)
    Alias->second = aliasOfSite(Functions);
  R.Alias = Alias->second;
  return R;
}

SiteResult SiteRows::describeBlocks(const Trace &T, const trace::Entry &E,
                                    size_t Type) {
  SiteResult R = describe(T, E, Type);
  if (E.Type == 0)
    R.Chunk = resourceOf(T, T.site(E.Site));
  if (!R.Chunk.empty())
    R.Alias.clear(); // the alias names only one part's container
  return R;
}

size_t SiteRows::of(SiteResult Site) {
  std::string Key = std::to_string(Site.Type) + '\n' + Site.Kind + '\n' +
                    Site.Module + '\n' + Site.Where.Function;
  const bool Caller =
      Site.Kind == trace::nameOf(trace::kSiteKindNames, INMEM_SITE_CALLER);
  // Callers in code without lines differ only by symbol.
  if (!Caller || (Site.Where.Line != 0 && isUserPath(Site.Where.File)))
    Key += '\n' + Site.Where.File + '\n' + std::to_string(Site.Where.Line) +
           '\n' + std::to_string(Site.Where.Column);
  if (Site.Caller)
    Key += "\nfor " + Site.Caller->Function + '\n' + Site.Caller->File + '\n' +
           std::to_string(Site.Caller->Line) + '\n' +
           std::to_string(Site.Caller->Column);
  const auto [Where, New] = Index.try_emplace(Key, Rows.size());
  if (New) {
    Rows.push_back(std::move(Site));
    return Where->second;
  }
  SiteResult &Known = Rows[Where->second];
  if (Known.Where != Site.Where) {
    Known.Where.Line = 0;
    Known.Where.Column = 0;
    Known.Chain = {Known.Where};
  }
  // Keep the common part of the two chains.
  const auto [A, B] = std::mismatch(Known.Chain.begin(), Known.Chain.end(),
                                    Site.Chain.begin(), Site.Chain.end());
  (void)B;
  if (A != Known.Chain.begin())
    Known.Chain.erase(A, Known.Chain.end());
  if (Known.Alias != Site.Alias)
    Known.Alias.clear();
  if (Site.Source > Known.Source) {
    Known.Source = Site.Source;
    Known.FoundBy = Site.FoundBy;
  }
  return Where->second;
}

} // namespace inmem::report
