// Intent: library functions that return memory which the caller owns are strings;
// where the caller brings the buffer, nothing is said.
// RUN: %clang -O0 -D_GNU_SOURCE -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// RUN: %clang -O2 -D_GNU_SOURCE -fplugin=%plugin -Rpass=inmem -Rpass-missed=inmem \
// RUN:   -fno-caret-diagnostics -c %s -o %t.o > %t.txt 2>&1
// RUN: %FileCheck %s < %t.txt
// RUN: %FileCheck --check-prefix=NEG %s < %t.txt
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <stdarg.h>
#include <stddef.h>

char *strdup(const char *);
char *strndup(const char *, size_t);
wchar_t *wcsdup(const wchar_t *);
int asprintf(char **, const char *, ...);
int vasprintf(char **, const char *, va_list);
long getline(char **, size_t *, void *);
char *realpath(const char *, char *);
char *getcwd(char *, size_t);
void sink(void *);

void test(const char *text, const wchar_t *wide, void *file, va_list args) {
  char buffer[4096], *line = NULL;
  size_t size = 0;
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (string)
  sink(strdup(text));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (string)
  sink(strndup(text, 3));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'wchar_t' (string)
  sink(wcsdup(wide));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (string)
  if (asprintf(&line, "%s", text) >= 0) sink(line);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (string)
  if (vasprintf(&line, "%s", args) >= 0) sink(line);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (string)
  getline(&line, &size, file);
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (string)
  sink(realpath(text, NULL));
  // CHECK-DAG: :[[@LINE+1]]:{{[0-9]+}}: remark: allocates 'char' (string)
  sink(getcwd(NULL, 0));
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink(realpath(text, buffer));
  // NEG-NOT: :[[@LINE+1]]:{{[0-9]+}}: remark
  sink(getcwd(buffer, sizeof buffer));
}
