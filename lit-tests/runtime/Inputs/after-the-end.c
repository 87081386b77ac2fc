// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls back when the process ends.
void (*AfterTheEnd)(void);
__attribute__((destructor)) static void atTheEnd(void) {
  if (AfterTheEnd)
    AfterTheEnd();
}
