// Intent: no build mode prints a warning or fails with -Werror because of what is added.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -Wall -Wextra -pedantic -Werror -c %s -o %t.o 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Wextra -Werror %t.o -o %t.exe 2>&1 | %FileCheck %s --allow-empty
// RUN: %t.exe
// RUN: %inmem-clang -Wall -Werror -S %s -o %t.s 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -c %t.s -o %t.o 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -E %s -o %t.i 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -c %t.i -o %t.o 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -M %s -o %t.d 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -fsyntax-only %s 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -emit-llvm -c %s -o %t.bc 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -Wno-override-module %t.bc -o %t.exe 2>&1 | %FileCheck %s --allow-empty
// RUN: %inmem-clang -Wall -Werror -shared -fPIC %s -o %t.so 2>&1 | %FileCheck %s --allow-empty
// RUN: echo 'int f(void);' | %inmem-clang -Wall -Werror -x c -c - -o %t.o 2>&1 | %FileCheck %s --allow-empty
// CHECK-NOT: {{.}}

// The user's own unused arguments are still reported.
// RUN: %not %inmem-clang -Werror -c %s -o %t.o -lm 2>&1 | %FileCheck %s --check-prefix=OWN
// OWN: 'linker' input unused

#include <stdlib.h>

int main(void) {
  int *number = malloc(sizeof *number);
  free(number);
  return 0;
}
