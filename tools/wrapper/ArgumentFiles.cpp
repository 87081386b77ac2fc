//===- ArgumentFiles.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments that a command line takes from files.
#include "Request.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <unistd.h>

namespace inmem::wrapper {

namespace {

constexpr int kMostDepth = 16; // files may include themselves

/// Splits the text of a response file as clang does: blanks separate words,
/// single and double quotes group, and a backslash escapes the next character.
Args splitWords(std::string_view Text) {
  Args Words;
  std::string Word;
  bool InWord = false;
  char Quote = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    char C = Text[I];
    if (C == '\\' && Quote != '\'' && I + 1 < Text.size()) {
      Word += Text[++I];
      InWord = true;
    } else if (Quote ? C == Quote : (C == '"' || C == '\'')) {
      Quote = Quote ? 0 : C;
      InWord = true;
    } else if (!Quote && std::strchr(" \t\r\n", C)) {
      if (InWord)
        Words.push_back(std::move(Word));
      Word.clear();
      InWord = false;
    } else {
      Word += C;
      InWord = true;
    }
  }
  if (InWord)
    Words.push_back(std::move(Word));
  return Words;
}

std::optional<std::string> readFile(const std::string &Path) {
  std::ifstream File(Path);
  if (!File.is_open())
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(File), {});
}

Args openResponseFiles(const Args &Given, int Depth = 0) {
  Args Words;
  for (const std::string &Arg : Given) {
    std::optional<std::string> Text;
    if (Depth < kMostDepth && Arg.size() > 1 && Arg[0] == '@')
      Text = readFile(Arg.substr(1));
    if (!Text) {
      Words.push_back(Arg);
      continue;
    }
    for (std::string &Word : openResponseFiles(splitWords(*Text), Depth + 1))
      Words.push_back(std::move(Word));
  }
  return Words;
}

std::string folderOf(const std::string &Path) {
  size_t Slash = Path.rfind('/');
  return Slash == std::string::npos ? "." : Path.substr(0, Slash);
}

/// The value of \p Option in \p Words at \p I. Advances \p I if the value is
/// the next argument.
std::optional<std::string> valueOf(const std::string &Option, const Args &Words,
                                   size_t &I) {
  if (startsWith(Words[I], Option + "="))
    return Words[I].substr(Option.size() + 1);
  if (Words[I] == Option && I + 1 < Words.size())
    return Words[++I];
  return std::nullopt;
}

/// The options in configuration files: those to insert before the command
/// line's, and those to insert after it, which are marked with `$`.
class ConfigFiles {
public:
  ConfigFiles(const Args &Words, const std::string &Clang) {
    const std::string User = "--config-user-dir=",
                      System = "--config-system-dir=";
    std::string UserFolder, SystemFolder;
    for (const std::string &Word : Words)
      if (startsWith(Word, User))
        UserFolder = Word.substr(User.size());
      else if (startsWith(Word, System))
        SystemFolder = Word.substr(System.size());
    char Real[PATH_MAX];
    const char *Program = realpath(Clang.c_str(), Real);
    Folders = {UserFolder, SystemFolder, folderOf(Clang),
               folderOf(Program ? Program : Clang)};
    for (size_t I = 0; I < Words.size() && Words[I] != "--"; ++I)
      if (auto Name = valueOf("--config", Words, I))
        read(find(*Name), 0);
  }

  Args Front, Behind;

private:
  /// Searches clang's configuration folders for a name without a folder.
  std::string find(const std::string &Name) const {
    if (Name.find('/') != std::string::npos)
      return Name;
    for (const std::string &Folder : Folders) {
      std::string Path = Folder;
      Path.append("/").append(Name);
      if (!Folder.empty() && access(Path.c_str(), R_OK) == 0)
        return Path;
    }
    return {};
  }

  void read(const std::string &Path, int Depth) {
    std::optional<std::string> Text;
    if (Depth < kMostDepth && !Path.empty())
      Text = readFile(Path);
    if (!Text)
      return;
    const Args Words = splitWords(withoutComments(*Text, folderOf(Path)));
    for (size_t I = 0; I < Words.size(); ++I) {
      const std::string &Word = Words[I];
      if (Word.size() > 1 && Word[0] == '@')
        read(within(folderOf(Path), Word.substr(1)), Depth + 1);
      else if (auto Name = valueOf("--config", Words, I))
        read(Name->find('/') == std::string::npos
                 ? find(*Name)
                 : within(folderOf(Path), *Name),
             Depth + 1);
      else if (Word.size() > 1 && Word[0] == '$')
        readBehind(Word.substr(1), Words, I);
      else
        Front.push_back(Word);
    }
  }

  /// Handles an option to insert after the command line: clang accepts only
  /// linker arguments there.
  void readBehind(const std::string &Word, const Args &Words, size_t &I) {
    if (Word == "-r" || startsWith(Word, "-Wl,"))
      Behind.push_back(Word);
    if (Word == "-Xlinker" && I + 1 < Words.size() && Words[I + 1][0] == '$')
      Behind.insert(Behind.end(), {Word, Words[++I].substr(1)});
  }

  static std::string within(const std::string &Folder,
                            const std::string &Path) {
    return Path[0] == '/' ? Path : Folder + "/" + Path;
  }

  /// Removes comments, which are whole lines. A backslash at the end of a line
  /// joins it with the next.
  static std::string withoutComments(std::string_view Text,
                                     const std::string &Folder) {
    std::string Kept;
    bool Joined = false;
    while (!Text.empty()) {
      size_t End = std::min(Text.find('\n'), Text.size());
      std::string Line(Text.substr(0, End));
      Text.remove_prefix(std::min(End + 1, Text.size()));
      if (endsWith(Line, "\r"))
        Line.pop_back();
      size_t First = Line.find_first_not_of(" \t");
      if (!Joined && First != std::string::npos && Line[First] == '#')
        continue;
      Joined = endsWith(Line, "\\");
      if (Joined)
        Line.pop_back();
      Kept += Line;
      if (!Joined)
        Kept += '\n';
    }
    constexpr std::string_view kFolder = "<CFGDIR>";
    for (size_t At = 0; (At = Kept.find(kFolder, At)) != std::string::npos;
         At += Folder.size())
      Kept.replace(At, kFolder.size(), Folder);
    return Kept;
  }

  Args Folders;
};

} // namespace

Args openArgumentFiles(const Args &Given, const std::string &Clang) {
  Args Words = openResponseFiles(Given);
  ConfigFiles Config(Words, Clang);
  Args All = std::move(Config.Front);
  All.insert(All.end(), Words.begin(), Words.end());
  // Insert before "--", since all words after it are files.
  All.insert(std::find(All.begin(), All.end(), "--"), Config.Behind.begin(),
             Config.Behind.end());
  return All;
}

} // namespace inmem::wrapper
