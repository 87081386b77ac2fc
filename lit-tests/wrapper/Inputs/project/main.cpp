// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shapes.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

int main(int, char **argv) {
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return std::puts(dlerror()), 1;
  auto makePart = reinterpret_cast<void *(*)()>(dlsym(library, "makePart"));
  for (int i = 0; i < 3; ++i) {
    delete makeShape();
    std::free(makePart());
  }
}
