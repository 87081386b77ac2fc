//===- CompileCommands.cpp - a compilation database -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Request.h"

#include "Toolchain.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace inmem::wrapper {

namespace {

bool isSource(std::string_view Name) {
  for (const std::string_view End :
       {".c", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".m", ".mm",
        ".cppm", ".ccm", ".cxxm", ".c++m"})
    if (endsWith(Name, End))
      return true;
  return false;
}

/// Options that take the next argument as their value.
bool takesValue(std::string_view Option) {
  for (const std::string_view One : {"-o",
                                     "-I",
                                     "-D",
                                     "-U",
                                     "-L",
                                     "-l",
                                     "-x",
                                     "-T",
                                     "-u",
                                     "-z",
                                     "-MF",
                                     "-MT",
                                     "-MQ",
                                     "-MJ",
                                     "-include",
                                     "-include-pch",
                                     "-imacros",
                                     "-isystem",
                                     "-iquote",
                                     "-idirafter",
                                     "-isysroot",
                                     "-iprefix",
                                     "-iwithprefix",
                                     "-Xclang",
                                     "-Xlinker",
                                     "-Xassembler",
                                     "-Xpreprocessor",
                                     "-mllvm",
                                     "-target",
                                     "-arch",
                                     "-resource-dir",
                                     "-B",
                                     "-framework",
                                     "--param",
                                     "--sysroot",
                                     "--config",
                                     "-dumpbase",
                                     "-dumpdir"})
    if (Option == One)
      return true;
  return false;
}

std::string inJson(std::string_view Text) {
  std::string Out = "\"";
  for (const char C : Text) {
    if (C == '"' || C == '\\') {
      Out += '\\';
      Out += C;
    } else if (static_cast<unsigned char>(C) < 0x20) {
      char Escape[8];
      std::snprintf(Escape, sizeof Escape, "\\u%04x",
                    static_cast<unsigned>(static_cast<unsigned char>(C)));
      Out += Escape;
    } else {
      Out += C;
    }
  }
  return Out + '"';
}

/// Returns the options, and adds the source files to \p Sources.
Args split(const Args &Given, Args &Sources) {
  Args Options;
  bool OnlyFiles = false;
  for (size_t I = 0; I < Given.size(); ++I) {
    const std::string &Arg = Given[I];
    if (!OnlyFiles && Arg == "--") {
      OnlyFiles = true;
    } else if (!OnlyFiles && takesValue(Arg) && I + 1 < Given.size()) {
      Options.push_back(Arg);
      Options.push_back(Given[++I]);
    } else if (!OnlyFiles && startsWith(Arg, "-") && Arg != "-") {
      Options.push_back(Arg);
    } else if (isSource(Arg)) {
      Sources.push_back(Arg);
    }
  }
  return Options;
}

/// Appends to an array in a file, so that the array stays valid.
bool append(int Fd, const std::string &Entry) {
  struct stat Now{};
  if (fstat(Fd, &Now) != 0)
    return false;
  std::string Old(static_cast<size_t>(Now.st_size), '\0');
  if (pread(Fd, Old.data(), Old.size(), 0) != static_cast<ssize_t>(Old.size()))
    return false;
  if (Old.find(Entry) != std::string::npos)
    return true; // already listed
  const size_t End = Old.find_last_of(']');
  const bool First = Old.find('{') == std::string::npos;
  if (End == std::string::npos && !Old.empty())
    return errno = EINVAL, false;
  size_t At = End == std::string::npos ? 0 : End;
  while (At > 0 && (Old[At - 1] == '\n' || Old[At - 1] == ' '))
    --At;
  const std::string Text = (End == std::string::npos ? "[\n"
                            : First                  ? "\n"
                                                     : ",\n") +
                           Entry + "\n]\n";
  return pwrite(Fd, Text.data(), Text.size(), static_cast<off_t>(At)) ==
             static_cast<ssize_t>(Text.size()) &&
         ftruncate(Fd, static_cast<off_t>(At + Text.size())) == 0;
}

} // namespace

void noteCommand(const Args &Given, const std::string &Clang) {
  const char *File = std::getenv("INMEM_COMPILE_COMMANDS");
  if (!File || !*File)
    return;
  Args Sources;
  const Args Options = split(Given, Sources);
  char Folder[PATH_MAX];
  if (Sources.empty() || !getcwd(Folder, sizeof Folder))
    return;
  const int Fd = open(File, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  bool Done = Fd >= 0 && flock(Fd, LOCK_EX) == 0;
  for (const std::string &Source : Sources) {
    std::string Entry = "{\"directory\": " + inJson(Folder) +
                        ", \"file\": " + inJson(Source) + ", \"arguments\": [" +
                        inJson(Clang) + ", " + inJson(kLanguage.DriverMode);
    for (const std::string &Option : Options)
      Entry += ", " + inJson(Option);
    Entry += ", \"-c\", " + inJson(Source) + "]}";
    Done = Done && append(Fd, Entry);
  }
  if (!Done)
    std::fprintf(stderr,
                 "inmem: INMEM_COMPILE_COMMANDS: cannot add to %s: %s\n", File,
                 std::strerror(errno));
  if (Fd >= 0)
    close(Fd);
}

} // namespace inmem::wrapper
