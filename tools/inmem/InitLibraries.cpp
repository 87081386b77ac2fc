//===- InitLibraries.cpp - which folders hold code of others --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "InitLibraries.h"

#include "plugin/LibraryFolderNames.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace inmem::tools {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 5;

std::string lower(std::string Text) {
  std::ranges::transform(Text, Text.begin(), [](unsigned char C) {
    return static_cast<char>(std::tolower(C));
  });
  return Text;
}

bool isSource(const fs::path &File) {
  static constexpr std::array<std::string_view, 12> kKinds = {
      ".c",  ".cc",  ".cpp", ".cxx", ".c++", ".h",
      ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp"};
  return std::ranges::count(kKinds, lower(File.extension().string())) > 0;
}

/// LICENSE, COPYING.txt, LICENSE_1_0.txt and similar names.
bool isLicence(const fs::path &File) {
  const std::string Name = lower(File.filename().string());
  return !isSource(File) &&
         std::ranges::any_of(
             std::array<std::string_view, 4>{"license", "licence", "copying",
                                             "unlicense"},
             [&](std::string_view Word) {
               return Name.starts_with(Word) &&
                      (Name.size() == Word.size() ||
                       std::string_view("._-").find(Name[Word.size()]) !=
                           std::string_view::npos);
             });
}

/// The text without whitespace: copies differ in their line endings.
std::string wordsOf(const fs::path &File) {
  std::ifstream In(File, std::ios::binary);
  std::string Out{std::istreambuf_iterator<char>(In), {}};
  std::erase_if(Out, [](unsigned char C) { return std::isspace(C); });
  return Out;
}

struct Contents {
  std::vector<fs::path> Folders, Licences;
  bool HasSources = false;
  /// Another repository, or a folder that a build tool writes to.
  bool IsElsewhere = false;
};

Contents contentsOf(const fs::path &Folder) {
  Contents Out;
  std::error_code Error;
  fs::directory_iterator At(
      Folder, fs::directory_options::skip_permission_denied, Error);
  for (; !Error && At != fs::end(At); At.increment(Error)) {
    const std::string Name = At->path().filename().string();
    if (Name == ".git" || Name == ".hg" || Name == ".svn" || Name == ".jj" ||
        Name == ".bzr" || Name == "CMakeCache.txt" || Name == "build.ninja" ||
        Name == "config.status" || Name == "meson-private")
      Out.IsElsewhere = true;
    if (At->is_directory(Error) && !At->is_symlink(Error)) {
      if (Name[0] != '.')
        Out.Folders.push_back(At->path());
    } else if (isLicence(At->path()))
      Out.Licences.push_back(At->path());
    else
      Out.HasSources |= isSource(At->path());
  }
  std::ranges::sort(Out.Folders);
  std::ranges::sort(Out.Licences);
  return Out;
}

bool hasSources(const Contents &In, int Depth) {
  return In.HasSources ||
         (Depth < kDeepest && std::ranges::any_of(
                                  In.Folders,
                                  [Depth](const fs::path &Folder) {
                                    return hasSources(contentsOf(Folder),
                                                      Depth + 1);
                                  }));
}

/// Replaces characters that separate globs, words or commands by `?`.
std::string shellSafe(std::string Glob) {
  std::ranges::replace_if(
      Glob,
      [](unsigned char C) {
        return !std::isalnum(C) &&
               !std::strchr("_-./+*?[]", static_cast<char>(C));
      },
      '?');
  return Glob;
}

/// A glob for all files below \p Folder.
std::string globOf(const fs::path &Folder) {
  std::string Name = Folder.generic_string();
  std::ranges::replace_if(
      Name, [](char C) { return std::strchr("*[]", C) != nullptr; }, '?');
  return shellSafe(Name) + "/*";
}

class Search {
public:
  Search(fs::path Top) : Top(std::move(Top)) {}

  SourceGlobs run() {
    const Contents All = contentsOf(Top);
    for (const fs::path &File : All.Licences)
      Own.push_back(wordsOf(File));
    for (const fs::path &Folder : All.Folders)
      visit(Folder, /*Library=*/false, 1);
    return std::move(Out);
  }

private:
  /// \param Library true if the plugin classifies the parent folder as a
  /// library
  void visit(const fs::path &Folder, bool Library, int Depth) {
    const Contents In = contentsOf(Folder);
    if (In.IsElsewhere || Folder.filename() == "build-inmem")
      return;
    Library |= isNameOfLibraries(Folder.filename().string());
    if (!In.Licences.empty() && hasSources(In, Depth)) {
      const auto Copy =
          std::ranges::find_if(In.Licences, [this](const fs::path &File) {
            return std::ranges::count(Own, wordsOf(File)) > 0;
          });
      const bool IsMine = Copy != In.Licences.end();
      if (IsMine == Library)
        note(Folder, IsMine ? *Copy : In.Licences.front(), IsMine);
      if (IsMine && Library)
        return; // mine= wins over any library= below
      Library = !IsMine;
    }
    if (Depth < kDeepest)
      for (const fs::path &Below : In.Folders)
        visit(Below, Library, Depth + 1);
  }

  void note(const fs::path &Folder, const fs::path &Licence, bool IsMine) {
    const auto Below = [this](const fs::path &Path) {
      return Path.lexically_relative(Top);
    };
    auto &Globs = IsMine ? Out.Mine : Out.Library;
    Globs.push_back(globOf(Below(Folder)));
    Out.Reasons.push_back(fmt::format(
        "{} {}: {} {}", IsMine ? "mine:   " : "library:", Globs.back(),
        Below(Licence).generic_string(),
        IsMine ? "is the project's" : "is not the project's"));
  }

  fs::path Top;
  std::vector<std::string> Own; ///< the project's licences
  SourceGlobs Out;
};

} // namespace

std::vector<std::string> SourceGlobs::options() const {
  std::vector<std::string> Out;
  if (!Library.empty())
    Out.push_back(
        fmt::format("-fplugin-arg-inmem-library={}", fmt::join(Library, ",")));
  if (!Mine.empty())
    Out.push_back(
        fmt::format("-fplugin-arg-inmem-mine={}", fmt::join(Mine, ",")));
  return Out;
}

SourceGlobs findLibraries(const std::string &Top) { return Search(Top).run(); }

void addGlobs(const std::string &Text, std::vector<std::string> &Globs) {
  for (size_t At = 0; At <= Text.size();) {
    const size_t End = std::min(Text.find(',', At), Text.size());
    if (End > At)
      Globs.push_back(shellSafe(Text.substr(At, End - At)));
    At = End + 1;
  }
}

} // namespace inmem::tools
