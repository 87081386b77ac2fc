// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// glibc-support.h - what glibc's malloc tests include of glibc's own, as far as
// they use it; and each allocation that they ask for is of class PLACE_CLASS.
#ifndef INMEM_GLIBC_SUPPORT_H
#define INMEM_GLIBC_SUPPORT_H

#include "inmem/place.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define DIAG_PUSH_NEEDS_COMMENT _Static_assert(1, "")
#define DIAG_POP_NEEDS_COMMENT _Static_assert(1, "")
#define DIAG_IGNORE_NEEDS_COMMENT(version, option) _Static_assert(1, "")

#define array_length(a) (sizeof(a) / sizeof *(a))
#define MALLOC_ALIGNMENT 16
#define MALLOC_ALIGN_MASK (MALLOC_ALIGNMENT - 1)
#define DEFAULT_TIMEOUT 20

static int glibc_failures;
#define FAIL_AT(...)                                                           \
  (fprintf(stderr, "%s:%d: ", __FILE__, __LINE__),                             \
   fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), ++glibc_failures)
#define FAIL_EXIT1(...) (FAIL_AT(__VA_ARGS__), exit(1))
#define TEST_VERIFY(what) ((what) ? 0 : FAIL_AT("not true: %s", #what))
#define TEST_VERIFY_EXIT(what)                                                 \
  ((what) ? (void)0 : FAIL_EXIT1("not true: %s", #what))
#define TEST_COMPARE(a, b)                                                     \
  do {                                                                         \
    const long long glibc_a = (long long)(a), glibc_b = (long long)(b);        \
    if (glibc_a != glibc_b)                                                    \
      FAIL_AT("%s is %lld, %s is %lld", #a, glibc_a, #b, glibc_b);             \
  } while (0)

/// The call must return 0.
#define XCALL(call)                                                            \
  do {                                                                         \
    const int glibc_error = (call);                                            \
    if (glibc_error)                                                           \
      FAIL_EXIT1("%s: %s", #call, strerror(glibc_error));                      \
  } while (0)
#define xpthread_barrier_init(...) XCALL(pthread_barrier_init(__VA_ARGS__))
#define xpthread_barrier_destroy(b) XCALL(pthread_barrier_destroy(b))
#define xpthread_barrierattr_init(a) XCALL(pthread_barrierattr_init(a))
#define xpthread_barrierattr_destroy(a) XCALL(pthread_barrierattr_destroy(a))
#define xpthread_barrierattr_setpshared(...)                                   \
  XCALL(pthread_barrierattr_setpshared(__VA_ARGS__))
#define xpthread_kill(...) XCALL(pthread_kill(__VA_ARGS__))

static inline int xpthread_barrier_wait(pthread_barrier_t *b) {
  return pthread_barrier_wait(b) != 0;
}
static inline pthread_t xpthread_create(pthread_attr_t *attributes,
                                        void *(*routine)(void *), void *of) {
  pthread_t thread;
  XCALL(pthread_create(&thread, attributes, routine, of));
  return thread;
}
static inline void *xpthread_join(pthread_t thread) {
  void *result;
  XCALL(pthread_join(thread, &result));
  return result;
}
static inline pid_t xfork(void) {
  const pid_t child = fork();
  if (child < 0)
    FAIL_EXIT1("fork: %s", strerror(errno));
  return child;
}
static inline void xsignal(int number, void (*handler)(int)) {
  if (signal(number, handler) == SIG_ERR)
    FAIL_EXIT1("signal: %s", strerror(errno));
}
static inline int xopen(const char *path, int flags, mode_t mode) {
  const int file = open(path, flags, mode);
  if (file < 0)
    FAIL_EXIT1("%s: %s", path, strerror(errno));
  return file;
}
static inline void *xmmap(void *at, size_t bytes, int protection, int flags,
                          int file) {
  void *start = mmap(at, bytes, protection, flags, file, 0);
  if (start == MAP_FAILED)
    FAIL_EXIT1("mmap: %s", strerror(errno));
  return start;
}
static inline void *support_shared_allocate(size_t bytes) {
  return xmmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
               -1);
}
static inline void support_shared_free(void *start) { (void)start; }
static inline int create_temp_file(const char *base, char **name) {
  char path[] = "/tmp/inmem-glibc-XXXXXX";
  const int file = mkstemp(path);
  (void)base;
  if (file >= 0 && name)
    *name = strdup(path);
  if (file >= 0 && !name)
    unlink(path);
  return file;
}
static inline void write_message(const char *text) {
  if (write(STDOUT_FILENO, text, strlen(text)) < 0)
    abort();
}

// From here on blocks are placed.
#define malloc(n) __inmem_place_malloc(n, PLACE_CLASS)
#define calloc(n, m) __inmem_place_calloc(n, m, PLACE_CLASS)
#define realloc(p, n) __inmem_place_realloc(p, n, PLACE_CLASS)
#define aligned_alloc(a, n) __inmem_place_aligned_alloc(a, n, PLACE_CLASS)
#define reallocarray(p, n, m)                                                  \
  (__inmem_place_expect(PLACE_CLASS), reallocarray(p, n, m))
#define memalign(a, n) (__inmem_place_expect(PLACE_CLASS), memalign(a, n))
#define valloc(n) (__inmem_place_expect(PLACE_CLASS), valloc(n))
#define pvalloc(n) (__inmem_place_expect(PLACE_CLASS), pvalloc(n))
#define posix_memalign(p, a, n)                                                \
  (__inmem_place_expect(PLACE_CLASS), posix_memalign(p, a, n))

static inline void *xmalloc(size_t bytes) {
  void *block = malloc(bytes);
  if (!block)
    FAIL_EXIT1("no memory");
  return block;
}
static inline void *xcalloc(size_t count, size_t bytes) {
  void *block = calloc(count, bytes);
  if (!block)
    FAIL_EXIT1("no memory");
  return block;
}

#endif
