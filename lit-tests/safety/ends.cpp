// Intent: however a program ends, its trace has all that it counted, and the end is the same as
// without us.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 -pthread %s -o %t.exe
// RUN: %clangxx -O0 -pthread %s -o %t.plain
// RUN: %python %inputs/ends.py %t.exe %t.plain %t.work

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

struct Item {
  int values[3];
};
static Item *volatile Sink;

static int deep(int n) {
  volatile char room[4096];
  room[0] = static_cast<char>(n);
  return deep(n + 1) + room[0];
}

int main(int, char **argv) {
  const char *how = argv[1];
  for (int i = 0; i < 10; ++i)
    Sink = new Item;
  std::thread([] {
    for (int i = 0; i < 10; ++i)
      Sink = new Item;
  }).join();
  auto is = [how](const char *name) { return std::strcmp(how, name) == 0; };
  if (is("exit"))
    std::exit(3);
  if (is("_exit"))
    _exit(4);
  if (is("_Exit"))
    std::_Exit(5);
  if (is("quick_exit"))
    std::quick_exit(6);
  if (is("abort"))
    std::abort();
  if (is("throw"))
    throw std::runtime_error("nobody catches this");
  if (is("terminate"))
    std::terminate();
  if (is("overflow"))
    return deep(0);
  if (is("thread-overflow"))
    std::thread([] { deep(0); }).join();
  if (is("kill"))
    std::raise(SIGKILL);
  if (is("term"))
    std::raise(SIGTERM);
  if (is("thread-exit"))
    std::thread([] { std::exit(7); }).join();
  if (is("exec"))
    execl("/bin/sh", "sh", "-c", "exit 8", nullptr);
  if (is("failed-exec"))
    execl("/no/such/program", "program", nullptr);
  if (is("execveat")) {
    char *const words[] = {const_cast<char *>("sh"), const_cast<char *>("-c"), const_cast<char *>("exit 9"), nullptr};
    execveat(AT_FDCWD, "/bin/sh", words, environ, 0);
  }
  if (is("failed-execveat"))
    execveat(AT_FDCWD, "/no/such/program", argv, environ, 0);
  if (is("daemon"))
    return daemon(1, 1);
  if (is("cpu-limit")) {
    rlimit limit = {1, 1};
    setrlimit(RLIMIT_CPU, &limit);
    for (;;) {
    }
  }
}
