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

#include <cstdio>
#include <unistd.h>

int main() { std::printf("%d\n", getpid()); }
