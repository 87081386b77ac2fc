//===- Database.cpp -------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/code/Database.h"

#include "fix/RequestFile.h"

#include "clang/Tooling/CompilationDatabase.h"
#include "clang/Tooling/JSONCompilationDatabase.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <algorithm>
#include <set>

using llvm::Expected;
using llvm::MemoryBuffer;
using llvm::SmallString;
using llvm::StringRef;
namespace path = llvm::sys::path;

namespace inmem::fix {

Database::Database() = default;
Database::~Database() = default;
Database::Database(Database &&) noexcept = default;

std::string canonical(StringRef Path) {
  SmallString<256> Real;
  if (!llvm::sys::fs::real_path(Path, Real))
    return Real.str().str();
  SmallString<256> Plain(Path);
  path::remove_dots(Plain, /*remove_dot_dot=*/true);
  return Plain.str().str();
}

bool isBelow(StringRef Path, StringRef Folder) {
  if (Folder == "/" || Path == Folder)
    return true;
  return Path.size() > Folder.size() &&
         Path.substr(0, Folder.size()) == Folder && Path[Folder.size()] == '/';
}

static std::string absoluteIn(StringRef Folder, StringRef Name) {
  SmallString<256> Out(Name);
  if (!path::is_absolute(Name)) {
    Out = Folder;
    path::append(Out, Name);
  }
  return canonical(Out);
}

Expected<Database> Database::load(StringRef Path) {
  SmallString<256> File(Path);
  if (llvm::sys::fs::is_directory(File))
    path::append(File, "compile_commands.json");
  if (!llvm::sys::fs::exists(File))
    return failure("no compilation database: " + File +
                   " is not there; CMake writes one with "
                   "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON, inmem-clang++ with "
                   "INMEM_COMPILE_COMMANDS=FILE");
  auto Text = MemoryBuffer::getFile(File);
  if (!Text)
    return failure(File + ": " + Text.getError().message());
  // Clang's parser prints its own diagnostics for malformed JSON.
  if (auto Parsed = llvm::json::parse((*Text)->getBuffer()); !Parsed)
    return failure(File +
                   ": expected JSON: " + llvm::toString(Parsed.takeError()));
  std::string Error;
  Database Out;
  auto Loaded = clang::tooling::JSONCompilationDatabase::loadFromBuffer(
      (*Text)->getBuffer(), Error,
      clang::tooling::JSONCommandLineSyntax::AutoDetect);
  if (!Loaded)
    return failure(File + ": " + StringRef(Error).rtrim());
  Out.Of = clang::tooling::expandResponseFiles(std::move(Loaded),
                                               llvm::vfs::getRealFileSystem());
  for (const auto &Command : Out.Of->getAllCompileCommands())
    Out.Files.push_back(
        {absoluteIn(Command.Directory, Command.Filename), Command.Directory});
  if (Out.Files.empty())
    return failure(File + ": has no commands");
  return Out;
}

/// True if a unit includes a header directly.
static bool namesHeader(StringRef Unit, StringRef Header) {
  auto Buffer = MemoryBuffer::getFile(Unit);
  if (!Buffer)
    return false;
  const StringRef Name = path::filename(Header);
  StringRef Rest = (*Buffer)->getBuffer();
  while (!Rest.empty()) {
    const auto [Line, Next] = Rest.split('\n');
    Rest = Next;
    if (Line.ltrim().substr(0, 1) == "#" && Line.contains("include") &&
        Line.contains(Name))
      return true;
  }
  return false;
}

std::vector<std::string> Database::unitsWith(StringRef Header) const {
  std::vector<std::string> First, Second, Third;
  constexpr size_t kMost = 6;
  for (const Command &E : Files) {
    if (path::stem(E.File) == path::stem(Header))
      First.push_back(E.File);
    else if (Second.size() < kMost && namesHeader(E.File, Header))
      Second.push_back(E.File);
    else if (Third.size() < kMost)
      Third.push_back(E.File);
  }
  First.insert(First.end(), Second.begin(), Second.end());
  First.insert(First.end(), Third.begin(), Third.end());
  if (First.size() > kMost)
    First.resize(kMost);
  return First;
}

std::vector<std::string> Database::units() const {
  std::vector<std::string> Out;
  std::set<std::string> Known;
  for (const Command &E : Files)
    if (Known.insert(E.File).second)
      Out.push_back(E.File);
  return Out;
}

std::vector<std::string> Database::unitsThatName(StringRef Name,
                                                 StringRef Own) const {
  const auto IsPart = [](char C) { return llvm::isAlnum(C) || C == '_'; };
  std::set<std::string> Out;
  for (const Command &E : Files) {
    if (E.File == Own)
      continue;
    auto Buffer = MemoryBuffer::getFile(E.File);
    if (!Buffer)
      continue;
    const StringRef Text = (*Buffer)->getBuffer();
    for (size_t At = Text.find(Name); At != StringRef::npos;
         At = Text.find(Name, At + 1))
      if ((At == 0 || !IsPart(Text[At - 1])) &&
          (At + Name.size() == Text.size() || !IsPart(Text[At + Name.size()])))
        Out.insert(E.File);
  }
  return {Out.begin(), Out.end()};
}

Expected<Located> Database::locate(StringRef Name) const {
  std::set<std::string> Candidates;
  if (path::is_absolute(Name)) {
    Candidates.insert(canonical(Name));
  } else {
    for (const Command &E : Files) {
      std::string At = absoluteIn(E.Folder, Name);
      if (llvm::sys::fs::exists(At))
        Candidates.insert(std::move(At));
    }
  }
  if (Candidates.size() > 1)
    return failure("several files of the database are called " + Name);
  if (Candidates.empty() || !llvm::sys::fs::exists(*Candidates.begin()))
    return failure(Name + " is not there");
  Located Out;
  Out.File = *Candidates.begin();
  for (const Command &E : Files)
    if (E.File == Out.File) {
      Out.Units = {Out.File};
      return Out;
    }
  const StringRef Extension = path::extension(Out.File);
  if (Extension.substr(0, 2) != ".h" && Extension != ".inc" &&
      Extension != ".ipp" && Extension != ".tpp" && !Extension.empty())
    return failure("the compilation database has no command for " + Name);
  Out.Units = unitsWith(Out.File);
  return Out;
}

} // namespace inmem::fix
