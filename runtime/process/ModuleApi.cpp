//===- ModuleApi.cpp - Instrumented files come and go ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "allocator/Allocator.h"
#include "objects/Objects.h"
#include "platform/Message.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "registry/Texts.h"
#include "stacks/CallLabels.h"
#include "state/Runtime.h"
#include "state/SlowPath.h"
#include "unwind/UnwindTables.h"

#include "inmem/abi.h"

/// Every instrumented object refers to this symbol (abi.h).
INMEM_EXPORT const char INMEM_ABI_SYMBOL = INMEM_ABI_VERSION;

using namespace inmem::rt;

/// The existing entry of a closed library that is loaded again, so that
/// reloading it does not fill the trace.
static RegisteredModule *findClosed(const struct inmem_module &Descriptor,
                                    const Module *File) {
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (!M->Descriptor && M->File == File && File && File->BuildIdBytes > 0 &&
        M->CellBytes == cellBytes(Descriptor))
      return M;
  return nullptr;
}

static bool isRegistered(const struct inmem_module *Descriptor) {
  for (const RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (M->Descriptor == Descriptor)
      return true;
  return false;
}

static bool isNew(const struct inmem_module *Descriptor) {
  Locked L(Process.Mutex);
  return !isRegistered(Descriptor);
}

/// Called from a program's functions in .preinit_array, too.
INMEM_EXPORT void __inmem_register_module(struct inmem_module *Descriptor) {
  if (Descriptor->abi_version != INMEM_ABI_VERSION) {
    Message()
        .text("an object was instrumented for ABI version ")
        .number(Descriptor->abi_version)
        .text(", this runtime has ")
        .number(INMEM_ABI_VERSION)
        .text("; its sites are not recorded")
        .emit();
    return;
  }
  adoptReferences(*Descriptor);
  ThreadState &T = Thread;
  SlowEvent Inside(T);
  if (!Inside)
    return;
  bool Started = ensureStarted();
  Module *File = findModule(reinterpret_cast<uintptr_t>(Descriptor));
  // Must not take the mutex: a thread in dlopen may hold the loader's lock and
  // wait for ours.
  if (Descriptor->delta && isNew(Descriptor))
    noteInstrumentedTls(Descriptor);
  Locked L(Process.Mutex);
  if (isRegistered(Descriptor))
    return;
  RegisteredModule *M = findClosed(*Descriptor, File);
  if (!M) {
    M = static_cast<RegisteredModule *>(
        arenaAllocate(sizeof(RegisteredModule)));
    if (!M)
      return;
    M->File = File;
    M->CellBytes = cellBytes(*Descriptor);
    M->Next = RegisteredModules;
    RegisteredModules = M;
  }
  M->Descriptor = Descriptor;
  M->CallsOrdered = false;
  M->CallOrder = nullptr;
  noteCallLabels();
  M->DeltaOffset =
      Descriptor->delta
          ? reinterpret_cast<char *>(Descriptor->delta) - threadPointer()
          : 0;
  if (Started) {
    startCounting(*M);
    writeStringCopies(*M);
  }
}

INMEM_EXPORT void __inmem_unregister_module(struct inmem_module *Descriptor) {
  ThreadState &T = Thread;
  SlowEvent Inside(T);
  if (!Inside)
    return;
  if (isUnnoticedChild())
    ensureStarted();
  Locked L(Process.Mutex);
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next)
    if (M->Descriptor == Descriptor) {
      if (M->File && M->File->IsProgram)
        return; // loaded until the process ends
      if (Process.State == InitState::Ready)
        stopCounting(*M);
      forgetSites(Descriptor->sites_begin, Descriptor->sites_end, M->File);
      forgetPackedTexts();
      M->Descriptor = nullptr;
      noteCallLabels();
      return;
    }
}

INMEM_EXPORT uint8_t __inmem_is_jump(const void *Function, const void *Target) {
  return Function && Target &&
         isJump(reinterpret_cast<uintptr_t>(Function),
                reinterpret_cast<uintptr_t>(Target));
}
