// Intent: the placeholders of output=, and the default name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %inmem-clangxx -O2 %s -o %t.exe
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %t.exe > %t/pid
// RUN: sh -c 'ls inmem.$(cat %t/pid).inmem'
// RUN: env INMEM_OPTIONS=output=x-%%e-%%%%.inmem %t.exe > %t/pid
// RUN: ls x-output-name.cpp.tmp.exe-%%.inmem

#include <cstdio>
#include <unistd.h>

int main() { std::printf("%d\n", getpid()); }
