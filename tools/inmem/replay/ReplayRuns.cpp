//===- ReplayRuns.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/ReplayRuns.h"

#include "live/Preload.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inmem::tools {

namespace fs = std::filesystem;
using trace::Result;
using trace::Status;

namespace {

struct Known {
  const char *Name;
  std::vector<std::string> Libraries;
  const char *Symbol;
};

const std::vector<Known> &knownAllocators() {
  static const std::vector<Known> All = {
      {"glibc", {}, "gnu_get_libc_version"},
      {"jemalloc", {"libjemalloc.so.2"}, "mallctl"},
      {"mimalloc", {"libmimalloc.so.2", "libmimalloc.so.3"}, "mi_version"},
      {"tcmalloc",
       {"libtcmalloc.so.4", "libtcmalloc_minimal.so.4"},
       "MallocExtension_ReleaseFreeMemory"},
      {"place", {"libinmem_place.so"}, "inmem_place_stats"},
  };
  return All;
}

/// A file next to this program's libraries; empty if there is none.
std::string installedFile(const std::string &Name) {
  std::error_code Error;
  for (const char *Dir :
       {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    const fs::path File = installPrefix() / Dir / Name;
    if (fs::exists(File, Error))
      return File.string();
  }
  return {};
}

class Descriptor {
public:
  explicit Descriptor(int Fd = -1) : Fd(Fd) {}
  ~Descriptor() { reset(); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  void reset(int New = -1) {
    if (Fd >= 0)
      close(Fd);
    Fd = New;
  }
  int get() const { return Fd; }

private:
  int Fd;
};

bool writeAll(int Fd, const void *Data, size_t Bytes) {
  const auto *At = static_cast<const char *>(Data);
  while (Bytes) {
    const ssize_t Count = write(Fd, At, Bytes);
    if (Count < 0 && errno != EINTR)
      return false;
    At += std::max<ssize_t>(Count, 0);
    Bytes -= static_cast<size_t>(std::max<ssize_t>(Count, 0));
  }
  return true;
}

bool writeScript(int Fd, const Script &S, const Order &O) {
  replayer::Header H = {replayer::kMagic,
                        static_cast<uint32_t>(S.Threads.size()), S.Blocks, 0,
                        O.Turns.size()};
  for (const Script::Thread &Of : S.Threads)
    H.Steps += Of.Steps.size();
  if (!writeAll(Fd, &H, sizeof H))
    return false;
  for (const Script::Thread &Of : S.Threads)
    if (!writeAll(Fd, Of.Steps.data(),
                  Of.Steps.size() * sizeof(replayer::Step)))
      return false;
  return writeAll(Fd, O.Turns.data(), O.Turns.size() * sizeof(replayer::Turn));
}

/// This process's environment, plus the allocator and its settings.
std::vector<std::string> environmentFor(const AllocatorChoice &With,
                                        const std::string &Library) {
  std::vector<std::string> Out = With.Settings;
  if (!Library.empty())
    Out.push_back("LD_PRELOAD=" + Library);
  const auto IsSet = [&](std::string_view One) {
    const std::string_view Name = One.substr(0, One.find('=') + 1);
    return Name == "LD_PRELOAD=" ||
           std::ranges::any_of(With.Settings, [Name](const std::string &Set) {
             return Set.starts_with(Name);
           });
  };
  for (char **At = environ; *At; ++At)
    if (!IsSet(*At))
      Out.emplace_back(*At);
  return Out;
}

std::vector<char *> pointersTo(std::vector<std::string> &Words) {
  std::vector<char *> Out;
  Out.reserve(Words.size() + 1);
  for (std::string &Word : Words)
    Out.push_back(Word.data());
  Out.push_back(nullptr);
  return Out;
}

/// Runs the replayer. \returns its exit code, 128 + a signal, or -1
int runOnce(const std::string &Program, int ScriptFd,
            const AllocatorChoice &With, const std::string &Library,
            std::string &Printed) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC) != 0)
    return -1;
  Descriptor From(Pipe[0]), To(Pipe[1]);
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  // The copy stays open across exec.
  constexpr int kScript = 3;
  posix_spawn_file_actions_adddup2(&Files, ScriptFd, kScript);
  posix_spawn_file_actions_adddup2(&Files, To.get(), STDOUT_FILENO);
  // Discard the loader's complaint about a library that is not installed.
  posix_spawn_file_actions_addopen(&Files, STDERR_FILENO, "/dev/null", O_WRONLY,
                                   0);
  std::vector<std::string> Words = {Program, std::to_string(kScript)};
  if (!With.Symbol.empty())
    Words.push_back(With.Symbol);
  std::vector<std::string> Settings = environmentFor(With, Library);
  pid_t Child = 0;
  const int Error =
      posix_spawn(&Child, Program.c_str(), &Files, nullptr,
                  pointersTo(Words).data(), pointersTo(Settings).data());
  posix_spawn_file_actions_destroy(&Files);
  To.reset();
  if (Error)
    return -1;
  char Part[256];
  for (ssize_t Count; (Count = read(From.get(), Part, sizeof Part)) != 0;)
    if (Count > 0)
      Printed.append(Part, static_cast<size_t>(Count));
    else if (errno != EINTR)
      break;
  int State = 0;
  while (waitpid(Child, &State, 0) < 0 && errno == EINTR) {
  }
  constexpr int kSignals = 128;
  return WIFEXITED(State) ? WEXITSTATUS(State) : kSignals + WTERMSIG(State);
}

