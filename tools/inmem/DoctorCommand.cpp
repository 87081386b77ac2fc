//===- DoctorCommand.cpp - inmem doctor -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the requirements of a first run, and prints how to fix missing ones.
//
//===----------------------------------------------------------------------===//
#include "Doctor.h"
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/ElfFacts.h"
#include "files/Inputs.h"
#include "live/Preload.h"
#include "report/base/Units.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace inmem::tools {

namespace {

namespace fs = std::filesystem;

/// The value of an option in INMEM_OPTIONS; the last one counts.
std::string optionValue(const std::string &Name) {
  const char *Given = std::getenv("INMEM_OPTIONS");
  std::string_view Rest = Given ? Given : "";
  std::string Out;
  while (!Rest.empty()) {
    const size_t Colon = Rest.find(':');
    const std::string_view One = Rest.substr(0, Colon);
    if (One.starts_with(Name + "="))
      Out = One.substr(Name.size() + 1);
    Rest = Colon == std::string_view::npos ? "" : Rest.substr(Colon + 1);
  }
  return Out;
}

void lookAtOutput(Diagnosis &Into) {
  const std::string Output = optionValue("output");
  if (Output == "none") {
    Into.note("INMEM_OPTIONS has output=none: programs keep no trace",
              "unset it to have traces");
    return;
  }
  fs::path Folder = fs::path(Output).parent_path();
  if (Folder.empty())
    Folder = ".";
  // The runtime creates missing folders.
  std::error_code Error;
  while (!fs::exists(Folder, Error) && Folder.has_parent_path())
    Folder = Folder.parent_path();
  const std::string Shown = Folder.string();
  struct statvfs Space{};
  constexpr uint64_t kLeast = 16 << 20;
  if (!fs::is_directory(Folder, Error) || access(Folder.c_str(), W_OK) != 0)
    Into.wrong("traces cannot be written in " + Shown,
               "INMEM_OPTIONS=output=/tmp/inmem.%p.inmem");
  else if (statvfs(Folder.c_str(), &Space) == 0 &&
           Space.f_bavail * uint64_t{Space.f_frsize} < kLeast)
    Into.wrong("less than 16 MiB are free in " + Shown,
               "INMEM_OPTIONS=output=FOLDER/inmem.%p.inmem");
  else
    Into.good("traces can be written in " + Shown);
}

void lookAtKernel(Diagnosis &Into) {
  constexpr rlim_t kLeast = 1 << 28;
  const auto Limit = [](auto What) {
    rlimit Now{};
    return getrlimit(What, &Now) == 0 ? Now.rlim_cur : RLIM_INFINITY;
  };
  bool Good = true;
  const auto Check = [&](auto What, const char *Name, const char *Letter) {
    const rlim_t Most = Limit(What);
    if (Most == RLIM_INFINITY || Most >= kLeast)
      return;
    Good = false;
    Into.wrong(std::string(Name) + " is limited to " +
                   report::humanBytes(uint64_t{Most}),
               std::string("ulimit -") + Letter + " unlimited");
  };
  Check(RLIMIT_FSIZE, "the size of files", "f");
  Check(RLIMIT_AS, "address space", "v");
  if (access("/proc/self/maps", R_OK) != 0) {
    Good = false;
    Into.wrong("/proc is not mounted", "mount -t proc proc /proc");
  }
  if (Good)
    Into.good("kernel: no limit is in the way");
}

bool isSystemLibrary(const std::string &Path) {
  return Path.starts_with("/lib") || Path.starts_with("/usr/lib");
}

void lookAtProgram(const std::string &Program, const ElfFacts &Facts,
                   Diagnosis &Into) {
  const std::string Compile = "compile and link it with inmem-clang++";
  if (Facts.Instrumented)
    Into.good(Program + ": compiled with inmem");
  else
    Into.wrong(Program + ": not compiled with inmem, so its types are unknown",
               Compile + (Facts.Static
                              ? ""
                              : "; or count its blocks without types: inmem "
                                "run -- " +
                                    Program));
  if (Facts.Static) {
    if (Facts.Instrumented && !Facts.HasRuntime)
      Into.note(Program + ": static, without symbols: whether the runtime is "
                          "in it does not show",
                "");
    return;
  }
  const auto Libraries = librariesOf(Program);
  if (!Libraries) {
    Into.note(Program + ": the loader of its architecture does not run here, "
                        "so its libraries are unknown",
              "run inmem doctor where the program runs");
    return;
  }
  bool FoundRuntime = Facts.HasRuntime;
  size_t System = 0;
  for (const Loaded &L : *Libraries) {
    if (L.Path.empty()) {
      Into.wrong(
          L.Name + ": not found by the loader",
          L.Name.starts_with("libinmem_rt.so")
              ? "copy it from " +
                    (fs::path(findRuntime()).parent_path() / L.Name).string() +
                    " next to the program and set LD_LIBRARY_PATH, or "
                    "link with -static"
              : "set LD_LIBRARY_PATH, or the program's run path");
      FoundRuntime |= L.Name.starts_with("libinmem_rt.so");
      continue;
    }
    if (L.Name.starts_with("libinmem_rt.so")) {
      FoundRuntime = true;
      Into.good("its runtime: " + L.Path);
      continue;
    }
    const auto Of = elfFacts(L.Path);
    if (Of && Of->Instrumented)
      Into.good(L.Path + ": compiled with inmem");
    else if (isSystemLibrary(L.Path))
      ++System;
    else
      Into.note(L.Path + ": not compiled with inmem, so the types of its "
                         "blocks are unknown",
                "compile it with inmem-clang++ as well");
  }
  if (Facts.Instrumented && !FoundRuntime)
    Into.wrong(Program + ": linked without the runtime",
               "link it with inmem-clang++");
  if (System > 0)
    Into.good(std::to_string(System) +
              (System == 1 ? " library" : " libraries") +
              " of the system: without types, as usual");
}

/// Reports how much of a trace has known types.
Outcome lookAtTrace(const std::string &File, Diagnosis &Into) {
  const auto Traces = readInputs({File});
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  if (const auto Damage = firstDamage(*Traces))
    return Outcome::unreadable(*Damage);
  const Progress Working(kAddingUp);
  const auto P = report::buildProfile(*Traces);
  if (!P)
    return Outcome::unreadable(P.status());
  uint64_t All = 0, Typed = 0;
  for (const report::TypeResult &T : P->Types) {
    All += T.Sum.AllocatedBytes;
    if (T.Name)
      Typed += T.Sum.AllocatedBytes;
  }
  const std::string Share =
      std::to_string(All ? Typed * 100 / All : 100) + " % of its bytes";
  if (Typed == 0 && All > 0)
    Into.wrong(File + ": no block has a type: the program was not compiled "
                      "with inmem",
               "compile and link it with inmem-clang++");
  else
    Into.good(File + ": types of " + Share + " are known");
  for (const std::string &Note : P->Notes)
    Into.note(Note, "");
  return {};
}

} // namespace

