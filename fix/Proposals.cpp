//===- Proposals.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Proposals.h"

#include "FixRules.h"
#include "StableHash.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::Expected;
using llvm::StringRef;

namespace inmem::fix {

namespace {

struct Rule {
  StringRef Name;
  Proposal (*Fix)(const Spot &);
};

constexpr Rule kRules[] = {
    {"vector-regrowth", fixGrowth}, {"string-regrowth", fixGrowth},
    {"rehash", fixGrowth},          {"shared-ptr-new", fixSharedPtr},
    {"copies", fixCopies},          {"string-copies", fixStringCopies},
    {"temporary", fixTemporary},    {"padding", fixPadding},
    {"node-churn", fixNodes},       {"phase-arena", fixNodes},
    {"short-deque", fixShortDeque}, {"string-above-inline", fixShortString},
};

/// The reason why the advice of a rule is not an edit; empty: the rule is not
/// one with suggestions only.
StringRef whyNoEdit(StringRef Rule) {
  if (Rule == "exceptions")
    return "whether failure is expected is for you to say";
  if (Rule == "stream-in-loop")
    return "which of them prints the same is for you to say";
  if (Rule == "over-reserved")
    return "how much room a rare case needs is for you to say";
  return {};
}

const Rule *ruleNamed(StringRef Name) {
  for (const Rule &R : kRules)
    if (R.Name == Name)
      return &R;
  return nullptr;
}

/// True if the trace's name \p Name may mean the file \p Path.
bool mayName(StringRef Name, StringRef Path) {
  if (llvm::sys::path::is_absolute(Name))
    return canonical(Name) == Path;
  return Path.size() > Name.size() &&
         Path.substr(Path.size() - Name.size()) == Name &&
         Path[Path.size() - Name.size() - 1] == '/';
}

/// Why the finding's line may be another one today; empty: the file is as it
/// was compiled, or, where the trace does not know that, was not changed after
/// the run began.
StringRef whyStale(const Request &R, StringRef Name, StringRef File) {
  auto [First, Last] = R.Sources.equal_range(Name.str());
  std::vector<uint64_t> Compiled;
  for (; First != Last; ++First)
    Compiled.push_back(First->second);
  // Debug information may have another name for it.
  if (Compiled.empty())
    for (const auto &[Other, Hash] : R.Sources)
      if (mayName(Other, File))
        Compiled.push_back(Hash);
  if (!Compiled.empty()) {
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    if (Buffer &&
        llvm::is_contained(Compiled, stableHash((*Buffer)->getBuffer())))
      return {};
    return "the file is not as it was compiled for the trace: build and record "
           "again";
  }
  llvm::sys::fs::file_status Status;
  if (R.StartUnixSeconds == 0 || llvm::sys::fs::status(File, Status) ||
      static_cast<uint64_t>(llvm::sys::toTimeT(
          Status.getLastModificationTime())) <= R.StartUnixSeconds)
    return {};
  return "the file was changed after the trace was recorded: record again";
}

/// An obstacle found before any unit is parsed; empty: none.
std::string obstacle(const Request &R, const Database &D, const Finding &F,
                     Located &At) {
  if (!ruleNamed(F.Rule)) {
    const StringRef Why = whyNoEdit(F.Rule);
    return Why.empty() ? "no mechanical change cures it"
                       : "only a suggestion: " + F.Advice + ": " + Why.str();
  }
  // For a class, only the unit that knows it is looked for.
  if (F.File.empty() || (F.Line == 0 && F.Rule != "padding"))
    return "its place in your code is not known: record with "
           "INMEM_OPTIONS=stacks=16";
  auto Found = D.locate(F.File);
  if (!Found)
    return llvm::toString(Found.takeError());
  At = std::move(*Found);
  if (!isBelow(At.File, R.Root))
    return "the file is outside of the repository " + R.Root;
  return whyStale(R, F.File, At.File).str();
}

} // namespace

/// Keeps the first of findings that have the same edits, with what all promise.
static void joinEqual(std::vector<Fix> &All) {
  for (auto Later = All.begin(); Later != All.end(); ++Later) {
    if (!Later->What.ok())
      continue;
    const auto First = std::find_if(All.begin(), Later, [&](const Fix &Other) {
      return Other.What.ok() && Other.What.Edits == Later->What.Edits;
    });
    if (First == Later)
      continue;
    First->Blocks += Later->Blocks;
    First->Bytes += Later->Bytes;
    Later->What =
        refuse("the edit for finding " + std::to_string(First->Of->Number) +
               " is this one's, "
               "too");
  }
}

std::vector<Fix> propose(const Request &R, const Database &D) {
  std::vector<Fix> Out;
  std::map<std::string, Expected<Unit>> Units;
  for (const Finding &F : R.Findings) {
    if (!R.Rules.empty() && !llvm::is_contained(R.Rules, F.Rule))
      continue;
    Out.push_back({&F, {}, {}, F.SavesAllocations, F.SavesBytes});
    Fix &One = Out.back();
    Located At;
    One.What.Refusal = obstacle(R, D, F, At);
    if (!One.What.ok())
      continue;
    One.File = At.File;
    One.What.Refusal = "no unit of the database includes " + F.File;
    for (const std::string &Name : At.Units) {
      auto Parsed = Units.find(Name);
      if (Parsed == Units.end())
        Parsed = Units.emplace(Name, Unit::parse(D.commands(), Name)).first;
      if (!Parsed->second) {
        // The error stays for the unit's other findings.
        std::string Why = llvm::toString(Parsed->second.takeError());
        Parsed->second = failure(Why);
        if (At.Units.size() == 1)
          One.What.Refusal = Why;
        continue;
      }
      if (Parsed->second->fileOf(At.File).isInvalid())
        continue;
      auto S = spotOf(*Parsed->second, F, At.File);
      if (S)
        S->Units = &D;
      One.What = S ? ruleNamed(F.Rule)->Fix(*S)
                   : refuse(llvm::toString(S.takeError()));
      for (const auto &[File, Edits] : One.What.Edits)
        if (!isBelow(File, R.Root)) {
          One.What = refuse("it would change " + File +
                            ", which is outside of the repository " + R.Root);
          break;
        }
      layOut(One.What.Edits);
      One.Blocks = static_cast<uint64_t>(static_cast<double>(One.Blocks) *
                                         One.What.Part);
      One.Bytes =
          static_cast<uint64_t>(static_cast<double>(One.Bytes) * One.What.Part);
      break;
    }
  }
  joinEqual(Out);
  for (auto &[Name, Parsed] : Units)
    if (!Parsed)
      llvm::consumeError(Parsed.takeError());
  return Out;
}

} // namespace inmem::fix
