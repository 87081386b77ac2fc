// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* inmem.h - control recording from the program itself.
 *
 * Plain C, usable in a program that may or may not be instrumented: the
 * functions are weak, and calls to them do nothing where no runtime is present.
 * All are thread-safe and may be called at any time.
 */
#ifndef INMEM_INMEM_H
#define INMEM_INMEM_H

#include "detail/api.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Event counts, exact if every allocation is recorded.
 */
struct inmem_counters {
  uint64_t allocations;
  uint64_t allocated_bytes;
  uint64_t frees;
  uint64_t freed_bytes;
};

/** Start and stop recording. Blocks recorded before a stop are followed until
 * they are freed. */
INMEM_API void inmem_start(void);
INMEM_API void inmem_stop(void);
/** Drops everything counted so far from reports. */
INMEM_API void inmem_reset(void);
/** Brings the trace on disk up to date (a crash of the program never needs
 * this; a crash of the machine does). */
INMEM_API void inmem_flush(void);
/** Begins a phase of the run that reports can name. \p name is copied. */
INMEM_API void inmem_phase(const char *name);
/** Keeps the counts so far under a name that reports can select, without
 * starting a phase. \p name is copied. Without a name, inmem_snapshot() writes
 * a heap snapshot, every live block and what holds it, next to the trace
 * (`inmem heap`). */
INMEM_API void inmem_snapshot(const char *name);
/** \returns 1 while allocations are recorded (`inmem ctl` included), else 0. */
INMEM_API int inmem_recording(void);
/** Fills \p result with the counts of the calling thread's own events, or of
 * the whole process. Leaves it untouched if there is no runtime. */
INMEM_API void inmem_thread_counters(struct inmem_counters *result);
INMEM_API void inmem_process_counters(struct inmem_counters *result);

/* Macros of the same names: without a runtime, a call does nothing. Define
 * INMEM_NO_MACROS to leave them out. */
#ifndef INMEM_NO_MACROS
#define INMEM_IF_PRESENT(function, arguments)                                  \
  ((function) ? (function)arguments : (void)0)
#define inmem_start() INMEM_IF_PRESENT(inmem_start, ())
#define inmem_stop() INMEM_IF_PRESENT(inmem_stop, ())
#define inmem_reset() INMEM_IF_PRESENT(inmem_reset, ())
#define inmem_flush() INMEM_IF_PRESENT(inmem_flush, ())
#define inmem_phase(name) INMEM_IF_PRESENT(inmem_phase, (name))
/* Without an argument it is a null pointer. */
#ifdef __cplusplus
#define inmem_snapshot(...)                                                    \
  INMEM_IF_PRESENT(inmem_snapshot, (inmem_snapshot_name(__VA_ARGS__)))
#else
#define inmem_snapshot(name)                                                   \
  INMEM_IF_PRESENT(inmem_snapshot, (__extension__(const char *[1]){name}[0]))
#endif
#define inmem_recording() ((inmem_recording) ? (inmem_recording)() : 0)
#define inmem_thread_counters(result)                                          \
  INMEM_IF_PRESENT(inmem_thread_counters, (result))
#define inmem_process_counters(result)                                         \
  INMEM_IF_PRESENT(inmem_process_counters, (result))
/** Nonzero if a runtime is present. */
#define inmem_present() ((inmem_start) != 0)
#endif

#ifdef __cplusplus
}

inline const char *inmem_snapshot_name() { return nullptr; }
inline const char *inmem_snapshot_name(const char *name) { return name; }
#endif
#endif
