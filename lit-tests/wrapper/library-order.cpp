// REQUIRES: jemalloc
// Intent: the runtime is the first library of a program, before libstdc++, libc and any
// allocator, wherever the user names them; a shared object has it only if it needs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -ljemalloc %s -o %t.exe
// RUN: readelf -d %t.exe | %FileCheck %s
// CHECK-NOT: NEEDED
// CHECK: NEEDED{{.*}}[libinmem_rt.so
// CHECK: NEEDED{{.*}}[libjemalloc

// RUN: echo 'int f() { return 1; }' > %t.plain.cpp
// RUN: %inmem-clangxx -shared -fPIC %t.plain.cpp -o %t.so
// RUN: readelf -d %t.so | %FileCheck %s --check-prefix=SHARED
// SHARED: Dynamic section
// SHARED-NOT: libinmem_rt

// RUN: %inmem-clangxx -shared -fPIC %s -o %t.so
// RUN: readelf -d %t.so | %FileCheck %s --check-prefix=NEEDS
// NEEDS: NEEDED{{.*}}[libinmem_rt.so

int main() { delete new int; }
