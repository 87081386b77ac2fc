// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled without the plugin.
#include <stdlib.h>

void raw(void **To, size_t Bytes) { *To = malloc(Bytes); }
void *grow(void *P, size_t Bytes) {
  void *volatile Grown = realloc(P, Bytes);
  return Grown;
}
