//===- Blame.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Blame.h"

#include "report/model/View.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <map>
#include <set>

namespace inmem::report {

namespace {

/// The facts about a frame that blame needs.
struct Party {
  Relevance Matters = Relevance::None;
  std::string Class, Method;
};

bool startsWithAny(std::string_view Name,
                   const std::vector<std::string> &Prefixes) {
  return std::any_of(Prefixes.begin(), Prefixes.end(),
                     [&](const std::string &P) { return Name.starts_with(P); });
}

/// \param Named whether to find class and method, too
Party partyOf(const StackFrame &F, const BlameOptions &Options, bool Named) {
  Party Out;
  if (!isCode(F))
    return Out;
  if (!Options.chosen() && !Named) { // names are expensive
    Out.Matters = isLibrary(F) ? Relevance::Library : Relevance::Full;
    return Out;
  }
  Out.Method = shortFunction(F.Where.Function);
  Out.Class = scopeOf(Out.Method);
  if (Out.Class.empty())
    Out.Class = Out.Method;
  if (startsWithAny(Out.Method, Options.Ignore))
    return Out;
  if (!Options.Target.empty())
    Out.Matters = startsWithAny(Out.Method, Options.Target) ? Relevance::Full
                                                            : Relevance::None;
  else
    Out.Matters = Options.PassLibrary && isLibrary(F) ? Relevance::Library
                                                      : Relevance::Full;
  return Out;
}

void share(BlameShare &To, const Counts &C, bool Direct) {
  To.Blocks += C.Allocations;
  To.Bytes += C.AllocatedBytes;
  To.LiveBytes += C.LiveBytes;
  if (Direct) {
    To.DirectBlocks += C.Allocations;
    To.DirectBytes += C.AllocatedBytes;
  }
}

template <class Share> void sortShares(std::vector<Share> &Shares) {
  std::sort(Shares.begin(), Shares.end(), [](const Share &A, const Share &B) {
    return std::tuple(B.DirectBytes, B.Bytes, A.Name) <
           std::tuple(A.DirectBytes, A.Bytes, B.Name);
  });
}

} // namespace

/// True for headers of the C or C++ library, or of the compiler. Other
/// libraries' headers below /usr/include do not count.
static bool isLibraryHeader(std::string_view Path) {
  const std::string Normal = systemPath(Path);
  for (const std::string_view Folder :
       {"/include/c++/", "/lib/gcc/", "/lib/clang/"})
    if (Normal.find(Folder) != std::string::npos)
      return true;
  std::string_view Rest = Normal;
  constexpr std::string_view kInclude = "/usr/include/";
  if (!Rest.starts_with(kInclude))
    return false;
  Rest.remove_prefix(kInclude.size());
  const auto First = [&Rest] { return Rest.substr(0, Rest.find('/')); };
  if (First().find("-linux-") != std::string_view::npos)
    Rest.remove_prefix(std::min(First().size() + 1, Rest.size()));
  // The C library's folders, and folders of its headers that contain code.
  constexpr std::string_view kNames[] = {
      "c++",      "bits",     "sys",      "gnu",     "asm",
      "ctype.h",  "malloc.h", "math.h",   "stdio.h", "stdlib.h",
      "string.h", "time.h",   "unistd.h", "wchar.h"};
  return std::find(std::begin(kNames), std::end(kNames), First()) !=
         std::end(kNames);
}

bool isCode(const StackFrame &F) {
  return F.How != StackFrame::Kind::Signal && F.How != StackFrame::Kind::Cut &&
         F.How != StackFrame::Kind::Lost;
}

bool isLibrary(const StackFrame &F) {
  if (F.OfLibrary)
    return *F.OfLibrary;
  const std::string Name = shortFunction(F.Where.Function);
  for (const std::string_view Prefix :
       {"std::", "__gnu_cxx::", "__cxxabi", "operator delete", "operator new"})
    if (Name.starts_with(Prefix))
      return true;
  for (const std::string_view Library :
       {"libc.so", "libstdc++.so", "libc++.so", "libc++abi.so", "ld-linux"})
    if (F.Module.starts_with(Library))
      return true;
  return isLibraryHeader(F.Where.File);
}

void markLibraryFrames(CallStacks &Of) {
  for (StackFrame &F : Of.Frames)
    F.OfLibrary = isLibrary(F);
}

Relevance FrameRelevance::of(uint32_t Frame) {
  std::optional<Relevance> &Of = Known[Frame];
  if (!Of)
    Of = partyOf(P.Calls.Frames[Frame], Options, false).Matters;
  return *Of;
}

/// FrameRelevance::innermost() with a given function for relevance.
static std::optional<uint32_t> innermostBy(const std::vector<uint32_t> &Frames,
                                           auto RelevanceOf) {
  std::optional<uint32_t> InLibrary;
  for (auto F = Frames.rbegin(); F != Frames.rend(); ++F) {
    const Relevance Matters = RelevanceOf(*F);
    if (Matters == Relevance::Full)
      return *F;
    if (Matters == Relevance::Library && !InLibrary)
      InLibrary = *F;
  }
  return InLibrary;
}

std::optional<uint32_t>
FrameRelevance::innermost(const std::vector<uint32_t> &Frames) {
  return innermostBy(Frames, [&](uint32_t F) { return of(F); });
}

std::optional<uint32_t>
innermostThatMatters(const Profile &P, const std::vector<uint32_t> &Frames,
                     const BlameOptions &Options) {
  return innermostBy(Frames, [&](uint32_t F) {
    return partyOf(P.Calls.Frames[F], Options, false).Matters;
  });
}

BlameResult blame(const Profile &P, const BlameOptions &Options,
                  const TypeRow *Of) {
  std::vector<Party> Parties;
  Parties.reserve(P.Calls.Frames.size());
  for (const StackFrame &F : P.Calls.Frames)
    Parties.push_back(partyOf(F, Options, true));
  std::map<std::string, BlameShare> Classes;
  std::map<std::pair<std::string, std::string>, BlameShare> Methods;
  BlameResult Out;
  for (const StackResult &S : P.Calls.Stacks) {
    if (Of && !Of->has(P, S.Type, S.Site))
      continue;
    std::set<std::string_view> SeenClasses, SeenMethods;
    Relevance Most = Relevance::None;
    for (const uint32_t F : S.Frames)
      Most = std::max(Most, Parties[F].Matters);
    if (Most == Relevance::None) {
      Out.NobodyBlocks += S.Sum.Allocations;
      Out.NobodyBytes += S.Sum.AllocatedBytes;
      continue;
    }
    for (auto F = S.Frames.rbegin(); F != S.Frames.rend(); ++F) {
      const Party &Who = Parties[*F];
      if (Who.Matters != Most)
        continue;
      const bool Direct = SeenClasses.empty();
      if (SeenClasses.insert(Who.Class).second)
        share(Classes[Who.Class], S.Sum, Direct);
      if (SeenMethods.insert(Who.Method).second)
        share(Methods[{Who.Class, Who.Method}], S.Sum, Direct);
    }
  }
  for (auto &[Name, Sum] : Classes) {
    BlameRow Row{{Sum}, {}};
    Row.Name = Name;
    for (auto It = Methods.lower_bound({Name, {}});
         It != Methods.end() && It->first.first == Name; ++It) {
      Row.Methods.push_back(It->second);
      Row.Methods.back().Name = It->first.second;
    }
    sortShares(Row.Methods);
    Out.Classes.push_back(std::move(Row));
  }
  sortShares(Out.Classes);
  return Out;
}

} // namespace inmem::report
