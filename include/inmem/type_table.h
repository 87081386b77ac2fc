// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* type_table.h - the table that -fplugin-arg-inmem-types=table leaves in a
 * program for profiles of other tools: the types of the blocks that calls
 * allocate. No program loads it; `inmem add-types` reads it. docs/abi.md
 * explains it. Plain C.
 */
#ifndef INMEM_TYPE_TABLE_H
#define INMEM_TYPE_TABLE_H

#include <stdint.h>

/** inmem_typed_call[], of 32 bytes each. */
#define INMEM_SECTION_TYPE_TABLE ".inmem.types"
/** Text, each ended by NUL. */
#define INMEM_SECTION_TYPE_NAMES ".inmem.type_names"

/* NOLINTBEGIN(readability-identifier-naming): a header for C */
enum inmem_typed_call_flags {
  INMEM_TYPED_CALL_PASSED = 1, /* of a function that allocates for its caller */
  INMEM_TYPED_CALL_MAY = 2     /* only if the block is of that size */
};
/* NOLINTEND(readability-identifier-naming) */

/** A call. Offsets are into INMEM_SECTION_TYPE_NAMES. */
struct inmem_typed_call {
  uint64_t return_address; /* behind the call, in the file; 0: left out */
  uint64_t size;           /* of the type in bytes; 0: unknown */
  uint32_t type, file;     /* offsets; of empty text if unknown */
  uint32_t line;
  uint32_t flags; /* inmem_typed_call_flags */
};

#endif
