// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* threads_api.h - watching what threads allocate over time, in plain C.
 *
 * inmem/threads.h is the C++ face of it. The functions are weak: where no
 * runtime is present their addresses are null (inmem_watch_new == 0).
 */
#ifndef INMEM_THREADS_API_H
#define INMEM_THREADS_API_H

#include "detail/api.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct inmem_watch_options {
  uint64_t interval_ns; /* between two samples; 0: 500 ms; at least 1 ms */
  uint64_t threshold_bytes, threshold_blocks; /* 0: no events */
};

/** One thread, running or ended. Counts are per thread: freed counts every
 * block that it freed, regardless of which thread allocated it; live is the
 * difference. */
struct inmem_thread_info {
  uint64_t id; /* number from 1, in order of creation */
  uint32_t tid;
  int alive;
  char name[16];     /* the most recent name */
  const void *start; /* start routine; null: unknown */
  uint64_t allocations, allocated_bytes;
  uint64_t frees, freed_bytes, temporary;
  int64_t live, live_bytes;
  /* Between the last two samples. */
  uint64_t allocations_per_second, bytes_per_second;
  uint64_t created_ns, died_ns; /* since recording began; died_ns 0: alive */
};

enum inmem_thread_event_kind {
  INMEM_THREAD_CREATED = 1,
  INMEM_THREAD_DIED = 2,
  INMEM_THREAD_BYTES = 3, /* crossed a multiple of threshold_bytes */
  INMEM_THREAD_BLOCKS = 4 /* crossed a multiple of threshold_blocks */
};

struct inmem_thread_event {
  int kind;
  uint64_t amount; /* the multiple that was crossed, in bytes or blocks */
  /* Multiples that this event represents: 1, except that if one sample finds
   * more than 64, the last event represents the rest. */
  uint64_t times;
};

struct inmem_watch;

/** Called on the watcher's own thread, without a lock held; its allocations are
 * not counted. It may use, stop and delete the watcher, and must return. */
typedef void (*inmem_watch_callback)(void *context,
                                     const struct inmem_thread_event *event,
                                     const struct inmem_thread_info *thread);

/** Null \p options: every 500 ms, no thresholds. \p release, if not null, is
 * called once with \p context after the last callback has returned. \returns
 * null if out of memory. */
INMEM_API struct inmem_watch *
inmem_watch_new(const struct inmem_watch_options *options,
                inmem_watch_callback callback, void *context,
                void (*release)(void *context));
/* Thread-safe for one watcher, except inmem_watch_delete: nothing may be called
 * for the watcher during or after it. */

/** Existing threads are watched, but not reported as created. \returns 1 on
 * success, 0 if the process records nothing or no thread can be started. */
INMEM_API int inmem_watch_start(struct inmem_watch *watch);
/** Samples once more, reports the events, then ends the watcher's thread. In a
 * callback, this takes effect when the callback returns, unless it calls
 * inmem_watch_start afterwards. */
INMEM_API void inmem_watch_stop(struct inmem_watch *watch);
/** Stops the watcher if it runs, then frees it. */
INMEM_API void inmem_watch_delete(struct inmem_watch *watch);
/** Resets the counts of thread \p id, or of all with 0; ended threads are
 * forgotten. Threshold crossings not reported yet are dropped.
 */
INMEM_API void inmem_watch_reset(struct inmem_watch *watch, uint64_t id);
/** Fills in the current threads in order of creation, up to the given room.
 * \returns the number of threads. */
INMEM_API size_t inmem_watch_threads(struct inmem_watch *watch,
                                     struct inmem_thread_info *threads,
                                     size_t room);
/** Writes a table of the threads to a file descriptor. */
INMEM_API void inmem_watch_print(struct inmem_watch *watch, int descriptor);
/** Reports a failed callback on stderr, once for each exception type. */
INMEM_API void inmem_watch_failed(struct inmem_watch *watch, const char *type,
                                  const char *text);
/** The linkage name of the function around \p code, or `file+0x12`, cut to \p
 * room bytes with the final NUL. \returns its length, 0 if nothing is known. */
INMEM_API size_t inmem_code_name(const void *code, char *name, size_t room);

#ifdef __cplusplus
} // extern "C"
#endif
#endif
