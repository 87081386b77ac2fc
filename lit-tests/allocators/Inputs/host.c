// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Opens the library argv[1], with RTLD_DEEPBIND if there is another argument, and calls work().
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(int C, char **V) {
  void *H = dlopen(V[1], RTLD_NOW | RTLD_LOCAL | (C > 2 ? RTLD_DEEPBIND : 0));
  if (!H)
    return puts(dlerror()), 1;
  return ((int (*)(void))dlsym(H, "work"))();
}
