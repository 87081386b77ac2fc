//===- PatchOutput.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/PatchOutput.h"

#include "clang/Tooling/Core/Diagnostic.h"
#include "clang/Tooling/DiagnosticsYaml.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/YAMLTraits.h"

using namespace clang;
using llvm::StringRef;

namespace inmem::fix {

static std::string share(uint64_t Part, uint64_t Whole) {
  if (Whole == 0)
    return {};
  return llvm::formatv(" = {0:F1} %", 100.0 * static_cast<double>(Part) /
                                          static_cast<double>(Whole))
      .str();
}

static std::string promise(const Request &R, const Fix &F) {
  return llvm::formatv("{0} blocks{1}, {2} bytes{3}", F.Blocks,
                       share(F.Blocks, R.TotalAllocations), F.Bytes,
                       share(F.Bytes, R.TotalBytes))
      .str();
}

std::string listText(const Request &R, llvm::ArrayRef<Fix> All) {
  std::string Out;
  size_t Fixed = 0;
  for (const Fix &One : All) {
    const Finding &F = *One.Of;
    Fixed += One.What.ok();
    Out += llvm::formatv("{0,3}  {1,-16} {2}\n", F.Number, F.rule(),
                         F.File.empty() ? "(no place in your code)" : F.at())
               .str();
    Out += "     " +
           (One.What.ok() ? "fix: " + One.What.Summary
                          : "no:  " + One.What.Refusal) +
           "\n";
    if (One.What.ok())
      Out += "     promises " + promise(R, One) + "\n";
  }
  if (All.empty())
    return "no findings\n";
  return Out +
         llvm::formatv("{0} of {1} findings can be fixed\n", Fixed, All.size())
             .str();
}

std::string patchName(const Fix &F) {
  const std::string Number = std::to_string(F.Of->Number);
  return llvm::formatv(
             "{0}-{1}-{2}-{3}.patch",
             std::string(Number.size() < 4 ? 4 - Number.size() : 0, '0') +
                 Number,
             F.Of->rule(), llvm::sys::path::filename(F.Of->File), F.Of->Line)
      .str();
}

llvm::Expected<std::string> patchText(const Request &R, const Fix &F) {
  auto Diff = unifiedDiff(F.What.Edits, R.Root);
  if (!Diff)
    return Diff.takeError();
  return llvm::formatv("Subject: {0}\n\nFinding: {1} ({2}), {3}\n{4}\n"
                       "Promises: {5}\n---\n",
                       F.What.Summary, F.Of->rule(), F.Of->Severity, F.Of->at(),
                       F.Of->Message, promise(R, F))
             .str() +
         *Diff;
}

std::string replacementsYaml(const FileEdits &Edits, StringRef Source,
                             StringRef Rule, StringRef Summary) {
  // Exports in clang-tidy's format, so that clang-apply-replacements merges an
  // include that several files of a folder add.
  tooling::TranslationUnitDiagnostics All;
  All.MainSourceFile = Source.str();
  tooling::DiagnosticMessage Message(Summary);
  for (const auto &[File, Some] : Edits) {
    if (Message.FilePath.empty() && !Some.empty()) {
      Message.FilePath = File;
      Message.FileOffset = Some.begin()->getOffset();
    }
    Message.Fix[File] = Some;
  }
  if (!Edits.empty())
    All.Diagnostics.emplace_back(("inmem-" + Rule).str(), Message,
                                 SmallVector<tooling::DiagnosticMessage, 1>(),
                                 tooling::Diagnostic::Warning,
                                 /*BuildDirectory=*/"");
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  llvm::yaml::Output Yaml(OS);
  Yaml << All;
  return OS.str();
}

Overlap overlapped(llvm::ArrayRef<const Fix *> Earlier, const Fix &One) {
  for (const Fix *Each : Earlier) {
    FileEdits Both = Each->What.Edits;
    if (!merge(Both, One.What.Edits))
      return {&One, Each, {}};
  }
  return {&One, nullptr, {}};
}

std::string overlapText(const Overlap &Of) {
  if (!Of.Error.empty())
    return "does not compile with the earlier edits: " + Of.Error;
  return "overlaps with " +
         (Of.With ? "the edit at " + Of.With->Of->at() : "earlier edits");
}

/// Units in which any of these fixes was compiled.
static std::vector<std::string> unitsOf(llvm::ArrayRef<const Fix *> All) {
  std::set<std::string> Out;
  for (const Fix *One : All)
    Out.insert(One->Units.begin(), One->Units.end());
  return {Out.begin(), Out.end()};
}

FileEdits together(llvm::ArrayRef<Fix> All, CompileCheck &Check,
                   std::vector<Overlap> &Left) {
  FileEdits Out;
  std::vector<const Fix *> In;
  for (const Fix &One : All) {
    if (!One.What.ok())
      continue;
    if (merge(Out, One.What.Edits))
      In.push_back(&One);
    else
      Left.push_back(overlapped(In, One));
  }
  if (In.size() < 2 || Check.errorOf(Out, unitsOf(In)).empty())
    return Out;
  // For example, two new variables with the same name.
  Out.clear();
  std::vector<const Fix *> Kept;
  for (const Fix *One : In) {
    FileEdits More = Out;
    Kept.push_back(One);
    std::string Error = "their edits do not fit";
    if (merge(More, One->What.Edits))
      Error = Check.errorOf(More, unitsOf(Kept));
    if (Error.empty()) {
      Out = std::move(More);
      continue;
    }
    Kept.pop_back();
    Left.push_back({One, nullptr, std::move(Error)});
  }
  return Out;
}

llvm::Expected<std::string> edited(const std::string &File,
                                   const tooling::Replacements &Edits) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  if (!Buffer)
    return failure(File + ": " + Buffer.getError().message());
  return tooling::applyAllReplacements((*Buffer)->getBuffer(), Edits);
}

