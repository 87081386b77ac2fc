// Intent: a function of the program that has the name of one of the C library is not taken for
// it: the whole signature decides, and whether this unit defines it.
// RUN: %split-file %s %t
// RUN: %inmem-clang -w -fno-builtin -O0 %t/own.c %t/other.c -o %t/own && %record %t/own.json -- %t/own
// RUN: %expect %t/own.json 'totals.allocations == 1' 'types["char"].allocations == 1'
// RUN: %inmem-clang -w -fno-builtin -O2 %t/own.c %t/other.c -o %t/own && %record %t/own.json -- %t/own
// RUN: %expect %t/own.json 'totals.allocations == 1' 'types["char"].allocations == 1'
// RUN: %inmem-clang -w -fno-builtin -save-temps=obj -O1 %t/own.c %t/other.c -o %t/own && %record %t/own.json -- %t/own
// RUN: %inmem-clang -w -fno-builtin -O1 -fsanitize=address %t/own.c %t/other.c -o %t/own && %t/own
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//--- own.c
#include <stddef.h>
#include <string.h>
// K&R's.
int getline(char *s, int n) { strncpy(s, "ab", n); return 2; }
// By another unit: as the IR sees it, it is the library's.
long getdelim(char *line, long *max, int delimiter, void *from);
char *valloc(const char *name);
char *realpath(const char *path, char *room) { return strcpy(room ? room : (char *)path, "x"); }
static char pool[64];
void *pvalloc(size_t n) { return pool; }
char *canonicalize_file_name(int n);
extern int asprintf(char *buffer, const char *format, ...);
char *strdup(const char *);
void free(void *);
int main() {
  char l[4];
  long max = 4;
  char text[2] = "t";
  int sum = getline(l, 4) + getdelim(l, &max, 0, 0);
  sum += valloc("name")[0] == 's';
  sum += realpath(text, 0)[0] == 'x';
  sum += pvalloc(1000) == pool;
  sum += canonicalize_file_name(1)[0] == 's';
  sum += asprintf(l, "%d", 1);
  char *own = strdup("one");
  sum += own[0] == 'o';
  free(own);
  return sum == 2 + 1 + 1 + 1 + 1 + 1 + 3 + 1 ? 0 : 1;
}
//--- other.c
static char buffer[16] = "static";
long getdelim(char *line, long *max, int delimiter, void *from) { *line = 1; return 1; }
char *valloc(const char *name) { return buffer; }
char *canonicalize_file_name(int n) { return buffer; }
int asprintf(char *to, const char *format, ...) { *to = 'x'; return 3; }
