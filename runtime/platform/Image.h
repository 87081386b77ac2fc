//===- Image.h - A loaded ELF file as its headers in memory tell ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Program headers and the dynamic section (System V ABI, "Program Loading and
// Dynamic Linking"), and the GNU hash section: the data that the loader itself
// reads. Owns, allocates and locks nothing; valid while the file stays loaded.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_IMAGE_H
#define INMEM_RUNTIME_IMAGE_H

#include "platform/Mappings.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

class Image {
public:
  /// Finds the file that contains \p Address. Async-signal-safe with glibc 2.35
  /// and later, and with musl for files found before; otherwise takes the
  /// loader's lock.
  static bool around(uintptr_t Address, Image &Found);
  /// The .eh_frame_hdr of the file that contains \p Address, or null. As
  /// around(), but cheaper.
  static const char *unwindTableAround(uintptr_t Address);
  /// The range from the first address of the file that contains \p Address to
  /// its last. Empty if no file contains it, or if it cannot be found without a
  /// lock.
  static AddressRange spanAround(uintptr_t Address);
  /// True if it is in a segment of the loader, not only between two of them,
  /// where the kernel may map other memory, such as generated code.
  static bool isCodeOfLoader(uintptr_t Address);
  /// True if around() takes no lock, so that it may be called while we hold
  /// ours.
  static bool isFoundWithoutLock();
  /// Created from the data of dl_iterate_phdr.
  static Image of(const struct dl_phdr_info &Info);

  uintptr_t base() const {
    return Base;
  } ///< load bias: add to addresses in the file
  /// The loader's name for the file; empty for the executable.
  const char *name() const { return Name; }
  /// True if the last component of the name begins with \p Prefix.
  bool isNamed(const char *Prefix) const;
  /// The range from the first loaded segment to the last.
  AddressRange span() const;
  bool contains(uintptr_t Address) const { return span().contains(Address); }

  /// The segment of that type, or null.
  const ElfW(Phdr) * segment(ElfW(Word) Type) const;
  /// The segment of that type in memory, or an empty range.
  AddressRange segmentRange(ElfW(Word) Type) const;
  /// \returns the number of bytes; 0 if there is no build id, or one longer
  /// than \p Room
  uint32_t readBuildId(uint8_t *Into, size_t Room) const;

  /// The exported function \p Wanted, or an empty range. If the file has no
  /// default version of it, returns one that only versioned references reach:
  /// libc_malloc_debug.so has no others. Not dlsym, which may allocate, treats
  /// versions differently, and in a non-PIC executable may return the address
  /// of a stub that leads back to us.
  AddressRange functionRange(const char *Wanted) const;
  /// The start of functionRange(), or null.
  void *function(const char *Wanted) const {
    return reinterpret_cast<void *>(functionRange(Wanted).Start);
  }
  /// The exported function around \p Address and the offset into it; null if
  /// not found or if there are more than \p Most symbols. The default bounds
  /// the cost for programs that look up every caller.
  const char *symbolAt(uintptr_t Address, uint32_t &Offset,
                       uint32_t Most = 20000) const;
  /// Calls \p Visit with the name and address of each exported function.
  template <class Visitor> void forEachFunction(Visitor Visit) const {
    for (uint32_t N = 1, Count = symbolCount(); N < Count; ++N) {
      const ElfW(Sym) &S = Symbols[N];
      if (S.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(S.st_info) == STT_FUNC)
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        Visit(Strings + S.st_name, reinterpret_cast<void *>(Base + S.st_value));
    }
  }
  /// True if one loaded, readable segment contains these bytes.
  bool isReadable(uintptr_t Address, size_t Bytes) const;

  struct Relocations {
    const ElfW(Rela) *First = nullptr;
    size_t Count = 0;
  };
  /// Relocations of the procedure linkage table.
  Relocations jumpRelocations() const { return Jumps; }
  Relocations otherRelocations() const { return Others; }
  /// The name of the symbol that a relocation refers to.
  const char *nameOf(const ElfW(Rela) & R) const {
    return Strings + Symbols[ELF64_R_SYM(R.r_info)].st_name;
  }

  /// True if \p Address is the file's stub for the function that a relocation
  /// refers to. Programs that are not position-independent may have such stubs.
  bool isStubOf(const ElfW(Rela) & R, uintptr_t Address) const {
    const ElfW(Sym) &S = Symbols[ELF64_R_SYM(R.r_info)];
    return S.st_shndx == SHN_UNDEF && S.st_value &&
           Base + S.st_value == Address;
  }

private:
  void useProgramHeadersOfKernel();
  void readDynamicSection();
  uint32_t symbolCount() const;

  uintptr_t Base = 0;
  const char *Name = "";
  const ElfW(Phdr) *Segments = nullptr;
  unsigned SegmentCount = 0;

  const ElfW(Sym) *Symbols = nullptr; ///< exported and imported symbols
  const char *Strings = nullptr;
  const ElfW(Half) *Versions = nullptr;
  Relocations Jumps, Others;
  // The GNU hash section: buckets by hash hold the first symbol of a chain; the
  // last hash of a chain has its lowest bit set.
  const uint32_t *Buckets = nullptr,
                 *Chain = nullptr; ///< both null: no hash section
  uint32_t BucketCount = 0, FirstHashed = 0;
};

// KnownFiles.cpp: Loaded files, found without the loader's lock.
//
// Used with musl, which has no _dl_find_object. musl never unmaps a loaded file
// (its dlclose does nothing), so the table of files only grows.

class Image;

/// Finds the loaded file that contains \p Address. If it is not in the table,
/// queries the loader, with signals blocked, for files that were loaded since.
bool findKnownFile(uintptr_t Address, Image &Found);

} // namespace inmem::rt

#endif
