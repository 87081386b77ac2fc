//===- ImportCommand.cpp - inmem import -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Symbolizer.h"
#include "report/import/Imported.h"
#include "report/names/TypeName.h"
#include "trace/text/Text.h"

#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace inmem::tools {

namespace {

namespace fs = std::filesystem;

/// Names of code in files that exist on this machine.
class ModuleNames {
public:
  /// \param Of the profile's file
  explicit ModuleNames(const std::string &Of) {
    std::error_code Error;
    Recorded = fs::last_write_time(Of, Error);
    if (Error)
      Recorded = fs::file_time_type::max();
  }

  std::vector<report::ImportedLocation> find(const std::string &Path,
                                             uint64_t Offset) {
    std::vector<report::ImportedLocation> Out;
    if (!isUsable(Path))
      return Out;
    for (report::SourceLocation &At :
         Symbols.expand(Path, "", Offset + Symbols.lowestAddress(Path, "")))
      Out.push_back(
          {report::demangle(At.Function), std::move(At.File), At.Line});
    return Out;
  }

  const std::set<std::string> &newer() const { return Newer; }

private:
  /// A file written after the profile may be another build.
  bool isUsable(const std::string &Path) {
    const auto [At, New] = Usable.try_emplace(Path, false);
    if (!New)
      return At->second;
    std::error_code Error;
    const auto Written = fs::last_write_time(Path, Error);
    At->second = !Error && Written <= Recorded;
    if (!Error && Written > Recorded)
      Newer.insert(Path);
    return At->second;
  }

  fs::file_time_type Recorded;
  std::map<std::string, bool> Usable;
  std::set<std::string> Newer;
  Symbolizer Symbols;
};

void nameFrames(report::Imported &Of, const std::string &File) {
  ModuleNames Names(File);
  Of.nameFrames([&](const std::string &Path, uint64_t Offset) {
    return Names.find(Path, Offset);
  });
  for (const std::string &Path : Names.newer())
    Of.Notes.push_back(Path + " is newer than the profile: functions of it are "
                              "not named");
}

/// Why \p File could not be read as \p Asked, and which format it has, if that
/// is another.
trace::Status refusal(const trace::Status &Why, const trace::Buffer &File,
                      const report::ImportFormat *Asked) {
  const auto Found = Asked
                         ? report::detectFormat(File)
                         : trace::Result<const report::ImportFormat *>(nullptr);
  if (!Found || !*Found || (*Found)->Read == Asked->Read)
    return Why;
  return trace::Status::error("", Why.str() + "; the content is " +
                                      std::string((*Found)->Name) +
                                      "'s, which needs no --format");
}

} // namespace

Action setUpImport(CommandLine &App) {
  struct ImportState {
    std::string File, Output;
    const report::ImportFormat *Format = nullptr;
  };
  const auto S = std::make_shared<ImportState>();
  std::string Help;
  for (const report::ImportFormat &F : report::importFormats())
    Help += "  " + std::string(F.Name) + ": " + std::string(F.Help) + "\n";
  App.option("FILE", S->File, "what the other tool wrote; .gz and .zst too")
      .required()
      .reads();
  App.choice("--format", S->Format,
             choicesOf(report::importFormats(), &report::ImportFormat::Name),
             "one of {}; otherwise as its content says")
      .valueName("NAME");
  App.option("-o,--output", S->Output,
             "the trace to write; - is standard output")
      .valueName("OUT")
      .required()
      .writes();
  App.footer("Formats:\n" + Help +
             "\nFigures that a format lacks are unknown in reports: null in "
             "JSON, ? in text.\n\nExamples:\n"
             "  inmem import -o app.inmem heaptrack.app.1.zst\n"
             "  inmem import -o heap.inmem heap.pb.gz && inmem html -o "
             "heap.html heap.inmem\n"
             "  inmem import --format dhat -o app.inmem dhat.out.1234");
  return [S]() -> Outcome {
    const auto File = trace::Buffer::openCut(S->File);
    if (!File)
      return Outcome::unreadable(File.status());
    const auto Format =
        S->Format ? trace::Result<const report::ImportFormat *>(S->Format)
                  : report::detectFormat(**File);
    if (!Format)
      return Outcome::unreadable(Format.status());
    std::optional<Progress> Working("reading " + trace::escaped(S->File));
    auto Read = (*Format)->Read(**File);
    if (!Read)
      return Outcome::unreadable(refusal(Read.status(), **File, S->Format));
    Read->Cut |= (*File)->cut();
    nameFrames(*Read, S->File);
    const auto Bytes = Read->write();
    if (!Bytes)
      return Outcome::unreadable(Bytes.status());
    Working.reset();
    const trace::Status Done = writeText(
        S->Output, stdout,
        {reinterpret_cast<const char *>(Bytes->data()), Bytes->size()});
    return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
  };
}

} // namespace inmem::tools
