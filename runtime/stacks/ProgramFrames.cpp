//===- ProgramFrames.cpp --------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/ProgramFrames.h"

#include "registry/Modules.h"
#include "state/Runtime.h"
#include "tables/Numbers.h"
#include "unwind/Instructions.h"
#include "unwind/UnwindTables.h"

#include <string.h>

namespace inmem::rt {

constinit Relaxed<bool> FollowsProgram = {};

namespace {

/// Facts about a frame, as bits; never 0.
enum FrameFacts : uint32_t {
  kInFile = 1,       ///< in a file; false for generated code
  kOfLibrary = 2,    ///< in a library
  kReturnsBlock = 4, ///< returns its call's result
  kConstantSize = 8, ///< passes a constant to the call
  kIsKnown = 16,
  kMakesObject =
      32 ///< constructs an object in the call's result and returns it
};
constinit Numbers Facts; ///< by return address
constinit uint32_t KnownGeneration = 0;

/// True for a library in a folder of distributions and package managers, and
/// for the runtime.
bool isOfSystem(const Module &M) {
  constexpr const char *kFolders[] = {
      "/lib/", "/lib32/",     "/lib64/",     "/usr/lib", "/usr/local/",
      "/opt/", "/nix/store/", "/gnu/store/", "/snap/",   "linux-vdso"};
  if (M.IsProgram)
    return false;
  const char *Slash = strrchr(M.Path, '/');
  constexpr char kRuntime[] = "libinmem_rt.so";
  if (strncmp(Slash ? Slash + 1 : M.Path, kRuntime, sizeof kRuntime - 1) == 0)
    return true;
  for (const char *Folder : kFolders)
    if (strncmp(M.Path, Folder, strlen(Folder)) == 0)
      return true;
  return false;
}

uint32_t readFacts(uintptr_t Return) {
  const Module *M = findModule(Return - 1);
  if (!M)
    return kIsKnown;
  const AddressRange Function = functionRange(Return - 1);
  const ReturnedBlock Block = followBlock(Return, Function.Start, Function.End);
  const bool OfLibrary = isOfSystem(*M) || isLibraryFunction(*M, Return - 1);
  return kIsKnown | kInFile | (OfLibrary ? kOfLibrary : 0u) |
         (Block.IsReturned ? kReturnsBlock : 0u) |
         (Block.IsMade ? kMakesObject : 0u) |
         (Block.HasConstantSize ? kConstantSize : 0u);
}

uint32_t factsOf(uintptr_t Return) {
  if (__atomic_load_n(&KnownGeneration, __ATOMIC_RELAXED) == codeGeneration())
    if (const uint32_t Known = Facts.find(Return))
      return Known;
  const uint32_t Read = readFacts(Return);
  Locked L(Process.Mutex);
  if (KnownGeneration != codeGeneration()) {
    Facts.clear();
    __atomic_store_n(&KnownGeneration, codeGeneration(), __ATOMIC_RELAXED);
  }
  Facts.insert(Return, Read);
  return Read;
}

} // namespace

ProgramSearch::Step ProgramSearch::look(uintptr_t Return) {
  // Libraries that allocate on their own behalf have deep stacks. A program
  // frame that is farther away says little about the block.
  constexpr unsigned kFarthest = 16;
  const uint32_t Known = ++Frames > kFarthest ? 0 : factsOf(Return);
  if (!(Known & kInFile))
    return Unknown;
  // A void function leaves the result of its last call in the register, which
  // is the block only if that call returned it. A function that constructs
  // objects of any size does so for its callers, which know their type. Reports
  // choose the caller to show.
  IsReturned = IsReturned && (Known & (kReturnsBlock | kMakesObject));
  if (Known & kOfLibrary)
    return Outwards;
  // A constant size is that of an object, which is the function's own. But if
  // all callers of a wrapper pass the same size, compilers propagate it into
  // the wrapper; reports recognise that by the wrapper's parameters.
  const bool IsObject = (Known & kConstantSize) && !(Known & kReturnsBlock);
  return IsReturned && !IsObject ? Outwards : Found;
}

} // namespace inmem::rt
