//===- RunCommand.cpp - inmem run -----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program under the runtime. The runtime is preloaded, so that an
// uninstrumented program records too; an instrumented one already links it and
// is unaffected. The program keeps its standard streams and its signals. The
// report is printed to standard error, and our exit code is the program's.
//
//===----------------------------------------------------------------------===//
#include "PageOptions.h"
#include "ReportOptions.h"
#include "Steps.h"
#include "cli/Output.h"
#include "files/ElfFacts.h"
#include "files/Inputs.h"
#include "files/Symbolizer.h"
#include "live/Preload.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/wait.h>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kTraceSuffix = ".inmem", kSnapshotSuffix = ".heap";

/// A shell's exit code for a program that cannot be executed.
constexpr int kCannotRun = 126;

struct RunState {
  ReportOptions Options;
  std::vector<std::string> Command;
  std::string Output; ///< the report's output
  std::string Keep;   ///< file name pattern for traces
  std::string Runtime;
  std::string Extra; ///< more INMEM_OPTIONS
  bool Quiet = false, Html = false;
};

/// The child, for the handler that passes signals on.
volatile std::sig_atomic_t ChildPid = 0;

void passOn(int Signal) {
  const int Saved = errno;
  if (ChildPid > 0)
    kill(static_cast<pid_t>(ChildPid), Signal);
  errno = Saved;
}

/// Runs Command to its end. \returns its exit code as a shell would report it.
/// \param Environment names and values to set
Outcome
runChild(const std::vector<std::string> &Command,
         const std::vector<std::pair<std::string, std::string>> &Environment) {
  // Allocate everything before fork.
  std::vector<char *> Arguments;
  Arguments.reserve(Command.size() + 1);
  for (const std::string &Word : Command)
    Arguments.push_back(const_cast<char *>(Word.c_str()));
  Arguments.push_back(nullptr);
  constexpr int kPassed[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                             SIGUSR1, SIGUSR2, SIGWINCH};
  // Block signals until the child exists, so that none is lost.
  sigset_t Blocked, Before;
  sigemptyset(&Blocked);
  for (const int Signal : kPassed)
    sigaddset(&Blocked, Signal);
  sigprocmask(SIG_BLOCK, &Blocked, &Before);
  int Failure[2];
  if (pipe2(Failure, O_CLOEXEC) != 0)
    return {kUnreadable, std::string("cannot make a pipe: ") + strerror(errno)};
  std::fflush(nullptr);
  const pid_t Child = fork();
  if (Child == 0) {
    sigprocmask(SIG_SETMASK, &Before, nullptr);
    for (const auto &[Name, Value] : Environment)
      setenv(Name.c_str(), Value.c_str(), 1);
    execvp(Arguments[0], Arguments.data());
    const int Why = errno;
    const ssize_t Ignored = write(Failure[1], &Why, sizeof Why);
    (void)Ignored;
    _exit(127);
  }
  const int ForkError = errno;
  close(Failure[1]);
  if (Child < 0) {
    close(Failure[0]);
    sigprocmask(SIG_SETMASK, &Before, nullptr);
    return {kUnreadable, std::string("cannot fork: ") + strerror(ForkError)};
  }
  ChildPid = Child;
  struct sigaction Pass{}, Old[std::size(kPassed)];
  Pass.sa_handler = passOn;
  Pass.sa_flags = SA_RESTART;
  const bool Terminal = isatty(STDIN_FILENO);
  for (size_t I = 0; I < std::size(kPassed); ++I) {
    // The terminal itself sends ^C to the child.
    const bool FromTerminal =
        Terminal && (kPassed[I] == SIGINT || kPassed[I] == SIGQUIT);
    struct sigaction Ignore{};
    Ignore.sa_handler = SIG_IGN;
    sigaction(kPassed[I], FromTerminal ? &Ignore : &Pass, &Old[I]);
  }
  sigprocmask(SIG_SETMASK, &Before, nullptr);

  int Why = 0;
  ssize_t Got;
  do
    Got = read(Failure[0], &Why, sizeof Why);
  while (Got < 0 && errno == EINTR);
  close(Failure[0]);
  int Ended = 0;
  while (waitpid(Child, &Ended, 0) < 0 && errno == EINTR) {
  }
  ChildPid = 0;
  for (size_t I = 0; I < std::size(kPassed); ++I)
    sigaction(kPassed[I], &Old[I], nullptr);
  if (Got == sizeof Why)
    return {Why == ENOENT ? 127 : 126,
            "cannot run " + Command[0] + ": " + strerror(Why)};
  Outcome Out;
  Out.Code = WIFSIGNALED(Ended) ? 128 + WTERMSIG(Ended) : WEXITSTATUS(Ended);
  if (WIFSIGNALED(Ended))
    Out.Message = Command[0] + ": ended by signal " +
                  std::to_string(WTERMSIG(Ended)) + " (" +
                  strsignal(WTERMSIG(Ended)) + ")";
  return Out;
}

