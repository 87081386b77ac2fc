//===- BlockSearch.cpp ----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/BlockSearch.h"

#include "platform/Image.h"

#include <string.h>

namespace inmem::rt {

namespace {

/// Stands for the name of a function that the file chooses when it is loaded.
/// The C library chooses its functions that fill memory this way, and few
/// others.
constexpr const char *kChosen = "mem";
#if defined(__x86_64__)
constexpr uint32_t kChoice = R_X86_64_IRELATIVE;
#else
constexpr uint32_t kChoice = R_AARCH64_IRELATIVE;
#endif

} // namespace

bool onlyFills(const char *Name) {
  constexpr const char *kPrefixes[] = {
      "mem", "str", "__mem", "__str", "bzero", "wmem", "malloc_usable_size"};
  for (const char *Prefix : kPrefixes)
    if (strncmp(Name, Prefix, strlen(Prefix)) == 0)
      return true;
  return false;
}

bool hasTwoSizes(const char *Name) {
  constexpr const char *kNames[] = {"calloc", "aligned_alloc", "memalign",
                                    "realloc", "reallocarray"};
  for (const char *Other : kNames)
    if (Name && strcmp(Name, Other) == 0)
      return true;
  return false;
}

const char *importedAt(uintptr_t Code, uintptr_t Entry) {
  Image File;
  if (!Image::around(Code, File))
    return nullptr;
  const Image::Relocations Tables[] = {File.jumpRelocations(),
                                       File.otherRelocations()};
  for (const Image::Relocations &Of : Tables)
    for (size_t I = 0; I < Of.Count; ++I)
      if (File.base() + Of.First[I].r_offset == Entry)
        return ELF64_R_TYPE(Of.First[I].r_info) == kChoice
                   ? kChosen
                   : File.nameOf(Of.First[I]);
  return nullptr;
}

} // namespace inmem::rt
