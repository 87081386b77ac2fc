// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// forks.cpp - a process with BLOCKS live blocks forks FORKS times, one after
// the other; each child allocates a little and ends.
//
//   forks FORKS BLOCKS
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static size_t work(int Count) {
  std::map<int, std::string> Names;
  std::vector<std::unique_ptr<int>> Numbers;
  for (int I = 0; I < Count; ++I) {
    Names[I] = std::string(40, 'x');
    Numbers.push_back(std::make_unique<int>(I));
  }
  return Names.size() + Numbers.size();
}

int main(int Argc, char **Argv) {
  const long Forks = Argc > 1 ? atol(Argv[1]) : 100,
             Blocks = Argc > 2 ? atol(Argv[2]) : 1000;
  std::vector<std::unique_ptr<long>> Live;
  for (long I = 0; I < Blocks; ++I)
    Live.push_back(std::make_unique<long>(I));
  work(100);
  for (long I = 0; I < Forks; ++I) {
    const pid_t Child = fork();
    if (Child == 0)
      exit(work(20) == 40 ? 0 : 1);
    int Status;
    if (waitpid(Child, &Status, 0) != Child || Status != 0)
      return 1;
  }
  return 0;
}
