// Intent: `inmem top` shows types of a running program, sorted by a key that is pressed, until it ends;
// --once and --batch print tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: %python %S/Inputs/top.py %t.exe %t.inmem

#include <atomic>
#include <cstdio>
#include <cstring>
#include <pthread.h>
#include <thread>

struct Many {
  int a[4];
};
struct Large {
  char a[4 << 20];
};
struct Busy {
  long a[4];
};
static void *volatile Sink;
static std::atomic<bool> Spinning;

static void use(Busy *one) {
  Sink = one;
  delete one;
}

static void smallOnes(int count) {
  for (int i = 0; i < count; ++i)
    Sink = new Many;
}

int main() {
  char word[16];
  int count = 0;
  std::thread spinner;
  setvbuf(stdin, nullptr, _IONBF, 0);
  setvbuf(stdout, nullptr, _IONBF, 0);
  std::puts("ready");
  while (std::scanf("%15s", word) == 1) {
    if (!std::strcmp(word, "many") && std::scanf("%d", &count) == 1)
      smallOnes(count);
    if (!std::strcmp(word, "large") && std::scanf("%d", &count) == 1)
      for (int i = 0; i < count; ++i)
        Sink = new Large;
    if (!std::strcmp(word, "spin")) {
      Spinning = true;
      spinner = std::thread([] {
        pthread_setname_np(pthread_self(), "spinner");
        while (Spinning)
          use(new Busy);
      });
    }
    if (!std::strcmp(word, "halt")) {
      Spinning = false;
      spinner.join();
    }
    std::puts("ready");
  }
}
