//===- Pages.h - Arrays and texts in pages of their own ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for the results of a walk over objects. It never comes from the heap
// that is walked. Used by one thread at a time; returned on destruction.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PAGES_H
#define INMEM_RUNTIME_PAGES_H

#include "platform/Mappings.h"
#include "tables/OpenTable.h"

#include <string.h>

namespace inmem::rt {

template <class T> void exchange(T &A, T &B) {
  T Kept = A;
  A = B;
  B = Kept;
}

/// A growing array of trivially copyable elements, which move. Unlike
/// PagedArray it may hold gigabytes and grows without copying (mremap), but it
/// must not be left by a longjmp.
template <class T> class Pages {
public:
  constexpr Pages() = default;
  ~Pages() { release(); }
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;

  size_t size() const { return Count; }
  size_t capacity() const { return Capacity; }
  T *data() { return Data; }
  const T *data() const { return Data; }
  T &operator[](size_t I) { return Data[I]; }
  const T &operator[](size_t I) const { return Data[I]; }
  T *begin() { return Data; }
  T *end() { return Data + Count; }
  const T *begin() const { return Data; }
  const T *end() const { return Data + Count; }

  /// Room for \p N more, zeroed; null when out of memory.
  T *extend(size_t N) {
    if (Count + N > Capacity && !reserve(Count + N))
      return nullptr;
    T *Result = Data + Count;
    Count += N;
    return Result;
  }
  bool add(const T &Value) {
    T *At = extend(1);
    if (At)
      *At = Value;
    return At != nullptr;
  }
  /// Elements dropped here may reappear, not zeroed.
  void shrinkTo(size_t N) { Count = N; }
  bool reserve(size_t N) {
    if (N <= Capacity)
      return true;
    size_t Bytes = Capacity * sizeof(T) * 2;
    if (Bytes < N * sizeof(T))
      Bytes = N * sizeof(T);
    Bytes = roundUp(Bytes, kPage);
    void *Moved =
        Data ? growPages(Data, capacityBytes(), Bytes) : mapPages(Bytes);
    if (!Moved)
      return false;
    Data = static_cast<T *>(Moved);
    Capacity = Bytes / sizeof(T);
    Mapped = Bytes;
    return true;
  }
  void release() {
    if (Data)
      unmapPages(Data, Mapped);
    Data = nullptr;
    Count = Capacity = Mapped = 0;
  }
  void swap(Pages &Other) noexcept {
    exchange(Data, Other.Data);
    exchange(Count, Other.Count);
    exchange(Capacity, Other.Capacity);
    exchange(Mapped, Other.Mapped);
  }

private:
  size_t capacityBytes() const { return Mapped; }

  T *Data = nullptr;
  size_t Count = 0, Capacity = 0, Mapped = 0;
};

/// Memory that stays in place until all of it is released.
class Arena {
public:
  constexpr Arena() = default;
  ~Arena() { release(); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  /// Zeroed, 8-byte aligned; null when out of memory.
  void *allocate(size_t Bytes) {
    Bytes = roundUp(Bytes, 8);
    if (Bytes > Left && !addChunk(Bytes))
      return nullptr;
    void *Result = At;
    At += Bytes;
    Left -= Bytes;
    return Result;
  }
  template <class T> T *make(size_t N = 1) {
    return static_cast<T *>(allocate(sizeof(T) * N));
  }
  const char *copy(const char *Text, size_t Length) {
    auto *To = static_cast<char *>(allocate(Length + 1));
    if (To)
      memcpy(To, Text, Length);
    return To ? To : "";
  }
  void release() {
    while (Chunks) {
      Chunk *Next = Chunks->Next;
      unmapPages(Chunks, Chunks->Bytes);
      Chunks = Next;
    }
    At = nullptr;
    Left = 0;
  }
  void swap(Arena &Other) noexcept {
    exchange(Chunks, Other.Chunks);
    exchange(At, Other.At);
    exchange(Left, Other.Left);
  }

private:
  struct Chunk {
    Chunk *Next;
    size_t Bytes;
  };
  bool addChunk(size_t Bytes) {
    constexpr size_t kChunk = 256 * 1024;
    size_t Size = roundUp(Bytes + sizeof(Chunk), kChunk);
    auto *C = static_cast<Chunk *>(mapPages(Size));
    if (!C)
      return false;
    *C = {Chunks, Size};
    Chunks = C;
    At = reinterpret_cast<char *>(C + 1);
    Left = Size - sizeof(Chunk);
    return true;
  }

  Chunk *Chunks = nullptr;
  char *At = nullptr;
  size_t Left = 0;
};

/// Maps nonzero 64-bit keys to numbers.
class NumberMap {
public:
  constexpr NumberMap() = default;
  ~NumberMap() { release(); }
  NumberMap(const NumberMap &) = delete;
  NumberMap &operator=(const NumberMap &) = delete;

  /// \returns a pointer to the number of \p Key, created as 0 if necessary;
  /// null when out of memory
  uint64_t *findOrMake(uint64_t Key) {
    Pair *P = Table.findOrMake(Key);
    if (!P)
      return nullptr;
    if (!*P)
      Table.add(P, {Key, 0});
    return &P->Number;
  }
  const uint64_t *find(uint64_t Key) const {
    const Pair *P = Table.find(Key);
    return P ? &P->Number : nullptr;
  }
  size_t size() const { return Table.count(); }
  void release() { Table.release(); }

private:
  struct Pair {
    uint64_t Key, Number;

    explicit operator bool() const { return Key != 0; }
    static uint64_t hashOf(uint64_t K) { return K * 0x9E3779B97F4A7C15u >> 20; }
    uint64_t hash() const { return hashOf(Key); }
    bool is(uint64_t K) const { return Key == K; }
    bool isSame(const Pair &Other) const { return Key == Other.Key; }
    void clear() { Key = 0; }
    void copy(const Pair &Other) { *this = Other; }
  };

  OpenTable<Pair, 256> Table;
};

} // namespace inmem::rt

#endif
