//===- Proposals.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Proposals.h"

#include "Rules.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"

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

/// Why a rule has suggestions only; empty: it is not such a rule.
StringRef whyNoEdit(StringRef Rule) {
  if (Rule == "exceptions")
    return "whether failure is expected there is for you to say: return "
           "std::optional or an error code";
  if (Rule == "stream-in-loop")
    return "one stream, emptied with str(\"\"), or std::format_to would do";
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

/// Whether the file was changed after the run began.
bool isStale(const Request &R, StringRef File) {
  llvm::sys::fs::file_status Status;
  if (R.StartUnixSeconds == 0 || llvm::sys::fs::status(File, Status))
    return false;
  return static_cast<uint64_t>(llvm::sys::toTimeT(
             Status.getLastModificationTime())) > R.StartUnixSeconds;
}

/// What is wrong before any unit is parsed; empty: nothing.
std::string obstacle(const Request &R, const Database &D, const Finding &F,
                     Located &At) {
  if (!ruleNamed(F.Rule)) {
    const StringRef Why = whyNoEdit(F.Rule);
    return Why.empty() ? "no mechanical change cures it" : Why.str();
  }
  if (F.File.empty() || F.Line == 0)
    return "its place in your code is not known: record with "
           "INMEM_OPTIONS=stacks=16";
  auto Found = D.locate(F.File);
  if (!Found)
    return llvm::toString(Found.takeError());
  At = std::move(*Found);
  if (!isBelow(At.File, R.Root))
    return "the file is outside of the repository " + R.Root;
  if (isStale(R, At.File))
    return "the file was changed after the trace was recorded: record again";
  return {};
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
      One.What = S ? ruleNamed(F.Rule)->Fix(*S)
                   : refuse(llvm::toString(S.takeError()));
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
