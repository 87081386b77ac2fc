// Intent: a unit of many templates has its names packed: a fraction of the bytes are loaded, and traces have
// the names that they have without it, in programs that are stripped, killed or linked statically, and of
// libraries that were closed and opened again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O1 -c %s -o %t.packed.o
// RUN: %inmem-clangxx -O1 -fplugin-arg-inmem-names=plain -c %s -o %t.plain.o
// RUN: %inmem-clangxx -O1 -fPIC -shared -DLIBRARY %s -o %t.so
// RUN: %inmem-clangxx %t.packed.o -o %t.packed && strip %t.packed
// RUN: %inmem-clangxx %t.plain.o -o %t.plain
// RUN: %inmem-clangxx -static %t.packed.o -o %t.static
// RUN: %python %S/Inputs/packed_names.py %inmem %t.plain %t.packed %t.static %t.so

#include <cstdio>
#include <dlfcn.h>
#include <signal.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace library::detail {
template <class Key, class Value, int Size> struct Entry {
  Key key;
  Value value;
  int numbers[Size];
};
template <class T> [[gnu::noinline]] T *makeOneOf(T *volatile &sink) {
  return sink = new T();
}
} // namespace library::detail

template <int I> static void make() {
  using Entry = library::detail::Entry<std::vector<std::string>, std::vector<std::vector<long>>, I>;
  static Entry *volatile sink;
  for (int round = 0; round < I; ++round)
    delete library::detail::makeOneOf<Entry>(sink);
}
template <int... I> static void makeAll(std::integer_sequence<int, I...>) { (make<I + 1>(), ...); }

extern "C" void work() { makeAll(std::make_integer_sequence<int, 30>()); }

#ifndef LIBRARY
int main(int count, char **arguments) {
  work();
  for (int i = 0; count == 3 && i < 2; ++i) {
    void *library = dlopen(arguments[2], RTLD_NOW);
    if (!library)
      return std::puts(dlerror()), 1;
    reinterpret_cast<void (*)()>(dlsym(library, "work"))();
    dlclose(library);
  }
  if (count > 1)
    kill(getpid(), SIGKILL);
}
#endif
