//===- VerifyPatches.cpp - Trials of patches ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/verify/Trial.h"

#include "fix/verify/Progress.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA1.h"

using llvm::StringRef;

namespace inmem::fix {

namespace {

/// A folder that is removed with its contents.
struct ScratchFolder {
  std::string Path;
  ScratchFolder() {
    llvm::SmallString<128> Made;
    if (!llvm::sys::fs::createUniqueDirectory("inmem-fix", Made))
      Path = Made.str().str();
  }
  ~ScratchFolder() {
    if (!Path.empty())
      (void)llvm::sys::fs::remove_directories(Path);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
};

/// Earlier measurements, in a file of the output folder.
class Record {
public:
  explicit Record(const Request &R)
      : File(R.Output.empty() ? "" : R.Output + "/verified.json") {
    if (File.empty())
      return;
    if (auto Buffer = llvm::MemoryBuffer::getFile(File)) {
      if (auto Parsed = llvm::json::parse((*Buffer)->getBuffer())) {
        if (auto *O = Parsed->getAsObject())
          All = std::move(*O);
      } else {
        llvm::consumeError(Parsed.takeError());
      }
    }
  }

  std::optional<Verdict> find(const std::string &Key) const {
    const llvm::json::Object *O = All.getObject(Key);
    if (!O)
      return std::nullopt;
    Verdict V;
    V.Kept = O->getBoolean("kept").value_or(false);
    V.Why = O->getString("why").value_or("").str();
    V.Blocks = O->getNumber("blocks").value_or(0);
    V.Bytes = O->getNumber("bytes").value_or(0);
    V.Peak = O->getNumber("peak").value_or(0);
    V.Cpu = O->getNumber("cpu").value_or(0);
    V.BlocksBefore = O->getNumber("blocks_before").value_or(0);
    return V;
  }

  llvm::Error add(const std::string &Key, const Verdict &V) {
    All[Key] = llvm::json::Object{{"kept", V.Kept},
                                  {"why", V.Why},
                                  {"blocks", V.Blocks},
                                  {"bytes", V.Bytes},
                                  {"peak", V.Peak},
                                  {"cpu", V.Cpu},
                                  {"blocks_before", V.BlocksBefore}};
    if (File.empty())
      return llvm::Error::success();
    llvm::json::Object Copy = All;
    return writeFile(
        File,
        llvm::formatv("{0:1}\n", llvm::json::Value(std::move(Copy))).str());
  }

private:
  std::string File;
  llvm::json::Object All;
};

std::string keyOf(const Request &R, StringRef Diff) {
  llvm::SHA1 Hash;
  for (const std::string &Part :
       {Diff.str(), R.Build, R.Test, llvm::join(R.Command, std::string(1, 0)),
        std::to_string(R.IgnoreOutput)}) {
    Hash.update(Part);
    Hash.update(StringRef("\0", 1));
  }
  const auto Bytes = Hash.final();
  return llvm::toHex(
      StringRef(reinterpret_cast<const char *>(Bytes.data()), Bytes.size()));
}

/// A patch and its measurements.
struct Row {
  const Fix *One;
  Verdict V;           ///< verdict on the patch alone
  std::string LeftOut; ///< why it is not in the series; empty if it is

  bool isInSeries() const { return V.Kept && LeftOut.empty(); }
};

class Verifier {
public:
  Verifier(const Request &R, const std::string &Scratch, Tree Before,
           Tree After)
      : R(R), T(R, Scratch), Before(std::move(Before)), After(std::move(After)),
        Known(R) {}

  llvm::Expected<int> run(const std::vector<Fix> &All);

private:
  llvm::Error prepare();
  Verdict tryOne(const FileEdits &Edits, uint64_t Blocks, uint64_t Bytes);
  llvm::Error keep(const Fix &One) const;
  FileEdits gather(bool Try);
  Verdict tryTogether(FileEdits &Edits);
  llvm::Error finish();

