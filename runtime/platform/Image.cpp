//===- Image.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/Image.h"

#include "platform/Compiler.h"
#include "platform/Mappings.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#ifdef __GLIBC__
// Lock-free and async-signal-safe (glibc 2.35 and later). dladdr takes a lock,
// which another thread may hold while it waits for ours.
extern "C" int _dl_find_object(void *, struct dl_find_object *)
    __attribute__((weak));
#endif
#ifdef INMEM_STATIC
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));
#endif

namespace inmem::rt {

#if defined(INMEM_STATIC) || defined(__GLIBC__)
namespace {

struct Mapping {
  /// The address at which its ELF header is mapped; in an executable with gaps
  /// between its segments, the segment around the address.
  const char *Start = nullptr;
  uintptr_t Base = 0;
  const char *Name = nullptr;
};

#ifdef INMEM_STATIC
/// There is only one file, and the first allocations happen before libc has
/// registered it.
bool findMapping(uintptr_t, Mapping &Found) {
  Found.Start = __ehdr_start;
  auto *Header = reinterpret_cast<const ElfW(Ehdr) *>(__ehdr_start);
  auto *Segments =
      reinterpret_cast<const ElfW(Phdr) *>(__ehdr_start + Header->e_phoff);
  for (unsigned I = 0; I < Header->e_phnum; ++I)
    if (Segments[I].p_type == PT_LOAD && Segments[I].p_offset == 0)
      Found.Base =
          reinterpret_cast<uintptr_t>(__ehdr_start) - Segments[I].p_vaddr;
  return true;
}
#else
bool findMapping(uintptr_t Address, Mapping &Found) {
  struct link_map *Map = nullptr;
  if (_dl_find_object) {
    struct dl_find_object Object;
    if (_dl_find_object(reinterpret_cast<void *>(Address), &Object) != 0)
      return false;
    Found.Start = static_cast<const char *>(Object.dlfo_map_start);
    Map = Object.dlfo_link_map;
  } else {
    Dl_info Info;
    if (!dladdr1(reinterpret_cast<void *>(Address), &Info,
                 reinterpret_cast<void **>(&Map), RTLD_DL_LINKMAP) ||
        !Map)
      return false;
    Found.Start = static_cast<const char *>(Info.dli_fbase);
  }
  Found.Base = Map ? Map->l_addr : reinterpret_cast<uintptr_t>(Found.Start);
  Found.Name = Map ? Map->l_name : nullptr;
  return true;
}
#endif

} // namespace

bool Image::around(uintptr_t Address, Image &Found) {
  Mapping M;
  if (!findMapping(Address, M))
    return false;
  Found = Image();
  Found.Base = M.Base;
  Found.Name = M.Name ? M.Name : "";
  auto *Header = reinterpret_cast<const ElfW(Ehdr) *>(M.Start);
  if (memcmp(Header->e_ident, ELFMAG, SELFMAG) == 0) {
    Found.Segments =
        reinterpret_cast<const ElfW(Phdr) *>(M.Start + Header->e_phoff);
    Found.SegmentCount = Header->e_phnum;
  } else {
    Found.useProgramHeadersOfKernel();
  }
  Found.readDynamicSection();
  return true;
}

#else
bool Image::around(uintptr_t Address, Image &Found) {
  return findKnownFile(Address, Found);
}
#endif

const char *Image::unwindTableAround(uintptr_t Address) {
#if !defined(INMEM_STATIC) && defined(__GLIBC__) &&                            \
    DLFO_STRUCT_HAS_EH_COUNT == 0
  if (_dl_find_object) {
    struct dl_find_object Object;
    return _dl_find_object(reinterpret_cast<void *>(Address), &Object) == 0
               ? static_cast<const char *>(Object.dlfo_eh_frame)
               : nullptr;
  }
#endif
  Image File;
  return around(Address, File) ? reinterpret_cast<const char *>(
                                     File.segmentRange(PT_GNU_EH_FRAME).Start)
                               : nullptr;
}

// The loader maps files without gaps, but the kernel leaves gaps in an
// executable with segments aligned to more than a page.
void Image::useProgramHeadersOfKernel() {
  Segments = reinterpret_cast<const ElfW(Phdr) *>(getauxval(AT_PHDR));
  SegmentCount = Segments ? static_cast<unsigned>(getauxval(AT_PHNUM)) : 0;
  // If the loader was started as a program, these headers are its own.
  if (segmentRange(PT_PHDR).Start != reinterpret_cast<uintptr_t>(Segments))
    SegmentCount = 0;
}

AddressRange Image::spanAround(uintptr_t Address) {
#if !defined(INMEM_STATIC) && defined(__GLIBC__)
  struct dl_find_object Object;
  if (!_dl_find_object ||
      _dl_find_object(reinterpret_cast<void *>(Address), &Object) != 0)
    return {};
  return {reinterpret_cast<uintptr_t>(Object.dlfo_map_start),
          reinterpret_cast<uintptr_t>(Object.dlfo_map_end)};
#else
  Image File;
  return around(Address, File) ? File.span() : AddressRange();
#endif
}

bool Image::isCodeOfLoader(uintptr_t Address) {
  const uintptr_t Loader = getauxval(AT_BASE);
  Image File;
  return Loader && around(Address, File) && File.base() == Loader &&
         File.isReadable(Address, 1);
}

bool Image::isFoundWithoutLock() {
#if !defined(INMEM_STATIC) && defined(__GLIBC__)
  return _dl_find_object != nullptr;
#else
  return true;
#endif
}

Image Image::of(const struct dl_phdr_info &Info) {
  Image I;
  I.Base = Info.dlpi_addr;
  I.Name = Info.dlpi_name ? Info.dlpi_name : "";
  I.Segments = Info.dlpi_phdr;
  I.SegmentCount = Info.dlpi_phnum;
#ifndef __GLIBC__
  // musl names the executable after the command that started it.
  if (reinterpret_cast<uintptr_t>(I.Segments) == getauxval(AT_PHDR))
    I.Name = "";
#endif
  I.readDynamicSection();
  return I;
}

bool Image::isNamed(const char *Prefix) const {
  const char *Slash = strrchr(Name, '/');
  return strncmp(Slash ? Slash + 1 : Name, Prefix, strlen(Prefix)) == 0;
}

AddressRange Image::span() const {
  AddressRange Out = {UINTPTR_MAX, 0};
  for (unsigned I = 0; I < SegmentCount; ++I) {
    const ElfW(Phdr) &S = Segments[I];
    if (S.p_type != PT_LOAD)
      continue;
    uintptr_t Start = Base + S.p_vaddr, End = Start + S.p_memsz;
    Out.Start = Start < Out.Start ? Start : Out.Start;
    Out.End = End > Out.End ? End : Out.End;
  }
  return Out.End ? Out : AddressRange();
}

const ElfW(Phdr) * Image::segment(ElfW(Word) Type) const {
  for (unsigned I = 0; I < SegmentCount; ++I)
    if (Segments[I].p_type == Type)
      return &Segments[I];
  return nullptr;
}

AddressRange Image::segmentRange(ElfW(Word) Type) const {
  const ElfW(Phdr) *S = segment(Type);
  return S ? AddressRange{Base + S->p_vaddr, Base + S->p_vaddr + S->p_memsz}
           : AddressRange();
}

uint32_t Image::readBuildId(uint8_t *Into, size_t Room) const {
  for (unsigned I = 0; I < SegmentCount; ++I) {
    if (Segments[I].p_type != PT_NOTE)
      continue;
    const char *At = reinterpret_cast<const char *>(Base + Segments[I].p_vaddr);
    const char *End = At + Segments[I].p_memsz;
    while (At + sizeof(ElfW(Nhdr)) <= End) {
      auto *Note = reinterpret_cast<const ElfW(Nhdr) *>(At);
      const char *Owner = At + sizeof *Note;
      const char *Data = Owner + roundUp(Note->n_namesz, 4);
      if (Note->n_type == NT_GNU_BUILD_ID && Note->n_namesz == 4 &&
          memcmp(Owner, "GNU", 4) == 0 && Note->n_descsz <= Room) {
        memcpy(Into, Data, Note->n_descsz);
        return Note->n_descsz;
      }
      At = Data + roundUp(Note->n_descsz, 4);
    }
  }
  return 0;
}

void Image::readDynamicSection() {
  auto *D = reinterpret_cast<const ElfW(Dyn) *>(segmentRange(PT_DYNAMIC).Start);
  for (; D && D->d_tag != DT_NULL; ++D) {
    // glibc has relocated these pointers, except in the vDSO.
    uintptr_t Value = D->d_un.d_val;
    uintptr_t Pointer = Value < Base ? Value + Base : Value;
    switch (D->d_tag) {
    case DT_SYMTAB:
      Symbols = reinterpret_cast<const ElfW(Sym) *>(Pointer);
      break;
    case DT_STRTAB:
      Strings = reinterpret_cast<const char *>(Pointer);
      break;
    case DT_VERSYM:
      Versions = reinterpret_cast<const ElfW(Half) *>(Pointer);
      break;
    case DT_JMPREL:
      Jumps.First = reinterpret_cast<const ElfW(Rela) *>(Pointer);
      break;
    case DT_PLTRELSZ:
      Jumps.Count = Value / sizeof(ElfW(Rela));
      break;
    case DT_RELA:
      Others.First = reinterpret_cast<const ElfW(Rela) *>(Pointer);
      break;
    case DT_RELASZ:
      Others.Count = Value / sizeof(ElfW(Rela));
      break;
    case DT_GNU_HASH: {
      auto *Hash = reinterpret_cast<const uint32_t *>(Pointer);
      BucketCount = Hash[0];
      FirstHashed = Hash[1];
      uint32_t BloomWords = Hash[2];
      Buckets = reinterpret_cast<const uint32_t *>(
          reinterpret_cast<const ElfW(Addr) *>(Hash + 4) + BloomWords);
      Chain = Buckets + BucketCount;
      break;
    }
    default:
      break;
    }
  }
  if (!Symbols || !Strings) {
    BucketCount = 0;
    Jumps = Others = {};
  }
  if (!Jumps.First)
    Jumps.Count = 0;
  if (!Others.First)
    Others.Count = 0;
}

AddressRange Image::functionRange(const char *Wanted) const {
  AddressRange Versioned = {};
  if (BucketCount == 0)
    return Versioned;
  uint32_t Hash = 5381; // DJB, as the GNU hash section uses it
  for (const char *C = Wanted; *C; ++C)
    Hash = Hash * 33 + static_cast<unsigned char>(*C);
  for (uint32_t N = Buckets[Hash % BucketCount]; N >= FirstHashed && N != 0;
       ++N) {
    const ElfW(Sym) &S = Symbols[N];
    uint32_t Link = Chain[N - FirstHashed];
    bool Hidden = Versions && (Versions[N] & 0x8000u);
    if ((Link | 1) == (Hash | 1) && S.st_shndx != SHN_UNDEF &&
        strcmp(Strings + S.st_name, Wanted) == 0) {
      const uintptr_t Start = Base + S.st_value;
      if (!Hidden)
        return {Start, Start + S.st_size};
      Versioned = {Start, Start + S.st_size};
    }
    if (Link & 1)
      break;
  }
  return Versioned;
}

uint32_t Image::symbolCount() const {
  if (BucketCount == 0)
    return 0;
  // The last symbol ends the chain of the highest bucket.
  uint32_t Last = 0;
  for (uint32_t I = 0; I < BucketCount; ++I)
    Last = Buckets[I] > Last ? Buckets[I] : Last;
  if (Last < FirstHashed)
    return FirstHashed;
  while (!(Chain[Last - FirstHashed] & 1))
    ++Last;
  return Last + 1;
}

bool Image::isReadable(uintptr_t Address, size_t Bytes) const {
  for (unsigned I = 0; I < SegmentCount; ++I) {
    const ElfW(Phdr) &S = Segments[I];
    uintptr_t Distance = Address - Base - S.p_vaddr;
    if (S.p_type == PT_LOAD && (S.p_flags & PF_R) && Distance < S.p_memsz &&
        Bytes <= S.p_memsz - Distance)
      return true;
  }
  return false;
}

const char *Image::symbolAt(uintptr_t Address, uint32_t &Offset,
                            uint32_t Most) const {
  // The tool reads a file with more symbols once, faster than this.
  const uint32_t Count = symbolCount();
  if (Count > Most)
    return nullptr;
  const uintptr_t Distance = Address - Base;
  for (uint32_t I = 1; I < Count; ++I) {
    const ElfW(Sym) &S = Symbols[I];
    if (INMEM_LIKELY(Distance - S.st_value >= S.st_size) ||
        S.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(S.st_info) != STT_FUNC)
      continue;
    Offset = static_cast<uint32_t>(Distance - S.st_value);
    return Strings + S.st_name;
  }
  return nullptr;
}

} // namespace inmem::rt
