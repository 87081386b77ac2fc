// Intent: a library's wrapper that is inlined through the library into the program, and gets its type from the call of the wrapper, has the line of the
// program as if it were not inlined.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: rm -rf %t && %split-file %s %t
// DEFINE: %{level} = -O0
// DEFINE: %{lines} = %inmem-clangxx %{level} -isystem %t %t/main.cpp -o %t/exe && rm -f %t/inmem && env INMEM_OPTIONS=output=%t/inmem %t/exe && \
// DEFINE:   %inmem report %t/inmem --format json > %t/json && %python %S/Inputs/lines.py %t/json main.cpp --types | %FileCheck %t/main.cpp
// RUN: %{lines}
// REDEFINE: %{level} = -O2
// RUN: %{lines}

//--- matrix.h
#include <cstdlib>
namespace matrix {
inline void *allocate(std::size_t Bytes) {
  void *P = std::malloc(Bytes);
  if (!P)
    std::abort();
  return P;
}
template <class T> T *array(std::size_t N) { return static_cast<T *>(allocate(sizeof(T) * N)); }
template <class T> struct Vector {
  T *Data;
  explicit Vector(std::size_t N) : Data(array<T>(N)) {}
  ~Vector() { std::free(Data); }
};
} // namespace matrix
//--- main.cpp
#include <matrix.h>
void *volatile Sink;
// CHECK: whole
int main() {
  for (int I = 0; I < 10; ++I) {
    // CHECK-NEXT: line [[#@LINE+1]]: 10 double
    matrix::Vector<double> V(60);
    Sink = V.Data;
    // CHECK-NEXT: line [[#@LINE+1]]: 10 float
    matrix::Vector<float> W(I + 3);
    Sink = W.Data;
  }
}
