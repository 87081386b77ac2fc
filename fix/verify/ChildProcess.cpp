//===- ChildProcess.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fix/verify/ChildProcess.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace inmem::fix {

static volatile std::sig_atomic_t Interrupt = 0;

static void onInterrupt(int Signal) { Interrupt = Signal; }

void catchInterrupts() {
  for (const int Signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction Act{};
    Act.sa_handler = onInterrupt;
    sigaction(Signal, &Act, nullptr);
  }
}

int interruptedBy() { return Interrupt; }

Job shell(const std::string &Command, const std::string &Folder,
          unsigned TimeoutSeconds) {
  Job J;
  J.Words = {"/bin/sh", "-c", Command};
  J.Folder = Folder;
  J.TimeoutSeconds = TimeoutSeconds;
  return J;
}

[[noreturn]] static void become(const Job &J) {
  setpgid(0, 0);
  const auto Redirect = [](const std::string &File, int To) {
    const int Fd = open(File.empty() ? "/dev/null" : File.c_str(),
                        O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (Fd < 0 || dup2(Fd, To) < 0)
      _exit(127);
  };
  const int None = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(None, STDIN_FILENO);
  Redirect(J.Output, STDOUT_FILENO);
  Redirect(J.Errors, STDERR_FILENO);
  for (const auto &[Name, Value] : J.Environment)
    setenv(Name.c_str(), Value.c_str(), 1);
  if (!J.Folder.empty() && chdir(J.Folder.c_str()) != 0)
    _exit(127);
  std::vector<char *> Words;
  Words.reserve(J.Words.size() + 1);
  for (const std::string &Word : J.Words)
    Words.push_back(const_cast<char *>(Word.c_str()));
  Words.push_back(nullptr);
  execvp(Words[0], Words.data());
  _exit(127);
}

Ended run(const Job &J) {
  using Clock = std::chrono::steady_clock;
  Ended Out;
  if (Interrupt) {
    Out.Code = 128 + Interrupt;
    return Out;
  }
  const pid_t Child = fork();
  if (Child == 0)
    become(J);
  if (Child < 0) {
    Out.Code = 127;
    return Out;
  }
  setpgid(Child, Child);
  const auto End = Clock::now() + std::chrono::seconds(J.TimeoutSeconds);
  constexpr std::chrono::milliseconds kWait(5), kGrace(1000);
  Clock::time_point KillAt = Clock::time_point::max();
  int Status = 0;
  rusage Used{};
  for (;;) {
    const pid_t Done = wait4(Child, &Status, WNOHANG, &Used);
    if (Done == Child || (Done < 0 && errno != EINTR))
      break;
    const auto Now = Clock::now();
    if (KillAt == Clock::time_point::max() && (Interrupt || Now >= End)) {
      Out.TimedOut = !Interrupt;
      kill(-Child, SIGTERM);
      KillAt = Now + kGrace;
    } else if (Now >= KillAt) {
      kill(-Child, SIGKILL);
    }
    std::this_thread::sleep_for(kWait);
  }
  // Kill the remaining processes of the group: ones that the job did not wait
  // for.
  kill(-Child, SIGKILL);
  Out.Code = WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
  const auto Seconds = [](const timeval &T) {
    return static_cast<double>(T.tv_sec) + static_cast<double>(T.tv_usec) / 1e6;
  };
  Out.CpuSeconds = Seconds(Used.ru_utime) + Seconds(Used.ru_stime);
  return Out;
}

std::string textOf(const std::string &File) {
  auto Buffer = llvm::MemoryBuffer::getFile(File);
  return Buffer ? (*Buffer)->getBuffer().str() : std::string();
}

} // namespace inmem::fix
