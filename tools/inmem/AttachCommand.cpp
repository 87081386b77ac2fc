//===- AttachCommand.cpp - inmem attach, inmem detach ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Command.h"
#include "live/Attacher.h"
#include "live/LiveProcess.h"
#include "live/Preload.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using trace::AttachState;

namespace {

struct AttachCommandState {
  pid_t Pid = 0;
  std::vector<std::string> Options;
  std::string Trace, Runtime;
  bool Force = false, Quiet = false;
};

/// The options of the runtime: ours first, so that the user's take precedence.
trace::Result<std::string> runtimeOptions(const AttachCommandState &S,
                                          bool SharesFiles) {
  // Leave the program's terminal alone.
  std::string Out = "quiet=1:mmap=on";
  const std::string Name = S.Trace.empty() ? "inmem.%p.inmem" : S.Trace;
  // Relative to the user's current folder, not the program's.
  const std::string Path =
      SharesFiles ? fs::absolute(Name).lexically_normal().string() : Name;
  if (Path.find(':') != std::string::npos)
    return trace::Status::error(Path, "':' in the name of the trace; --trace "
                                      "names another");
  Out += ":output=" + Path;
  for (const std::string &Given : S.Options)
    Out += ':' + Given;
  return Out;
}

/// Handles a process that was built or started with a runtime.
Outcome useRuntimeOf(const Attacher &A, const AttachCommandState &S) {
  auto P = LiveProcess::attach(S.Pid, /*ForCommands=*/true);
  if (!P)
    return Outcome::unreadable(P.status());
  if (P->header().Commands.Recording)
    return {kUnreadable, A.nameOfProcess() +
                             ": records already; use `inmem "
                             "ctl " +
                             std::to_string(S.Pid) + "`, `report` and `top`"};
  if (!S.Options.empty())
    return Outcome::usage("attach: " + A.nameOfProcess() +
                          " has its options from its start; --options is for "
                          "a program without inmem");
  if (const auto Given = P->give(trace::CommandKind::Start); !Given.ok())
    return Outcome::unreadable(Given);
  const bool Idle = !P->waitObeyed(std::chrono::milliseconds(100));
  fmt::print("{}: records{}\n", A.nameOfProcess(),
             Idle ? " (it is idle: before its next event)" : "");
  return {};
}

/// Prints where the trace is.
Outcome describe(Attacher &A, const AttachCommandState &S) {
  const auto Says = A.attachment();
  if (!Says)
    return {kUnreadable, A.nameOfProcess() + ": cannot be read any more"};
  std::string Trace = Says->Trace;
  const bool Wanted = std::ranges::none_of(S.Options, [](const auto &O) {
    return (':' + O + ':').find(":output=none:") != std::string::npos;
  });
  if (Trace.empty() && Wanted) {
    (void)A.detach();
    return {kUnwritable, A.nameOfProcess() +
                             ": cannot create its trace where its user may "
                             "not write; --trace names another file"};
  }
  if (S.Quiet)
    return {};
  if (Trace.empty())
    fmt::print("{}: attached; it keeps no trace\n", A.nameOfProcess());
  else
    fmt::print("{0}: attached; it records to {1}\n"
               "  inmem top {2}     inmem report {1}     inmem detach {2}\n",
               A.nameOfProcess(),
               A.sharesFiles()
                   ? Trace
                   : "/proc/" + std::to_string(S.Pid) + "/root" + Trace,
               S.Pid);
  return {};
}

Outcome attach(const AttachCommandState &S) {
  const std::string Runtime =
      S.Runtime.empty() ? findRuntime() : fs::absolute(S.Runtime).string();
  std::error_code Error;
  const std::string File = fs::canonical(Runtime, Error);
  if (Error || access(File.c_str(), R_OK) != 0)
    return {kUnreadable, Runtime + ": cannot read the runtime: " +
                             strerror(errno) + " (--runtime names another)"};
  auto A = Attacher::of(S.Pid, S.Force);
  if (!A)
    return Outcome::unreadable(A.status());
  if (A->hasRuntime()) {
    const auto Says = A->attachment();
    if (!Says || Says->State != AttachState::Detached)
      return useRuntimeOf(*A, S);
  }
  const auto Options = runtimeOptions(S, A->sharesFiles());
  if (!Options)
    return Outcome::usage(Options.status().str());
  if (const auto Done = A->attach(File, *Options); !Done.ok())
    return Done.str().starts_with("--options")
               ? Outcome::usage("attach: " + Done.str())
               : Outcome::unreadable(Done);
  return describe(*A, S);
}

Outcome detach(const AttachCommandState &S) {
  auto A = Attacher::of(S.Pid, /*Force=*/true);
  if (!A)
    return Outcome::unreadable(A.status());
  const auto Says = A->attachment();
  if (!Says || Says->State != AttachState::Attached)
    return {kUnreadable,
            A->nameOfProcess() +
                (A->hasRuntime() && (!Says || Says->State == AttachState::Never)
                     ? ": was built or started with inmem; `inmem ctl " +
                           std::to_string(S.Pid) + " stop` ends recording"
                     : ": is not attached to")};
  const std::string Trace = Says->Trace;
  if (const auto Done = A->detach(); !Done.ok())
    return Outcome::unreadable(Done);
  if (!S.Quiet)
    fmt::print("{}: detached{}\n", A->nameOfProcess(),
               Trace.empty() ? "" : "; its trace is " + Trace);
  return {};
}

} // namespace

Action setUpAttach(CommandLine &App) {
  const auto S = std::make_shared<AttachCommandState>();
  App.option("PID", S->Pid, "the process").required();
  App.option("--options", S->Options,
             "options as in INMEM_OPTIONS, such as stacks=16:frees=on; may be "
             "given more than once")
      .oneValue()
      .valueName("KEY=VALUE:...");
  App.option("--trace", S->Trace,
             "the trace's name; %p is the process id (default: "
             "inmem.%p.inmem in this folder)")
      .valueName("FILE");
  App.flag("--force", S->Force,
           "attach to a process with a seccomp filter too, which may kill it");
  App.option("--runtime", S->Runtime,
             "libinmem_rt.so, if not the one next to this program")
      .valueName("FILE")
      .reads();
  App.flag("-q,--quiet", S->Quiet, "print nothing if all is well");
  App.footer(
      "Records a process that knows nothing of inmem, from now on. One of its "
      "threads is stopped at\na moment at which it is outside the loader and "
      "the allocator, and loads the runtime.\n`report`, `top`, `ctl` and "
      "`heap` then work as with `inmem run`. Blocks from before are not\n"
      "shown; how many of them are freed is counted. A process that was built "
      "with inmem and waits\n(start=off) is started.\n\n"
      "Examples:\n"
      "  inmem attach 4711\n"
      "  inmem attach 4711 --options stacks=16 --trace server.inmem\n"
      "  inmem detach 4711");
  return [S]() -> Outcome { return attach(*S); };
}

Action setUpDetach(CommandLine &App) {
  const auto S = std::make_shared<AttachCommandState>();
  App.option("PID", S->Pid, "a process that `inmem attach` attached to")
      .required();
  App.flag("-q,--quiet", S->Quiet, "print nothing if all is well");
  App.footer("Ends the trace and redirects no call of the program any more. "
             "The runtime stays loaded,\nwithout effect; attaching again "
             "begins another trace.\n\n"
             "Examples:\n"
             "  inmem detach 4711");
  return [S]() -> Outcome { return detach(*S); };
}

} // namespace inmem::tools
