//===- Numbers.h - Numbers by 64-bit key, found without a lock ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Stacks and Frees look up when a thread's own small table lacks it.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_NUMBERS_H
#define INMEM_RUNTIME_NUMBERS_H

#include "platform/Platform.h"

namespace inmem::rt {

/// Numbers by 64-bit key, not 0: open addressing, at most half full. Readers
/// need no lock; a table that was replaced stays, for those who still read it.
class Numbers {
public:
  /// 0: none.
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
  /// One writer at a time. Nothing happens without memory.
  void insert(uint64_t Key, uint32_t Value) {
    if (!Current || (Count + 1) * 2 > Current->Mask)
      if (!grow(Current ? (Current->Mask + 1) * 2 : 1024))
        return;
    put(*Current, Key, Value);
    ++Count;
  }
  /// As insert().
  void clear() {
    if (Current)
      __atomic_store_n(&Current, nullptr, __ATOMIC_RELEASE);
    Count = 0;
  }

private:
  struct Cell {
    uint64_t Key;
    uint32_t Value;
  };
  struct Table {
    uint64_t Mask;
    Cell Cells[];
  };
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
    auto *Fresh =
        static_cast<Table *>(mapPages(sizeof(Table) + Size * sizeof(Cell)));
    if (!Fresh)
      return false;
    Fresh->Mask = Size - 1;
    for (uint64_t I = 0; Current && I <= Current->Mask; ++I)
      if (Current->Cells[I].Key)
        put(*Fresh, Current->Cells[I].Key, Current->Cells[I].Value);
    __atomic_store_n(&Current, Fresh, __ATOMIC_RELEASE);
    return true;
  }

  Table *Current = nullptr;
  uint64_t Count = 0;
};

} // namespace inmem::rt

#endif
