//===- Measure.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Measure.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <numeric>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char **environ; // NOLINT(readability-identifier-naming): POSIX's

namespace inmem::tools {

namespace {

/// Resident memory of a process; 0 once it is gone.
uint64_t residentOf(pid_t Pid) {
  const std::string Path = "/proc/" + std::to_string(Pid) + "/statm";
  std::FILE *From = std::fopen(Path.c_str(), "r");
  if (!From)
    return 0;
  char Text[128] = {}; // "SIZE RESIDENT ...", in pages
  const char *const Line = std::fgets(Text, sizeof Text, From);
  std::fclose(From);
  const char *const Blank = Line ? std::strchr(Line, ' ') : nullptr;
  return Blank ? std::strtoull(Blank, nullptr, 10) *
                     static_cast<uint64_t>(sysconf(_SC_PAGESIZE))
               : 0;
}

/// Arguments, nothing to read, nobody to read what it writes. It records
/// nothing, should it have been compiled so.
int start(const std::vector<std::string> &Command, pid_t &Child) {
  std::vector<std::string> Words = Command,
                           Variables = {"INMEM_OPTIONS=mode=off"};
  for (char **V = environ; *V; ++V)
    if (std::strncmp(*V, "INMEM_OPTIONS=", 14) != 0)
      Variables.emplace_back(*V);
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

} // namespace

uint64_t RunCost::steadyBytes() const {
  const auto Half =
      ResidentBytes.begin() + static_cast<long>(ResidentBytes.size() / 2);
  const auto Count = static_cast<uint64_t>(ResidentBytes.end() - Half);
  return Count == 0
             ? PeakBytes
             : std::accumulate(Half, ResidentBytes.end(), uint64_t{0}) / Count;
}

trace::Result<RunCost> measureRun(const std::vector<std::string> &Command) {
  using Clock = std::chrono::steady_clock;
  const auto Began = Clock::now();
  pid_t Child = 0;
  if (const int Error = start(Command, Child))
    return trace::Status::error(Command[0], std::string("cannot run: ") +
                                                std::strerror(Error));
  RunCost Out;
  int Status = 0;
  rusage Used = {};
  // Short steps at first, so that a short run has its share of readings.
  for (auto Step = std::chrono::microseconds(500);;) {
    const pid_t Ended = wait4(Child, &Status, WNOHANG, &Used);
    if (Ended == Child)
      break;
    if (Ended < 0 && errno != EINTR)
      return trace::Status::error(Command[0], std::strerror(errno));
    if (const uint64_t Resident = residentOf(Child))
      Out.ResidentBytes.push_back(Resident);
    // Readings stay equally far apart: half of them go when the step doubles.
    constexpr size_t kMost = 400;
    if (Out.ResidentBytes.size() >= kMost) {
      for (size_t I = 0; I < kMost / 2; ++I)
        Out.ResidentBytes[I] = Out.ResidentBytes[2 * I];
      Out.ResidentBytes.resize(kMost / 2);
      Step *= 2;
    }
    std::this_thread::sleep_for(Step);
  }
  Out.WallSeconds = std::chrono::duration<double>(Clock::now() - Began).count();
  Out.CpuSeconds = secondsOf(Used.ru_utime) + secondsOf(Used.ru_stime);
  Out.PeakBytes = static_cast<uint64_t>(Used.ru_maxrss) * 1024;
  Out.Faults = static_cast<uint64_t>(Used.ru_minflt + Used.ru_majflt);
  if (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    return trace::Status::error(
        Command[0], WIFEXITED(Status) ? "expected exit code 0, found " +
                                            std::to_string(WEXITSTATUS(Status))
                                      : "ended by signal " +
                                            std::to_string(WTERMSIG(Status)));
  return Out;
}

} // namespace inmem::tools
