// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A system library opened, used and closed at run time.
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <vector>

int main() {
  std::vector<std::string> log;
  for (int i = 0; i < 3; ++i) {
    void *library = dlopen("libz.so.1", RTLD_NOW);
    if (!library)
      return std::printf("no libz\n"), 0;
    auto version =
        reinterpret_cast<const char *(*)()>(dlsym(library, "zlibVersion"));
    log.push_back(std::string("zlib, opened at run time, version ") +
                  version());
    dlclose(library);
  }
  std::printf("%zu %s\n", log.size(),
              dlopen("libdoes-not-exist.so", RTLD_NOW) ? "?" : "none");
}
