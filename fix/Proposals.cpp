//===- Proposals.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/Proposals.h"

#include "StableHash.h"
#include "fix/rules/FixRules.h"

#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::Expected;
using llvm::StringRef;

namespace inmem::fix {

namespace {

using report::Cure;
using report::RuleId;
using Fixer = Proposal (*)(const Spot &);

/// The function that edits the code of a rule's finding; null if the fix is not
/// an edit.
constexpr Fixer fixerOf(RuleId Rule) {
  switch (Rule) {
  case RuleId::VectorRegrowth:
  case RuleId::StringRegrowth:
  case RuleId::Rehash:
    return fixGrowth;
  case RuleId::SharedPtrNew:
    return fixSharedPtr;
  case RuleId::Copies:
    return fixCopies;
  case RuleId::StringCopies:
    return fixStringCopies;
  case RuleId::Temporary:
    return fixTemporary;
  case RuleId::Padding:
    return fixPadding;
  case RuleId::UnreadField:
  case RuleId::CopiedOnlyField:
    return fixFields;
  case RuleId::NodeChurn:
  case RuleId::PhaseArena:
    return fixNodes;
  case RuleId::ShortDeque:
    return fixShortDeque;
  case RuleId::StringAboveInline:
    return fixShortString;
  default:
    return nullptr;
  }
}

constexpr bool agreesWithTable() {
  for (const report::RuleInfo &R : report::kRuleTable)
    if ((R.By == Cure::Edit) != (fixerOf(R.Id) != nullptr))
      return false;
  return true;
}
static_assert(agreesWithTable());

/// The reason why a rule only makes suggestions; empty if the rule can edit.
StringRef whyNoEdit(RuleId Rule) {
  if (Rule == RuleId::Exceptions)
    return "whether failure is expected is for you to say";
  if (Rule == RuleId::StreamInLoop)
    return "which of them prints the same is for you to say";
  if (Rule == RuleId::OverReserved)
    return "how much room a rare case needs is for you to say";
  return {};
}

/// True if \p Name, from the trace, may refer to the file \p Path.
bool mayName(StringRef Name, StringRef Path) {
  if (llvm::sys::path::is_absolute(Name))
    return canonical(Name) == Path;
  return Path.size() > Name.size() &&
         Path.substr(Path.size() - Name.size()) == Name &&
         Path[Path.size() - Name.size() - 1] == '/';
}

/// Why the finding's line may have moved; empty if not. Compares the file with
/// its hash in the trace. Without a hash, the file must be older than the run.
StringRef whyStale(const Request &R, StringRef Name, StringRef File) {
  auto [First, Last] = R.Sources.equal_range(Name.str());
  std::vector<uint64_t> Compiled;
  for (; First != Last; ++First)
    Compiled.push_back(First->second);
  // Debug information may use another name for the file.
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

/// An obstacle found before any unit is parsed; empty if there is none.
std::string obstacle(const Request &R, const Database &D, const Finding &F,
                     Located &At) {
  if (!fixerOf(F.Rule)) {
    const StringRef Why = whyNoEdit(F.Rule);
    return Why.empty() ? "no mechanical change cures it"
                       : "only a suggestion: " + F.Advice + ": " + Why.str();
  }
  // Findings about a class need no line: the class is found by name.
  if (F.File.empty() ||
      (F.Line == 0 && F.Rule != RuleId::Padding && F.Fields.empty()))
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

/// Merges findings with equal edits into the first and adds up their savings.
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
    Later->With = &*First;
    Later->What =
        refuse("the edit for finding " + std::to_string(First->Of->Number) +
               " is this one's, too");
  }
}

/// Refuses fixes that break the compilation of their units. Most fixes compile,
/// so all are tried together first.
static void compileBatch(const std::vector<Fix *> &Batch, CompileCheck &Check) {
  FileEdits Edits;
  std::vector<Fix *> In, Rest;
  std::set<std::string> Names;
  for (Fix *One : Batch)
    if (merge(Edits, One->What.Edits)) {
      In.push_back(One);
      Names.insert(One->Units.begin(), One->Units.end());
    } else {
      Rest.push_back(One);
    }
  const std::string Error = Check.errorOf(
      Edits, std::vector<std::string>(Names.begin(), Names.end()));
  if (!Error.empty() && In.size() == 1) {
    In.front()->What = refuse("the edit would not compile: " + Error);
  } else if (!Error.empty()) {
    const auto Middle = In.begin() + static_cast<std::ptrdiff_t>(In.size() / 2);
    compileBatch({In.begin(), Middle}, Check);
    compileBatch({Middle, In.end()}, Check);
  }
  if (!Rest.empty())
    compileBatch(Rest, Check);
}

/// The includes that a fix adds: a fix must not rely on another fix's include.
static std::string includesOf(const Fix &One) {
  std::string Out;
  for (const auto &[File, Edits] : One.What.Edits)
    for (const clang::tooling::Replacement &R : Edits)
      if (R.getReplacementText().contains("#include"))
        Out += File + ": " + R.getReplacementText().str();
  return Out;
}

static void compileAll(std::vector<Fix> &All, CompileCheck &Check) {
  std::map<std::pair<std::string, std::string>, std::vector<Fix *>> Batches;
  for (Fix &One : All) {
    if (!One.What.ok())
      continue;
    const std::string Own = One.Units.front();
    CompileCheck::Units In = Check.unitsOf(One.What.Edits, Own);
    if (In.Left > 0)
      One.What.Summary += "; compiled in " + std::to_string(In.Names.size()) +
                          " of " + std::to_string(In.Names.size() + In.Left) +
                          " units";
    One.Units = std::move(In.Names);
    Batches[{Own, includesOf(One)}].push_back(&One);
  }
  for (auto &[Key, Batch] : Batches)
    compileBatch(Batch, Check);
  for (Fix &One : All)
    if (One.With && !One.With->What.ok())
      One.What = refuse(One.With->What.Refusal);
}

namespace {

/// Finds edits for one finding at a time; each unit is parsed once.
class Proposer {
public:
  Proposer(const Request &R, const Database &D) : R(R), D(D) {}
  ~Proposer() {
    for (auto &[Name, Parsed] : Units)
      if (!Parsed)
        llvm::consumeError(Parsed.takeError());
  }
  Proposer(const Proposer &) = delete;
  Proposer &operator=(const Proposer &) = delete;

