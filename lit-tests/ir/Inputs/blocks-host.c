// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls blocks_sum() of each library that it is given.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **libraries) {
  for (int i = 1; i < count; ++i) {
    void *library = dlopen(libraries[i], RTLD_NOW);
    void *sum = library ? dlsym(library, "blocks_sum") : NULL;
    if (!sum)
      return 1;
    printf("%lu\n", ((unsigned long (*)(void))sum)());
  }
}
