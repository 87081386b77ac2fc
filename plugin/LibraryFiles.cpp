//===- LibraryFiles.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LibraryFiles.h"
#include "LibraryFolderNames.h"
#include "PluginOptions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace inmem {

static bool isBelow(StringRef File, StringRef Folder) {
  return File.size() > Folder.size() && File.starts_with(Folder) &&
         (Folder.ends_with("/") || File[Folder.size()] == '/');
}

LibraryFiles::LibraryFiles(StringRef Unit, StringRef Directory)
    : Directory(Directory.str()), Unit(absolute(Unit)) {}

std::string LibraryFiles::absolute(StringRef File) const {
  SmallString<256> Path(File);
  if (!sys::path::is_absolute(Path)) {
    Path = Directory;
    sys::path::append(Path, File);
  }
  sys::path::remove_dots(Path, /*remove_dot_dot=*/true);
  return Path.str().str();
}

bool LibraryFiles::contains(StringRef File, bool System) {
  const auto [It, New] = Known[System].try_emplace(File, System);
  if (New)
    It->second = lookUp(File, System);
  return It->second;
}

bool LibraryFiles::lookUp(StringRef File, bool System) {
  if (File.empty() || File.starts_with("<"))
    return System;
  const Options &Chosen = Options::current();
  const std::string Path = absolute(File);
  if (Options::matchesPath(Chosen.Mine, Path))
    return false;
  if (System || Options::matchesPath(Chosen.Library, Path))
    return true;
  if (Path == Unit)
    return false;
  // `-I/usr/include/eigen3` does not mark its headers as system headers.
  for (const char *Installed :
       {"/usr/include", "/usr/local", "/usr/lib", "/opt"})
    if (isBelow(Path, Installed) && !isBelow(Unit, Installed))
      return true;
  for (size_t End = Path.find('/', 1); End != std::string::npos;
       End = Path.find('/', End + 1)) {
    const StringRef Folder = StringRef(Path).take_front(End);
    if (isNameOfLibraries(sys::path::filename(Folder)) &&
        !isBelow(Unit, Folder))
      return true;
  }
  return liesOutside(sys::path::parent_path(Path));
}

/// The nearest enclosing folder with version control metadata.
const std::string &LibraryFiles::repositoryOf(StringRef Folder) {
  const auto [It, New] = Folders.try_emplace(Folder);
  if (!New)
    return It->second;
  std::string Found;
  const StringRef Parent = sys::path::parent_path(Folder);
  if (any_of(ArrayRef<StringRef>{".git", ".hg", ".svn", ".jj", ".bzr"},
             [Folder](StringRef Mark) {
               return sys::fs::exists(Folder + "/" + Mark);
             }))
    Found = Folder.str();
  else if (!Parent.empty() && Parent != Folder)
    Found = repositoryOf(Parent);
  return Folders[Folder] = Found;
}

/// True if a build tool writes to the folder: it contains generated files.
bool LibraryFiles::isInBuild(StringRef Folder) {
  const auto [It, New] = Builds.try_emplace(Folder, false);
  if (!New)
    return It->second;
  const StringRef Parent = sys::path::parent_path(Folder);
  const bool Found =
      any_of(ArrayRef<StringRef>{"CMakeCache.txt", "build.ninja",
                                 "config.status", "meson-private"},
             [Folder](StringRef Mark) {
               return sys::fs::exists(Folder + "/" + Mark);
             }) ||
      (!Parent.empty() && Parent != Folder && isInBuild(Parent));
  return Builds[Folder] = Found;
}

/// True if \p Folder is not in the repository of the unit. A nested repository
/// counts as another one.
bool LibraryFiles::liesOutside(StringRef Folder) {
  const std::string Own = repositoryOf(sys::path::parent_path(Unit));
  if (Own.empty())
    return false;
  const std::string Its = repositoryOf(Folder);
  return Its.empty() ? !(Folder == Directory || isBelow(Folder, Directory) ||
                         isInBuild(Folder))
                     : Its != Own;
}

} // namespace inmem
