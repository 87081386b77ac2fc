// Makes and frees blocks, for each character of its input: between two calls
// of getppid, which a program that counts instructions looks for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

static __attribute__((noinline)) void pairs(int Count) {
  for (int I = 0; I < Count; ++I) {
    void *volatile Block = std::malloc(48);
    std::free(Block);
    Block = ::operator new(56);
    ::operator delete(Block);
  }
}

static void say(const char *Word) {
  if (write(1, Word, 6) != 6)
    _exit(1);
}

int main() {
  say("ready\n");
  for (char C; read(0, &C, 1) == 1;) {
    pairs(C == 'w' ? 1000 : 1); // "w": to set up the sites
    syscall(SYS_getppid);
    pairs(20);
    syscall(SYS_getppid);
    say("done.\n");
  }
}
