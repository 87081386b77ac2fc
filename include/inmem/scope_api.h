// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* scope_api.h - counting what happens between two points of the program.
 *
 * Plain C; inmem/scope.h is the C++ face of it. The functions are weak: where
 * no runtime is present their addresses are null (inmem_scope_begin == 0).
 * Nothing here allocates from the heap, so a measurement never counts itself.
 */
#ifndef INMEM_SCOPE_API_H
#define INMEM_SCOPE_API_H

#include "detail/api.h"

#ifndef __cplusplus
#include <stddef.h>
#endif
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum inmem_scope_status {
  INMEM_SCOPE_OK = 0,
  INMEM_SCOPE_OFF = 1,          /* mode=off, recording is stopped, no memory */
  INMEM_SCOPE_SAMPLED = 2,      /* options leave allocations out: not exact */
  INMEM_SCOPE_WRONG_THREAD = 3, /* a scope of one thread, used from another */
  INMEM_SCOPE_FORKED = 4,       /* opened by the parent of this process */
  INMEM_SCOPE_THREAD_ENDED = 5, /* another thread counts where it counted */
  INMEM_SCOPE_INCOMPLETE = 6    /* no memory for the counters */
};

enum inmem_scope_kind {
  /** Counts only; any thread. Costs nothing between begin and end. */
  INMEM_SCOPE_COUNT = 0,
  /** Follows each block: lifetimes, peaks by type and live blocks at the end
   * are exact. The thread's events take a slow path until the end; if another
   * thread or all threads are observed, all threads' events do. */
  INMEM_SCOPE_OBSERVE = 1
};

/** The thread that a scope counts: 0 for the calling thread, else a pthread_t.
 */
#define INMEM_ALL_THREADS ((uintptr_t)-1)

/** Blocks are counted as in reports: requested bytes; a realloc is a free and a
 * new block. frees counts every block that the thread freed. */
struct inmem_scope_counts {
  uint64_t allocations, allocated_bytes;
  uint64_t frees, freed_bytes;
  /* COUNT: allocations minus frees, possibly negative. OBSERVE: the scope's own
   * blocks that are live, regardless of which thread freed the others. */
  int64_t live, live_bytes;
  /* Peak bytes above those at the scope's start; -1: unknown (COUNT knows it
   * only for all types of the calling thread together). */
  int64_t peak_bytes;
  /* OBSERVE: the scope's own blocks that were freed (by the calling thread if
   * the scope counts it, else by any thread) and their lifetimes in ns; age_ns
   * is the age of the oldest live block. */
  uint64_t lives, longest_ns, sum_ns, age_ns;
};

struct inmem_source_location {
  const char *function; /* linkage name; null: unknown */
  const char *file;     /* null: unknown */
  uint32_t line, column;
};
/** Deprecated: use struct inmem_source_location. */
#define inmem_place inmem_source_location

/** One site. Strings are valid as long as the code that they name is loaded. */
struct inmem_scope_site {
  const char *type; /* canonical spelling; null: unknown */
  uint64_t type_id; /* equal in all modules of the process; 0: unknown */
  uint64_t type_size;
  /* Innermost first: [0] is the allocation itself, followed by the calls that
   * were inlined around it, and by the program's call if library code or a
   * wrapper made the block. */
  const struct inmem_source_location *places;
  uint32_t place_count;
  uint32_t caller;    /* number of the program's call in places, +1; 0: none */
  const char *module; /* file of the code; null: unknown */
  const void *return_address; /* code without instrumentation; else null */
  struct inmem_scope_counts counts; /* peak_bytes is -1 */
};

struct inmem_scope_type {
  const char *type;
  uint64_t type_id, type_size;
  struct inmem_scope_counts counts;
};

struct inmem_scope;

/** \returns INMEM_SCOPE_OK if a scope opened now would be exact, else the
 * reason. */
INMEM_API int inmem_scope_possible(void);
/** \returns 1 if lifetimes are in ns, 0 if in allocated bytes (clock=events).
 */
INMEM_API int inmem_scope_lives_in_ns(void);
/** \returns a scope, or null if inmem_scope_possible() is not INMEM_SCOPE_OK.
 * Scopes may nest and overlap. Release with inmem_scope_free(). */
