//===- OptimizeCommand.cpp - inmem optimize -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lifetimes to a profile for the compiler: LLVM's text form by ourselves, the
// indexed form, which differs between versions, by the llvm-profdata of the
// clang that will read it.
//
//===----------------------------------------------------------------------===//
#include "CodeFiles.h"
#include "Command.h"
#include "Inputs.h"
#include "Output.h"
#include "Verify.h"
#include "report/text/Units.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; // NOLINT(readability-identifier-naming): POSIX's

namespace inmem::tools {

namespace {

namespace fs = std::filesystem;

/// The llvm-profdata to run: $INMEM_LLVM_PROFDATA, that of the LLVM which this
/// was built with, or the one of that version in PATH.
std::string profdata() {
  const char *Named = std::getenv("INMEM_LLVM_PROFDATA");
  if (Named && *Named)
    return Named;
  std::string Built = INMEM_LLVM_BINDIR "/llvm-profdata";
  if (access(Built.c_str(), X_OK) == 0)
    return Built;
  return "llvm-profdata-" INMEM_LLVM_VERSION;
}

/// Runs llvm-profdata on the text; an error if it does not make \p Output.
Outcome makeIndexed(const std::string &Text, const std::string &Output) {
  const std::string Tool = profdata();
  // Beside the output, which then takes its place in one step.
  const std::string Source = Output + ".yaml.tmp", Fresh = Output + ".tmp";
  const auto Clean = [&] {
    std::error_code Ignored;
    fs::remove(Source, Ignored);
    fs::remove(Fresh, Ignored);
  };
  if (const auto Done = writeText(Source, stdout, Text); !Done.ok()) {
    Clean();
    return Outcome::unwritable(Done);
  }
  std::vector<std::string> Words = {Tool, "merge", Source, "-o", Fresh};
  std::vector<char *> Raw;
  Raw.reserve(Words.size() + 1);
  for (std::string &Word : Words)
    Raw.push_back(Word.data());
  Raw.push_back(nullptr);
  pid_t Child = 0;
  int Status =
      posix_spawnp(&Child, Tool.c_str(), nullptr, nullptr, Raw.data(), environ);
  if (Status != 0) {
    Clean();
    return {kUnwritable, Output + ": cannot run " + Tool + ": " +
                             std::strerror(Status) +
                             "; install llvm-" INMEM_LLVM_VERSION
                             ", or write the text form: -o FILE.yaml"};
  }
  while (waitpid(Child, &Status, 0) < 0 && errno == EINTR) {
  }
  std::error_code Error;
  if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0) {
    Clean();
    return {kUnwritable, Output + ": " + Tool + " failed"};
  }
  fs::rename(Fresh, Output, Error);
  Clean();
  if (Error)
    return {kUnwritable, Output + ": cannot write: " + Error.message()};
  return {};
}

void printSummary(const std::string &Output, const report::LifeProfile &P) {
  using report::LifeClass;
  std::printf("%s: %s, %s: %zu steady, %zu phase, %zu short\n", Output.c_str(),
              report::counted(P.sites(), "site").c_str(),
              report::counted(P.Contexts.size(), "context").c_str(),
              P.countOf(LifeClass::Steady), P.countOf(LifeClass::Phase),
              P.countOf(LifeClass::Short));
  if (P.Unplaced > 0)
    std::printf("  %.1f %% of the blocks are of sites that have no place the "
                "compiler could find\n",
                100.0 * static_cast<double>(P.Unplaced) /
                    static_cast<double>(P.Blocks));
  if (!P.Stacks)
    std::printf("  sites alone: record with stacks=16, and compile with -g, to "
                "tell callers apart\n");
}

struct OptimizeState {
  std::vector<std::string> Files, Folders;
  std::string Output;
  bool Quiet = false;
};

Outcome optimize(const OptimizeState &S) {
  const auto Traces = readInputs(S.Files);
  if (!Traces)
    return Outcome::unreadable(Traces.status());
  if (const auto Damage = firstDamage(*Traces))
    return Outcome::unreadable(*Damage);
  if (const auto Sums = report::buildProfile(*Traces); Sums && !S.Quiet)
    printNotes(*Sums);
  report::LifeProfile P;
  CodeFiles Code(S.Folders);
  for (const trace::Trace &T : *Traces)
    P.add(T, Code);
  if (!P.phasesGain()) // counts what is dropped then
    P.takePhasesForShort();
  P.dropUnused();
  if (auto Useless = uselessProfile(P, S.Files.front()))
    return *Useless;
  const std::string Text = report::printMemProf(P);
  if (S.Output == "-" || S.Output.ends_with(".yaml") ||
      S.Output.ends_with(".yml")) {
    const auto Done = writeText(S.Output, stdout, Text);
    if (!Done.ok())
      return Outcome::unwritable(Done);
  } else if (Outcome Made = makeIndexed(Text, S.Output); Made.Code != kDone) {
    return Made;
  }
  if (!S.Quiet && S.Output != "-")
    printSummary(S.Output, P);
  return {};
}

} // namespace

Action setUpOptimize(CommandLine &App) {
  const auto S = std::make_shared<OptimizeState>();
  App.option("FILE", S->Files, "traces; their lifetimes are added up")
      .required();
  App.option("-o,--output", S->Output,
             "the profile: FILE.yaml is text, any other name LLVM's indexed "
             "form")
      .valueName("OUT")
      .required();
  App.option("--debug-dir", S->Folders,
             "a folder with .build-id/ab/cdef.debug; may be repeated")
      .valueName("DIR")
      .oneValue();
  App.flag("-q,--quiet", S->Quiet, "no summary");
  App.footer(
      "Record with stacks=16 a program that was compiled with -g as well, and "
      "allocations\nof one site are told apart by their callers.\n\nExamples:\n"
      "  INMEM_OPTIONS=stacks=16:output=train.inmem ./app train.txt\n"
      "  inmem optimize -o app.memprofdata train.inmem\n"
      "  inmem-clang++ -O2 -fplugin-arg-inmem-optimize=app.memprofdata app.cpp "
      "-o app");
  return [S]() -> Outcome { return optimize(*S); };
}

} // namespace inmem::tools
