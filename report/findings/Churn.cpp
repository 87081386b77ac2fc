//===- Churn.cpp - Blocks that need not be --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Units.h"
#include "report/findings/RuleFacts.h"
#include "report/findings/Rules.h"
#include "report/model/Blame.h"
#include "report/model/ShownNames.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace inmem::report {

/// Advice against blocks that one site allocates and frees repeatedly. \param C
/// of \p Sites
static std::string adviceForTemporary(const Profile &P,
                                      const std::vector<size_t> &Sites,
                                      const Counts &C) {
  const SiteResult &S = P.Sites[Sites.front()];
  const std::string Name = shownBlocks(P, S);
  const std::optional<bool> Returned = outliveFunction(P, Sites);
  if (isInStd(Name, "string"))
    return !Returned ? "reuse one string, outside of the loop or the caller's, "
                       "or take a std::string_view"
           : *Returned ? "assign to a string of the caller's, or return a "
                         "std::string_view"
                       : "keep the string outside of the loop and assign to "
                         "it, or take a std::string_view";
  if (Name.ends_with(" buffer"))
    return !Returned ? "reuse one container and clear() it, outside of the "
                       "loop or the caller's"
           : *Returned
               ? "fill a container of the caller's, who keeps it and clear()s "
                 "it"
               : "keep the container outside of the loop and clear() it";
  // Large blocks, and blocks of varying size, do not fit a local variable.
  constexpr uint64_t kOnStack = 1024;
  if (C.AllocatedBytes / C.Allocations > kOnStack || S.Sizes.differ())
    return fmt::format("keep one block of {} across calls, and make it larger "
                       "where it is too small",
                       humanBytes(C.AllocatedBytes / C.Allocations));
  if (Returned.value_or(!callersText(P, Sites, &Counts::Allocations).empty()))
    return "let each caller keep it on its stack, or reuse one buffer";
  return "keep it on the stack, or one buffer across calls";
}

/// True if a site makes nodes before it looks up their keys, and frees those
/// whose keys the container has. (`operator[]` looks first, and emplaces with a
/// hint.)
static bool emplacesNodes(const Profile &P, const SiteResult &S) {
  const std::string Name = shownBlocks(P, S);
  if (!Name.ends_with(" node") || Name.find("multi") != std::string::npos)
    return false;
  const auto Emplaces = [](const SourceLocation &At) {
    const std::string By = bareFunction(At.Function);
    return By.find("::__emplace_unique") != std::string::npos ||
           (By.find("::_M_emplace") != std::string::npos &&
            By.find("::_M_emplace_hint") == std::string::npos);
  };
  return Emplaces(S.Where) || std::ranges::any_of(S.Chain, Emplaces);
}

void findTemporaries(FindingList &Out) {
  const Profile &P = Out.P;
  if (!P.TemporaryKnown)
    return;
  constexpr double kMostly = 0.5;
  const auto Mostly = [&](const Counts &C) {
    return C.Allocations > 0 &&
           static_cast<double>(C.Temporary) >=
               kMostly * static_cast<double>(C.Allocations);
  };
  // Blocks of one function and kind usually belong to one variable.
  struct Group : SiteGroup {
    std::set<uint32_t> Lines;
  };
  std::map<std::tuple<size_t, std::string, std::string, std::string, bool>,
           Group>
      All;
  for (size_t I = 0; I < P.Sites.size(); ++I) {
    const SiteResult &S = P.Sites[I];
    const bool Emplaces = S.Sum.Temporary > 0 && emplacesNodes(P, S);
    if (S.Kind == "exception" || !(Emplaces || Mostly(S.Sum)) ||
        Out.isForeign(S))
      continue;
    const SourceLocation &At = locationOf(S);
    Group &G = All[{S.Type, S.Alias, At.Function, At.File, Emplaces}];
    G.add(P, I);
    G.Lines.insert(At.Line);
  }
  for (const auto &[Of, G] : All) {
    const SiteResult &S = P.Sites[G.Sites.front()];
    const Counts &C = G.Sum;
    Finding F = Out.of(RuleId::Temporary, G);
    F.SavesAllocations = C.Temporary;
    F.SavesBytes = static_cast<uint64_t>(static_cast<double>(C.AllocatedBytes) *
                                         static_cast<double>(C.Temporary) /
                                         static_cast<double>(C.Allocations));
    const bool Emplaces = std::get<bool>(Of);
    F.Message =
        fmt::format("{} of {} freed before the thread allocated again",
                    humanCount(C.Temporary),
                    counted(C.Allocations, Emplaces ? "node" : "block"));
    if (Emplaces)
      F.Message += ": emplace() makes one before it looks for the key";
    if (G.Lines.size() > 1)
      F.Message += fmt::format(", at {}", counted(G.Lines.size(), "line"));
    F.Advice = !Emplaces ? adviceForTemporary(P, G.Sites, C)
               : shownBlocks(P, S).find("map<") != std::string::npos
                   ? "try_emplace(), which looks for the key first"
                   : "insert() the key, or look for it first";
    Out.add(std::move(F), G);
  }
}

