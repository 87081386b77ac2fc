// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that allocates for its callers and is not instrumented.
#include <new>

void *volatile Sink;
void plain(int Bytes) {
  Sink = ::operator new(Bytes);
  ::operator delete(Sink);
  Sink = nullptr;
}
