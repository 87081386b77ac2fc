//===- Toolchain.cpp - finds a clang and the plugin for it ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As built, the plugin is lib/libinmem.so, for one version. Packages install
// several versions side by side: lib/inmem/llvm-N/libinmem.so.
#include "Toolchain.h"

#include "Request.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <functional>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace inmem::wrapper {

void fail(const std::string &Message) {
  std::fprintf(stderr, "%s: %s\n", kLanguage.Name, Message.c_str());
  std::exit(2);
}

namespace {

/// Debian's folder for libraries.
#ifdef __aarch64__
constexpr const char *kArchitectureLib = "/../lib/aarch64-linux-gnu";
#else
constexpr const char *kArchitectureLib = "/../lib/x86_64-linux-gnu";
#endif

bool exists(const std::string &Path) { return access(Path.c_str(), F_OK) == 0; }

/// The directory of this executable, with symbolic links resolved, so that a
/// link to the wrapper (in ~/bin or a toolchain folder) works.
std::string ownDirectory() {
  char Path[PATH_MAX];
  ssize_t Length = readlink("/proc/self/exe", Path, sizeof Path);
  if (Length <= 0)
    fail("cannot read /proc/self/exe: is /proc mounted?");
  std::string_view Full(Path, static_cast<size_t>(Length));
  return std::string(Full.substr(0, Full.rfind('/')));
}

/// The lib folder next to our bin folder, as built, or as installed on systems
/// with lib/<triple>.
std::string libDirectory() {
  std::string Bin = ownDirectory();
  for (const char *Relative :
       {"/../lib", "/" INMEM_LIBDIR_FROM_BINDIR, kArchitectureLib}) {
    char Resolved[PATH_MAX];
    if (realpath((Bin + Relative).c_str(), Resolved) &&
        exists(std::string(Resolved) + "/libinmem.so"))
      return Resolved;
  }
  fail("libinmem.so is not in the lib folder next to " + Bin +
       "; build or install inmem as a whole");
}

/// The number in the first `clang version N` that the compiler prints; 0 if
/// there is none.
int majorVersionOf(const std::string &Compiler) {
  std::string Quoted = "'";
  for (char C : Compiler)
    Quoted += C == '\'' ? std::string("'\\''") : std::string(1, C);
  Quoted += "'";
  // NOLINTNEXTLINE(bugprone-command-processor): the path is quoted
  FILE *Pipe = popen((Quoted + " --version 2>/dev/null").c_str(), "r");
  if (!Pipe)
    return 0;
  std::string Text;
  char Buffer[512];
  while (size_t N = fread(Buffer, 1, sizeof Buffer, Pipe))
    Text.append(Buffer, N);
  pclose(Pipe);
  constexpr std::string_view kMark = "clang version ";
  size_t At = Text.find(kMark);
  if (At == std::string::npos)
    return 0;
  return static_cast<int>(std::strtol(&Text[At + kMark.size()], nullptr, 10));
}

/// Full path of a program in $PATH, or empty.
std::string findInPath(const std::string &Program) {
  const char *Path = std::getenv("PATH");
  std::string_view Rest = Path ? Path : "";
  while (!Rest.empty()) {
    size_t Colon = Rest.find(':');
    std::string Candidate = std::string(Rest.substr(0, Colon)) + "/" + Program;
    if (access(Candidate.c_str(), X_OK) == 0)
      return Candidate;
    Rest = Colon == std::string_view::npos ? "" : Rest.substr(Colon + 1);
  }
  return "";
}

/// The version in a name such as llvm-22 or clang-22 at the end of \p Text; 0
/// if there is none.
int numberBehind(std::string_view Mark, std::string_view Text) {
  const size_t At = Text.rfind(Mark);
  if (At == std::string_view::npos)
    return 0;
  const std::string Digits(Text.substr(At + Mark.size()));
  char *End = nullptr;
  const long Number = std::strtol(Digits.c_str(), &End, 10);
  return End != Digits.c_str() && *End == 0 ? static_cast<int>(Number) : 0;
}

/// The version of a clang from the name of its folder or program, as
/// distributions install it, so that clang need not run for each compilation. 0
/// if the name has no version. The plugin checks the actual one.
int namedVersionOf(const std::string &Compiler) {
  char Real[PATH_MAX];
  if (!realpath(Compiler.c_str(), Real))
    return 0;
  std::string_view Path = Real;
  const size_t Slash = Path.rfind('/');
  if (const int Number = numberBehind("/clang-", Path))
    return Number;
  if (endsWith(Path, "/bin/clang"))
    return numberBehind("/llvm-", Path.substr(0, Slash - 4));
  return 0;
}

int versionOf(const std::string &Compiler) {
  const int Named = namedVersionOf(Compiler);
  return Named ? Named : majorVersionOf(Compiler);
}

/// The versions whose plugins are installed side by side, newest first.
std::vector<int> pluginVersions(const std::string &Lib) {
  std::vector<int> Versions;
  DIR *Folder = opendir((Lib + "/inmem").c_str());
  if (!Folder)
    return Versions;
  while (const dirent *Entry = readdir(Folder)) {
    const int Number = numberBehind("llvm-", Entry->d_name);
    if (Number && exists(Lib + "/inmem/" + Entry->d_name + "/libinmem.so"))
      Versions.push_back(Number);
  }
  closedir(Folder);
  std::sort(Versions.begin(), Versions.end(), std::greater<>());
  return Versions;
}

bool holds(const std::vector<int> &Versions, int Version) {
  return std::find(Versions.begin(), Versions.end(), Version) != Versions.end();
}

/// `22, 19 or 16`.
std::string listed(const std::vector<int> &Versions) {
  std::string Out;
  for (size_t I = 0; I < Versions.size(); ++I)
    Out += (I == 0                     ? ""
            : I + 1 == Versions.size() ? " or "
                                       : ", ") +
           std::to_string(Versions[I]);
  return Out;
}

/// Advice for a clang without a plugin.
std::string mendFor(int Major, const std::vector<int> &Versions) {
  if (Major > 0 && Major < 16)
    return "inmem needs clang 16 or newer";
  return "install inmem-llvm-" + std::to_string(Major) +
         (Versions.empty() ? "" : ", or use clang " + listed(Versions));
}

Toolchain named(const char *Name, const std::string &Lib,
                const std::vector<int> &Versions) {
  const std::string Path = std::strchr(Name, '/') ? Name : findInPath(Name);
  const std::string Said = "INMEM_CLANG names '" + std::string(Name) + "', ";
  if (Path.empty() || !exists(Path))
    fail(Said + "which is not there");
  // The program may have any name, so use the version that it prints.
  const int Major = majorVersionOf(Path);
  const std::string What =
      Said + "which is " +
      (Major ? "clang " + std::to_string(Major) : "no clang") + "; ";
  if (Versions.empty() && Major != INMEM_LLVM_VERSION)
    fail(What + "this inmem was built for clang " +
         std::to_string(INMEM_LLVM_VERSION));
  if (!Versions.empty() && !holds(Versions, Major))
    fail(What + (Major ? mendFor(Major, Versions)
                       : "expected clang " + listed(Versions)));
  return {Path, true, Major, Lib, "", ""};
}

/// The toolchain of one version: at its path when inmem was built, or clang-<N>
/// in $PATH.
Toolchain builtFor(const std::string &Lib) {
  const std::string Version = std::to_string(INMEM_LLVM_VERSION);
  const std::string Built =
      std::string(INMEM_LLVM_BINDIR "/") + kLanguage.Clang;
  if (exists(Built))
    return {Built, false, INMEM_LLVM_VERSION, Lib, "", ""};
  const std::string Found =
      findInPath(std::string(kLanguage.Clang) + "-" + Version);
  if (!Found.empty() && majorVersionOf(Found) == INMEM_LLVM_VERSION)
    return {Found, false, INMEM_LLVM_VERSION, Lib, "", ""};
  fail("clang " + Version + " not found (looked for " + Built + " and " +
       kLanguage.Clang + "-" + Version + " in PATH); install clang-" + Version +
       " or name it in INMEM_CLANG");
}

/// Chooses among several versions: the clang in $PATH if it has a plugin, or
/// else the newest clang that has one.
Toolchain sideBySide(const std::string &Lib, const std::vector<int> &Versions) {
  const std::string Plain = findInPath(kLanguage.Clang);
  const int Major = Plain.empty() ? 0 : versionOf(Plain);
  if (holds(Versions, Major))
    return {Plain, false, Major, Lib, "", ""};
  for (const int Version : Versions) {
    const std::string Number = std::to_string(Version);
    std::string Found = "/usr/lib/llvm-" + Number + "/bin/" + kLanguage.Clang;
    if (!exists(Found))
      Found = findInPath(std::string(kLanguage.Clang) + "-" + Number);
    if (!Found.empty() && versionOf(Found) == Version)
      return {Found, false, Version, Lib, "", ""};
  }
  if (Major)
    fail(Plain + " is clang " + std::to_string(Major) + "; " +
         mendFor(Major, Versions));
  fail("no clang in PATH; install clang " + listed(Versions) +
       ", or name it in INMEM_CLANG");
}

} // namespace

std::string runtimeIn(const std::string &Name, const std::string &Lib) {
  for (const char *Next : {"/", "/../"}) {
    char Resolved[PATH_MAX];
    std::string Folder = Lib;
    Folder.append(Next).append(Name);
    if (realpath(Folder.c_str(), Resolved) &&
        exists(std::string(Resolved) + "/libinmem_rt.so"))
      return Resolved;
  }
  return "";
}

Toolchain findToolchain() {
  const std::string Lib = libDirectory();
  const std::vector<int> Versions = pluginVersions(Lib);
  const char *Named = std::getenv("INMEM_CLANG");
  Toolchain Out = Named && *Named    ? named(Named, Lib, Versions)
                  : Versions.empty() ? builtFor(Lib)
                                     : sideBySide(Lib, Versions);
  Out.Headers = Lib + "/inmem/include";
  Out.Plugin = Lib + "/libinmem.so";
  if (!Versions.empty())
    Out.Plugin =
        Lib + "/inmem/llvm-" + std::to_string(Out.Major) + "/libinmem.so";
  return Out;
}

} // namespace inmem::wrapper
