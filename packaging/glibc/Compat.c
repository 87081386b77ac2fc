// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compat.c - functions that newer glibcs added, for programs that are linked
// with stubs.py's libraries to run with an older one.
//
// An archive: each function is linked if something calls it and the stub of
// libc lacks it. The functions are hidden, so that no other library of the
// process binds to them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define HIDDEN __attribute__((visibility("hidden")))

// 2.33 turned the stat family into functions. Before, they were inline, and
// passed _STAT_VER:
#ifdef __x86_64__
enum { kStatVersion = 1 };
#else
enum { kStatVersion = 0 };
#endif
#ifdef INMEM_COMPAT_STAT
int __xstat(int, const char *, struct stat *);
int __fxstat(int, int, struct stat *);
int __lxstat(int, const char *, struct stat *);
int __fxstatat(int, int, const char *, struct stat *, int);
HIDDEN int stat(const char *Path, struct stat *Out) {
  return __xstat(kStatVersion, Path, Out);
}
HIDDEN int fstat(int File, struct stat *Out) {
  return __fxstat(kStatVersion, File, Out);
}
HIDDEN int lstat(const char *Path, struct stat *Out) {
  return __lxstat(kStatVersion, Path, Out);
}
HIDDEN int fstatat(int Folder, const char *Path, struct stat *Out, int Flags) {
  return __fxstatat(kStatVersion, Folder, Path, Out, Flags);
}
// struct stat64 is the same if long has 64 bits.
HIDDEN int stat64(const char *Path, struct stat64 *Out) {
  return stat(Path, (struct stat *)Out);
}
HIDDEN int fstat64(int File, struct stat64 *Out) {
  return fstat(File, (struct stat *)Out);
}
HIDDEN int lstat64(const char *Path, struct stat64 *Out) {
  return lstat(Path, (struct stat *)Out);
}
HIDDEN int fstatat64(int Folder, const char *Path, struct stat64 *Out,
                     int Flags) {
  return fstatat(Folder, Path, (struct stat *)Out, Flags);
}
#endif

#ifdef INMEM_COMPAT_THREADS // 2.32
// "There may be other threads" is always a correct answer.
HIDDEN char __libc_single_threaded = 0;
#endif

#ifdef INMEM_COMPAT_RANDOM // 2.36
HIDDEN uint32_t arc4random(void) {
  uint32_t Out = 0;
  while (syscall(SYS_getrandom, &Out, sizeof Out, 0) != sizeof Out &&
         errno == EINTR)
    ;
  return Out;
}
#endif

#ifdef INMEM_COMPAT_CLOCKWAIT // 2.30
// Converts a time of another clock to the clock that the older call supports.
static struct timespec onRealtime(clockid_t Clock,
                                  const struct timespec *Until) {
  struct timespec Now, Real, Out = *Until;
  if (Clock == CLOCK_REALTIME)
    return Out;
  clock_gettime(Clock, &Now);
  clock_gettime(CLOCK_REALTIME, &Real);
  Out.tv_sec += Real.tv_sec - Now.tv_sec;
  Out.tv_nsec += Real.tv_nsec - Now.tv_nsec;
  if (Out.tv_nsec < 0) {
    Out.tv_nsec += 1000000000;
    --Out.tv_sec;
  } else if (Out.tv_nsec >= 1000000000) {
    Out.tv_nsec -= 1000000000;
    ++Out.tv_sec;
  }
  return Out;
}
HIDDEN int pthread_cond_clockwait(pthread_cond_t *Condition,
                                  pthread_mutex_t *Mutex, clockid_t Clock,
                                  const struct timespec *Until) {
  const struct timespec Real = onRealtime(Clock, Until);
  return pthread_cond_timedwait(Condition, Mutex, &Real);
}
HIDDEN int sem_clockwait(sem_t *Semaphore, clockid_t Clock,
                         const struct timespec *Until) {
  const struct timespec Real = onRealtime(Clock, Until);
  return sem_timedwait(Semaphore, &Real);
}
#endif

#ifdef INMEM_COMPAT_UNWIND // 2.35
// libgcc's unwinder uses it to find the tables of the code at an address.
struct Wanted {
  uintptr_t Address;
  struct dl_find_object *Out;
};
static int look(struct dl_phdr_info *Module, size_t Size, void *Data) {
  struct Wanted *W = Data;
  uintptr_t First = UINTPTR_MAX, Last = 0;
  void *Tables = 0;
  int Found = 0;
  (void)Size;
  for (int I = 0; I < Module->dlpi_phnum; ++I) {
    const ElfW(Phdr) *P = &Module->dlpi_phdr[I];
    const uintptr_t Start = Module->dlpi_addr + P->p_vaddr;
    if (P->p_type == PT_GNU_EH_FRAME)
      Tables = (void *)Start;
    if (P->p_type != PT_LOAD)
      continue;
    Found |= W->Address >= Start && W->Address < Start + P->p_memsz;
    First = Start < First ? Start : First;
    Last = Start + P->p_memsz > Last ? Start + P->p_memsz : Last;
  }
  if (!Found)
    return 0;
  memset(W->Out, 0, sizeof *W->Out);
  W->Out->dlfo_map_start = (void *)First;
  W->Out->dlfo_map_end = (void *)Last;
  W->Out->dlfo_eh_frame = Tables;
  return Tables ? 1 : -1;
}
HIDDEN int _dl_find_object(void *Address, struct dl_find_object *Out) {
  struct Wanted W = {(uintptr_t)Address, Out};
  return dl_iterate_phdr(look, &W) == 1 ? 0 : -1;
}
#endif

#ifdef INMEM_COMPAT_START // 2.34
// Older programs contain the code that runs their constructors, and pass it to
// libc; the loader runs destructors. Today's crt1.o lacks that code. Linked
// with --wrap=__libc_start_main.
typedef void Function(int, char **, char **);
extern Function *__preinit_array_start[] HIDDEN, *__preinit_array_end[] HIDDEN;
extern Function *__init_array_start[] HIDDEN, *__init_array_end[] HIDDEN;
int __real___libc_start_main(int (*)(int, char **, char **), int, char **,
                             void (*)(int, char **, char **), void (*)(void),
                             void (*)(void), void *);
static void construct(int Count, char **Arguments, char **Environment) {
  for (Function **F = __preinit_array_start; F != __preinit_array_end; ++F)
    (*F)(Count, Arguments, Environment);
  for (Function **F = __init_array_start; F != __init_array_end; ++F)
    (*F)(Count, Arguments, Environment);
}
HIDDEN int __wrap___libc_start_main(int (*Main)(int, char **, char **),
                                    int Count, char **Arguments,
                                    void (*Construct)(int, char **, char **),
                                    void (*Destroy)(void), void (*Loader)(void),
                                    void *Stack) {
  (void)Construct;
  (void)Destroy;
  return __real___libc_start_main(Main, Count, Arguments, construct, 0, Loader,
                                  Stack);
}
#endif