void findNodes(FindingList &Out) {
  // If fewer than this share of nodes are alive at a time, nodes come and go.
  constexpr double kChurn = 0.5;
  for (const TypeResult &T : Out.P.Types) {
    if (!T.Alias.ends_with(" node"))
      continue;
    for (const SiteGroup &Line : byLine(Out.P, T.Sites)) {
      // The type's peak bounds the nodes of every line.
      const uint64_t Peak =
          std::min(T.PeakLiveBytes.value_or(Line.Sum.AllocatedBytes),
                   Line.Sum.AllocatedBytes);
      if (static_cast<double>(Peak) >
          kChurn * static_cast<double>(Line.Sum.AllocatedBytes))
        continue;
      // A pool requests the bytes alive at the peak, in chunks.
      constexpr uint64_t kChunk = 4096;
      Finding F = Out.of(RuleId::NodeChurn, Line);
      const uint64_t Chunks = Peak / kChunk + 1;
      F.SavesAllocations =
          F.Allocations > Chunks ? F.Allocations - Chunks : uint64_t{0};
      F.SavesBytes = F.Bytes > Peak ? F.Bytes - Peak : 0;
      F.Message = fmt::format("{} one at a time, {} alive at the peak",
                              counted(F.Allocations, "node"), humanBytes(Peak));
      F.Advice = "std::pmr with a pool or monotonic_buffer_resource, or a flat "
                 "container";
      Out.add(std::move(F), Line);
    }
  }
}

void findSplitShared(FindingList &Out) {
  std::vector<size_t> Split;
  for (size_t I = 0; I < Out.P.Sites.size(); ++I) {
    const SiteResult &S = Out.P.Sites[I];
    const std::string &Alias =
        S.Alias.empty() ? Out.P.Types[S.Type].Alias : S.Alias;
    if (S.Sum.Allocations > 0 && Alias.starts_with("std::shared_ptr<") &&
        Alias.ends_with("> control block"))
      Split.push_back(I);
  }
  for (const SiteGroup &Line : byLine(Out.P, Split)) {
    Finding F = Out.of(RuleId::SharedPtrNew, Line);
    constexpr uint64_t kPointer = 8; // The pointer that make_shared omits.
    F.SavesAllocations = F.Allocations;
    F.SavesBytes = kPointer * F.Allocations;
    F.Message =
        fmt::format("{} apart from {}", counted(F.Allocations, "control block"),
                    F.Allocations == 1 ? "its object" : "their objects");
    F.Advice = "std::make_shared puts both into one block";
    Out.add(std::move(F), Line);
  }
}

