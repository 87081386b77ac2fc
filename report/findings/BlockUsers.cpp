//===- BlockUsers.cpp - Which code a function allocates for ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/RuleFacts.h"

#include "report/base/Units.h"
#include "report/model/Blame.h"
#include "report/model/LibraryCode.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace inmem::report {

namespace {

/// The nearest function of the program above \p Function.
const SourceLocation *callerIn(const Profile &P, const StackResult &R,
                               const std::string &Function) {
  for (auto F = R.Frames.rbegin(); F != R.Frames.rend(); ++F) {
    const StackFrame &Frame = P.Calls.Frames[*F];
    if (isCode(Frame) && !isLibrary(Frame) && Frame.Where.Function != Function)
      return &Frame.Where;
  }
  return nullptr;
}

/// As above, among the calls that were inlined.
const SourceLocation *callerIn(const SiteResult &S) {
  for (const SourceLocation &At : S.Chain)
    if (isUserPath(At.File) && At.Function != S.Where.Function)
      return &At;
  return nullptr;
}

} // namespace

std::string callersText(const Profile &P, std::span<const size_t> Sites,
                        uint64_t Counts::*Blocks) {
  std::map<std::string, uint64_t> ByCaller;
  std::map<size_t, bool> Own; // by site: whether no stack has a caller
  uint64_t All = 0;
  for (const size_t I : Sites) {
    const SiteResult &S = P.Sites[I];
    All += S.Sum.*Blocks;
    // The program called the library, and its line is the finding's.
    if (!S.Caller && S.Kind != "allocator" && !isInLibrary(S))
      Own.emplace(I, true);
  }
  for (const StackResult &R : P.Calls.Stacks) {
    const auto At = Own.find(R.Site);
    if (At == Own.end())
      continue;
    if (const SourceLocation *Caller =
            callerIn(P, R, P.Sites[R.Site].Where.Function)) {
      ByCaller[shortFunction(Caller->Function)] += R.Sum.*Blocks;
      At->second = false;
    }
  }
  for (const auto &[I, NoStack] : Own)
    if (const SourceLocation *Caller = NoStack ? callerIn(P.Sites[I]) : nullptr)
      ByCaller[shortFunction(Caller->Function)] += P.Sites[I].Sum.*Blocks;
  std::erase_if(ByCaller, [](const auto &Of) { return Of.second == 0; });
  uint64_t Known = 0;
  for (const auto &[Caller, Of] : ByCaller)
    Known += Of;
  if (ByCaller.size() < 2 || Known < All / 2)
    return {};
  std::vector<std::pair<std::string, uint64_t>> Most(ByCaller.begin(),
                                                     ByCaller.end());
  std::ranges::stable_sort(Most, std::greater{},
                           &std::pair<std::string, uint64_t>::second);
  constexpr size_t kNamed = 3;
  std::string Out = "; for ";
  for (size_t I = 0; I < Most.size() && I < kNamed; ++I)
    Out += fmt::format("{}{} {}", I == 0 ? "" : ", ", Most[I].first,
                       humanShare(Most[I].second, All));
  if (Most.size() > kNamed)
    Out += fmt::format(" and {} more", Most.size() - kNamed);
  return Out;
}

std::optional<bool> outliveFunction(const Profile &P,
                                    std::span<const size_t> Sites) {
  std::optional<bool> Out;
  for (const FreeResult &R : P.Frees) {
    if (std::ranges::find(Sites, R.Site) == Sites.end())
      continue;
    StackResult Freeing;
    Freeing.Frames = R.Freeing;
    const SourceLocation *By = userFrame(P, Freeing);
    if (!By)
      return std::nullopt;
    const bool Elsewhere = By->Function != locationOf(P.Sites[R.Site]).Function;
    if (Out && *Out != Elsewhere)
      return std::nullopt;
    Out = Elsewhere;
  }
  return Out;
}

} // namespace inmem::report