llvm::Error writeFile(const std::string &Path, StringRef Text) {
  llvm::SmallString<256> Draft;
  int To = -1;
  auto Mode = llvm::sys::fs::getPermissions(Path);
  if (auto Error = llvm::sys::fs::createUniqueFile(Path + ".%%%%%%", To, Draft))
    return failure(Path + ": " + Error.message());
  llvm::raw_fd_ostream OS(To, /*shouldClose=*/true);
  OS << Text;
  OS.close();
  std::error_code Error = OS.error();
  if (!Error && Mode)
    Error = llvm::sys::fs::setPermissions(Draft, *Mode);
  else if (!Error)
    Error = llvm::sys::fs::setPermissions(
        Draft, llvm::sys::fs::perms(
                   llvm::sys::fs::owner_read | llvm::sys::fs::owner_write |
                   llvm::sys::fs::group_read | llvm::sys::fs::others_read));
  if (!Error)
    Error = llvm::sys::fs::rename(Draft, Path);
  if (!Error)
    return llvm::Error::success();
  OS.clear_error();
  const bool Stays = static_cast<bool>(llvm::sys::fs::remove(Draft));
  return failure(Path + ": " + Error.message() +
                 (Stays ? "; " + Draft.str().str() + " is left" : ""));
}

llvm::Error apply(const FileEdits &Edits) {
  std::vector<std::pair<std::string, std::string>> New;
  for (const auto &[File, Some] : Edits) {
    auto Text = edited(File, Some);
    if (!Text)
      return Text.takeError();
    New.emplace_back(File, std::move(*Text));
  }
  for (const auto &[File, Text] : New)
    if (llvm::Error E = writeFile(File, Text))
      return E;
  return llvm::Error::success();
}

std::string jsonText(const Request &R, llvm::ArrayRef<Fix> All) {
  llvm::json::Array Out;
  for (const Fix &One : All) {
    const Finding &F = *One.Of;
    llvm::json::Object Row{
        {"number", static_cast<int64_t>(F.Number)},
        {"rule", F.rule()},
        {"file", F.File},
        {"line", F.Line},
        {"saves_allocations", static_cast<int64_t>(One.Blocks)},
        {"saves_bytes", static_cast<int64_t>(One.Bytes)}};
    auto Diff = unifiedDiff(One.What.Edits, R.Root);
    if (One.What.ok() && Diff) {
      Row["summary"] = One.What.Summary;
      Row["diff"] = *Diff;
    } else {
      Row["why_not"] = One.What.Refusal;
    }
    if (!Diff)
      llvm::consumeError(Diff.takeError());
    Out.push_back(std::move(Row));
  }
  return llvm::formatv("{0:1}\n", llvm::json::Value(std::move(Out))).str();
}

/// Converts an offset to line and column, counted from 1; columns are UTF-16
/// units.
static std::pair<unsigned, unsigned> positionOf(StringRef Text, size_t Offset) {
  const StringRef Before = Text.substr(0, Offset);
  const StringRef Line = Before.substr(Before.rfind('\n') + 1);
  unsigned Column = 1;
  for (const char C : Line)
    Column += (C & 0xc0) == 0x80 ? 0 : (C & 0xf8) == 0xf0 ? 2 : 1;
  return {static_cast<unsigned>(Before.count('\n')) + 1, Column};
}

/// A path as part of a URI.
static std::string uriOf(StringRef Path) {
  std::string Out;
  for (const char C : Path)
    if (llvm::isAlnum(C) || StringRef("/-._~!$&'()*+,;=:@").contains(C))
      Out += C;
    else
      Out += "%" + llvm::toHex(StringRef(&C, 1));
  return Out;
}

static llvm::json::Object sarifFix(const Request &R, const Fix &One) {
  llvm::json::Array Changes;
  for (const auto &[File, Some] : One.What.Edits) {
    auto Buffer = llvm::MemoryBuffer::getFile(File);
    if (!Buffer)
      continue;
    llvm::json::Array Replacements;
    for (const tooling::Replacement &E : Some) {
      const StringRef Text = (*Buffer)->getBuffer();
      const auto [Line, Column] = positionOf(Text, E.getOffset());
      const auto [EndLine, EndColumn] =
          positionOf(Text, E.getOffset() + E.getLength());
      Replacements.push_back(llvm::json::Object{
          {"deletedRegion", llvm::json::Object{{"startLine", Line},
                                               {"startColumn", Column},
                                               {"endLine", EndLine},
                                               {"endColumn", EndColumn}}},
          {"insertedContent",
           llvm::json::Object{{"text", E.getReplacementText()}}}});
    }
    Changes.push_back(llvm::json::Object{
        {"artifactLocation",
         llvm::json::Object{{"uri", uriOf(relativeTo(R.Root, File))},
                            {"uriBaseId", "SRCROOT"}}},
        {"replacements", std::move(Replacements)}});
  }
  return llvm::json::Object{
      {"description", llvm::json::Object{{"text", One.What.Summary}}},
      {"artifactChanges", std::move(Changes)}};
}

