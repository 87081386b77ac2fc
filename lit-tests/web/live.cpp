// Intent: inmem serve lists a trace by its labels; the page of a program that runs follows it to its end, and shows its heap snapshot.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// REQUIRES: chromium, web
// RUN: rm -rf %t && mkdir -p %t/traces
// RUN: %inmem-clangxx -std=c++17 -O1 -g %s -o %t/app
// RUN: env INMEM_WEB_LIVE=%t/app %web --work %t live
#include <inmem/inmem.h>

#include <cstdio>
#include <memory>
#include <vector>

struct Session {
  long Id = 0;
  char Name[56] = {};
};

// Each line that it reads is a step: more sessions, a snapshot, or the end.
int main() {
  static std::vector<std::unique_ptr<Session>> All;
  for (int C = '+'; C != EOF; C = std::getchar()) {
    if (C == '+')
      for (int I = 0; I < 1000; ++I)
        All.push_back(std::make_unique<Session>());
    else if (C == 's')
      inmem_snapshot();
    else
      continue;
    inmem_flush();
    std::puts("done");
    std::fflush(stdout);
  }
}
