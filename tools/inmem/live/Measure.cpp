//===- Measure.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live/Measure.h"

#include "live/Preload.h"
#include "trace/read/Reader.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ; // NOLINT(readability-identifier-naming): POSIX's

namespace inmem::tools {

namespace {

/// Current and peak resident memory of a process; 0 after its end.
struct Resident {
  uint64_t Now = 0, Peak = 0;
};
Resident residentOf(pid_t Pid) {
  Resident Out;
  const std::string Path = "/proc/" + std::to_string(Pid) + "/status";
  std::FILE *From = std::fopen(Path.c_str(), "r");
  if (!From)
    return Out;
  char Line[256];
  while (std::fgets(Line, sizeof Line, From)) { // "VmRSS:   1234 kB"
    const std::string_view Name(Line, std::strcspn(Line, ":"));
    if (Name == "VmHWM" || Name == "VmRSS")
      (Name == "VmHWM" ? Out.Peak : Out.Now) =
          std::strtoull(Line + Name.size() + 1, nullptr, 10) * 1024;
  }
  std::fclose(From);
  return Out;
}

/// Standard input for measured programs: our own input file, from its start.
std::string inputFile() {
  struct stat Input = {};
  if (fstat(STDIN_FILENO, &Input) != 0 || !S_ISREG(Input.st_mode))
    return "/dev/null";
  return "/proc/" + std::to_string(getpid()) +
         "/fd/0"; // the child closes its own fd 0
}

/// Starts a program and discards its output.
/// \param Set variables, as NAME=VALUE
int start(const std::vector<std::string> &Command,
          const std::vector<std::string> &Set, pid_t &Child) {
  std::vector<std::string> Words = Command, Variables = Set;
  for (char **V = environ; *V; ++V) {
    const std::string_view Name(*V, std::strcspn(*V, "=") + 1);
    if (std::ranges::none_of(Set, [Name](const std::string &Other) {
          return Other.starts_with(Name);
        }))
      Variables.emplace_back(*V);
  }
  std::vector<char *> Arguments, Environment;
  for (std::string &W : Words)
    Arguments.push_back(W.data());
  Arguments.push_back(nullptr);
  for (std::string &V : Variables)
    Environment.push_back(V.data());
  Environment.push_back(nullptr);
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  posix_spawn_file_actions_addopen(&Files, 0, inputFile().c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&Files, 1, "/dev/null", O_WRONLY, 0);
  const int Error = posix_spawnp(&Child, Arguments[0], &Files, nullptr,
                                 Arguments.data(), Environment.data());
  posix_spawn_file_actions_destroy(&Files);
  return Error;
}

double secondsOf(const timeval &Time) {
  return static_cast<double>(Time.tv_sec) +
         static_cast<double>(Time.tv_usec) / 1e6;
}

/// A program's exit status and the kernel's resource counts.
struct Ending {
  int Status = 0;
  rusage Used = {};
};

/// Waits for the end, and takes readings at equal intervals until then. Omits
/// readings of 0.
trace::Result<Ending> watch(pid_t Child, std::vector<uint64_t> &Readings,
                            const std::function<uint64_t()> &Read) {
  Ending Out;
  // Start with short steps, so that a short run gets enough readings.
  for (auto Step = std::chrono::microseconds(500);;) {
    const pid_t Ended = wait4(Child, &Out.Status, WNOHANG, &Out.Used);
    if (Ended == Child)
      return Out;
    if (Ended < 0 && errno != EINTR)
      return trace::Status::error("wait4", std::strerror(errno));
    if (const uint64_t Value = Read())
      Readings.push_back(Value);
    // Keep readings equally spaced: drop every second one when the step
    // doubles.
    constexpr size_t kMost = 400;
    if (Readings.size() >= kMost) {
      for (size_t I = 0; I < kMost / 2; ++I)
        Readings[I] = Readings[2 * I];
      Readings.resize(kMost / 2);
      Step *= 2;
    }
    std::this_thread::sleep_for(Step);
  }
}

/// Live bytes in a trace that is still being written; 0 if there are none yet.
uint64_t liveIn(const std::string &File) {
  const auto Traces = trace::readTraces(File);
  if (!Traces || Traces->empty())
    return 0;
  int64_t Sum = 0;
  for (const trace::Entry &E : Traces->front().Entries)
    if (Traces->front().site(E.Site).ofBlocks())
      Sum += static_cast<int64_t>(E.Totals.Bytes - E.Totals.FreedBytes -
                                  E.Totals.MovedOutBytes);
  return static_cast<uint64_t>(std::max<int64_t>(Sum, 0));
}

trace::Status cannotRun(const std::string &Program, int Error) {
  return trace::Status::error(Program, std::string("cannot run: ") +
                                           std::strerror(Error));
}

/// An error unless the program ended with exit code 0.
std::optional<trace::Status> failureOf(const std::string &Program, int Status) {
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
    return std::nullopt;
  std::string Found;
  if (WIFEXITED(Status)) {
    Found = std::to_string(WEXITSTATUS(Status));
  } else {
    Found = "signal " + std::to_string(WTERMSIG(Status)) + " (" +
            strsignal(WTERMSIG(Status)) + ')';
  }
  return trace::Status::error(Program, "expected exit code 0, found " + Found);
}

/// Runs and records a program.
trace::Result<RecordedRun> record(const std::vector<std::string> &Command,
                                  const std::string &Options,
                                  std::vector<std::string> Variables) {
  const TemporaryDirectory Temporary;
  if (Temporary.Path.empty())
    return trace::Status::error(Command[0],
                                "cannot record: no folder for temporary files");
  Variables.push_back("INMEM_OPTIONS=" + Options + "output=" + Temporary.Path +
                      "/%p.inmem");
  pid_t Child = 0;
  if (const int Error = start(Command, Variables, Child))
    return cannotRun(Command[0], Error);
  const std::string File =
      Temporary.Path + '/' + std::to_string(Child) + ".inmem";
  RecordedRun Out;
  LiveBytes Live;
  const auto End = watch(Child, Live.Readings, [&] { return liveIn(File); });
  if (!End)
    return End.status();
  if (const auto Failure = failureOf(Command[0], End->Status))
    return *Failure;
  std::error_code Ignored;
  for (const auto &Each :
       std::filesystem::directory_iterator(Temporary.Path, Ignored)) {
    if (Each.path().extension() != ".inmem")
      continue; // a heap snapshot
    auto Traces = trace::readTraces(Each.path().string());
    if (!Traces)
      return Traces.status();
    if (Each.path() == File && !Traces->empty())
      Live.Peak = static_cast<uint64_t>(
          std::max<int64_t>(Traces->front().Process.Peak, 0));
    std::ranges::move(*Traces, std::back_inserter(Out.Traces));
  }
  if (Live.Peak > 0)
    Out.Live = std::move(Live);
  return Out;
}

} // namespace

trace::Result<RunCost> measureRun(const std::vector<std::string> &Command) {
  using Clock = std::chrono::steady_clock;
  const auto Began = Clock::now();
  pid_t Child = 0;
  // Even if it was compiled with inmem, it must not record.
  if (const int Error = start(Command, {"INMEM_OPTIONS=mode=off"}, Child))
    return cannotRun(Command[0], Error);
  RunCost Out;
  uint64_t SeenPeak = 0;
  const auto End = watch(Child, Out.ResidentBytes, [&] {
    const Resident Seen = residentOf(Child);
    SeenPeak = std::max({SeenPeak, Seen.Peak, Seen.Now});
    return Seen.Now;
  });
  if (!End)
    return End.status();
  if (const auto Failure = failureOf(Command[0], End->Status))
    return *Failure;
  Out.WallSeconds = std::chrono::duration<double>(Clock::now() - Began).count();
  Out.CpuSeconds =
      secondsOf(End->Used.ru_utime) + secondsOf(End->Used.ru_stime);
  // The kernel includes our own peak in the started program's. Below our peak,
  // use the observed values, which may be ahead of the kernel's final count.
  rusage Ours = {};
  getrusage(RUSAGE_SELF, &Ours);
  if (End->Used.ru_maxrss > Ours.ru_maxrss)
    Out.PeakBytes =
        std::max(SeenPeak, static_cast<uint64_t>(End->Used.ru_maxrss) * 1024);
  else if (Out.ResidentBytes.size() >= RunCost::kFewest)
    Out.PeakBytes = SeenPeak;
  Out.Faults = static_cast<uint64_t>(End->Used.ru_minflt + End->Used.ru_majflt);
  return Out;
}

std::optional<LiveBytes> measureLive(const std::vector<std::string> &Command) {
  const std::string Runtime = findRuntime();
  if (access(Runtime.c_str(), R_OK) != 0)
    return std::nullopt;
  const TemporaryDirectory Temporary;
  const std::string Preload = preloadOf(Runtime, Temporary);
  if (Preload.empty())
    return std::nullopt;
  auto Run = record(Command, "", {"LD_PRELOAD=" + Preload});
  return Run ? std::move(Run->Live) : std::nullopt;
}

trace::Result<RecordedRun> recordRun(const std::vector<std::string> &Command,
                                     const std::string &Options) {
  return record(Command, Options + ':', {});
}

} // namespace inmem::tools