/// A pattern that names a separate file for each process.
std::string perProcess(std::string Pattern) {
  if (Pattern.find("%p") != std::string::npos)
    return Pattern;
  const size_t Slash = Pattern.rfind('/');
  const size_t Dot = Pattern.rfind('.');
  const bool HasSuffix = Dot != std::string::npos &&
                         (Slash == std::string::npos || Dot > Slash + 1);
  return Pattern.insert(HasSuffix ? Dot : Pattern.size(), ".%p");
}

/// Sorted names of the non-empty files that processes wrote.
struct Recorded {
  std::vector<std::string> Traces;
  std::vector<std::string> Snapshots; ///< heap snapshots
};

Recorded recordedIn(const std::string &Folder) {
  Recorded Found;
  std::error_code Error;
  for (const auto &Entry : fs::directory_iterator(Folder, Error)) {
    if (!Entry.is_regular_file(Error) ||
        Entry.is_symlink(Error) || // the link to the runtime
        Entry.file_size(Error) == 0)
      continue;
    const fs::path Kind = Entry.path().extension();
    if (Kind == kTraceSuffix)
      Found.Traces.push_back(Entry.path().string());
    else if (Kind == kSnapshotSuffix)
      Found.Snapshots.push_back(Entry.path().string());
  }
  std::sort(Found.Traces.begin(), Found.Traces.end());
  std::sort(Found.Snapshots.begin(), Found.Snapshots.end());
  return Found;
}

/// The name without the suffix of traces.
std::string withoutSuffix(const std::string &Trace) {
  return Trace.ends_with(kTraceSuffix)
             ? Trace.substr(0, Trace.size() - kTraceSuffix.size())
             : Trace;
}

trace::Status copyTrace(const std::string &From, const std::string &Into) {
  const auto Whole = trace::Buffer::open(From);
  if (!Whole)
    return Whole.status();
  const auto Bytes = (*Whole)->bytes();
  return writeText(
      Into, stdout,
      {reinterpret_cast<const char *>(Bytes.data()), Bytes.size()});
}

/// Keeps the snapshots of the process with trace \p From next to its kept trace
/// \p Kept, or in the current folder. They get names under which `inmem heap`
/// and `inmem html` find them.
void keepSnapshots(const RunState &S, const Recorded &Found,
                   const std::string &From, const std::string &Kept) {
  const std::string Process = withoutSuffix(From);
  for (const std::string &Snapshot : Found.Snapshots) {
    // PID.heap, PID.2.heap
    if (!Snapshot.starts_with(Process + '.'))
      continue;
    const std::string Name =
        (Kept.empty() ? "inmem." + fs::path(Process).filename().string()
                      : withoutSuffix(Kept)) +
        Snapshot.substr(Process.size());
    if (const auto Copied = copyTrace(Snapshot, Name); !Copied.ok())
      std::fprintf(stderr, "inmem: %s\n", Copied.str().c_str());
    else if (!S.Quiet)
      std::fprintf(stderr, "inmem: heap snapshot written to %s\n",
                   Name.c_str());
  }
}

/// The part of INMEM_OPTIONS before output=.
std::string runtimeOptions(const RunState &S) {
  std::string Options = "quiet=1:mmap=on:";
  // Options that let the page show more. The user's own follow and take
  // precedence.
  if (S.Html)
    Options += "stacks=16:frees=on:periodic=1:";
  if (const char *Given = std::getenv("INMEM_OPTIONS"); Given && *Given)
    Options += std::string(Given) + ':';
  if (!S.Extra.empty())
    Options += S.Extra + ':';
  return Options;
}

/// Warns that output= in \p Options, from INMEM_OPTIONS or --options, has no
/// effect.
void tellIgnoredOutput(const RunState &S, const char *From,
                       const std::string &Options) {
  if (!S.Quiet && S.Keep.empty() &&
      (':' + Options).find(":output=") != std::string::npos)
    std::fprintf(stderr,
                 "inmem: output= in %s has no effect on inmem run: --trace "
                 "FILE keeps the trace\n",
                 From);
}