std::string reasonOf(int Code) {
  switch (Code) {
  case replayer::kWrongAllocator:
    return "is not installed";
  case replayer::kOutOfMemory:
    return "ran out of memory in the replay";
  case replayer::kNoMeasure:
    return "cannot be measured: /proc/self/smaps_rollup or status is missing";
  default:
    return "failed in the replay, with code " + std::to_string(Code);
  }
}

} // namespace

const std::vector<std::string> &allocatorNames() {
  static const std::vector<std::string> Names = [] {
    std::vector<std::string> Out;
    for (const Known &K : knownAllocators())
      Out.emplace_back(K.Name);
    return Out;
  }();
  return Names;
}

Result<AllocatorChoice> parseAllocator(const std::string &Text) {
  AllocatorChoice Out;
  Out.Text = Text;
  Out.Name = Text.substr(0, Text.find(':'));
  const auto At = std::ranges::find(knownAllocators(), Out.Name, &Known::Name);
  if (At == knownAllocators().end()) {
    std::string Names;
    for (const std::string &Name : allocatorNames())
      Names += (Names.empty() ? "" : ", ") + Name;
    return Status::error("--malloc", "expected one of " + Names + ", found '" +
                                         Out.Name + "'");
  }
  Out.Library = At->Libraries;
  Out.Symbol = At->Symbol;
  if (Out.Name == "place")
    Out.Library = {installedFile(At->Libraries[0])};
  std::string Rest = Out.Name.size() < Text.size()
                         ? Text.substr(Out.Name.size() + 1)
                         : std::string();
  while (!Rest.empty()) {
    // A comma may be part of a value. It ends a setting only if a name in
    // capitals and "=" follow.
    size_t Comma = Rest.find(',');
    for (; Comma != std::string::npos; Comma = Rest.find(',', Comma + 1)) {
      const size_t Name = Rest.find_first_not_of(
          "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", Comma + 1);
      if (Name != std::string::npos && Name > Comma + 1 && Rest[Name] == '=')
        break;
    }
    const std::string One = Rest.substr(0, Comma);
    if (One.find('=') == std::string::npos || One[0] == '=')
      return Status::error("--malloc", "expected VARIABLE=VALUE behind '" +
                                           Out.Name + ":', found '" + One +
                                           "'");
    Out.Settings.push_back(One);
    Rest = Comma == std::string::npos ? "" : Rest.substr(Comma + 1);
  }
  return Out;
}

Result<Replayer> Replayer::find() {
  Replayer Out;
  Out.Program = installedFile("inmem/replayer");
  if (Out.Program.empty())
    return Status::error("lib/inmem/replayer",
                         "is not where this program is installed");
  return Out;
}

Result<ReplayedSize> Replayer::run(const Script &S, const Order &O,
                                   const AllocatorChoice &With) const {
  const Descriptor File(memfd_create("inmem-replay", MFD_CLOEXEC));
  if (File.get() < 0 || !writeScript(File.get(), S, O))
    return Status::error("replay", std::string("cannot write a script: ") +
                                       std::strerror(errno));
  std::vector<std::string> Libraries = With.Library;
  if (Libraries.empty())
    Libraries.emplace_back();
  int Code = replayer::kWrongAllocator;
  std::string Printed;
  for (const std::string &Library : Libraries) {
    Printed.clear();
    Code = runOnce(Program, File.get(), With, Library, Printed);
    if (Code != replayer::kWrongAllocator)
      break;
  }
  long long Peak = 0, End = 0, Trimmed = 0;
  if (Code == 0 && std::sscanf(Printed.c_str(), replayer::kResult, &Peak, &End,
                               &Trimmed) == 3)
    return ReplayedSize{static_cast<uint64_t>(Peak), static_cast<uint64_t>(End),
                        static_cast<uint64_t>(Trimmed)};
  return Status::error(With.Name, reasonOf(Code));
}

} // namespace inmem::tools
