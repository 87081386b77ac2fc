//===- Strings.cpp - Strings that are copied to be read -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler shows which strings are only read, counts show which of them
// allocate. A finding requires both. Counts alone are not enough: a copy that
// is changed in place allocates and frees like one that is only read.
//
//===----------------------------------------------------------------------===//
#include "report/base/Units.h"
#include "report/findings/Rules.h"
#include "report/model/Blame.h"
#include "report/names/TypeName.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace inmem::report {

namespace {

/// True if a library function makes a string from another's characters, rather
/// than change one.
bool makesString(const SourceLocation &P) {
  const std::string Name = bareFunction(P.Function);
  if (Name.find("allocat") != std::string::npos ||
      Name.starts_with("operator new"))
    return true;
  if (Name.find("basic_string") == std::string::npos &&
      Name.find("std::string::") == std::string::npos)
    return false;
  std::string_view Last = Name;
  Last.remove_prefix(Last.rfind("::") + 2);
  for (const std::string_view Maker : {"basic_string", "string", "_M_construct",
                                       "_M_create", "substr", "__init"})
    if (Last.starts_with(Maker))
      return true;
  return false;
}

/// True if two paths may denote one file: as passed to the compiler, or made
/// absolute.
bool mayBeSame(std::string_view A, std::string_view B) {
  if (A.starts_with("./"))
    A.remove_prefix(2);
  if (B.starts_with("./"))
    B.remove_prefix(2);
  if (A.size() < B.size())
    std::swap(A, B);
  return A.ends_with(B) &&
         (A.size() == B.size() || A[A.size() - B.size() - 1] == '/');
}

/// Allocations for one variable, or for the arguments of one parameter.
struct Copied {
  const StringCopy *For = nullptr;
  size_t Type = 0;
  size_t Locations = 0;
  Counts Sum;
  std::set<size_t> Sites;
};

class CopyFinder {
public:
  explicit CopyFinder(FindingList &Into) : Out(Into), P(Into.P) {
    for (const StringCopy &C : P.StringCopies)
      if (C.Kind == INMEM_COPY_PARAMETER)
        Parameters[C.Key] = &C;
      else
        ByLine[C.Where.Line].push_back(&C);
  }

  void run();

private:
  const StringCopy *copyAt(const SourceLocation &User) const;
  void add(const SourceLocation &User, size_t Site, const Counts &C);
  void report(const Copied &C);

  FindingList &Out;
  const Profile &P;
  std::map<uint32_t, std::vector<const StringCopy *>> ByLine;
  std::map<uint64_t, const StringCopy *> Parameters;
  std::set<const StringCopy *> Seen;
  std::map<const StringCopy *, Copied> Found; ///< by variable or parameter
};

/// The only copy that can have allocated there, or null.
const StringCopy *CopyFinder::copyAt(const SourceLocation &User) const {
  const auto Line = ByLine.find(User.Line);
  if (User.Line == 0 || Line == ByLine.end())
    return nullptr;
  for (const StringCopy *C : Line->second)
    if (mayBeSame(C->Where.File, User.File) &&
        (C->Flags & INMEM_COPY_ALONE ||
         (User.Column != 0 && User.Column == C->Where.Column)))
      return C;
  return nullptr;
}

void CopyFinder::add(const SourceLocation &User, size_t Site, const Counts &C) {
  const StringCopy *Copy = copyAt(User);
  if (!Copy)
    return;
  const StringCopy *For = Copy;
  if (Copy->Kind == INMEM_COPY_ARGUMENT) {
    const auto Parameter = Parameters.find(Copy->Key);
    if (Parameter == Parameters.end())
      return; // The function changes it, or has no record.
    For = Parameter->second;
    // A reference would turn the characters into a string again.
    if (Copy->Flags & INMEM_COPY_CHARACTERS && !(For->Flags & INMEM_COPY_VIEW))
      return;
    // The function might change the source.
    if (Copy->Flags & For->Flags & INMEM_COPY_OUTSIDE)
      return;
  }
  Copied &All = Found[For];
  All.For = For;
  All.Type = P.Sites[Site].Type;
  All.Sites.insert(Site);
  All.Locations += Seen.insert(Copy).second;
  All.Sum.add(C);
}

void CopyFinder::report(const Copied &C) {
  Finding F;
  F.Rule = RuleId::StringCopies;
  F.Type = C.Type;
  F.Where = C.For->Where;
  F.Sites.assign(C.Sites.begin(), C.Sites.end());
  F.Bytes = F.SavesBytes = C.Sum.AllocatedBytes;
  F.Allocations = F.SavesAllocations = C.Sum.Allocations;
  const uint8_t Flags = C.For->Flags;
  if (C.For->Kind == INMEM_COPY_PARAMETER) {
    F.Message = fmt::format("{} for the parameter {}, which is only read",
                            counted(F.Allocations, "string"), C.For->Name);
    if (C.Locations > 1)
      F.Message += fmt::format(", at {}", counted(C.Locations, "place"));
    F.Advice = !(Flags & INMEM_COPY_VIEW) ? "take a const std::string &"
               : Flags & INMEM_COPY_REFERENCE
                   ? "take a std::string_view, or a const std::string &"
                   : "take a std::string_view";
  } else {
    F.Message = fmt::format("{} copied into {}, which is only read",
                            counted(F.Allocations, "string"), C.For->Name);
    F.Advice = Flags & INMEM_COPY_REFERENCE
                   ? Flags & INMEM_COPY_VIEW
                         ? "a std::string_view or a const reference of its "
                           "source would do"
                         : "a const reference to its source would do"
               : Flags & INMEM_COPY_VIEW ? "a std::string_view would do"
                                         : "make it static const";
  }
  Out.add(std::move(F), nullptr);
}

void CopyFinder::run() {
  if (ByLine.empty())
    return;
  const auto IsLibrary = [](const SourceLocation &At) {
    return !isUserPath(At.File);
  };
  if (P.Calls.empty()) {
    for (const SiteResult &S : P.Sites) {
      const auto User = std::ranges::find_if_not(S.Chain, IsLibrary);
      if (User != S.Chain.end() && User != S.Chain.begin() &&
          std::all_of(S.Chain.begin(), User, makesString))
        add(*User, static_cast<size_t>(&S - P.Sites.data()), S.Sum);
    }
  } else {
    for (const StackResult &R : P.Calls.Stacks) {
      const auto Frame = [&](uint32_t F) -> const StackFrame & {
        return P.Calls.Frames[F];
      };
      const auto User =
          std::find_if(R.Frames.rbegin(), R.Frames.rend(),
                       [&](uint32_t F) { return !isLibrary(Frame(F)); });
      // Functions that the user calls have names; functions below them may not.
      if (User == R.Frames.rend() || User == R.Frames.rbegin() ||
          !makesString(Frame(User[-1]).Where) ||
          !std::all_of(R.Frames.rbegin(), User, [&](uint32_t F) {
            return Frame(F).Offset || makesString(Frame(F).Where);
          }))
        continue;
      // The site has columns, the frames of stacks do not.
      const SourceLocation &Site = P.Sites[R.Site].Where;
      const SourceLocation &At = Frame(*User).Where;
      const bool Same = Site.Function == At.Function && Site.Line == At.Line &&
                        Site.File == At.File;
      add(Same ? Site : At, R.Site, R.Sum);
    }
  }
  for (const auto &[For, C] : Found)
    report(C);
}

} // namespace

void findStringCopies(FindingList &Out) { CopyFinder(Out).run(); }

} // namespace inmem::report
