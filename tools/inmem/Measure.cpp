//===- Measure.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Measure.h"

#include "Preload.h"
#include "trace/Reader.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <numeric>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ; // NOLINT(readability-identifier-naming): POSIX's

namespace inmem::tools {

namespace {

/// Resident memory of a process, now and at most; 0 once it is gone.
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

/// Starts a program with nothing to read, and nobody to read what it writes.
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
  posix_spawn_file_actions_addopen(&Files, 0, "/dev/null", O_RDONLY, 0);
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

/// Mean of the second half; nothing if there are no readings.
std::optional<uint64_t> meanOfLater(const std::vector<uint64_t> &Readings) {
  const auto Half = Readings.begin() + static_cast<long>(Readings.size() / 2);
  const auto Count = static_cast<uint64_t>(Readings.end() - Half);
  if (Count == 0)
    return std::nullopt;
  return std::accumulate(Half, Readings.end(), uint64_t{0}) / Count;
}

/// How a program ended, and what the kernel says it used.
struct Ending {
  int Status = 0;
  rusage Used = {};
};

/// Waits for the end, and takes readings at equal intervals until then; those
/// of 0 are left out.
trace::Result<Ending> watch(pid_t Child, std::vector<uint64_t> &Readings,
                            const std::function<uint64_t()> &Read) {
  Ending Out;
  // Short steps at first, so that a short run has its share of readings.
  for (auto Step = std::chrono::microseconds(500);;) {
    const pid_t Ended = wait4(Child, &Out.Status, WNOHANG, &Out.Used);
    if (Ended == Child)
      return Out;
    if (Ended < 0 && errno != EINTR)
      return trace::Status::error("wait4", std::strerror(errno));
    if (const uint64_t Value = Read())
      Readings.push_back(Value);
    // Readings stay equally far apart: half of them go when the step doubles.
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

/// Live bytes of a trace that is still written; 0: none yet.
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

} // namespace

uint64_t RunCost::steadyBytes() const {
  return meanOfLater(ResidentBytes).value_or(PeakBytes);
}

uint64_t LiveBytes::steadyBytes() const {
  return meanOfLater(Readings).value_or(Peak);
}

trace::Result<RunCost> measureRun(const std::vector<std::string> &Command) {
  using Clock = std::chrono::steady_clock;
  const auto Began = Clock::now();
  pid_t Child = 0;
  // It records nothing, should it have been compiled so.
  if (const int Error = start(Command, {"INMEM_OPTIONS=mode=off"}, Child))
    return trace::Status::error(Command[0], std::string("cannot run: ") +
                                                std::strerror(Error));
  RunCost Out;
  uint64_t SeenPeak = 0;
  const auto End = watch(Child, Out.ResidentBytes, [&] {
    const Resident Seen = residentOf(Child);
    SeenPeak = std::max(SeenPeak, Seen.Peak);
    return Seen.Now;
  });
  if (!End)
    return End.status();
  Out.WallSeconds = std::chrono::duration<double>(Clock::now() - Began).count();
  Out.CpuSeconds =
      secondsOf(End->Used.ru_utime) + secondsOf(End->Used.ru_stime);
  // The kernel counts our own peak as one of what we start. Below that, what
  // was seen counts, unless there was hardly time to look.
  rusage Ours = {};
  getrusage(RUSAGE_SELF, &Ours);
  constexpr size_t kFewReadings = 4;
  Out.PeakBytes = End->Used.ru_maxrss > Ours.ru_maxrss ||
                          Out.ResidentBytes.size() < kFewReadings
                      ? static_cast<uint64_t>(End->Used.ru_maxrss) * 1024
                      : SeenPeak;
  Out.Faults = static_cast<uint64_t>(End->Used.ru_minflt + End->Used.ru_majflt);
  if (!WIFEXITED(End->Status) || WEXITSTATUS(End->Status) != 0)
    return trace::Status::error(
        Command[0],
        WIFEXITED(End->Status)
            ? "expected exit code 0, found " +
                  std::to_string(WEXITSTATUS(End->Status))
            : "ended by signal " + std::to_string(WTERMSIG(End->Status)));
  return Out;
}

std::optional<LiveBytes> measureLive(const std::vector<std::string> &Command) {
  const TemporaryDirectory Temporary;
  const std::string Runtime = findRuntime();
  if (Temporary.Path.empty() || access(Runtime.c_str(), R_OK) != 0)
    return std::nullopt;
  std::string Preload = "LD_PRELOAD=" + Runtime;
  if (const char *Given = std::getenv("LD_PRELOAD"); Given && *Given)
    Preload += std::string(":") + Given;
  pid_t Child = 0;
  if (start(Command,
            {"INMEM_OPTIONS=output=" + Temporary.Path + "/%p.inmem", Preload},
            Child))
    return std::nullopt;
  const std::string File =
      Temporary.Path + '/' + std::to_string(Child) + ".inmem";
  LiveBytes Out;
  if (!watch(Child, Out.Readings, [&] { return liveIn(File); }))
    return std::nullopt;
  const auto Traces = trace::readTraces(File);
  if (!Traces || Traces->empty())
    return std::nullopt;
  Out.Peak =
      static_cast<uint64_t>(std::max<int64_t>(Traces->front().Process.Peak, 0));
  return Out.Peak == 0 ? std::nullopt : std::optional(std::move(Out));
}

} // namespace inmem::tools
