//===- DoctorToolchain.cpp - Checks of compiling and running --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Doctor.h"
#include "cli/Output.h"
#include "live/Preload.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace inmem::tools {

namespace {

namespace fs = std::filesystem;

constexpr const char *kWhole =
    "build or install inmem as a whole: cmake --build BUILD && cmake --install "
    "BUILD";

bool isExecutable(const std::string &Path) {
  return access(Path.c_str(), X_OK) == 0;
}

std::string inPath(const std::string &Program) {
  const char *Path = std::getenv("PATH");
  std::string_view Rest = Path ? Path : "";
  while (!Rest.empty()) {
    const size_t Colon = Rest.find(':');
    std::string File = std::string(Rest.substr(0, Colon)) + "/" + Program;
    if (isExecutable(File))
      return File;
    Rest = Colon == std::string_view::npos ? "" : Rest.substr(Colon + 1);
  }
  return "";
}

struct Finished {
  bool Good = false;
  std::string Text; ///< its output
};

/// Runs a shell command line, without input.
Finished finish(const std::string &Command) {
  Finished Out;
  // Its words are quoted.
  // NOLINTNEXTLINE(bugprone-command-processor)
  std::FILE *From = popen((Command + " 2>&1 </dev/null").c_str(), "r");
  if (!From)
    return Out;
  char Buffer[4096];
  while (const size_t N = std::fread(Buffer, 1, sizeof Buffer, From))
    Out.Text.append(Buffer, N);
  const int Status = pclose(From);
  Out.Good = WIFEXITED(Status) && WEXITSTATUS(Status) == 0;
  return Out;
}

/// The rest of the line after the first \p Mark; without one, the first line.
std::string firstLine(std::string_view Text, std::string_view Mark) {
  const size_t At = Text.find(Mark);
  if (At != std::string_view::npos)
    Text.remove_prefix(At + Mark.size());
  return std::string(Text.substr(0, Text.find('\n')));
}

/// The word after \p Mark, or empty.
std::string wordBehind(std::string_view Text, std::string_view Mark) {
  const size_t At = Text.find(Mark);
  if (At == std::string_view::npos)
    return "";
  Text.remove_prefix(At + Mark.size());
  Text.remove_prefix(std::min(Text.find_first_not_of(' '), Text.size()));
  return std::string(Text.substr(0, Text.find('\n')));
}

std::string mendOf(const std::string &Library) {
  return "install what `ldd " + Library + "` does not find, or inmem again";
}

/// Where to look for the clang that inmem was built for.
std::string expectedClang() {
  const char *Named = std::getenv("INMEM_CLANG");
  if (Named && *Named)
    return std::string(Named).find('/') == std::string::npos ? inPath(Named)
                                                             : Named;
  if (isExecutable(INMEM_LLVM_BINDIR "/clang++"))
    return INMEM_LLVM_BINDIR "/clang++";
  return inPath("clang++-" INMEM_LLVM_VERSION);
}

/// The clang that the wrapper selects, and the plugin for it.
struct WrapperChoice {
  std::string Clang, Plugin, Version;
  std::string Why; ///< why it was not found
};

WrapperChoice choiceOf(const std::string &Wrapper) {
  WrapperChoice Out;
  const Finished Help = finish(shellQuoted(Wrapper) + " --inmem-help");
  if (!Help.Good) {
    Out.Why = firstLine(Help.Text, "inmem-clang++: ");
    return Out;
  }
  Out.Clang = wordBehind(Help.Text, "becomes:");
  Out.Plugin = wordBehind(Help.Text, "-fplugin=");
  Out.Plugin = Out.Plugin.substr(0, Out.Plugin.find(" -fpass-plugin="));
  Out.Version = fs::path(Out.Plugin).parent_path().filename().string();
  Out.Version = Out.Version.starts_with("llvm-") ? Out.Version.substr(5)
                                                 : INMEM_LLVM_VERSION;
  return Out;
}

void reportNoClang(const WrapperChoice &Chosen, Diagnosis &Into) {
  const std::string Clang = expectedClang();
  if (isExecutable(Clang) && !Chosen.Why.empty()) {
    const size_t Mend = Chosen.Why.find("; ");
    Into.wrong("clang: " + Chosen.Why.substr(0, Mend),
               Mend == std::string::npos ? "" : Chosen.Why.substr(Mend + 2));
    return;
  }
  if (isExecutable(Clang)) {
    Into.good("clang " INMEM_LLVM_VERSION ": " + Clang);
    return;
  }
  const char *Named = std::getenv("INMEM_CLANG");
  Into.wrong(
      "clang " INMEM_LLVM_VERSION ": not found" +
          (Named && *Named ? std::string(", INMEM_CLANG names ") + Named : ""),
      "apt-get install clang-" INMEM_LLVM_VERSION
      ", or name it in INMEM_CLANG");
}

/// An existing file may depend on missing ones, so let clang load it.
void examinePlugin(const std::string &Wrapper, const WrapperChoice &Chosen,
                   Diagnosis &Into) {
  const Finished Compiled =
      finish(shellQuoted(Wrapper) + " -fsyntax-only -x c++ /dev/null");
  if (Compiled.Good)
    Into.good("plugin: " + Chosen.Plugin);
  else
    Into.wrong("plugin: " + Chosen.Plugin + ": " + Chosen.Clang +
                   " does not load it: " + firstLine(Compiled.Text, "error: "),
               mendOf(Chosen.Plugin));
}

void examineRuntime(Diagnosis &Into) {
  const std::string Runtime = findRuntime();
  if (access(Runtime.c_str(), R_OK) != 0) {
    Into.wrong("runtime: " + Runtime + " is not there", kWhole);
    return;
  }
  std::error_code Error;
  const TemporaryDirectory Temporary;
  const std::string Self = fs::read_symlink("/proc/self/exe", Error).string();
  const Finished Ran = finish("INMEM_OPTIONS=mode=off LD_PRELOAD=" +
                              shellQuoted(preloadOf(Runtime, Temporary)) + " " +
                              shellQuoted(Self) + " --version");
  // The loader continues if it cannot preload a library.
  const bool Refused =
      Ran.Text.find("cannot be preloaded") != std::string::npos;
  if (Ran.Good && !Refused)
    Into.good("runtime: " + Runtime);
  else
    Into.wrong("runtime: " + Runtime +
                   " cannot be loaded: " + firstLine(Ran.Text, "ERROR: "),
               mendOf(Runtime));
}

/// Prints results for clang, the wrapper and the plugin.
void examineCompilers(Diagnosis &Into) {
  const std::string Wrapper =
      (installPrefix() / "bin" / "inmem-clang++").string();
  const bool Wrapped = isExecutable(Wrapper);
  const WrapperChoice Chosen = Wrapped ? choiceOf(Wrapper) : WrapperChoice();
  if (Chosen.Clang.empty())
    reportNoClang(Chosen, Into);
  else
    Into.good("clang " + Chosen.Version + ": " + Chosen.Clang);
  if (Wrapped)
    Into.good("compiler: " + Wrapper);
  else
    Into.wrong("compiler: " + Wrapper + " is not there",
               "install inmem as a whole: cmake --install BUILD");
  const std::string Plugin =
      (fs::path(findRuntime()).parent_path() / "libinmem.so").string();
  if (!Chosen.Clang.empty())
    examinePlugin(Wrapper, Chosen, Into);
  else if (access(Plugin.c_str(), R_OK) != 0)
    Into.wrong("plugin: " + Plugin + " is not there", kWhole);
  else
    Into.note("plugin: " + Plugin + ": not tried, for want of its clang", "");
}

} // namespace

void examineToolchain(Diagnosis &Into) {
#ifdef INMEM_WITHOUT_PLUGIN
  Into.note("compiler: this inmem has none: it records and reports",
            "compile with inmem for glibc: inmem-clang++ "
            "--target=x86_64-linux-musl");
  (void)examineCompilers;
#else
  examineCompilers(Into);
#endif
  examineRuntime(Into);
}

} // namespace inmem::tools
