//===- OptimizeCommand.cpp - inmem optimize -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts lifetimes to a profile for the compiler. Writes LLVM's text form
// itself. The indexed form differs between versions, so the llvm-profdata of
// the clang that will read it writes that.
//
//===----------------------------------------------------------------------===//
#include "Verify.h"
#include "cli/Command.h"
#include "cli/Output.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "report/base/Units.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inmem::tools {

namespace {

/// The llvm-profdata to run: $INMEM_LLVM_PROFDATA, the one of the LLVM that
/// inmem was built with, or the one of that version in PATH.
std::string profdata() {
  const char *Named = std::getenv("INMEM_LLVM_PROFDATA");
  if (Named && *Named)
    return Named;
  std::string Built = INMEM_LLVM_BINDIR "/llvm-profdata";
  if (access(Built.c_str(), X_OK) == 0)
    return Built;
  return "llvm-profdata-" INMEM_LLVM_VERSION;
}

/// A file without a name: it disappears when the last process that has it open
/// ends, even if killed.
class NamelessFile {
public:
  explicit NamelessFile(const char *Label) : Fd(memfd_create(Label, 0)) {}
  ~NamelessFile() {
    if (Fd >= 0)
      close(Fd);
  }
  NamelessFile(const NamelessFile &) = delete;
  NamelessFile &operator=(const NamelessFile &) = delete;

  bool isOpen() const { return Fd >= 0; }
  /// Also valid in child processes.
  std::string path() const { return "/dev/fd/" + std::to_string(Fd); }

  bool write(std::string_view Text) const {
    while (!Text.empty()) {
      const ssize_t Count = ::write(Fd, Text.data(), Text.size());
      if (Count < 0 && errno != EINTR)
        return false;
      Text.remove_prefix(Count > 0 ? static_cast<size_t>(Count) : 0);
    }
    return true;
  }
  std::optional<std::string> read() const {
    std::string Out;
    char Part[1 << 16];
    for (;;) {
      const ssize_t Count =
          pread(Fd, Part, sizeof Part, static_cast<off_t>(Out.size()));
      if (Count == 0)
        return Out;
      if (Count > 0)
        Out.append(Part, static_cast<size_t>(Count));
      else if (errno != EINTR)
        return std::nullopt;
    }
  }

private:
  int Fd;
};

/// Runs a command that is terminated if this process ends. \returns 0, or errno
/// if it cannot be run; \p Status is as from waitpid()
int runCommand(std::vector<std::string> Words, int &Status) {
  std::vector<char *> Raw;
  Raw.reserve(Words.size() + 1);
  for (std::string &Word : Words)
    Raw.push_back(Word.data());
  Raw.push_back(nullptr);
  int Report[2];
  if (pipe2(Report, O_CLOEXEC) != 0)
    return errno;
  const pid_t Parent = getpid(), Child = fork();
  int Why = Child < 0 ? errno : 0;
  if (Child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == Parent)
      execvp(Raw[0], Raw.data());
    Why = errno;
    const ssize_t Ignored = ::write(Report[1], &Why, sizeof Why);
    _exit(Ignored == sizeof Why ? 126 : 127);
  }
  close(Report[1]);
  if (Child > 0) {
    if (read(Report[0], &Why, sizeof Why) != sizeof Why)
      Why = 0; // closed by a successful execvp()
    while (waitpid(Child, &Status, 0) < 0 && errno == EINTR) {
    }
  }
  close(Report[0]);
  return Why;
}

/// Runs llvm-profdata on the text. Fails if it does not write \p Output. Only
/// the finished profile gets a name, so that a signal leaves no file behind.
Outcome makeIndexed(const std::string &Text, const std::string &Output) {
  const NamelessFile Source("inmem-profile.yaml"), Fresh("inmem-profile");
  if (!Source.isOpen() || !Fresh.isOpen() || !Source.write(Text))
    return {kUnwritable,
            Output + ": no memory for the profile: " + std::strerror(errno)};
  const std::string Tool = profdata();
  int Status = 0;
  if (const int Why = runCommand(
          {Tool, "merge", Source.path(), "-o", Fresh.path()}, Status))
    return {kUnwritable, Output + ": cannot run " + Tool + ": " +
                             std::strerror(Why) +
                             "; install llvm-" INMEM_LLVM_VERSION
                             ", or write the text form: -o FILE.yaml"};
  if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    return {kUnwritable, Output + ": " + Tool + " failed"};
  const auto Indexed = Fresh.read();
  if (!Indexed)
    return {kUnwritable, Output + ": cannot read what " + Tool + " wrote"};
  if (const auto Done = writeText(Output, stdout, *Indexed); !Done.ok())
    return Outcome::unwritable(Done);
  return {};
}