std::string sarifText(const Request &R, llvm::ArrayRef<Fix> All) {
  using llvm::json::Array;
  using llvm::json::Object;
  Array Results, Rules;
  std::set<StringRef> Known;
  for (const Fix &One : All) {
    if (!One.What.ok())
      continue;
    const Finding &F = *One.Of;
    if (Known.insert(F.rule()).second)
      Rules.push_back(Object{{"id", F.rule()}});
    Object Location{
        {"physicalLocation",
         Object{{"artifactLocation",
                 Object{{"uri", uriOf(relativeTo(R.Root, One.File))},
                        {"uriBaseId", "SRCROOT"}}},
                {"region", Object{{"startLine", F.Line}}}}}};
    Results.push_back(
        Object{{"ruleId", F.rule()},
               {"level", F.Severity == "high" ? "warning" : "note"},
               {"message", Object{{"text", F.Message + "; " + F.Advice}}},
               {"locations", Array{std::move(Location)}},
               {"fixes", Array{sarifFix(R, One)}}});
  }
  Object Driver{{"name", "inmem"}, {"rules", std::move(Rules)}};
  Object Run{
      {"tool", Object{{"driver", std::move(Driver)}}},
      {"results", std::move(Results)},
      {"columnKind", "utf16CodeUnits"},
      {"originalUriBaseIds",
       Object{{"SRCROOT", Object{{"uri", "file://" + uriOf(R.Root) + "/"}}}}}};
  Object Whole{{"$schema",
                "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                "schemas/sarif-schema-2.1.0.json"},
               {"version", "2.1.0"},
               {"runs", Array{std::move(Run)}}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(Whole))).str();
}

/// The suggestions of the review comments for one file. Each covers whole
/// lines; changes that are close together form one suggestion.
static std::vector<Change> suggestionsIn(StringRef Code,
                                         const tooling::Replacements &Some) {
  constexpr size_t kClose = 3;
  const std::vector<StringRef> Lines = linesOf(Code);
  const auto Text = [&](size_t First, size_t Last) {
    std::string Out;
    for (; First < Last; ++First)
      Out += Lines[First];
    return Out;
  };
  std::vector<Change> Out;
  for (Change &One : changesOf(Code, Some)) {
    if (One.First == One.Last && One.Last < Lines.size()) {
      One.New += Lines[One.Last++];
    } else if (One.First == One.Last && One.First > 0) {
      --One.First;
      One.New = Text(One.First, One.Last) + One.New;
    }
    if (Out.empty() || One.First > Out.back().Last + kClose) {
      Out.push_back(std::move(One));
      continue;
    }
    // An insertion may already include the line that the next change starts
    // with.
    Change &Last = Out.back();
    if (One.First < Last.Last)
      Last.New.resize(Last.New.size() - Text(One.First, Last.Last).size());
    Last.New += Text(Last.Last, One.First) + One.New;
    Last.Last = One.Last;
  }
  return Out;
}

std::string githubText(const Request &R, llvm::ArrayRef<Fix> All) {
  std::string Out;
  for (const Fix &One : All) {
    if (!One.What.ok())
      continue;
    std::vector<std::pair<std::string, Change>> Places;
    for (const auto &[File, Some] : One.What.Edits)
      if (auto Buffer = llvm::MemoryBuffer::getFile(File))
        for (Change &Each : suggestionsIn((*Buffer)->getBuffer(), Some))
          Places.emplace_back(relativeTo(R.Root, File), std::move(Each));
    for (size_t I = 0; I < Places.size(); ++I) {
      const auto &[Path, Place] = Places[I];
      StringRef New = Place.New;
      New.consume_back("\n");
      std::string Body = One.Of->Message + ". " + One.What.Summary +
                         " promises " + promise(R, One) + ".";
      if (Places.size() > 1)
        Body += llvm::formatv(" This is {0} of {1} suggestions that belong "
                              "together.",
                              I + 1, Places.size())
                    .str();
      llvm::json::Object Comment{
          {"path", Path},
          {"line", static_cast<int64_t>(Place.Last)},
          {"side", "RIGHT"},
          {"body", Body + "\n\n```suggestion\n" + New.str() + "\n```\n"}};
      if (Place.First + 1 < Place.Last)
        Comment["start_line"] = static_cast<int64_t>(Place.First + 1);
      Out +=
          llvm::formatv("{0}\n", llvm::json::Value(std::move(Comment))).str();
    }
  }
  return Out;
}

} // namespace inmem::fix
