// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program for the server's commands: `wait` runs until a line is read, other
// words are printed with the folder, and fail.
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <unistd.h>

struct Kept {
  double Values[4];
  Kept *Next;
};

Kept *First;

int main(int Count, char **Words) {
  for (int I = 0; I < 100; ++I)
    First = new Kept{{}, First};
  char Folder[4096];
  if (Count > 1 && std::strcmp(Words[1], "wait") == 0) {
    std::puts("ready");
    std::fflush(stdout);
    // An idle program takes no snapshot.
    pollfd Input = {STDIN_FILENO, POLLIN, 0};
    while (poll(&Input, 1, 10) == 0)
      First = new Kept{{}, First};
    return std::getchar() == '\n' && First ? 0 : 1;
  }
  if (Count > 2 && getcwd(Folder, sizeof Folder))
    std::printf("%s failed in %s\n", Words[2], Folder);
  return Count > 1 ? 3 : 0;
}
