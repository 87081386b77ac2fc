//===- Objects.h - Counters of constructors and destructors -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instrumented code increments *(cell + displacement of this thread). With
// displacement 0, which is always valid, that is the module's own cell;
// otherwise it is the thread's copy in the mapped trace. The total of a counter
// is the sum over all copies. All functions need the mutex.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OBJECTS_H
#define INMEM_RUNTIME_OBJECTS_H

#include "inmem/abi.h"

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

struct ThreadRows;
struct RegisteredModule;

/// Size of a module's counters.
size_t cellBytes(const struct inmem_module &M);

/// Gives the calling thread, which has the rows \p B, copies of all modules'
/// counters.
void attachCounters(ThreadRows &B);
/// Resets the thread's displacements to 0, so that it counts in the modules'
/// own cells.
void detachCounters(ThreadRows &B);

/// Writes the descriptors of a module's counters and gives each live thread a
/// copy; the counts of static initialisers move to the caller's.
void startCounting(RegisteredModule &M);
/// Call this before a module is unloaded: saves the counts in the module's own
/// cells.
void stopCounting(RegisteredModule &M);
/// Moves the counts in modules' own cells to the trace.
void collectCells();
/// The largest id of a module's counters; ids begin at 1.
uint32_t lastCounterId();
/// The number of counters of an id; 0 if no thread has a copy.
uint64_t counterCells(uint32_t Id);
/// Adds the counts of all threads to \p Into.
void addCounters(uint32_t Id, uint64_t *Into);
/// Call this after fork, in the child.
void forgetCounters();

// CopiedStrings.cpp: The compiler's record of copied strings.
//
// Writes the compiler's records of strings that are copied only to be read into
// the trace: the report joins them with the allocations there. Also writes
// hashes of the source files, so that `inmem fix` notices edits.

struct RegisteredModule;

/// Writes a module's records, once per trace. Needs the mutex.
void writeStringCopies(RegisteredModule &M);
/// Call this after fork, in the child.
void forgetStringCopies();

// ObjectLifetimes.cpp: objects=lifetime.
//
// The hooks that code compiled with objects=lifetime calls at the beginning and
// end of each object's lifetime. They keep a table of living objects by address
// and class, rows of their sites like rows of blocks, and allocations of copy
// constructors. Much slower than counters: a lock and a hash for each event.

/// Call this after fork, in the child: the parent's objects count in its trace.
void forgetObjects();
/// Releases locks that a jump left held by the calling thread (Recovery.h).
void releaseObjectLocks();

} // namespace inmem::rt

#endif
