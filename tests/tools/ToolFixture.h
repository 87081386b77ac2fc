//===- ToolFixture.h - Runs `inmem` and looks at what it says -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_TESTS_TOOLS_TOOLFIXTURE_H
#define INMEM_TESTS_TOOLS_TOOLFIXTURE_H

#include "support/SampleTrace.h"
#include "support/TemporaryFolder.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

namespace inmem::test {

struct Ran {
  int Code;
  std::string Out, Err;
};

class Tool : public testing::Test {
protected:
  Tool() {
    write("sample.inmem", assembled(kSample));
    std::string Other = kSample;
    Other.replace(Other.find("pid=7"), 5, "pid=8");
    write("other.inmem", assembled(Other));
  }

  void write(const std::string &Name, const std::vector<std::byte> &Bytes) {
    std::ofstream(Dir + "/" + Name, std::ios::binary)
        .write(reinterpret_cast<const char *>(Bytes.data()),
               static_cast<std::streamsize>(Bytes.size()));
  }
  static std::string slurp(const std::string &Path) {
    std::ifstream In(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(In), {}};
  }
  /// Runs `inmem Arguments` in the directory, through the shell.
  Ran inmem(const std::string &Arguments) {
    const std::string Line =
        "cd '" + Dir + "' && LC_ALL=C.UTF-8 " INMEM_TOOL_WORD " </dev/null " +
        Arguments + " >out 2>err";
    const int Status = std::system(Line.c_str());
    return {WEXITSTATUS(Status), slurp(Dir + "/out"), slurp(Dir + "/err")};
  }

private:
  TemporaryFolder Temporary{"inmem-tool"};

protected:
  const std::string Dir = Temporary.path().string();
};

/// A process that holds a trace open, as one that runs with inmem does.
class Ctl : public Tool {
protected:
  /// A trace whose header names a process, with three orders of room.
  std::string traceOf(pid_t Pid, const std::string &Header = "") {
    return "header state=running pid=" + std::to_string(Pid) +
           " live-bytes=16 peak-live-bytes=24 " + Header +
           "\nextent meta\n process \"./app\" \"-v\"\n"
           " thread index=1 tid=70 name=\"main\"\n"
           " type index=1 id=1 size=8 name=\"A\"\n"
           " site id=1 type=1 key=1 kind=new function=\"f\"\n"
           "extent rows owner=1\n"
           " row site=1 type=1 allocations=7 bytes=56 frees=5 "
           "freed-bytes=40\n";
  }
  /// Starts `sleep` with the file open; it is written when the pid is known.
  pid_t holding(const std::string &Name) {
    const std::string Path = Dir + "/" + Name;
    std::ofstream(Path, std::ios::app).flush();
    const pid_t Child = fork();
    if (Child == 0) {
      const int Fd = open(Path.c_str(), O_RDWR);
      if (Fd >= 0)
        execlp("sleep", "sleep", "100000", nullptr);
      _exit(1);
    }
    // The file is open as soon as it is sleep that runs.
    while (slurp("/proc/" + std::to_string(Child) + "/comm") != "sleep\n" &&
           waitpid(Child, nullptr, WNOHANG) == 0)
      usleep(1000);
    Children.push_back(Child);
    return Child;
  }
  Ran ctl(pid_t Pid, const std::string &What) {
    return inmem("ctl " + std::to_string(Pid) + " " + What);
  }
  ~Ctl() override {
    for (const pid_t Child : Children) {
      kill(Child, SIGKILL);
      waitpid(Child, nullptr, 0);
    }
  }
  std::vector<pid_t> Children;
};

} // namespace inmem::test

#endif
