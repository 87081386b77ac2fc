//===- Numbers.h - Numbers by 64-bit key, found without a lock ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks and Frees look up numbers here if a thread's own small table lacks
// them.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_NUMBERS_H
#define INMEM_RUNTIME_NUMBERS_H

#include "platform/Mappings.h"

namespace inmem::rt {

/// Maps nonzero 64-bit keys to numbers: open addressing, at most half full.
/// Readers need no lock. A replaced table stays mapped for readers that still
/// use it, and is reused after two more clear() calls.
class Numbers {
public:
  /// \returns 0 if \p Key is not there
  uint32_t find(uint64_t Key) const {
    const Table *T = __atomic_load_n(&Current, __ATOMIC_ACQUIRE);
    if (!T)
      return 0;
    for (uint64_t At = place(Key, *T);; At = (At + 1) & T->Mask) {
      uint64_t Found = __atomic_load_n(&T->Cells[At].Key, __ATOMIC_ACQUIRE);
      if (Found == Key)
        return T->Cells[At].Value;
      if (!Found)
        return 0;
    }
  }
  /// One writer at a time. Does nothing when out of memory.
  void insert(uint64_t Key, uint32_t Value) {
    if (!Current || (Count + 1) * 2 > Current->Mask)
      if (!grow(Current ? (Current->Mask + 1) * 2 : 1024))
        return;
    put(*Current, Key, Value);
    ++Count;
  }
  /// One writer at a time.
  void clear() {
    if (Table *Old = Current) {
      __atomic_store_n(&Current, nullptr, __ATOMIC_RELEASE);
      retire(Old);
    }
    Count = 0;
    ++Clears;
  }

private:
  struct Cell {
    uint64_t Key;
    uint32_t Value;
  };
  struct Table {
    uint64_t Mask;
    Table *NextRetired;
    uint64_t RetiredAt; ///< value of Clears when it was retired
    Cell Cells[];
  };
  static size_t bytesFor(uint64_t Size) {
    return sizeof(Table) + Size * sizeof(Cell);
  }
  void retire(Table *Old) {
    Old->NextRetired = Retired;
    Old->RetiredAt = Clears;
    Retired = Old;
  }
  /// An empty table of \p Size cells; null when out of memory.
  Table *takeEmpty(uint64_t Size) {
    for (Table **Link = &Retired; *Link; Link = &(*Link)->NextRetired) {
      Table *Old = *Link;
      if (Old->Mask != Size - 1 || Clears - Old->RetiredAt < 2)
        continue;
      *Link = Old->NextRetired;
      for (uint64_t I = 0; I < Size; ++I)
        __atomic_store_n(&Old->Cells[I].Key, 0, __ATOMIC_RELAXED);
      return Old;
    }
    return static_cast<Table *>(mapPages(bytesFor(Size)));
  }
  static uint64_t place(uint64_t Key, const Table &T) {
    return (Key * 0x9E3779B97F4A7C15u >> 32) & T.Mask;
  }
  static void put(Table &T, uint64_t Key, uint32_t Value) {
    uint64_t At = place(Key, T);
    while (T.Cells[At].Key)
      At = (At + 1) & T.Mask;
    T.Cells[At].Value = Value;
    __atomic_store_n(&T.Cells[At].Key, Key, __ATOMIC_RELEASE);
  }
  bool grow(uint64_t Size) {
    Table *Fresh = takeEmpty(Size);
    if (!Fresh)
      return false;
    Fresh->Mask = Size - 1;
    for (uint64_t I = 0; Current && I <= Current->Mask; ++I)
      if (Current->Cells[I].Key)
        put(*Fresh, Current->Cells[I].Key, Current->Cells[I].Value);
    Table *Old = Current;
    __atomic_store_n(&Current, Fresh, __ATOMIC_RELEASE);
    if (Old)
      retire(Old);
    return true;
  }

  Table *Current = nullptr;
  uint64_t Count = 0;
  Table *Retired = nullptr; ///< newest first
  uint64_t Clears = 0;
};

} // namespace inmem::rt

#endif
