//===- Process.h - This process, its environment and its children ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_RUNTIME_PROCESS_H
#define INMEM_RUNTIME_PROCESS_H

#include "platform/Compiler.h"

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// The program may forbid system calls from now on (Sandbox.cpp).
extern Relaxed<bool> MayBeSandboxed;
/// The process has called vfork: a process that ends may be a child that shares
/// its memory.
extern Relaxed<bool> HasVforked;

uint32_t processId();
uint32_t parentProcessId();
/// True while a process with this id exists.
bool processExists(uint32_t Pid);
/// Ends the process without running handlers.
[[noreturn]] void exitNow(int Status);

/// fork() without its handlers. The child's end raises no signal, and only
/// reapWriter() can wait for it. \returns 0 in the child, -errno on failure
int forkQuietly();
enum class ChildState { Runs, Done, Failed };
/// State of a child of forkQuietly(); reaps it once it has ended. \p Wait:
/// blocks until then.
ChildState reapWriter(int Pid, bool Wait);
/// Runs a program, found along PATH, to its end, with standard output in a new
/// file \p Output, or on descriptor 2 if that is null. \returns 0 or an errno
/// value
int runProgram(const char *const *Arguments, char *const *Environment,
               const char *Output);

/// Calls \p Use with the value, of any length, that an environment variable had
/// when the process started; works before libc sets up `environ`. The text is
/// valid during the call. \returns whether the variable is set
bool withEnvironmentVariable(const char *Name, void (*Use)(const char *Value));
/// Fills \p Buffer with unpredictable bytes; false if the kernel has none.
bool randomBytes(void *Buffer, size_t Size);
/// True for set-user-id and similar programs: their caller must not choose
/// where they write.
bool runsWithRaisedPrivileges();
/// Bytes of the process in memory, by /proc/self/statm; 0: unknown. Keeps
/// errno.
uint64_t residentBytes();
/// The highest value of residentBytes() so far; 0: unknown. Keeps errno.
uint64_t peakResidentBytes();
/// The program's file, or "".
void executablePath(char *Buffer, size_t Size);
/// The host's name, cut to \p Size - 1 bytes.
void hostName(char *Buffer, size_t Size);

/// Facts of the auxiliary vector: the program's entry point, the loader's base
/// (0 if none), and the end of the main thread's stack, with the first
/// arguments above it.
uintptr_t programEntry();
uintptr_t loaderBase();
uintptr_t mainStackEnd();

} // namespace inmem::rt

#endif
