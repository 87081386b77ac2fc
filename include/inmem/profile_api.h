// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* profile_api.h - where threads spend their time, in plain C.
 *
 * inmem/threads.h is the C++ face of it. The functions are weak: where no
 * runtime is present their addresses are null (inmem_profile_start == 0).
 * All are thread-safe.
 */
#ifndef INMEM_PROFILE_API_H
#define INMEM_PROFILE_API_H

#include "detail/api.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum inmem_profile_clock {
  INMEM_PROFILE_WALL = 1, /* every thread each interval, running or not */
  INMEM_PROFILE_CPU = 2   /* each thread per interval of its CPU time */
};

struct inmem_profile_options {
  uint64_t interval_ns; /* 0: 200 ms, or 10 ms of CPU time */
  int clock;            /* 0: wall */
  unsigned depth;       /* maximum frames of a stack; 0: 64 */
};

/** Samples of one thread with one stack in one state. */
struct inmem_profile_sample {
  uint64_t thread_id; /* as inmem_thread_info.id; 0: unknown */
  uint32_t tid;
  int blocked; /* system call that it waited in (-1: none) */
  int system_call;
  /* Target of the wait: a file, the place of a lock; or "". */
  const char *target;
  /* Innermost first; the last byte of each call instruction. */
  const void *const *frames;
  unsigned depth; /* 0: the stack is unknown */
  uint64_t count; /* intervals */
};

/** Starts sampling all threads. \p options may be null. \returns 1 if sampling
 * runs (also if it did before); 0 if the process records nothing, no signal is
 * free, or no thread can be started. */
INMEM_API int inmem_profile_start(const struct inmem_profile_options *options);
/** Stops sampling; the samples are kept. */
INMEM_API void inmem_profile_stop(void);
/** Calls back for each sample so far; sampling continues. If sampling was
 * started several times, only samples with the last clock and interval are
 * passed. Pointers passed to the callback remain valid. \returns the number of
 * calls. */
INMEM_API size_t inmem_profile_read(
    void (*visit)(const struct inmem_profile_sample *, void *), void *data);

#ifdef __cplusplus
}
#endif
#endif
