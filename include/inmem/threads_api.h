// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* threads_api.h - watching what threads allocate over time, in plain C.
 *
 * inmem/threads.h is the C++ face of it. The functions are weak: where no
 * runtime is present their addresses are null (inmem_watch_new == 0).
 */
#ifndef INMEM_THREADS_API_H
#define INMEM_THREADS_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef INMEM_API
#define INMEM_API __attribute__((weak))
#endif

struct inmem_watch_options {
  uint64_t interval_ns; /* between two looks; 0: 500 ms; at least 1 ms */
  uint64_t threshold_bytes, threshold_blocks; /* 0: no events */
};

/** One thread, running or ended. Counts are the thread's own: freed is what it
 * freed, whoever had allocated it, and live is the difference. */
struct inmem_thread_info {
  uint64_t id; /* its number, from 1, in order of creation */
  uint32_t tid;
  int alive;
  char name[16];     /* the last one */
  const void *start; /* code that it began in; null: unknown */
  uint64_t allocations, allocated_bytes;
  uint64_t frees, freed_bytes, temporary;
  int64_t live, live_bytes;
  /* From the look before to the last one. */
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
  /* Multiples that this event stands for: 1, or where a single look finds more
   * than 64, the last event tells of the rest. */
  uint64_t times;
};

struct inmem_watch;

/** Called on the watcher's own thread, which holds no lock meanwhile and whose
 * allocations do not count. It may use the watcher, also stop and delete it,
 * and must return. */
typedef void (*inmem_watch_callback)(void *context,
                                     const struct inmem_thread_event *event,
                                     const struct inmem_thread_info *thread);

/** Without \p options: every 500 ms, no thresholds. \p release, if not null, is
 * called once with \p context after the last callback has returned. \returns
 * null without memory. */
INMEM_API struct inmem_watch *
inmem_watch_new(const struct inmem_watch_options *options,
                inmem_watch_callback callback, void *context,
                void (*release)(void *context));
/* All but inmem_watch_delete may be called for one watcher by several threads
 * at once; nothing may be called for it during or after that. */

/** Threads that exist already are watched, but not told of as created.
 * \returns 1 if it watches, 0 if the process records nothing, or no thread can
 * be started. */
INMEM_API int inmem_watch_start(struct inmem_watch *watch);
/** Looks once more, reports what it finds, then ends the watcher's thread. In a
 * callback: that happens when it has returned, unless inmem_watch_start follows
 * there. */
INMEM_API void inmem_watch_stop(struct inmem_watch *watch);
/** Stops it first. */
INMEM_API void inmem_watch_delete(struct inmem_watch *watch);
/** Counts of thread \p id begin anew, or of all with 0; ended threads are
 * forgotten. Crossings that were not reported yet are dropped with the counts.
 */
INMEM_API void inmem_watch_reset(struct inmem_watch *watch, uint64_t id);
/** Fills in threads as they are now, in order of creation, as far as there is
 * room. \returns how many there are. */
INMEM_API size_t inmem_watch_threads(struct inmem_watch *watch,
                                     struct inmem_thread_info *threads,
                                     size_t room);
/** A table of them, on a file descriptor. */
INMEM_API void inmem_watch_print(struct inmem_watch *watch, int descriptor);
/** A callback failed: says so on stderr, once for each type. */
INMEM_API void inmem_watch_failed(struct inmem_watch *watch, const char *type,
                                  const char *text);
/** The linkage name of the function around \p code, or `file+0x12`, cut to \p
 * room bytes with the final NUL. \returns its length, 0 if nothing is known. */
INMEM_API size_t inmem_code_name(const void *code, char *name, size_t room);

#ifdef __cplusplus
} // extern "C"
#endif
#endif
