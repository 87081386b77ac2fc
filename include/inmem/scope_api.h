// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* scope_api.h - counting what happens between two points of the program.
 *
 * Plain C; inmem/scope.h is the C++ face of it. The functions are weak: where
 * no runtime is present their addresses are null (inmem_scope_begin == 0).
 * Nothing here allocates from the heap, so that measuring never counts itself.
 */
#ifndef INMEM_SCOPE_API_H
#define INMEM_SCOPE_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef INMEM_API
#define INMEM_API __attribute__((weak))
#endif

enum inmem_scope_status {
  INMEM_SCOPE_OK = 0,
  INMEM_SCOPE_OFF = 1,          /* mode=off, recording is stopped, no memory */
  INMEM_SCOPE_SAMPLED = 2,      /* options leave allocations out: not exact */
  INMEM_SCOPE_WRONG_THREAD = 3, /* a scope of one thread, used from another */
  INMEM_SCOPE_FORKED = 4,       /* opened by the parent of this process */
  INMEM_SCOPE_THREAD_ENDED = 5, /* another thread counts where it counted */
  INMEM_SCOPE_INCOMPLETE = 6    /* memory for the books ran out */
};

enum inmem_scope_kind {
  /** Counts, of any thread. Costs nothing between its two ends. */
  INMEM_SCOPE_COUNT = 0,
  /** Follows each block: lives, peaks by type, and what is alive in the end is
   * exact. Events meanwhile take a slow path: the calling thread's; with
   * another thread or all to be observed, those of all threads. */
  INMEM_SCOPE_OBSERVE = 1
};

/** What a scope is to count: 0 is the calling thread, a pthread_t that one. */
#define INMEM_ALL_THREADS ((uintptr_t)-1)

/** Blocks are as in reports: requested bytes, a realloc is a free and a new
 * block. frees are those by the thread, of any block. */
struct inmem_scope_counts {
  uint64_t allocations, allocated_bytes;
  uint64_t frees, freed_bytes;
  /* COUNT: allocations less frees, which may be negative. OBSERVE: those of the
   * scope's own blocks that are alive, whoever freed the others. */
  int64_t live, live_bytes;
  /* Highest bytes above those at the scope's start; -1: not known (COUNT knows
   * it for the sum of all types of the calling thread). */
  int64_t peak_bytes;
  /* OBSERVE: the scope's own blocks that were freed, by the calling thread if
   * the scope is its own, else by any, and their lives in ns; age_ns is that of
   * the oldest one still alive. */
  uint64_t lives, longest_ns, sum_ns, age_ns;
};

struct inmem_place {
  const char *function; /* linkage name; null: unknown */
  const char *file;     /* null: unknown */
  uint32_t line, column;
};

/** One site. Texts live as long as the program's code. */
struct inmem_scope_site {
  const char *type; /* canonical spelling; null: unknown */
  uint64_t type_id; /* the same for the same type everywhere; 0: unknown */
  uint64_t type_size;
  /* Where, innermost first: [0] is the allocation itself, the others are the
   * calls that were inlined around it. */
  const struct inmem_place *places;
  uint32_t place_count;
  const char *module;         /* file of the code; null: unknown */
  const void *return_address; /* code without instrumentation; else null */
  struct inmem_scope_counts counts; /* peak_bytes is -1 */
};

struct inmem_scope_type {
  const char *type;
  uint64_t type_id, type_size;
  struct inmem_scope_counts counts;
};

struct inmem_scope;

/** INMEM_SCOPE_OK if a scope opened now would be exact; else why not. */
INMEM_API int inmem_scope_possible(void);
/** 1 if lives are in ns, 0 if clock=events counts them in allocated bytes. */
INMEM_API int inmem_scope_lives_in_ns(void);
/** \returns a scope, or null where inmem_scope_possible says no. Scopes nest
 * in any order. To be given back with inmem_scope_free. */
