// Intent: a program forks again and again while its threads allocate: every child can record,
// none hangs, and what the parent counts stays exact.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 -pthread %s -o %t.exe
// RUN: rm -rf %t && mkdir %t
// RUN: env INMEM_OPTIONS=output=%t/%%p.inmem %t.exe 60 > %t/parent
// RUN: sh -c 'cd %t; read p < parent; %inmem report --format json $p.inmem > parent.json; rm $p.inmem; %inmem report --format json *.inmem > children.json; ls *.inmem | wc -l > count'
// RUN: %expect %t/parent.json 'types["Parents"].allocations == 4 * 60000' 'types["Parents"].frees == 4 * 60000' '"Childs" not in types'
// RUN: %expect %t/children.json 'types["Childs"].allocations == 60 * 50' 'types["Childs"].frees == 60 * 50' 'len(processes) == 60' \
// RUN:   'all(row.allocations >= row.frees for row in report.before_fork.types)'

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct Parents {
  long a[3];
};
struct Childs {
  long a[6];
};

int main(int, char **argv) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      static thread_local Parents *volatile own[100];
      for (int i = 0; i < 60000; ++i) {
        delete own[i % 100];
        own[i % 100] = new Parents;
      }
      for (auto *each : own)
        delete each;
    });
  for (int i = std::atoi(argv[1]); i > 0; --i) {
    pid_t child = fork();
    if (child == 0) {
      for (int k = 0; k < 50; ++k) {
        Childs *volatile one = new Childs;
        delete one;
      }
      _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
      std::abort();
  }
  for (auto &each : threads)
    each.join();
  std::printf("%d\n", getpid());
}
