//===- Modules.h - Loaded files, and callers without instrumentation ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two ways lead here: __inmem_register_module (an instrumented object tells of
// itself) and a return address in code that was not instrumented.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_MODULES_H
#define INMEM_RUNTIME_MODULES_H

#include "inmem/abi.h"

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// A loaded file, as far as sites need it. Never freed: sites outlive dlclose.
struct Module {
  uint32_t Id;      ///< in the current trace; 0: not written yet
  const char *Path; ///< owned by the arena
  uint64_t Base;    ///< where it was loaded last
  uint8_t BuildId[32];
  uint32_t BuildIdBytes;
  bool IsProgram; ///< the executable itself, which is never unloaded
  Module *Next;
};

/// The site of a caller without instrumentation: an ordinary site record that
/// the runtime owns, plus what is known of the return address.
struct CallerSite {
  struct inmem_site Site; ///< first: the hot path sees only this
  uintptr_t ReturnAddress;
  uint64_t Distance;  ///< from Owner's base; without one, its traceAddress()
  Module *Owner;      ///< null: no loaded file (generated code)
  const char *Symbol; ///< dynamic symbol, owned by the arena; null: none
  uint32_t SymbolOffset;
};

/// An instrumented object that has registered, with its counters' state.
struct RegisteredModule {
  struct inmem_module *Descriptor; ///< null once unregistered
  Module *File;
  uint32_t CounterId;    ///< ExtentHeader.Module of its counters; 0: none yet
  uint32_t TableIndex;   ///< form "table"; 0: none
  size_t CellBytes;      ///< of its counters
  ptrdiff_t DeltaOffset; ///< of its delta from a thread pointer; 0: none
  bool HasCopies;        ///< its strings' records are in the trace
  RegisteredModule *Next;
};
/// Newest first; changed with the runtime's mutex, entries are never freed.
extern RegisteredModule *RegisteredModules;

/// The site for code at \p ReturnAddress without instrumentation, never null
/// unless memory is refused. Takes the mutex itself; the thread's guard must
/// be set and no lock held.
struct inmem_site *callerSite(uintptr_t ReturnAddress);

/// The file that \p Address lies in, or null. As callerSite.
Module *findModule(uintptr_t Address);

/// The dynamic function symbol around \p Address, owned by its file, and how
/// far into it that is; null if there is none. No lock.
const char *symbolAt(uintptr_t Address, uint32_t &Offset);

/// The file of the registered object that holds \p Site, or null. With mutex.
Module *registeredModuleOf(const struct inmem_site *Site);

/// After dlclose: code that is loaded later may lie where callers lay that are
/// known, and must not be taken for them. With mutex.
void forgetUnloadedCallers();

/// All files must be written to the next trace anew (after fork). With mutex.
void forgetModuleIds();

} // namespace inmem::rt

#endif
