// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parent's numbers are the parent's alone; a child allocates on its own.
#include <cstdio>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

int main() {
  std::vector<std::string> all(10, std::string(100, 'p'));
  for (int i = 0; i < 3; ++i) {
    pid_t child = fork();
    if (child == 0) {
      std::vector<std::string> more(1000, std::string(50 + i, 'c'));
      _exit(int(more.size() % 256));
    }
    int status = 0;
    waitpid(child, &status, 0);
    all.push_back("child ended with status " +
                  std::to_string(WEXITSTATUS(status)));
  }
  std::printf("%zu\n", all.size());
}
