// Intent: without a C library (-ffreestanding), and where a name does not make a function the C library's
// (-fno-builtin), a program's own malloc is its own: it links and runs as with clang. What <stdlib.h>
// declares is the library's.
// RUN: %inmem-clang -ffreestanding -nostdlib -static -fno-stack-protector %s -o %t.exe && %t.exe | %FileCheck %s
// RUN: %inmem-clang -O2 -ffreestanding -nostdlib -static -fno-stack-protector %s -o %t.exe && %t.exe | %FileCheck %s
// RUN: %inmem-clang -fno-builtin -nostdlib -static -fno-stack-protector %s -o %t.exe && %t.exe | %FileCheck %s
// RUN: %inmem-clang -fno-builtin-malloc -nostdlib -static -fno-stack-protector %s -o %t.exe && %t.exe | %FileCheck %s
// RUN: %inmem-clang -DAPART -O2 -fno-builtin -c %s -o %t.o
// RUN: %inmem-clang -DREST -fno-builtin -c %s -o %t.rest.o
// RUN: %inmem-clang -nostdlib -static %t.o %t.rest.o -o %t.exe && %t.exe | %FileCheck %s
// CHECK: 1

// Nor is anything left for a process that continues with the module.
// RUN: mkdir -p %t.dir && cd %t.dir && %inmem-clang -O2 -ffreestanding -fno-stack-protector -save-temps -c %s -o saved.o
// RUN: %inmem-clang -nostdlib -static saved.o -o %t.exe && %t.exe | %FileCheck %s
// RUN: %inmem-clangxx -x c++ -DOBJECTS -ffreestanding -S %s -o - | %FileCheck %s --check-prefix=OBJECTS --implicit-check-not=inmem_
// OBJECTS: counted

// RUN: %inmem-clang -DHOSTED -fno-builtin -O1 %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["node"].allocations == 1'
// RUN: %inmem-clang -DHOSTED -fno-builtin-malloc %s -o %t.exe
// RUN: %record %t.json -- %t.exe
// RUN: %expect %t.json 'types["node"].allocations == 1'
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct node { int a; struct node *next; };

#if defined HOSTED
#include <stdlib.h>
int main(void) {
  struct node *made = malloc(sizeof *made);
  __asm__ volatile("" ::"r"(made) : "memory");
  free(made);
  return 0;
}
#elif defined OBJECTS
struct Item { Item(); ~Item(); };
extern "C" void counted() { Item item; new Item; }
#else
void *malloc(unsigned long);
void free(void *);
#ifndef REST
static long call(long n, long a, long b, long c) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
  return result;
}
__attribute__((force_align_arg_pointer)) void _start(void) {
  struct node *made = malloc(sizeof *made), *other = malloc(sizeof *other);
  made->a = 42;
  __asm__ volatile("" ::"r"(made), "r"(other) : "memory");
  char answer[] = {(char)('0' + (made->a == 42)), '\n'};
  call(1, 1, (long)answer, 2);
  call(60, 0, 0, 0);
}
#endif
#ifndef APART
static char pool[4096];
static unsigned long used;
void *malloc(unsigned long n) {
  void *block = pool + used;
  used += (n + 15) & ~15ul;
  return block;
}
#endif
#endif
