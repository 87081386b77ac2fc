//===- Tasks.h - Threads as the kernel knows them -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_TASKS_H
#define INMEM_RUNTIME_TASKS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// The calling thread's id.
uint32_t threadId();
/// The thread pointer of the thread \p Id. glibc keeps a thread's data at a
/// fixed distance from it: after it on x86-64, before it on AArch64.
uintptr_t threadPointerOf(pthread_t Id);
bool threadExists(uint32_t Pid, uint32_t Tid);
/// Lets the scheduler run another thread.
void yieldProcessor();

/// The kernel's limit, including the NUL.
inline constexpr size_t kThreadNameBytes = 16;
/// Reads the calling thread's name, by a system call that bypasses our hook on
/// prctl().
void readThreadName(char (&Name)[kThreadNameBytes]);
void setThreadName(const char *Name);
/// Reads the file \p Name of a thread's folder in /proc, as readSmallFile().
size_t readTaskFile(uint32_t Tid, const char *Name, char *Buffer, size_t Size);
/// Reads the name of another thread of the process; false if it has ended.
bool readThreadName(uint32_t Tid, char (&Name)[kThreadNameBytes]);

/// prctl() as a system call.
int systemPrctl(int Option, unsigned long A, unsigned long B, unsigned long C,
                unsigned long D);

/// True if unshare() with these flags requires a process with one thread.
bool unsharesThreads(int Flags);

using CreateFunction = int(pthread_t *, const pthread_attr_t *,
                           void *(*)(void *), void *);
/// Starts later threads through \p Create: a sanitizer's own function, which
/// must see each thread that runs the program's code.
void useToCreateThreads(CreateFunction *Create);

/// Starts a detached thread with signals blocked. (A joinable one would need
/// pthread_join, a cancellation point.) \p StackBytes 0: the default.
bool startThread(size_t StackBytes, void *(*Run)(void *), void *Argument,
                 pthread_t &Id);

/// Calls \p Visit with each thread of the process. Keeps errno.
void forEachTask(void (*Visit)(void *Context, uint32_t Tid), void *Context);
/// Number of threads in the process; 0 if /proc does not show it.
uint32_t countTasks();
/// As countTasks(), without a main thread that has ended, which the kernel
/// lists while others run.
uint32_t countRunningTasks();
/// Stack pointer of another thread that waits in a system call; else 0.
uintptr_t stackPointerOf(uint32_t Tid);

/// True if the first argument of a system call is a file descriptor.
bool takesDescriptor(int32_t Call);
bool isFutexCall(int32_t Call);
bool isSleepCall(int32_t Call);

} // namespace inmem::rt

#endif
