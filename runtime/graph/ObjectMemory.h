//===- ObjectMemory.h - Reading the program's objects -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer in an object may be garbage, and another thread may unmap its
// target while it is read. So the kernel copies the memory, in pages into a
// cache, since objects that belong together are close. In a snapshot's child
// nothing changes any more, so mapped memory is read directly.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_OBJECTMEMORY_H
#define INMEM_RUNTIME_OBJECTMEMORY_H

#include "graph/Pages.h"
#include "graph/SearchedGaps.h"

namespace inmem::rt {

/// One line of /proc/self/maps.
struct Mapping {
  uintptr_t Start, End;
  bool Readable, Writable, Executable, Shared;
  bool IsFile, IsHeap, IsStack;
  uint64_t File; ///< hash of device and inode; 0: no file
  uint32_t Name; ///< offset in the text
  bool contains(uintptr_t Address) const {
    return Address - Start < End - Start;
  }
};

class Mappings {
public:
  /// Reads the mappings; false if they cannot be read.
  bool read();
  /// The mapping that contains \p Address, or null.
  const Mapping *find(uintptr_t Address) const;
  /// True if the mapping found last contains these bytes and is readable.
  bool lastCanRead(uintptr_t From, size_t Bytes) const {
    if (Last >= All.size())
      return false;
    const Mapping &M = All[Last];
    return M.Readable && M.contains(From) && M.End - From >= Bytes;
  }
  size_t size() const { return All.size(); }
  const Mapping &operator[](size_t I) const { return All[I]; }
  /// The path, or the kernel's name for it.
  const char *nameOf(const Mapping &M) const { return Text.data() + M.Name; }
  void release();

private:
  bool readText();

  Pages<Mapping> All;
  Pages<char> Text;
  mutable size_t Last = 0;
};

class Memory {
public:
  /// Copies \p Bytes at \p From; false if some of them are unreadable.
  bool read(void *To, uintptr_t From, size_t Bytes);
  bool word(uintptr_t From, uint64_t &Value) {
    if (Direct && Maps.lastCanRead(From, sizeof Value)) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      memcpy(&Value, reinterpret_cast<const void *>(From), sizeof Value);
      return true;
    }
    return read(&Value, From, sizeof Value);
  }
  uint64_t wordOr0(uintptr_t From) {
    uint64_t Value;
    return word(From, Value) ? Value : 0;
  }
  /// Like read(), but always by the kernel and past the cache: also for pages
  /// that are mapped but past the end of a file.
  bool copy(void *To, uintptr_t From, size_t Bytes);
  /// Reads mapped memory directly from now on. Only valid if no other thread
  /// runs.
  bool readDirectly();
  /// The mappings as of the first call.
  const Mappings &mappings() {
    if (!HasMaps) {
      HasMaps = true;
      Maps.read();
    }
    return Maps;
  }

  SearchedGaps Gaps; ///< gaps in the live index

private:
  const char *page(uintptr_t Number);

  static constexpr size_t kCached = 512;
  struct Cached {
    uintptr_t Number; ///< page number + 1; 0: empty
    bool Readable;
  };
  Pages<Cached> Keys;
  Pages<char> Contents;
  Mappings Maps;
  bool HasMaps = false, Direct = false, Refused = false;
};

} // namespace inmem::rt

#endif
