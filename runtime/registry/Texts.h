//===- Texts.h - Targets of relative members --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in records of abi.h are plain, or packed together with others of their
// unit. Packed ones are unpacked at their first use, so that a program pays
// only for sites and types that occur.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_TEXTS_H
#define INMEM_RUNTIME_TEXTS_H

#include "inmem/abi.h"

namespace inmem::rt {

/// Target of a relative pointer in a record of abi.h; null for "none". Texts
/// are read with textAt().
template <class T> const T *relative(const int32_t &Member) {
  static_assert(sizeof(T) > 1);
  return Member ? reinterpret_cast<const T *>(
                      reinterpret_cast<const char *>(&Member) + Member)
                : nullptr;
}

/// The text that \p Member leads to; null for "none", or when out of memory for
/// a packed one. Valid while the record's library is loaded. Callers hold the
/// thread's guard; takes no lock but its own.
const char *textAt(const int32_t &Member);

/// Unpacks \p From to \p To, INMEM_PACKED_MOST bytes. False if it is not what
/// abi.h describes.
bool unpackTexts(const struct inmem_packed_texts &From, char *To);

/// Call this when a library is closed: another may be loaded at its addresses.
void forgetPackedTexts();
/// Call this in a forked child, in which no lock is held.
void resetTextLock();
/// Call this after a jump out of the runtime.
void releaseTextLock();

} // namespace inmem::rt

#endif