void findShortStrings(FindingList &Out) {
  constexpr uint64_t kInline = 16, kJustAbove = 32; // with the final NUL
  std::vector<size_t> Short;
  for (size_t I = 0; I < Out.P.Sites.size(); ++I) {
    const SiteResult &S = Out.P.Sites[I];
    if (!isInStd(S.Alias, "string buffer") || S.Sum.Allocations == 0 ||
        Out.isForeign(S))
      continue;
    const uint64_t Mean = S.Sum.AllocatedBytes / S.Sum.Allocations;
    if (Mean > kInline && Mean < kJustAbove)
      Short.push_back(I);
  }
  for (const SiteGroup &Line : byLine(Out.P, Short)) {
    const Counts &C = Line.Sum;
    Finding F = Out.of(RuleId::StringAboveInline, Line);
    F.SavesAllocations = C.Allocations;
    F.SavesBytes = C.AllocatedBytes;
    F.Message = fmt::format(
        "{} with room for {} characters on average, where {} need no block",
        counted(C.Allocations, "string"), C.AllocatedBytes / C.Allocations - 1,
        kInline - 1);
    F.Advice = "shorter keys, std::string_view, or a string with a larger "
               "inline buffer";
    Out.add(std::move(F), Line);
  }
}

/// True if a stack allocates the buffer of a string stream.
static bool fillsAStream(const Profile &P, const StackResult &R) {
  for (auto F = R.Frames.rbegin(); F != R.Frames.rend(); ++F) {
    const StackFrame &Frame = P.Calls.Frames[*F];
    if (!isLibrary(Frame))
      return false;
    const std::string Name = shortFunction(Frame.Where.Function);
    // str() returns a copy, in a separate string.
    if (Name.find("::str(") != std::string::npos || Name.ends_with("::str"))
      return false;
    if (Name.find("stringbuf") != std::string::npos)
      return true;
  }
  return false;
}

void findStreams(FindingList &Out) {
  const Profile &P = Out.P;
  struct Stream {
    size_t Type = 0;
    Counts Sum;
    std::set<size_t> Sites;
  };
  std::map<const SourceLocation *, Stream> ByCaller;
  for (const StackResult &R : P.Calls.Stacks)
    if (fillsAStream(P, R))
      if (const SourceLocation *User = userFrame(P, R)) {
        Stream &S =
            ByCaller.try_emplace(User, Stream{R.Type, {}, {}}).first->second;
        S.Sum.add(R.Sum);
        S.Sites.insert(R.Site);
      }
  for (const auto &[User, S] : ByCaller) {
    constexpr uint64_t kMany = 100;
    if (S.Sum.Allocations < kMany)
      continue;
    Finding F;
    F.Rule = RuleId::StreamInLoop;
    F.Type = S.Type;
    F.Where = *User;
    F.Sites.assign(S.Sites.begin(), S.Sites.end());
    F.Bytes = S.Sum.AllocatedBytes;
    F.Allocations = S.Sum.Allocations;
    // One buffer stays.
    F.SavesAllocations = F.Allocations - 1;
    F.SavesBytes = F.Bytes - F.Bytes / F.Allocations;
    F.Message =
        fmt::format("{} of string streams", counted(F.Allocations, "buffer"));
    F.Advice = "one stream, emptied with str(\"\"); or std::format_to, "
               "std::to_chars";
    Out.add(std::move(F), nullptr);
  }
}

/// The savings are only the blocks of the exceptions. Unwinding costs far more,
/// but no figure contains it (docs/findings.md).
void findExceptions(FindingList &Out) {
  std::vector<size_t> Thrown;
  for (size_t I = 0; I < Out.P.Sites.size(); ++I)
    if (Out.P.Sites[I].Kind == "exception")
      Thrown.push_back(I);
  for (const SiteGroup &Line : byLine(Out.P, Thrown)) {
    constexpr uint64_t kMany = 1000;
    const Counts &C = Line.Sum;
    if (C.Allocations < kMany)
      continue;
    Finding F = Out.of(RuleId::Exceptions, Line);
    F.SavesAllocations = C.Allocations;
    F.SavesBytes = C.AllocatedBytes;
    F.Message = fmt::format("thrown {}", counted(C.Allocations, "time"));
    F.Advice = "report expected failures by return value (std::optional, an "
               "error code)";
    Out.add(std::move(F), Line);
  }
}

} // namespace inmem::report