void printSummary(const std::string &Output, const report::LifetimeProfile &P,
                  const report::MemProf &Written) {
  using report::LifetimeClass;
  std::printf("%s: %s, %s: %zu steady, %zu phase, %zu short\n", Output.c_str(),
              report::counted(P.sites(), "site").c_str(),
              report::counted(P.Contexts.size(), "context").c_str(),
              P.countOf(LifetimeClass::Steady), P.countOf(LifetimeClass::Phase),
              P.countOf(LifetimeClass::Short));
  if (Written.MixedBytes > 0) {
    uint64_t Bytes = 0;
    for (const auto &[Stack, Lifetimes] : P.Contexts)
      Bytes += Lifetimes.Bytes;
    std::printf("  to stay below %s, the profile separates %s; %s of the "
                "bytes are of another class than most of theirs\n",
                report::humanBytes(report::kMostMemProf).c_str(),
                report::counted(Written.Contexts, "context").c_str(),
                report::humanShare(Written.MixedBytes, Bytes).c_str());
  }
  if (P.Unplaced > 0)
    std::printf("  %.1f %% of the blocks come from sites that cannot be mapped "
                "to a source line\n",
                100.0 * static_cast<double>(P.Unplaced) /
                    static_cast<double>(P.Blocks));
  if (!P.Stacks)
    std::printf("  sites alone: record with stacks=16, and compile with -g, to "
                "separate callers\n");
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
  std::optional<Progress> Working("making the profile");
  report::LifetimeProfile P;
  CodeFiles Code(S.Folders);
  for (const trace::Trace &T : *Traces)
    P.add(T, Code);
  if (!P.phasesGain()) // includes blocks dropped below
    P.takePhasesForShort();
  P.dropUnused();
  if (auto Useless = uselessProfile(P, S.Files.front()))
    return *Useless;
  if (const auto Sums = report::buildProfile(*Traces); Sums && !S.Quiet) {
    Working.reset();
    printNotes(*Sums);
    Working.emplace("making the profile");
  }
  const report::MemProf Written = report::printMemProf(P);
  if (S.Output == "-" || S.Output.ends_with(".yaml") ||
      S.Output.ends_with(".yml")) {
    const auto Done = writeText(S.Output, stdout, Written.Text);
    if (!Done.ok())
      return Outcome::unwritable(Done);
  } else if (Outcome Made = makeIndexed(Written.Text, S.Output);
             Made.Code != kDone) {
    return Made;
  }
  if (!S.Quiet && S.Output != "-")
    printSummary(S.Output, P, Written);
  return {};
}

} // namespace

Action setUpOptimize(CommandLine &App) {
  const auto S = std::make_shared<OptimizeState>();
  App.option("FILE", S->Files, "traces; their lifetimes are added up")
      .required()
      .reads();
  App.option("-o,--output", S->Output,
             "the profile: FILE.yaml is text, any other name LLVM's indexed "
             "form")
      .valueName("OUT")
      .required()
      .writes();
  App.option("--debug-dir", S->Folders,
             "a folder with .build-id/ab/cdef.debug; may be repeated")
      .valueName("DIR")
      .oneValue();
  App.flag("-q,--quiet", S->Quiet, "no summary");
  App.footer(
      "Of a program that was compiled with -g as well, callers of library code "
      "are\nseparated; recorded with stacks=16, callers of its own functions, "
      "too.\n\nExamples:\n"
      "  INMEM_OPTIONS=stacks=16:output=train.inmem ./app train.txt\n"
      "  inmem optimize -o app.memprofdata train.inmem\n"
      "  inmem-clang++ -O2 -fplugin-arg-inmem-optimize=app.memprofdata app.cpp "
      "-o app");
  return [S]() -> Outcome { return optimize(*S); };
}

} // namespace inmem::tools
