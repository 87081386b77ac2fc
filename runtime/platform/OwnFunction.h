//===- OwnFunction.h - C functions for the runtime alone --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Used only by Memory.cpp and StringFunctions.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OWNFUNCTION_H
#define INMEM_RUNTIME_OWNFUNCTION_H

/// Hidden, so that the library's calls, including compiler-generated ones,
/// resolve to these functions.
#define INMEM_OWN                                                              \
  extern "C" __attribute__((visibility("hidden"), used, no_builtin))

/// Keeps the compiler from turning a loop into a call of the same function.
inline void keepLoop() { __asm__ volatile("" : : : "memory"); }

#endif
