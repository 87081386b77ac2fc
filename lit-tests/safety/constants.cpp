// Intent: a program's constants stay read-only, as do the tables that are read-only after relocation:
// what describes types and places asks nothing of the dynamic linker.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O0 -fPIC -c %s -o %t.o
// RUN: readelf -SW %t.o | %FileCheck --check-prefix=OBJECT %s
// OBJECT-NOT: {{\.rodata[^ ]* +PROGBITS.* WA}}
// OBJECT: .rodata.inmem {{.*}} A
// OBJECT-NOT: {{\.rodata[^ ]* +PROGBITS.* WA}}
// RUN: %inmem-clangxx -O1 %s -o %t.exe
// RUN: readelf -lW %t.exe | %FileCheck --check-prefix=PROGRAM %s
// PROGRAM: GNU_RELRO
// RUN: %t.exe
// RUN: %inmem-clangxx -O1 -fuse-ld=lld -flto=thin %s -o %t.lto
// RUN: %t.lto

#include <cstdlib>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

struct Shape {
  std::vector<std::string> names;
  virtual ~Shape() = default;
};
static const int table[4] = {1, 2, 3, 4};
static const char *volatile literal = "a string literal";

template <class Write> static bool faults(Write write) {
  const pid_t child = fork();
  if (child == 0) {
    write();
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

int main() {
  auto shape = std::make_unique<Shape>();
  shape->names.emplace_back(std::string(100, 'x'));
  const int *volatile numbers = table;
  if (!faults([] { const_cast<char *>(literal)[0] = 'X'; }))
    return 1;
  if (!faults([=] { *const_cast<int *>(numbers) = 9; }))
    return 2;
  return 0;
}
