// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* profile_api.h - where threads spend their time, in plain C.
 *
 * inmem/threads.h is the C++ face of it. The functions are weak: where no
 * runtime is present their addresses are null (inmem_profile_start == 0).
 * All are thread-safe.
 */
#ifndef INMEM_PROFILE_API_H
#define INMEM_PROFILE_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef INMEM_API
#define INMEM_API __attribute__((weak))
#endif

enum inmem_profile_clock {
  INMEM_PROFILE_WALL = 1, /* every thread each interval, running or not */
  INMEM_PROFILE_CPU = 2   /* each thread whenever it has run for so long */
};

struct inmem_profile_options {
  uint64_t interval_ns; /* 0: 200 ms, or 10 ms of CPU time */
  int clock;            /* 0: wall */
  unsigned depth;       /* frames of a stack at most; 0: 64 */
};

/** Samples of one thread with one stack in one state. */
struct inmem_profile_sample {
  uint64_t thread_id; /* as inmem_thread_info.id; 0: unknown */
  uint32_t tid;
  int blocked; /* it waited, in that system call (-1: in none) */
  int system_call;
  const char *target;        /* of the call: a file, a lock's place; or "" */
  const void *const *frames; /* innermost first, the last byte of each call */
  unsigned depth;            /* 0: the stack is not known */
  uint64_t count;            /* intervals */
};

/** Begins to take samples, of all threads. \p options may be null. \returns 1
 * if it does, or did already; 0 if the process records nothing, no signal is
 * free, or no thread can be started. */
INMEM_API int inmem_profile_start(const struct inmem_profile_options *options);
/** What was counted stays. */
INMEM_API void inmem_profile_stop(void);
/** Calls back for all that was counted so far, while sampling goes on; of
 * samples that were begun more than once those with the clock and the interval
 * of the last time. What it is passed stays valid. \returns the number of
 * calls. */
INMEM_API size_t inmem_profile_read(
    void (*visit)(const struct inmem_profile_sample *, void *), void *data);

#ifdef __cplusplus
}
#endif
#endif
