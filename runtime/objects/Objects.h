//===- Objects.h - Counters of constructors and destructors ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instrumented code increments *(cell + displacement of this thread). With
// displacement 0 that is the module's own cell, valid at any time; otherwise
// it is the thread's copy in the mapped trace. The total of a counter is the
// sum over all copies. All functions need the mutex.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OBJECTS_H
#define INMEM_RUNTIME_OBJECTS_H

#include "inmem/abi.h"

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

struct ThreadBlock;
struct RegisteredModule;

/// Size of a module's counters.
size_t cellBytes(const struct inmem_module &M);

/// Gives the calling thread its copies of every module's counters. \p B is its
/// block.
void attachCounters(ThreadBlock &B);
/// Sets the thread's displacements back to 0: what it still counts goes into
/// the modules' own cells.
void detachCounters(ThreadBlock &B);

/// Writes the descriptors of a module's counters and gives each live thread a
/// copy; what static initialisers counted so far moves into the caller's.
void startCounting(RegisteredModule &M);
/// Before a module goes: saves what its own cells hold.
void stopCounting(RegisteredModule &M);
/// Moves what the modules' own cells hold into the trace.
void collectCells();
/// Modules' counters have the ids 1 to this.
uint32_t lastCounterId();
/// How many counters there are under an id; 0 if no thread has a copy.
uint64_t counterCells(uint32_t Id);
/// Adds to \p Into what they count, all threads together.
void addCounters(uint32_t Id, uint64_t *Into);
/// After fork, in the child.
void forgetCounters();

} // namespace inmem::rt

#endif