/// Writes the page of the recorded run.
Outcome writeHtml(const RunState &S, PageInput Recorded) {
  const std::string To =
      !S.Output.empty()
          ? S.Output
          : "inmem." + std::to_string(Recorded.Traces[0].Header.Pid) + ".html";
  PageChoice Choice;
  if (const auto Wrong = Choice.parse())
    return *Wrong;
  Choice.Types = S.Options.Types;
  Choice.Sites = S.Options.Sites;
  Choice.NoSymbols = S.Options.NoSymbols;
  std::vector<PageInput> Sides;
  Sides.push_back(std::move(Recorded));
  const auto Extra = snapshotFor(Sides, "");
  const PageResult Made = makePage(Sides, Choice, *Extra);
  Outcome Done = writePage(Made, To);
  if (!Made.Data.empty() && Done.Code != kUnwritable && !S.Quiet)
    std::fprintf(stderr, "inmem: page written to %s\n", To.c_str());
  return Done;
}

Outcome cannotLoad(const Runnable &Program) {
  const std::string_view Loader = Program.Loader;
  constexpr std::string_view kMusl = "ld-musl-";
  const size_t Found = Loader.find(kMusl), At = Found + kMusl.size();
  const bool IsMusl = Found != Loader.npos;
  return {kCannotRun,
          Program.Path + ": its C library is not " +
              (IsMusl ? "glibc" : "musl") + " (" + Program.Loader +
              "), so it cannot load the runtime; nothing was run; " +
              (IsMusl ? "compile it with inmem-clang --target=" +
                            std::string(
                                Loader.substr(At, Loader.find('.', At) - At)) +
                            "-linux-musl"
                      : "take inmem for glibc")};
}

Outcome noTrace(const Runnable &Program, const Outcome &Child) {
  if (Program.What == Runnable::Static)
    return {Child.Code ? Child.Code : kUnreadable,
            "no trace: " + Program.Path +
                " is a static executable, which cannot load the runtime; "
                "compile it with inmem-clang"};
  std::fprintf(stderr, "inmem: no trace: the program has special rights, or "
                       "left before it could record\n");
  return {Child.Code, {}};
}

/// The traces of a run, in the order in which its processes started. They may
/// still grow if the program left processes behind.
std::vector<trace::Trace> tracesIn(const std::vector<std::string> &Files) {
  std::vector<trace::Trace> Traces;
  for (const std::string &File : Files) {
    auto Some = readInputs({File});
    if (!Some) {
      std::fprintf(stderr, "inmem: %s\n", Some.status().str().c_str());
      continue;
    }
    for (trace::Trace &T : *Some)
      Traces.push_back(std::move(T));
  }
  std::sort(Traces.begin(), Traces.end(),
            [](const trace::Trace &A, const trace::Trace &B) {
              return std::pair(A.Header.StartUnixNs, A.Header.Pid) <
                     std::pair(B.Header.StartUnixNs, B.Header.Pid);
            });
  return Traces;
}

/// Keeps the files that the user asked for. \p Files, the traces, get their new
/// names.
void keepFiles(const RunState &S, const Recorded &Found,
               std::vector<std::string> &Files) {
  std::error_code Error;
  constexpr size_t kNamed = 5;
  size_t Written = 0;
  if (S.Keep.empty())
    for (const std::string &File : Files)
      keepSnapshots(S, Found, File, "");
  else
    for (std::string &File : Files) {
      std::string Name = Files.size() == 1 ? S.Keep : perProcess(S.Keep);
      const std::string Pid = fs::path(File).stem().string();
      for (size_t At; (At = Name.find("%p")) != std::string::npos;)
        Name.replace(At, 2, Pid);
      if (Name == "-") // here a file name, for compatibility
        Name = "./-";
      if (const auto Kept = copyTrace(File, Name); !Kept.ok()) {
        std::fprintf(stderr, "inmem: %s\n", Kept.str().c_str());
        continue;
      }
      if (!S.Quiet && ++Written <= kNamed)
        std::fprintf(stderr, "inmem: trace written to %s\n", Name.c_str());
      const bool IsFile = fs::is_regular_file(Name, Error);
      keepSnapshots(S, Found, File, IsFile ? Name : "");
      if (!IsFile)
        continue;
      File = Name; // Reports name the remaining files.
      // Symbolize while programs and libraries are still the ones that ran. The
      // trace of a process left behind is still being written; `inmem
      // symbolize` handles it later.
      Symbolizer Symbols;
      symbolize(File, Symbols, /*Again=*/false, /*Quiet=*/true);
    }
  if (!S.Quiet && Written > kNamed)
    std::fprintf(stderr, "inmem: and %zu more traces\n", Written - kNamed);
}

