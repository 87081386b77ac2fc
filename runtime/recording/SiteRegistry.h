//===- SiteRegistry.h - Numbers for sites, types and modules --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A site is registered at its first event, never before: a program of a
// million sites pays for those it runs, and a site of an unloaded library
// stays readable because its record is already in the trace. All functions
// need the runtime's mutex, except where said.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SITEREGISTRY_H
#define INMEM_RUNTIME_SITEREGISTRY_H

#include "inmem/abi.h"
#include "trace/Format.h"

#include <stddef.h>

namespace inmem::rt {

struct Module;

/// What a relative member of a record of abi.h leads to; null for "none".
template <class T = char> const T *relative(const int32_t &Member) {
  return Member ? reinterpret_cast<const T *>(
                      reinterpret_cast<const char *>(&Member) + Member)
                : nullptr;
}

/// \returns the id of \p Site, which it gets and which is written to the trace
/// if this is its first event; 0 if the table or the trace is full. A type
/// that its first block, of \p Size bytes, cannot hold is left out.
uint32_t registerSite(struct inmem_site *Site, uint64_t Size);

/// \returns an id of its own for \p Site as it is reached through \p Stack
/// (Stacks.h); 0 if the table or the trace is full.
uint32_t registerStackedSite(uint32_t Site, uint32_t Stack);
/// \returns the id under which blocks of \p Site are known that became an
/// object of \p Type; 0 without room, or where its library is gone.
uint32_t registerPlacedSite(uint32_t Site, const struct inmem_type *Type);
/// The site itself of an id, which may be one with a stack.
uint32_t plainSite(uint32_t Id);
/// The stack of an id; 0: none.
uint32_t stackOfSite(uint32_t Id);

/// Type index of a registered site; 0: unknown.
uint32_t typeOfSite(uint32_t Id);
/// Whether its type says more than "bytes" or other raw storage.
bool hasObjectType(uint32_t Id);
/// enum inmem_site_kind, also after its library is gone.
uint8_t kindOfSite(uint32_t Id);
/// Its record; null once its library is gone.
const struct inmem_site *sourceOfSite(uint32_t Id);
/// Of a type index; null or 0 for the unknown type.
const char *nameOfType(uint32_t Index);
uint64_t idOfType(uint32_t Index);
uint64_t sizeOfType(uint32_t Index);
/// Excluded by include=/exclude=.
bool isSiteExcluded(uint32_t Id);
/// Largest id in use.
uint32_t siteCount();
/// The total that cells of type \p Index flush into; index 0: unknown type.
trace::TypeTotal *typeTotal(uint32_t Index);
/// \returns a type's index, written to the trace at its first use; 0 for null
/// or when the trace is full.
uint32_t registerType(const struct inmem_type *Type);
uint32_t typeCount();

/// Writes \p M's record if the current trace lacks it. \returns its id.
uint32_t writeModule(Module *M);
/// Writes to a child's trace what site \p Id was in the parent. \returns its
/// type's index.
uint32_t writeInheritedSite(uint32_t Id);
/// After fork, in the child: all sites number themselves anew.
void forgetNumbers();
/// Sites of an unloaded library in [Begin, End) must not be touched again. If
/// \p File is opened once more, its sites get the ids that they had.
void forgetSites(const struct inmem_site *Begin, const struct inmem_site *End,
                 const Module *File);

/// Builds a trace record with strings behind it in a fixed buffer. Strings
/// that do not fit are cut.
class RecordBuilder {
public:
  RecordBuilder(trace::RecordKind Kind, size_t FixedBytes);
  /// Offset of a copy of \p S in the record; 0 for null or empty.
  trace::StringOffset string(const char *S);
  uint32_t bytes(const void *Data, size_t Size);
  /// Space of \p Size bytes, 8-byte aligned; 0 if there is none.
  uint32_t reserve(size_t Size);
  void *at(uint32_t Offset) { return Buffer + Offset; }
  /// Pads, stores the fixed part and appends to the trace.
  bool append(const void *Fixed, size_t FixedBytes);

private:
  trace::RecordKind Kind;
  char *Buffer;
  size_t Used;
};

} // namespace inmem::rt

#endif