INMEM_API struct inmem_scope *inmem_scope_begin(int kind, uintptr_t thread);
/** Of an observing scope: from now on blocks made by code without
 * instrumentation in the file that code lies in (a framework's library) do not
 * count. */
INMEM_API int inmem_scope_leave_out(struct inmem_scope *scope,
                                    const void *code);
/** From now on the scope counts nothing more. One of all threads, or of another
 * one, may be read and ended by several threads at once. */
INMEM_API int inmem_scope_end(struct inmem_scope *scope);
/** The totals so far. A scope of another thread or of all is read while they
 * run: exact for what happened before whatever orders it before the reading. */
INMEM_API int inmem_scope_read(struct inmem_scope *scope,
                               struct inmem_scope_counts *totals);
/** Calls back for each site (type) with events in the scope, in no order. The
 * callbacks may allocate, unseen. \returns an enum inmem_scope_status. */
INMEM_API int inmem_scope_sites(struct inmem_scope *scope,
                                void (*visit)(const struct inmem_scope_site *,
                                              void *),
                                void *data);
INMEM_API int inmem_scope_types(struct inmem_scope *scope,
                                void (*visit)(const struct inmem_scope_type *,
                                              void *),
                                void *data);
/** Ends and gives back. A scope of one thread that another one frees is given
 * up: its thread ends it with its next event. */
INMEM_API int inmem_scope_free(struct inmem_scope *scope);

/** Between the two the calling thread's allocations are nobody's: they reach
 * neither scopes nor the trace, nor do their frees. Nests. */
INMEM_API void inmem_ignore_begin(void);
INMEM_API void inmem_ignore_end(void);
/** The type of the calling thread's last allocation between the two; 0: the
 * compiler did not tell. */
INMEM_API uint64_t inmem_ignored_type(void);

/** What was about to happen when a budget was exceeded. */
struct inmem_excess {
  struct inmem_scope_site site; /* counts: of this one allocation */
  uint64_t size;                /* requested bytes */
  /* What is exceeded: "bytes", "blocks", or those of one type. */
  const char *what;
  const char *type;        /* null: of all types */
  uint64_t limit, reached; /* reached: with this allocation */
  /* 1: the callback may throw: the allocation is by an operator new that may,
   * and no noexcept function stands between it and a handler. The block is
   * gone and does not count. 0: return. */
  int may_throw;
  /* A few words where it is 0 because of C code below the handler, or of code
   * that may be C; else null. */
  const char *why_not_thrown;
};

#define INMEM_NO_LIMIT UINT64_MAX

struct inmem_type_limit {
  uint64_t type_id;
  const char *type; /* for messages */
  uint64_t bytes, blocks;
  uint64_t used_bytes, used_blocks;
};

/** A limit on what a thread, or all, allocate. The caller owns the memory,
 * which must stay where it is between begin and end. */
struct inmem_budget {
  uint64_t bytes, blocks;
  struct inmem_type_limit *types;
  uint32_t type_count;
  /* Called at the very allocation that goes over, each time, with the thread's
   * allocations ignored. */
  void (*act)(struct inmem_budget *, const struct inmem_excess *);
  void *data;
  /* Whether act throws when it may: then the allocation is undone first. */
  int throws;
  /* The rest is the runtime's. */
  uint64_t used_bytes, used_blocks;
  uint64_t excesses; /* how often act was called */
  struct inmem_budget *next;
  uintptr_t owner;
  uint32_t pid;
};

/** Sets what is used to 0 and starts. */
INMEM_API int inmem_budget_begin(struct inmem_budget *budget);
/** The same for what another thread (0, INMEM_ALL_THREADS: as for a scope)
 * allocates. Then act is called by whichever thread goes over, if need be by
 * several at once; may_throw is 1 only if the thread has a handler; any thread
 * may end it, and waits for callbacks that run. */
INMEM_API int inmem_budget_begin_for(struct inmem_budget *budget,
                                     uintptr_t thread);
INMEM_API int inmem_budget_end(struct inmem_budget *budget);

#ifdef __cplusplus
}
#endif
#endif
