//===- Blame.cpp -----------------------------------------------------------===//
#include "Blame.h"

#include "TypeName.h"

#include <algorithm>
#include <map>
#include <set>

namespace inmem::report {

namespace {

/// What blame needs of a frame.
struct Party {
  bool Matters = false;
  std::string Class, Method;
};

bool startsWithAny(std::string_view Name,
                   const std::vector<std::string> &Prefixes) {
  return std::any_of(Prefixes.begin(), Prefixes.end(),
                     [&](const std::string &P) { return Name.starts_with(P); });
}

Party partyOf(const StackFrame &F, const BlameOptions &Options) {
  Party Out;
  switch (F.How) {
  case StackFrame::Kind::Signal:
  case StackFrame::Kind::Cut:
  case StackFrame::Kind::Lost:
    return Out;
  default:
    break;
  }
  Out.Method = shortFunction(F.Where.Function);
  Out.Class = scopeOf(Out.Method);
  if (Out.Class.empty())
    Out.Class = Out.Method;
  Out.Matters = !startsWithAny(Out.Method, Options.Ignore) &&
                (Options.Target.empty() ||
                 startsWithAny(Out.Method, Options.Target));
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

std::optional<uint32_t> innermostThatMatters(const Profile &P,
                                             const std::vector<uint32_t> &Frames,
                                             const BlameOptions &Options) {
  for (auto F = Frames.rbegin(); F != Frames.rend(); ++F)
    if (partyOf(P.Calls.Frames[*F], Options).Matters)
      return *F;
  return std::nullopt;
}

BlameResult blame(const Profile &P, const BlameOptions &Options,
                  std::optional<size_t> Type) {
  std::vector<Party> Parties;
  for (const StackFrame &F : P.Calls.Frames)
    Parties.push_back(partyOf(F, Options));
  std::map<std::string, BlameShare> Classes;
  std::map<std::pair<std::string, std::string>, BlameShare> Methods;
  BlameResult Out;
  for (const StackResult &S : P.Calls.Stacks) {
    if (Type && S.Type != *Type)
      continue;
    std::set<std::string_view> SeenClasses, SeenMethods;
    for (auto F = S.Frames.rbegin(); F != S.Frames.rend(); ++F) {
      const Party &Who = Parties[*F];
      if (!Who.Matters)
        continue;
      const bool Direct = SeenClasses.empty();
      if (SeenClasses.insert(Who.Class).second)
        share(Classes[Who.Class], S.Sum, Direct);
      if (SeenMethods.insert(Who.Method).second)
        share(Methods[{Who.Class, Who.Method}], S.Sum, Direct);
    }
    if (SeenClasses.empty()) {
      Out.NobodyBlocks += S.Sum.Allocations;
      Out.NobodyBytes += S.Sum.AllocatedBytes;
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
