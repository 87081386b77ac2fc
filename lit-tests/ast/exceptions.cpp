// Intent: the memory of a thrown exception is named by the thrown type.
// RUN: %clangxx -O0 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clangxx -O2 -std=c++17 -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Error { Error(int); Error(const Error &); ~Error(); int code; };

void test(int n, const Error &known) {
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Error' (exception)
  if (n == 1) throw Error(n);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'Error' (exception)
  if (n == 2) throw known;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'const char *' (exception)
  if (n == 3) throw "text";
  try {
    // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'int' (exception)
    throw 5;
  } catch (...) {
    // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates
    throw;
  }
}
