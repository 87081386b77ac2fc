// Intent: of an idle program, a heap snapshot is taken at once by a thread of the runtime's own, if there is one; otherwise ctl says what it waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && mkdir %t
// RUN: %inmem-clangxx -std=c++17 -O1 %s -o %t/program
// RUN: %python %S/Inputs/idle.py %t/program %t/none "" waits
// RUN: %python %S/Inputs/idle.py %t/program %t/profile :profile=20ms at-once
// RUN: %python %S/Inputs/idle.py %t/program %t/cpu :profile=20ms:profile_clock=cpu at-once
// RUN: %python %S/Inputs/idle.py %t/program %t/periodic :periodic=0.2 at-once
// RUN: %python %S/Inputs/idle.py %t/program %t/watch :watch=100ms,0 at-once
#include <unistd.h>

#include <memory>
#include <vector>

static std::vector<std::unique_ptr<long>> Kept;

int main() {
  for (int I = 0; I < 100; ++I)
    Kept.push_back(std::make_unique<long>(I));
  char Byte = '\n';
  if (write(1, &Byte, 1) != 1)
    return 1;
  // No event from here to the end.
  while (read(0, &Byte, 1) == 1)
    continue;
  _exit(0);
}
