// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the library argv[1] and prints what its pooled() returns.
#include <dlfcn.h>
#include <stdio.h>
int main(int C, char **V) {
  (void)C;
  void *H = dlopen(V[1], RTLD_NOW);
  if (!H)
    return puts(dlerror()), 1;
  printf("%zu\n", ((size_t (*)(void))dlsym(H, "pooled"))());
  return 0;
}