INMEM_API struct inmem_scope *inmem_scope_begin(int kind, uintptr_t thread);
/** OBSERVE only: excludes blocks allocated from now on by uninstrumented code
 * in the shared object that contains code (a test framework's library). */
INMEM_API int inmem_scope_leave_out(struct inmem_scope *scope,
                                    const void *code);
/** Stops counting. A scope of all threads, or of another thread, can be read
 * and ended by several threads concurrently. */
INMEM_API int inmem_scope_end(struct inmem_scope *scope);
/** Reads the totals so far. For other threads, which keep running, events that
 * happened before the call (by a lock, a join or the like) are included
 * exactly. */
INMEM_API int inmem_scope_read(struct inmem_scope *scope,
                               struct inmem_scope_counts *totals);
/** Calls back for each site (type) with events in the scope, in no particular
 * order. Allocations by the callbacks are not counted. \returns an enum
 * inmem_scope_status. */
INMEM_API int inmem_scope_sites(struct inmem_scope *scope,
                                void (*visit)(const struct inmem_scope_site *,
                                              void *),
                                void *data);
INMEM_API int inmem_scope_types(struct inmem_scope *scope,
                                void (*visit)(const struct inmem_scope_type *,
                                              void *),
                                void *data);
/** Ends and releases the scope. If another thread frees a single thread's
 * scope, that thread ends it at its next event. */
INMEM_API int inmem_scope_free(struct inmem_scope *scope);

/** Between the two, the calling thread's allocations and their frees are left
 * out of scopes and trace. Calls nest. */
INMEM_API void inmem_ignore_begin(void);
INMEM_API void inmem_ignore_end(void);
/** \returns the type of the calling thread's last ignored allocation; 0:
 * unknown to the compiler. */
INMEM_API uint64_t inmem_ignored_type(void);

/** The allocation that exceeds a budget. */
struct inmem_excess {
  struct inmem_scope_site site; /* counts of this allocation alone */
  uint64_t size;                /* requested bytes */
  /* The limit that is exceeded: "bytes" or "blocks". */
  const char *what;
  const char *type;        /* the type with that limit; null: all types */
  uint64_t limit, reached; /* reached includes this allocation */
  /* 1: the callback may throw: the allocation is by an operator new that may
   * throw, and no noexcept function is between it and a handler. The block is
   * already freed and not counted. 0: the callback must return. */
  int may_throw;
  /* The reason if may_throw is 0 because of C code (or code that may be C)
   * between the allocation and the handler; else null. */
  const char *why_not_thrown;
};

#define INMEM_NO_LIMIT UINT64_MAX

struct inmem_type_limit {
  uint64_t type_id;
  const char *type; /* for messages */
  uint64_t bytes, blocks;
  uint64_t used_bytes, used_blocks;
};

/** A limit on what one thread or all threads allocate. The caller owns the
 * memory and must not move it between begin and end. */
struct inmem_budget {
  uint64_t bytes, blocks;
  struct inmem_type_limit *types;
  uint32_t type_count;
  /* Called at each allocation that exceeds the limit, with the thread's
   * allocations ignored. */
  void (*act)(struct inmem_budget *, const struct inmem_excess *);
  void *data;
  /* Nonzero if act throws when it may; the allocation is undone first. */
  int throws;
  /* Private to the runtime. */
  uint64_t used_bytes, used_blocks;
  uint64_t excesses; /* number of calls of act */
  struct inmem_budget *next;
  uintptr_t owner;
  uint32_t pid;
};

/** Resets the used amounts to 0 and starts. */
INMEM_API int inmem_budget_begin(struct inmem_budget *budget);
/** As above, for another thread (0 and INMEM_ALL_THREADS as for a scope). act
 * is called by the thread that exceeds the limit, possibly by several
 * concurrently; may_throw is 1 only if that thread has a handler. Any thread
 * can end the budget; it waits for running callbacks. */
INMEM_API int inmem_budget_begin_for(struct inmem_budget *budget,
                                     uintptr_t thread);
INMEM_API int inmem_budget_end(struct inmem_budget *budget);

#ifdef __cplusplus
}
#endif
#endif