  const Request &R;
  Trial T;
  Tree Before, After;
  Record Known;
  bool Prepared = false;
  std::vector<Row> Rows;
  size_t ToTry = 0; ///< patches not measured before
  Progress Shown;
};

/// Builds both trees, and checks that the program's runs are repeatable.
llvm::Error Verifier::prepare() {
  if (Prepared)
    return llvm::Error::success();
  Prepared = true;
  double Each = 0; // maximum seconds per patch
  Shown.prepare("without a patch: the first of two builds");
  if (std::string Why = T.build(Before); !Why.empty())
    return failure("without a patch, " + Why);
  Each += Shown.seconds();
  Shown.prepare("without a patch: the second build; the first took " +
                durationText(Shown.seconds()));
  if (std::string Why = T.build(After); !Why.empty())
    return failure("without a patch, " + Why);
  Shown.prepare(R.Test.empty() ? "without a patch: two runs"
                               : "without a patch: the tests, and two runs");
  if (std::string Why = T.test(Before); !Why.empty())
    return failure("without a patch, " + Why);
  Each += Shown.seconds();
  auto First = T.runOnce(Before);
  if (!First)
    return First.takeError();
  auto Second = T.runOnce(After);
  if (!Second)
    return Second.takeError();
  if (!R.IgnoreOutput && First->Output != Second->Output)
    return failure("the program prints something else each time: "
                   "--ignore-output leaves that to --test");
  Each += Shown.seconds() * std::max(1U, R.Runs);
  // The patches that help are tried together at the end.
  Shown.expect(ToTry + 1, Each);
  return llvm::Error::success();
}

Verdict Verifier::tryOne(const FileEdits &Edits, uint64_t Blocks,
                         uint64_t Bytes) {
  Verdict V;
  if (auto E = After.write(Edits))
    V.Why = llvm::toString(std::move(E));
  if (V.Why.empty())
    V.Why = T.build(After);
  if (V.Why.empty())
    V.Why = T.test(After);
  if (V.Why.empty())
    V = T.compare(Before, After, Blocks, Bytes);
  if (auto E = After.restore())
    V = {false, llvm::toString(std::move(E)), 0, 0, 0, 0, 0};
  return V;
}

llvm::Error Verifier::keep(const Fix &One) const {
  if (R.Output.empty())
    return llvm::Error::success();
  auto Text = patchText(R, One);
  if (!Text)
    return Text.takeError();
  return writeFile(R.Output + "/" + patchName(One), *Text);
}

std::string rowOf(const Row &Each) {
  const Finding &F = *Each.One->Of;
  const Verdict &V = Each.V;
  return llvm::formatv(
             "{0,3}  {1,-16} {2,-36} {3,10} {4,10}  {5}\n", F.Number, F.rule(),
             F.at(), Each.One->Blocks,
             V.BlocksBefore > 0 ? llvm::formatv("{0:F0}", -V.Blocks).str()
                                : "-",
             Each.isInSeries() ? "kept"
                               : "dropped: " + (V.Kept ? Each.LeftOut : V.Why))
      .str();
}

/// Joins the edits of the kept patches. Leaves out patches that overlap an
/// earlier one. \param Try also leaves out patches that fail together with
/// earlier ones
FileEdits Verifier::gather(bool Try) {
  FileEdits Edits;
  std::vector<const Fix *> In;
  for (Row &Each : Rows) {
    Each.LeftOut.clear();
    if (!Each.V.Kept)
      continue;
    FileEdits More = Edits;
    if (!merge(More, Each.One->What.Edits)) {
      Each.LeftOut = overlapText(overlapped(In, *Each.One));
      continue;
    }
    if (Try && !In.empty()) {
      const Verdict V = tryOne(More, 0, 0);
      if (interruptedBy())
        return Edits;
      if (V.BlocksBefore == 0) {
        Each.LeftOut = "with the earlier patches, " + V.Why;
        continue;
      }
    }
    Edits = std::move(More);
    In.push_back(Each.One);
  }
  return Edits;
}

Verdict Verifier::tryTogether(FileEdits &Edits) {
  const auto Measure = [this](const FileEdits &Of) {
    uint64_t Blocks = 0, Bytes = 0;
    for (const Row &Each : Rows)
      if (Each.isInSeries()) {
        Blocks += Each.One->Blocks;
        Bytes += Each.One->Bytes;
      }
    return tryOne(Of, Blocks, Bytes);
  };
  Edits = gather(/*Try=*/false);
  Shown.step("all patches that help, together");
  Verdict V = Measure(Edits);
  if (V.BlocksBefore > 0 || interruptedBy())
    return V;
  llvm::errs() << "inmem: fix: together, " << V.Why
               << ": adding one patch after the other\n";
  Edits = gather(/*Try=*/true);
  return interruptedBy() ? V : Measure(Edits);
}

/// Tries the patches together, and prints the table.
llvm::Error Verifier::finish() {
  FileEdits Edits;
  std::optional<Verdict> V;
  if (llvm::any_of(Rows, [](const Row &Each) { return Each.V.Kept; })) {
    if (auto E = prepare())
      return E;
    V = tryTogether(Edits);
  }
  if (interruptedBy())
    return llvm::Error::success();
  llvm::outs() << llvm::formatv("{0,3}  {1,-16} {2,-36} {3,10} {4,10}  {5}\n",
                                "", "rule", "at", "promised", "measured",
                                "blocks");
  for (const Row &Each : Rows)
    llvm::outs() << rowOf(Each);
  if (!V)
    return llvm::Error::success();
  if (V->BlocksBefore == 0) {
    llvm::outs() << "together: dropped: " << V->Why << "\n";
    return llvm::Error::success();
  }
  llvm::outs() << llvm::formatv(
      "together: {0:F0} of {1:F0} blocks saved ({2:F1} %), {3:F0} bytes, peak "
      "{4:F0} bytes, CPU time {5:F3} s{6}\n",
      -V->Blocks, V->BlocksBefore, -100 * V->Blocks / V->BlocksBefore,
      -V->Bytes, V->Peak, V->Cpu, V->Kept ? "" : "; " + V->Why);
  if (R.Output.empty())
    return llvm::Error::success();
  auto Series = unifiedDiff(Edits, R.Root);
  if (!Series)
    return Series.takeError();
  return writeFile(R.Output + "/series.patch", *Series);
}

llvm::Expected<int> Verifier::run(const std::vector<Fix> &All) {
  std::vector<std::pair<const Fix *, std::string>> Keys;
  for (const Fix &One : All) {
    if (!One.What.ok())
      continue;
    auto Diff = unifiedDiff(One.What.Edits, R.Root);
    if (!Diff)
      return Diff.takeError();
    Keys.emplace_back(&One, keyOf(R, *Diff));
    ToTry += !Known.find(Keys.back().second);
  }
  for (const auto &[Of, Key] : Keys) {
    const Fix &One = *Of;
    auto V = Known.find(Key);
    if (!V) {
      if (auto E = prepare())
        return std::move(E);
      Shown.step(One.Of->at() + ": " + One.What.Summary);
      V = tryOne(One.What.Edits, One.Blocks, One.Bytes);
      if (interruptedBy())
        return 128 + interruptedBy();
      if (auto E = Known.add(Key, *V))
        return std::move(E);
    }
    Rows.push_back({&One, *V, {}});
    if (V->Kept)
      if (auto E = keep(One))
        return std::move(E);
  }
  if (auto E = finish())
    return std::move(E);
  return interruptedBy() ? 128 + interruptedBy() : 0;
}

} // namespace

static llvm::Expected<int> verifyAll(const Request &R,
                                     const std::vector<Fix> &All) {
  if (!R.Output.empty())
    if (auto Error = llvm::sys::fs::create_directories(R.Output))
      return failure(R.Output + ": " + Error.message());
  const ScratchFolder Scratch;
  if (Scratch.Path.empty())
    return failure("cannot make a temporary folder");
  // Git identifies worktrees by the name of their folder.
  const std::string Name =
      StringRef(Scratch.Path).substr(Scratch.Path.rfind('/') + 1).str();
  auto Before = Tree::make(R.Root, Scratch.Path, Name + "-before");
  if (!Before)
    return Before.takeError();
  auto After = Tree::make(R.Root, Scratch.Path, Name + "-after");
  if (!After)
    return After.takeError();
  return Verifier(R, Scratch.Path, std::move(*Before), std::move(*After))
      .run(All);
}

/// One line that says why no finding has an edit.
static std::string noEditText(llvm::ArrayRef<Fix> All) {
  if (All.empty())
    return "no edit to verify: there are no findings\n";
  llvm::MapVector<StringRef, size_t> Counts;
  for (const Fix &One : All)
    ++Counts[One.What.Refusal];
  std::vector<std::string> Reasons;
  for (const auto &[Why, Count] : Counts)
    Reasons.push_back(
        llvm::formatv("{0} finding{1}: {2}", Count, Count == 1 ? "" : "s", Why)
            .str());
  return "no edit to verify: " + llvm::join(Reasons, "; ") + "\n";
}

llvm::Expected<int> verify(const Request &R, const std::vector<Fix> &All) {
  if (llvm::none_of(All, [](const Fix &One) { return One.What.ok(); })) {
    llvm::outs() << noEditText(All);
    return 0;
  }
  catchInterrupts();
  auto Code = verifyAll(R, All);
  if (!interruptedBy())
    return Code;
  if (!Code)
    llvm::consumeError(Code.takeError());
  return 128 + interruptedBy();
}

} // namespace inmem::fix