  /// \param F the finding, with the source location to edit
  Fix propose(const Finding &F);

private:
  Expected<Unit> &parsed(const std::string &Name);

  const Request &R;
  const Database &D;
  std::map<std::string, Expected<Unit>> Units;
};

Expected<Unit> &Proposer::parsed(const std::string &Name) {
  auto At = Units.find(Name);
  if (At == Units.end())
    At = Units.emplace(Name, Unit::parse(D.commands(), Name)).first;
  return At->second;
}

Fix Proposer::propose(const Finding &F) {
  Fix One{&F, {}, {}, F.SavesAllocations, F.SavesBytes, {}, nullptr};
  Located At;
  One.What.Refusal = obstacle(R, D, F, At);
  if (!One.What.ok())
    return One;
  One.File = At.File;
  One.What.Refusal = "no unit of the database includes " + F.File;
  for (const std::string &Name : At.Units) {
    Expected<Unit> &In = parsed(Name);
    if (!In) {
      // Keep the error for the unit's other findings.
      std::string Why = llvm::toString(In.takeError());
      In = failure(Why);
      if (At.Units.size() == 1)
        One.What.Refusal = Why;
      continue;
    }
    if (In->fileOf(At.File).isInvalid())
      continue;
    auto S = spotOf(*In, F, At.File);
    if (S)
      S->Units = &D;
    One.What = S ? fixerOf(F.Rule)(*S) : refuse(llvm::toString(S.takeError()));
    for (const auto &[File, Edits] : One.What.Edits)
      if (!isBelow(File, R.Root)) {
        One.What = refuse("it would change " + File +
                          ", which is outside of the repository " + R.Root);
        break;
      }
    layOut(One.What.Edits);
    One.Units = {Name};
    const auto Part = [&](uint64_t Of) {
      return static_cast<uint64_t>(static_cast<double>(Of) * One.What.Part);
    };
    One.Blocks = Part(One.Blocks);
    One.Bytes = Part(One.Bytes);
    break;
  }
  return One;
}

} // namespace

std::vector<Fix> propose(const Request &R, const Database &D,
                         CompileCheck &Check) {
  std::vector<Fix> Out;
  Proposer For(R, D);
  for (const Finding &F : R.Findings) {
    if (!R.Rules.empty() && !llvm::is_contained(R.Rules, F.rule()))
      continue;
    Out.push_back(For.propose(F));
    Fix &One = Out.back();
    if (One.What.ok() || F.InnerLine == 0)
      continue;
    // The code to change may be in the function that the line calls.
    Finding Inner = F;
    Inner.File = F.InnerFile;
    Inner.Line = F.InnerLine;
    Inner.Lines.clear();
    if (Fix Other = For.propose(Inner); Other.What.ok()) {
      Other.Of = &F;
      One = std::move(Other);
    }
  }
  joinEqual(Out);
  compileAll(Out, Check);
  return Out;
}

} // namespace inmem::fix
