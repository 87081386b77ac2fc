// Intent: `inmem ctl` starts, stops, resets, flushes, takes snapshots and reads the state of a running program:
// exact to the event, busy or idle, in any mode, without the program having been told.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -pthread %s -o %t.exe
// RUN: %python %S/Inputs/ctl.py %t.exe %t.inmem
// RUN: %if all-tiers %{ %python %S/Inputs/ctl.py %t.exe %t.inmem mode=trace %}
// RUN: %if all-tiers %{ %python %S/Inputs/ctl.py %t.exe %t.inmem clock=events %}

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>
#include <unistd.h>

struct One {
  int a[3];
};
struct Busy {
  int a;
};
struct Big {
  char a[4 << 20];
};
static One *Ones[1000];
static void *volatile Sink;
static std::atomic<bool> Spinning;
static std::thread Spinners[8];
static std::atomic<int> Rounds[8]; ///< that each of them has made

static void use(Busy *one) {
  Sink = one;
  delete one;
}

static void make(int count) {
  static int next;
  for (int i = 0; i < count; ++i)
    Ones[next++] = new One;
}

int main() {
  char word[16];
  int count;
  setvbuf(stdin, nullptr, _IONBF, 0);
  setvbuf(stdout, nullptr, _IONBF, 0);
  std::puts("ready");
  while (std::scanf("%15s", word) == 1) {
    if (!std::strcmp(word, "halt")) {
      Spinning = false;
      for (auto &one : Spinners)
        if (one.joinable())
          one.join();
      std::puts("ready");
      continue;
    }
    if (std::scanf("%d", &count) != 1)
      return 1;
    if (!std::strcmp(word, "one"))
      make(count);
    static int freed;
    if (!std::strcmp(word, "free"))
      for (int i = 0; i < count; ++i)
        delete Ones[freed++];
    if (!std::strcmp(word, "other"))
      for (int i = 0; i < count; ++i)
        Sink = new One;
    if (!std::strcmp(word, "thread"))
      std::thread([=] {
        for (int i = 0; i < count; ++i)
          Sink = new One;
      }).join();
    if (!std::strcmp(word, "big"))
      Sink = new Big;
    if (!std::strcmp(word, "spin")) {
      Spinning = true;
      for (int i = 0; i < count; ++i)
        Spinners[i] = std::thread([i] {
          while (Spinning) {
            use(new Busy);
            if (++Rounds[i] % 64 == 0) // busy enough, and leaves room for `inmem`
              usleep(100);
          }
        });
    }
    if (!std::strcmp(word, "rounds")) // further ones, of each
      for (int i = 0; i < 8; ++i)
        for (int end = Rounds[i] + count; Spinners[i].joinable() && Rounds[i] < end;)
          std::this_thread::yield();
    std::puts("ready");
  }
}