Outcome run(const RunState &S) {
  ReportRequest Request;
  if (const auto Wrong = S.Options.parse(Request))
    return *Wrong;
  const std::string Runtime = S.Runtime.empty() ? findRuntime() : S.Runtime;
  if (Runtime.empty())
    return {kUnreadable,
            "cannot find the runtime next to inmem: /proc/self/exe "
            "cannot be read (--runtime names it)"};
  if (access(Runtime.c_str(), R_OK) != 0)
    return {kUnreadable, Runtime + ": cannot read the runtime: " +
                             strerror(errno) + " (--runtime names another)"};
  const Runnable Program = runnableOf(S.Command[0]);
  if (Program.What == Runnable::OtherLoader)
    return cannotLoad(Program);
  TemporaryDirectory Temporary;
  if (Temporary.Path.empty())
    return {kUnreadable, "cannot make a temporary directory"};
  // Traces first go to a separate directory, so that all files in it belong to
  // this run, whichever processes it started.
  const std::string Pattern = Temporary.Path + "/%p.inmem";
  if (Pattern.find(':') != std::string::npos)
    return {kUnreadable, Temporary.Path + ": ':' in the temporary directory"};

  const char *Given = std::getenv("INMEM_OPTIONS");
  tellIgnoredOutput(S, "INMEM_OPTIONS", Given ? Given : "");
  tellIgnoredOutput(S, "--options", S.Extra);
  const std::string RuntimeOptions = runtimeOptions(S) + "output=" + Pattern;
  const std::string Preload = preloadOf(Runtime, Temporary);
  if (Preload.empty())
    return {kUnreadable, Runtime + ": the loader cannot preload this path"};
  const Outcome Child = runChild(
      S.Command, {{"INMEM_OPTIONS", RuntimeOptions}, {"LD_PRELOAD", Preload}});
  if (!Child.Message.empty())
    std::fprintf(stderr, "inmem: %s\n", Child.Message.c_str());
  if (Child.Code >= 126 && Child.Message.starts_with("cannot run"))
    return {Child.Code, {}};

  const Recorded Found = recordedIn(Temporary.Path);
  std::vector<std::string> Files = Found.Traces;
  keepFiles(S, Found, Files);
  std::vector<trace::Trace> Traces = tracesIn(Files);
  if (Traces.empty())
    return noTrace(Program, Child);
  if (S.Html) {
    const Outcome Made = writeHtml(S, {std::move(Traces), pageLabel(Files)});
    if (!Made.Message.empty())
      std::fprintf(stderr, "inmem: %s\n", Made.Message.c_str());
  } else if (!S.Quiet) {
    if (!S.Keep.empty())
      Request.Files = Files;
    const Outcome Printed = report(Traces, Request, S.Output, stderr);
    if (!Printed.Message.empty())
      std::fprintf(stderr, "inmem: %s\n", Printed.Message.c_str());
  }
  return {Child.Code, {}};
}

} // namespace

Action setUpRun(CommandLine &App) {
  const auto S = std::make_shared<RunState>();
  App.option("CMD", S->Command, "the program and its arguments, after --")
      .required()
      .reads();
  App.positionalsLast();
  S->Options.addTo(App);
  App.option("-o,--output", S->Output,
             "write the report to a file instead of standard error")
      .valueName("FILE")
      .writes();
  App.option("--trace", S->Keep,
             "keep the trace under this name; %p is the process id")
      .valueName("FILE")
      .writes();
  App.option("--options", S->Extra,
             "more of INMEM_OPTIONS, such as clock=exact:mode=trace")
      .valueName("KEY=VALUE:...");
  App.flag("--html", S->Html,
           "write a page for the browser instead of the report, to -o or "
           "inmem.PID.html; records with stacks=16, frees=on and periodic=1 "
           "unless --options says otherwise");
  App.option("--runtime", S->Runtime,
             "libinmem_rt.so, if not the one next to this program")
      .valueName("FILE")
      .reads();
  App.flag("-q,--quiet", S->Quiet, "no report; useful with --trace");
  App.footer("The program keeps its input, output and signals; the exit code "
             "is its own, or:\n"
             "  3       it ended with 0, but is a static executable that "
             "recorded nothing\n"
             "  126     it cannot be executed, or its C library (glibc, musl) "
             "is not that of inmem; nothing was run\n"
             "  127     it was not found\n"
             "  128+N   signal N ended it\n"
             "\nExamples:\n"
             "  inmem run -- ./app --its-own-options\n"
             "  inmem run --html -- ./app\n"
             "  inmem run --by site --top 10 -- ls -l\n"
             "  inmem run --trace app.inmem -o report.txt -- ./app\n"
             "  inmem run --options clock=exact --format json -o r.json -- "
             "./app");
  return [S]() -> Outcome { return run(*S); };
}

} // namespace inmem::tools
