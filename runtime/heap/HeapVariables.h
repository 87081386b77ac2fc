//===- HeapVariables.h - The program's variables, by address ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and addresses come from the files' symbols, types from the plugin's
// records of variables that may hold memory. A file that is stripped, or was
// replaced since it was loaded, provides none. Used in a snapshot's child.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_HEAPVARIABLES_H
#define INMEM_RUNTIME_HEAPVARIABLES_H

#include "graph/ObjectMemory.h"
#include "graph/Types.h"
#include "trace/format/HeapFormat.h"

namespace inmem::rt {

class ElfFile;

struct HeapVariable {
  uintptr_t Begin;
  uint64_t Size;
  const char *Name;       ///< linkage name
  const inmem_type *Type; ///< an array's element type; null: unknown
  uintptr_t Base;         ///< load base of its file; 0 if thread-local
  uint32_t Where;         ///< label of its file or thread
  uint32_t Number;        ///< number in the snapshot + 1; 0: not yet in it
  heap::RootKind Kind;
};

class HeapVariables {
public:
  /// Adds the variables of the file at \p Path with the first mapping \p First.
  void addFile(Memory &M, const Mapping &First, const char *Path,
               uint32_t Where);
  /// Adds the program's own thread-local variables, which are around \p
  /// ThreadPointer. Call after all files.
  void addThread(uintptr_t ThreadPointer, uint32_t Where);
  /// Call before find().
  void finish();

  HeapVariable *find(uintptr_t Address);
  size_t size() const { return All.size(); }
  HeapVariable &operator[](size_t I) { return All[I]; }

private:
  struct ThreadLocal {
    uint64_t Offset, Size;
    const char *Name;
    const inmem_type *Type;
  };
  void noteRecords(Memory &M, uint64_t File);
  bool isLoaded(Memory &M, const ElfFile &File);
  bool noteSections(const ElfFile &File);
  void readSymbols(const ElfFile &File);
  void addSymbol(const void *Symbol);
  const inmem_type *typeOf(const char *Name, uint64_t Size) const;

  Pages<HeapVariable> All;
  Pages<ThreadLocal> ThreadLocals;
  uint64_t ThreadBytes = 0,
           ThreadAlign = 1; ///< the program's thread-local block
  Arena Names;
  // State of the file being read.
  HeapVariable Like = {}; ///< fields common to its variables
  bool IsProgram = false;
  uintptr_t Bias = 0;
  NumberMap Records;    ///< hash of name and size -> inmem_type; 1: ambiguous
  Pages<char> Writable; ///< by section: is it writable?
  Pages<char> Strings;
};

} // namespace inmem::rt

#endif
