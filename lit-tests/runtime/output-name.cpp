// Intent: the placeholders of output=, and the default name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %t.exe > %t/pid
// RUN: sh -c 'ls inmem.$(cat %t/pid).inmem'
// RUN: env INMEM_OPTIONS=output=x-%%e-%%%%.inmem %t.exe > %t/pid
// RUN: ls x-output-name.cpp.tmp.exe-%%.inmem
// What is taken gets a name that ends in .inmem all the same; a folder gets the default name.
// RUN: echo text > taken && env INMEM_OPTIONS=output=taken %t.exe > %t/pid
// RUN: sh -c 'ls taken.$(cat %t/pid).inmem'
// RUN: mkdir folder && env INMEM_OPTIONS=output=folder/ %t.exe > %t/pid
// RUN: sh -c 'ls folder/inmem.$(cat %t/pid).inmem'

// The folder is made, but not one above it, and with `none` nothing is written or said.
// RUN: env INMEM_OPTIONS=output=traces/%%p.inmem %t.exe > %t/pid 2>&1
// RUN: sh -c 'ls traces/$(cat %t/pid).inmem && %inmem report --full traces/$(cat %t/pid).inmem > %t/report'
// RUN: env INMEM_OPTIONS=output=a/b/x.inmem %t.exe 2>&1 | %FileCheck %s
// CHECK: cannot create the trace file '{{.*}}a/b/x.inmem': No such file or directory
// RUN: not ls a
// RUN: mkdir none && cd none && env INMEM_OPTIONS=output=none %t.exe 2> err > %t/pid && test ! -s err && rm err
// RUN: sh -c 'test -z "$(ls -A)"'

#include <cstdio>
#include <unistd.h>

int main() { std::printf("%d\n", getpid()); }
