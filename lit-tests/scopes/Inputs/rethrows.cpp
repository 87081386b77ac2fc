// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A handler that throws on; what is around it shows only in another file.
static void *volatile Seen;

void throwsOnElsewhere(void (*Work)()) {
  try {
    Work();
  } catch (...) {
    Seen = nullptr;
    throw;
  }
}
