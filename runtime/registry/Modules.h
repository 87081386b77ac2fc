//===- Modules.h - Loaded files, instrumented or not ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module is added in two ways: by __inmem_register_module (an instrumented
// object adds itself), or for a return address in uninstrumented code.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_MODULES_H
#define INMEM_RUNTIME_MODULES_H

#include "inmem/abi.h"

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// The facts about a loaded file that sites need. Never freed: sites outlive
/// dlclose.
struct Module {
  uint32_t Id;      ///< id in the current trace; 0: not yet written
  const char *Path; ///< owned by the arena
  uint64_t Base;    ///< most recent load address
  uint8_t BuildId[32];
  uint32_t BuildIdBytes;
  bool IsProgram; ///< the executable itself, which is never unloaded
  Module *Next;
};

/// The site of an uninstrumented caller: a site record owned by the runtime,
/// plus facts about the return address.
struct CallerSite {
  struct inmem_site Site; ///< first: the hot path sees only this
  uintptr_t ReturnAddress;
  uint64_t Distance;  ///< offset in Owner; without Owner, traceAddress()
  Module *Owner;      ///< null: generated code, not in a file
  const char *Symbol; ///< dynamic symbol, owned by the arena; or null
  uint32_t SymbolOffset;
  /// The number of searches for the program's frame, and of successful ones.
  /// Changed without a lock: a lost change costs another search.
  uint16_t Searches, Found;
};

/// Notes the end of a search for the program's frame from \p Site, which is a
/// caller's or instrumented code's.
void noteSearch(const struct inmem_site &Site, bool Found);
/// Ends searches from \p Site for good.
void closeCaller(const struct inmem_site &Site);
/// True if all or nearly all searches from the site found no frame.
bool isClosedCaller(const struct inmem_site &Site);

/// A registered instrumented object and the state of its counters.
struct RegisteredModule {
  struct inmem_module *Descriptor; ///< null once unregistered
  Module *File;
  uint32_t CounterId;    ///< ExtentHeader.Module of its counters; 0: not set
  uint32_t TableIndex;   ///< form "table"; 0: none
  size_t CellBytes;      ///< size of its counters
  ptrdiff_t DeltaOffset; ///< offset of its delta from a thread pointer; 0: none
  bool HasCopies;        ///< its strings' records are in the trace
  bool CallsOrdered;     ///< CallLabels.cpp has looked at its labels
  uint32_t *CallOrder;   ///< label order by code address; null: already sorted
  RegisteredModule *Next;
};
/// Newest first; changed under the runtime's mutex. Entries are never freed.
extern RegisteredModule *RegisteredModules;

/// The site of uninstrumented code at \p ReturnAddress; null only when out of
/// memory. Takes the mutex; call with the guard set and no lock held.
struct inmem_site *callerSite(uintptr_t ReturnAddress);

/// True if the program may have no instrumented code: the runtime may have been
/// preloaded. A static program links it because it has some.
bool mayBePreloaded();

/// The file that contains \p Address, or null. Locks as callerSite does.
Module *findModule(uintptr_t Address);

/// The dynamic function symbol around \p Address, owned by its file, and the
/// offset into it; else null. Takes no lock.
const char *symbolAt(uintptr_t Address, uint32_t &Offset);

/// The file of the registered object that contains \p Site, or null. Needs the
/// mutex.
Module *registeredModuleOf(const struct inmem_site *Site);

/// Call this after dlclose: forgets callers in unloaded code, since other code
/// may be loaded at their addresses. Needs the mutex.
void forgetUnloadedCallers();

/// Call this after fork: all files must be written to the next trace again.
/// Needs the mutex.
void forgetModuleIds();

// FunctionTable.cpp: Finds the functions of a file that belong to a library.

struct Module;

/// True if the function around \p Address in \p File is an instance of the C++
/// or Rust library's code, judging by its linkage name. Names are from the
/// file's .symtab, which is read at the first query for a file, or else from
/// the loader. False if the function has no name. Needs the guard and no lock;
/// may change errno. In a process that may be sandboxed no file is read.
bool isLibraryFunction(const Module &File, uintptr_t Address);

} // namespace inmem::rt

#endif
