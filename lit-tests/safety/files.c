// Intent: a trace is created for its owner alone, under a fresh name, never through a symbolic
// link; with addresses=hash it holds no address of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clang -O1 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t && cd %t && echo precious > victim && ln -s victim a.inmem && ln -s nothing b.inmem && mkfifo c.inmem && echo thesis > d.inmem
// RUN: sh -c 'cd %t; for f in a b c d; do INMEM_OPTIONS=output=$f.inmem %t.exe $f || exit 1; done'
// RUN: cat %t/victim %t/d.inmem | %FileCheck %s
// CHECK: precious
// CHECK: thesis
// RUN: ls %t | %FileCheck %s --check-prefix=NAMES
// NAMES-DAG: {{^}}a.{{[0-9]+}}.inmem
// NAMES-DAG: {{^}}b.{{[0-9]+}}.inmem
// NAMES-DAG: {{^}}c.{{[0-9]+}}.inmem
// NAMES-DAG: {{^}}d.{{[0-9]+}}.inmem
// NAMES-NOT: nothing
// RUN: sh -c 'umask 0; INMEM_OPTIONS=output=%t/mode.inmem %t.exe; stat -c %%a %t/mode.inmem' | %FileCheck %s --check-prefix=MODE
// MODE: 600

// A device is no place for a trace, nor is what lies beside it.
// RUN: sh -c 'cd %t; ln -s /dev/null e.inmem; for f in /dev/null e.inmem /dev/stdout; do INMEM_OPTIONS=output=$f %t.exe x || exit 1; done' 2>&1 >/dev/null | %FileCheck %s --check-prefix=DEVICE
// DEVICE: inmem: cannot create the trace file '/dev/null': File exists
// DEVICE-NEXT: inmem: cannot create the trace file '{{.*}}/e.inmem': File exists
// DEVICE-NEXT: inmem: cannot create the trace file '/dev/stdout': File exists
// DEVICE-NOT: inmem
// RUN: ls %t | %FileCheck %s --check-prefix=BESIDE
// BESIDE-NOT: {{^e\.[0-9]+}}

// Links among the folders of a path are followed; a folder in the file's place is left alone.
// RUN: sh -c 'cd %t; mkdir real folder.inmem; ln -s real linked; for f in linked/f folder; do INMEM_OPTIONS=output=$f.inmem %t.exe x || exit 1; done; ls real folder.inmem; ls folder.*.inmem'  | %FileCheck %s --check-prefix=FOLDERS
// FOLDERS: folder.inmem:
// FOLDERS-NOT: inmem
// FOLDERS: real:
// FOLDERS-NEXT: f.inmem
// FOLDERS: folder.{{[0-9]+}}.inmem

// RUN: env INMEM_OPTIONS=output=%t/plain.inmem:stacks=8 %t.exe > %t/address
// RUN: %python %inputs/addresses.py %t/plain.inmem %t/address visible
// RUN: env INMEM_OPTIONS=output=%t/hash.inmem:stacks=8:addresses=hash %t.exe > %t/address
// RUN: %python %inputs/addresses.py %t/hash.inmem %t/address hidden
// Names are found all the same, and the program's own code is known by its offsets.
// RUN: %inmem report --format json %t/hash.inmem > %t/hash.json
// RUN: %expect %t/hash.json 'types["struct Item" if "struct Item" in types else "Item"].allocations == 10'

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct Item {
  long values[4];
};
static void *volatile Sink;

int main(int argc, char **argv) {
  for (int i = 0; i < 10; ++i)
    Sink = malloc(sizeof(struct Item));
  Sink = strdup("a string of the C library");
  // Code that lies in no file: call malloc(5) from a page of our own.
  unsigned char code[] = {0xbf, 5, 0, 0, 0, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0x48, 0x83, 0xec, 8, 0xff, 0xd0, 0x48, 0x83, 0xc4, 8, 0xc3};
  void *(*allocate)(size_t) = malloc;
  memcpy(code + 7, &allocate, 8);
  void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, code, sizeof code);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  Sink = ((void *(*)(void))page)();
  // The heap, this code, the stack, libc, the page: none is to be found with addresses=hash.
  if (argc < 2)
    printf("%p %p %p %p %p\n", (void *)Sink, (void *)main, (void *)argv, (void *)puts, page);
  return 0;
}
