//===- CompileCheck.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/verify/CompileCheck.h"

#include "fix/PatchOutput.h"
#include "fix/code/Frontend.h"

#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;
using llvm::ErrorOr;
using llvm::StringRef;
using llvm::Twine;
namespace vfs = llvm::vfs;

namespace inmem::fix {

namespace {

/// A file with its text in memory.
class EditedFile : public vfs::File {
public:
  EditedFile(vfs::Status Is, StringRef Text) : Is(std::move(Is)), Text(Text) {}

  ErrorOr<vfs::Status> status() override { return Is; }
  ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
  getBuffer(const Twine &Name, int64_t, bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(Text, Name);
  }
  std::error_code close() override { return {}; }

private:
  vfs::Status Is;
  StringRef Text;
};

/// The file system, with the text of some files replaced, under any path that
/// leads to them.
class EditedFiles : public vfs::ProxyFileSystem {
public:
  /// \param Texts by canonical path; must outlive this \param Opened set to the
  /// canonical paths of the files read; may be null
  EditedFiles(const std::map<std::string, std::string> &Texts,
              std::set<std::string> *Opened)
      : ProxyFileSystem(vfs::createPhysicalFileSystem()), Texts(Texts),
        Opened(Opened) {
    for (const auto &[Path, Text] : Texts)
      Names.insert(llvm::sys::path::filename(Path).str());
  }

  ErrorOr<vfs::Status> status(const Twine &Path) override {
    auto Is = ProxyFileSystem::status(Path);
    const std::string *Text = Is ? textOf(Path) : nullptr;
    return Text ? vfs::Status::copyWithNewSize(*Is, Text->size()) : Is;
  }
  ErrorOr<std::unique_ptr<vfs::File>>
  openFileForRead(const Twine &Path) override {
    auto File = ProxyFileSystem::openFileForRead(Path);
    if (!File)
      return File;
    if (Opened)
      Opened->insert(canonicalOf(Path));
    const std::string *Text = textOf(Path);
    if (!Text)
      return File;
    const auto Is = (*File)->status();
    if (!Is)
      return Is.getError();
    return std::make_unique<EditedFile>(
        vfs::Status::copyWithNewSize(*Is, Text->size()), *Text);
  }

private:
  std::string canonicalOf(const Twine &Path) const {
    llvm::SmallString<256> Whole;
    Path.toVector(Whole);
    (void)makeAbsolute(Whole);
    return canonical(Whole);
  }
  const std::string *textOf(const Twine &Path) const {
    llvm::SmallString<256> Given;
    Path.toVector(Given);
    // A symbolic link may have another name, but its target has one of Names.
    const std::string Real = canonicalOf(Given);
    if (!Names.count(llvm::sys::path::filename(Real).str()))
      return nullptr;
    const auto At = Texts.find(Real);
    return At == Texts.end() ? nullptr : &At->second;
  }

  const std::map<std::string, std::string> &Texts;
  std::set<std::string> *Opened;
  std::set<std::string> Names; ///< names in Texts, without folders
};

/// Runs an action of the frontend on a unit. \returns the first error
template <typename Action>
std::string runOn(const Database &D, const std::string &Unit,
                  llvm::IntrusiveRefCntPtr<EditedFiles> From,
                  bool KeepsWarnings) {
  FirstError Errors;
  const FirstCommand First(D.commands());
  tooling::ClangTool Tool(First, {Unit},
                          std::make_shared<PCHContainerOperations>(),
                          std::move(From));
  Tool.setPrintErrorMessage(false);
  Tool.setDiagnosticConsumer(&Errors);
  bool DropsPch = false;
  Tool.appendArgumentsAdjuster(
      [&](const tooling::CommandLineArguments &Given, StringRef) {
        return plainArguments(Given, KeepsWarnings, DropsPch);
      });
  const int Failed =
      Tool.run(tooling::newFrontendActionFactory<Action>().get());
  if (!Errors.Text.empty())
    return Errors.Location.empty()
               ? "error: " + Errors.Text
               : Errors.Location + ": error: " + Errors.Text;
  return Failed ? Unit + " cannot be parsed with its command" : "";
}

/// True if a unit's command turns warnings into errors.
bool hasWerror(const Database &D, const std::string &Unit) {
  for (const auto &Command :
       FirstCommand(D.commands()).getCompileCommands(Unit))
    for (const std::string &Arg : Command.CommandLine)
      if (StringRef(Arg).substr(0, 7) == "-Werror")
        return true;
  return false;
}

} // namespace

std::string CompileCheck::errorIn(const Texts &Edited, const std::string &Unit,
                                  bool KeepsWarnings) const {
  return runOn<SyntaxOnlyAction>(
      D, Unit, llvm::makeIntrusiveRefCnt<EditedFiles>(Edited, nullptr),
      KeepsWarnings);
}

bool CompileCheck::isClean(const std::string &Unit) {
  const auto Known = Clean.find(Unit);
  if (Known != Clean.end())
    return Known->second;
  return Clean[Unit] = hasWerror(D, Unit) && errorIn({}, Unit, true).empty();
}

std::string CompileCheck::errorOf(const FileEdits &Edits,
                                  llvm::ArrayRef<std::string> Units) {
  Texts Edited;
  for (const auto &[File, Some] : Edits) {
    auto Text = edited(File, Some);
    if (!Text)
      return llvm::toString(Text.takeError());
    Edited[File] = std::move(*Text);
  }
  for (const std::string &Unit : Units)
    if (std::string Error = errorIn(Edited, Unit, isClean(Unit));
        !Error.empty())
      return Error;
  return {};
}

const std::set<std::string> &CompileCheck::filesOf(const std::string &Unit) {
  const auto [At, New] = Files.try_emplace(Unit);
  if (New) {
    const Texts None;
    (void)runOn<PreprocessOnlyAction>(
        D, Unit, llvm::makeIntrusiveRefCnt<EditedFiles>(None, &At->second),
        false);
  }
  return At->second;
}

CompileCheck::Units CompileCheck::unitsOf(const FileEdits &Edits,
                                          const std::string &Own) {
  // Some headers are included by thousands of units.
  constexpr size_t kMost = 64;
  Units Out;
  Out.Names = {Own};
  const std::vector<std::string> All = D.units();
  const bool OnlyUnits = llvm::all_of(
      Edits, [&](const auto &Of) { return llvm::is_contained(All, Of.first); });
  for (const std::string &Unit : All) {
    if (Unit == Own)
      continue;
    const bool IsEdited = Edits.count(Unit) > 0;
    if (!IsEdited && (OnlyUnits || llvm::none_of(Edits, [&](const auto &Of) {
                        return filesOf(Unit).count(Of.first) > 0;
                      })))
      continue;
    if (!IsEdited && Out.Names.size() >= kMost)
      ++Out.Left;
    else
      Out.Names.push_back(Unit);
  }
  return Out;
}

} // namespace inmem::fix
