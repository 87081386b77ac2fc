//===- Preinit.cpp - Work before all constructors of a program ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Only for programs: shared objects have no such section.
#include "Arena.h"

__attribute__((section(".preinit_array"), used)) static void (*const kFirst)() =
    inmem::place::prepareForFork;