Action setUpDoctor(CommandLine &App) {
  const auto File = std::make_shared<std::string>();
  App.option("FILE", *File, "a program, or a trace, to look at as well")
      .reads();
  App.footer("Looks for the compiler, the plugin and the runtime, at where "
             "traces go and at limits\nof the kernel; of a program, whether "
             "it and its libraries were compiled with inmem.\nThe program is "
             "not run. Exit code 1 if something is wrong.\n\nExamples:\n"
             "  inmem doctor\n"
             "  inmem doctor ./app\n"
             "  inmem doctor inmem.4711.inmem");
  return [File]() -> Outcome {
    Diagnosis Found;
    std::optional<Progress> Working("looking");
    examineToolchain(Found);
    lookAtOutput(Found);
    lookAtKernel(Found);
    if (!File->empty()) {
      if (access(File->c_str(), R_OK) != 0)
        return Outcome::unreadable(trace::Status::error(
            *File, std::string("cannot open: ") + std::strerror(errno)));
      if (const auto Facts = elfFacts(*File))
        lookAtProgram(*File, *Facts, Found);
      else {
        Working.reset();
        if (Outcome Wrong = lookAtTrace(*File, Found); Wrong.Code != kDone)
          return Wrong;
      }
    }
    Working.reset();
    const auto Done = writeText("", stdout, Found.text());
    if (!Done.ok())
      return Outcome::unwritable(Done);
    return {Found.allGood() ? kDone : kFound, {}};
  };
}

} // namespace inmem::tools
