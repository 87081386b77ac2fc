//===- SiteRegistry.h - Numbers for sites, types and modules --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A site is registered at its first event, never before. So a program with a
// million sites pays only for those it runs, and a site of an unloaded library
// stays readable because its record is already in the trace. All functions need
// the runtime's mutex, unless noted otherwise.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_SITEREGISTRY_H
#define INMEM_RUNTIME_SITEREGISTRY_H

#include "inmem/abi.h"
#include "registry/Texts.h"
#include "trace/format/Format.h"

#include <stddef.h>

namespace inmem::rt {

struct Module;

/// Registers \p Site at its first event and writes it to the trace. \returns
/// its id, 0 if the table or the trace is full. A type that the first block, of
/// \p Size bytes, cannot hold is left out.
uint32_t registerSite(struct inmem_site *Site, uint64_t Size);

/// \returns the id of the pair of \p Site and \p Stack (Stacks.h); 0 if the
/// table or the trace is full
uint32_t registerStackedSite(uint32_t Site, uint32_t Stack);
/// The user's call that led to a site of the library's; never freed.
struct UserCall {
  const char *Function, *File; ///< null: unknown
  uint32_t Line, Column;
  uintptr_t Return; ///< 0, or where the call returns if nothing else is known
};
/// \returns the id of the pair of \p Site and the call that led to it; 0 if it
/// has too many callers, or the table or the trace is full
/// \param IsNew set to true if there was no such pair
uint32_t registerCalledSite(uint32_t Site, const UserCall &Caller, bool &IsNew);
/// \returns the id for blocks of \p Site that became an object of \p Type; 0
/// without room, or if its library is gone
uint32_t registerPlacedSite(uint32_t Site, const struct inmem_type *Type);
/// \returns the id of blocks of \p Site, which has no type, that realloc
/// allocated in place of blocks of \p Old, which has one. The id has that type
/// and the caller of \p Site. If there is no room, or the library of \p Site is
/// gone: \p Old without its stack
uint32_t siteWithTypeOf(uint32_t Site, uint32_t Old);
/// The site in an id that may include a stack or a caller.
uint32_t plainSite(uint32_t Id);
/// As plainSite(), but with the caller if it is known.
uint32_t calledSite(uint32_t Id);
/// The caller in an id of calledSite(); null if it is not known.
const UserCall *callerOfSite(uint32_t Id);
/// The id of blocks that were recorded under \p Other and become blocks of \p
/// Site: with the same caller, if that is known.
uint32_t siteWithCallerOf(uint32_t Site, uint32_t Other);
/// The stack of an id; 0: none.
uint32_t stackOfSite(uint32_t Id);

/// Type index of a registered site; 0: unknown.
uint32_t typeOfSite(uint32_t Id);
/// True for ids of siteWithTypeOf().
bool keepsType(uint32_t Id);
/// True if the site's type is known and not just "bytes" or other raw storage.
bool hasObjectType(uint32_t Id);
/// The site's enum inmem_site_kind; still valid after its library is gone.
uint8_t kindOfSite(uint32_t Id);
/// The site's record; null once its library is gone.
const struct inmem_site *sourceOfSite(uint32_t Id);
/// The name of a type index; null or 0 for the unknown type.
const char *nameOfType(uint32_t Index);
uint64_t idOfType(uint32_t Index);
uint64_t sizeOfType(uint32_t Index);
/// True if include= or exclude= excludes the site.
bool isSiteExcluded(uint32_t Id);
/// Largest id in use.
uint32_t siteCount();
/// The total that cells of type \p Index flush into; index 0: unknown type.
trace::TypeTotal *typeTotal(uint32_t Index);
/// Registers a type and writes it to the trace at its first use. \returns its
/// index; 0 for null or if the trace is full
uint32_t registerType(const struct inmem_type *Type);
uint32_t typeCount();

/// Writes \p M's record if the current trace lacks it. \returns its id
uint32_t writeModule(Module *M);
/// Writes the parent's site \p Id to a child's trace. \returns its type's index
uint32_t writeInheritedSite(uint32_t Id);
/// Call this after fork, in the child: all sites get new numbers.
void forgetNumbers();
/// The sites in [Begin, End) belong to an unloaded library and must not be
/// touched again. If \p File is loaded again, they get their ids back.
void forgetSites(const struct inmem_site *Begin, const struct inmem_site *End,
                 const Module *File);

} // namespace inmem::rt

#endif
