//===- Jobs.cpp -----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lsp/Jobs.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace inmem::tools {

Jobs::~Jobs() {
  while (!All.empty())
    stop(All.front().Number);
}

/// Sets a child's standard streams. The protocol's streams are not for
/// children.
static void takeStreams(int Output) {
  const int Nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(Nothing, STDIN_FILENO);
  dup2(Output, STDOUT_FILENO);
  dup2(Output, STDERR_FILENO);
}

unsigned Jobs::start(const Work &Child, Done Then, More Also) {
  int Pipe[2];
  if (pipe2(Pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    Then({127, std::strerror(errno)});
    return 0;
  }
  std::fflush(stdout);
  const pid_t Pid = fork();
  if (Pid < 0) {
    const int Error = errno;
    close(Pipe[0]);
    close(Pipe[1]);
    Then({127, std::strerror(Error)});
    return 0;
  }
  if (Pid == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    fcntl(Pipe[1], F_SETFL, 0); // make writes blocking
    takeStreams(Pipe[1]);
    int Code = 127;
    try {
      Code = Child();
    } catch (const std::exception &Error) {
      std::fprintf(stderr, "%s\n", Error.what());
    }
    std::fflush(stdout);
    std::fflush(stderr);
    _exit(Code);
  }
  setpgid(Pid, Pid);
  close(Pipe[1]);
  All.push_back({++Last, Pid, Pipe[0], {}, std::move(Then), std::move(Also)});
  return Last;
}

unsigned Jobs::start(const std::vector<std::string> &Command,
                     const std::string &Folder, Done Then, More Also) {
  return start(
      [&]() -> int {
        if (!Folder.empty() && chdir(Folder.c_str()) != 0) {
          std::fprintf(stderr, "%s: %s\n", Folder.c_str(),
                       std::strerror(errno));
          return 127;
        }
        std::vector<char *> Words;
        Words.reserve(Command.size() + 1);
        for (const std::string &Word : Command)
          Words.push_back(const_cast<char *>(Word.c_str()));
        Words.push_back(nullptr);
        execvp(Words[0], Words.data());
        std::fprintf(stderr, "cannot run %s: %s\n", Words[0],
                     std::strerror(errno));
        return errno == ENOENT ? 127 : 126;
      },
      std::move(Then), std::move(Also));
}

void Jobs::stop(unsigned Number) {
  const auto At = std::ranges::find(All, Number, &Job::Number);
  if (At == All.end())
    return;
  kill(-At->Pid, SIGKILL);
  end(*At);
  All.erase(At);
}

int Jobs::end(const Job &J) {
  close(J.From);
  int Status = 0;
  while (waitpid(J.Pid, &Status, 0) < 0 && errno == EINTR)
    ;
  return WIFSIGNALED(Status) ? 128 + WTERMSIG(Status) : WEXITSTATUS(Status);
}

void Jobs::addTo(std::vector<pollfd> &Into) const {
  for (const Job &J : All)
    Into.push_back({J.From, POLLIN, 0});
}

bool Jobs::read(Job &J) {
  constexpr size_t kMost = 1 << 20;
  char Buffer[16384];
  for (;;) {
    const ssize_t N = ::read(J.From, Buffer, sizeof Buffer);
    if (N < 0)
      return errno == EAGAIN || errno == EINTR;
    if (N == 0)
      return false;
    const size_t Room = kMost - std::min(kMost, J.Result.Output.size());
    J.Result.Output.append(Buffer, std::min(Room, static_cast<size_t>(N)));
  }
}

void Jobs::handle(const std::vector<pollfd> &Ready) {
  std::vector<Job> Ended;
  for (const pollfd &One : Ready) {
    if (One.revents == 0)
      continue;
    const auto At = std::ranges::find(All, One.fd, &Job::From);
    if (At == All.end())
      continue;
    const size_t Before = At->Result.Output.size();
    const bool Lives = read(*At);
    if (At->Also && At->Result.Output.size() > Before)
      At->Also(At->Result.Output);
    if (Lives)
      continue;
    At->Result.Code = end(*At);
    Ended.push_back(std::move(*At));
    All.erase(At);
  }
  for (const Job &J : Ended) // Then may start other jobs
    J.Then(J.Result);
}

} // namespace inmem::tools
