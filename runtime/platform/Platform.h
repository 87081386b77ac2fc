//===- Platform.h - Every call to the operating system --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime lives inside malloc: nothing here allocates from the heap, and
// all text goes through stack buffers and write(2). No call is a cancellation
// point: what would be one in the C library is made as a raw system call
// (tests/runtime/check_imports.cmake refuses the library's names).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_PLATFORM_H
#define INMEM_RUNTIME_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INMEM_THREAD_SANITIZER
#endif
#endif

#define INMEM_LIKELY(x) __builtin_expect(!!(x), 1)
#define INMEM_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INMEM_COLD __attribute__((noinline, cold))
/// A slow path called from a hot one: with clang the callee saves the
/// registers, so that the hot path spills none for its sake. (Before clang 17
/// it saved the register of the result too.)
#if defined(__clang__) && __clang_major__ >= 17 && defined(__x86_64__) &&      \
    !defined(INMEM_THREAD_SANITIZER)
#define INMEM_SLOW __attribute__((noinline, cold, preserve_most))
#define INMEM_ASIDE __attribute__((noinline, preserve_most))
#else
#define INMEM_SLOW __attribute__((noinline, cold))
#define INMEM_ASIDE __attribute__((noinline)) ///< the same, but not rare
#endif
#ifdef __clang__
/// `INMEM_TAIL return f(...)` to one of the same parameters is a jump: without,
/// it is a call if the compiler knows better what f returns.
#define INMEM_TAIL [[clang::musttail]]
/// A function whose calls are no jumps: a caller then has one way out, and can
/// save what it must after it has looked whether it must.
#define INMEM_CALLED __attribute__((not_tail_called))
#else
#define INMEM_TAIL
#define INMEM_CALLED
#endif
/// A function by which the program comes in, or that a hook jumps to: the last
/// one on the stack of these is where a walk begins (Unwind.h).
#define INMEM_IN_HOOKS __attribute__((section("inmem_hooks")))
#define INMEM_INLINE inline __attribute__((always_inline))
/// Neither likely nor unlikely: keeps the branch in place, favours "no".
#define INMEM_MAYBE(x) __builtin_expect_with_probability(!!(x), 0, 0.7)
/// For what hot paths read of another file: one instruction to reach.
#define INMEM_HIDDEN __attribute__((visibility("hidden")))
#define INMEM_EXPORT extern "C" __attribute__((visibility("default")))

namespace inmem::rt {

/// The least size of a page, and what the trace and tables are made in.
inline constexpr size_t kPage = 4096;
/// The size of this system's pages, a multiple of kPage.
#if defined(__x86_64__)
constexpr size_t pageSize() { return kPage; }
#else
size_t pageSize();
#endif
constexpr size_t roundUp(size_t N, size_t To) { return (N + To - 1) / To * To; }

/// Zeroed private pages; null if the system refuses; keeps errno, since a
/// program whose allocation succeeds goes on without. \p Bytes is rounded up to
/// pages. Pages cost nothing until touched (MAP_NORESERVE).
void *mapPages(size_t Bytes);
/// Address space without memory behind it, to be filled by mapFile; or null.
void *reserveAddresses(size_t Bytes);
void unmapPages(void *Start, size_t Bytes);
/// From now on, where pages are given back or moved away zeros can be read: for
/// a process of one thread that reads what it has once found to be mapped.
void keepAddressesReadable();
/// Makes a mapping of mapPages longer, and moves it if need be; null if the
/// system refuses: then it is as it was.
void *growPages(void *Start, size_t Bytes, size_t NewBytes);
/// Copies what lies at \p From in this process: the number of bytes that could
/// be read, or kNotPermitted where the kernel does not do that.
inline constexpr long kNotPermitted = -2;
long readOwnMemory(void *To, uintptr_t From, size_t Bytes);
/// As mapPages, but zero again in a child that was forked, however that was
/// done. Where the kernel cannot do that, they are copied as others are.
void *mapPagesWipedByFork(size_t Bytes);
/// Zeroes private pages by giving their memory back. \returns \p Bytes, or 0.
size_t dropPages(void *Start, size_t Bytes);
/// Faults pages of a mapping in for writing, as far as the kernel can do that
/// at once; raises no signal.
void populatePages(void *Start, size_t Bytes);
/// Bit 0 of \p Resident[i] says whether page i from \p Start has memory.
bool findResident(void *Start, size_t Bytes, unsigned char *Resident);
/// A full memory barrier on every thread of the process; false if the kernel
/// has none to offer.
bool fenceAllThreads();
/// Shares \p Bytes of \p Fd from \p Offset at the fixed address \p At.
bool mapFile(void *At, size_t Bytes, int Fd, uint64_t Offset);
/// Puts a private copy of \p Fd's first \p Bytes at the fixed address \p At,
/// in one step: what another thread stores there meanwhile goes into either.
bool mapPrivateCopy(void *At, size_t Bytes, int Fd);
/// Puts zeroed private pages at the fixed address \p At.
bool mapPagesAt(void *At, size_t Bytes);

/// Creates \p Path (mode 0600, never through a symbolic link, never an
/// existing file) on a high, close-on-exec descriptor, so that the program's
/// own descriptors keep their numbers. \returns -errno on failure.
int createFile(const char *Path);
/// The same, but a file in the folder of \p Path that has no name until
/// nameFile() gives it that; not every file system has such files.
int createUnnamedFile(const char *Path);
/// \returns 0 or an errno value: EEXIST if there is a file of that name, which
/// stays as it is.
int nameFile(int Fd, const char *Path);
/// Whether \p Path is a device, or a link that leads to one or to a pipe: no
/// place beside which anybody wants a file.
bool leadsToDevice(const char *Path);
/// Opens an existing regular file that this user owns; -errno on failure.
int openOwnFile(const char *Path, bool Writable);
/// Marks an open file as in use by this process, for as long as it is open
/// here: a POSIX record lock, which other PID namespaces see too, and which
/// forked children do not inherit. Where there are no locks, nothing happens.
void holdFile(int Fd);
/// Whether another process holds it.
bool isHeldByOther(int Fd);
/// Makes room on disk up to \p End. 0, or an errno value; raises no signal.
int growFile(int Fd, uint64_t From, uint64_t End);
/// The same by writing zeros.
int writeZeros(int Fd, uint64_t From, uint64_t End);
/// File access for a runtime that programs call with a cancellation pending:
/// the C library's functions of these names are cancellation points, and a
/// thread that ended here could hold the runtime's mutex. Results are the C
/// library's; reads and writes may be short or interrupted as there.
int openForReading(const char *Path);
void closeFile(int Fd);
long readAt(int Fd, void *To, size_t Bytes, uint64_t Offset);
long writeAt(int Fd, const void *From, size_t Bytes, uint64_t Offset);
/// Writes a shared mapping's pages to disk.
void syncPages(void *Start, size_t Bytes);
/// Sleeps for so long, or until a signal.
void sleepNs(uint64_t Ns);
/// Waits for a child to end; interrupted by no signal.
void waitForChild(int Pid);
/// By name; false if that fails.
bool renameFile(const char *From, const char *To);
bool removeFile(const char *Path);
/// All open files but one.
void closeOtherFiles(int Fd);
/// fork() without its handlers; the child's end is none that wait() sees, and
/// raises no signal. \returns 0 in the child, -errno on failure.
int forkQuietly();
/// Where such a child is. It is asked once for one that has ended: then it is
/// forgotten. \p Wait: until it has ended.
enum class ChildState { Runs, Done, Failed };
ChildState reapWriter(int Pid, bool Wait);
/// Calls \p Visit with each thread of the process.
void forEachTask(void (*Visit)(void *Context, uint32_t Tid), void *Context);
/// Of another thread of the process that waits in a system call; else 0.
uintptr_t stackPointerOf(uint32_t Tid);

/// Identity of an open file; false if \p Fd is not open.
bool fileIdentity(int Fd, uint64_t &Device, uint64_t &Inode);

/// Size of an open file; false if \p Fd is not open.
bool fileSize(int Fd, uint64_t &Bytes);
/// From now on \p Mend is called, in a signal handler, where a page of a mapped
/// file cannot be had (SIGBUS); if it returns true, the access is tried again.
/// All else is as without us: the signal ends the process. Does nothing where
/// the program handles or ignores that signal itself; once it sets a handler of
/// its own, that has taken our place.
void mendLostPages(bool (*Mend)(const void *Address));

/// Whether the 8 bytes at \p Address, a multiple of 8, can be read. A system
/// call; keeps errno.
bool isReadable(const void *Address);

struct AddressRange {
  uintptr_t Start = 0, End = 0;
  bool contains(uintptr_t Address) const {
    return Address - Start < End - Start;
  }
};
/// The calling thread's stack for signal handlers; empty without one, or where
/// the kernel does not say.
AddressRange alternateStack();
/// Where the main thread's stack ends.
uintptr_t mainStackEnd();

uint64_t realtimeNs();
uint64_t monotonicNs();
uint32_t threadId();
uint32_t processId();
uint32_t parentProcessId();
/// Ends the process without running handlers.
[[noreturn]] void exitNow(int Status);
/// Calls \p Function with \p Context on a stack of \p Bytes of its own, with no
/// signal coming meanwhile; false if there is no memory for it. For what needs
/// more than may be left where the program happens to be: in a signal handler,
/// on a coroutine's stack.
bool runOnOwnStack(size_t Bytes, void (*Function)(void *), void *Context);
/// True while a process of this id exists.
bool processExists(uint32_t Pid);
bool threadExists(uint32_t Pid, uint32_t Tid);
/// Reads at most \p Size - 1 bytes of a file and terminates them with NUL.
/// \returns the number of bytes, 0 on failure.
size_t readSmallFile(const char *Path, char *Buffer, size_t Size);
/// Bytes that the process may still take before the kernel would have to kill
/// something, in its control groups (memory.max) and in all. Needs some KiB of
/// stack.
uint64_t memoryLeft();
/// Calls \p Use with the value of a variable of the environment that the
/// process was started with, however long; works before libc has set up
/// `environ`. The text is valid during the call. \returns whether there is such
/// a variable.
bool withEnvironmentVariable(const char *Name, void (*Use)(const char *Value));
/// Fills \p Buffer with what nobody can guess; false if the kernel has none.
bool randomBytes(void *Buffer, size_t Size);
/// True for set-user-id and similar programs, which must not be told where to
/// write by their caller.
bool runsWithRaisedPrivileges();
/// Address that identifies the thread; its static TLS lies at fixed distances.
INMEM_INLINE char *threadPointer() {
  return static_cast<char *>(__builtin_thread_pointer());
}

/// The lowest address of the calling function's frame, or a little above.
INMEM_INLINE uintptr_t stackPointer() {
  uintptr_t Result;
#if defined(__x86_64__)
  __asm__ volatile("movq %%rsp, %0" : "=r"(Result));
#elif defined(__aarch64__)
  __asm__ volatile("mov %0, sp" : "=r"(Result));
#endif
  return Result;
}

/// A word that other threads may read or set at any time, in no order with
/// anything else. Valid when zero; costs what a plain one costs.
template <class Word> class Relaxed {
public:
  INMEM_INLINE operator Word() const {
    Word Result;
    __atomic_load(&Value, &Result, __ATOMIC_RELAXED);
    return Result;
  }
  INMEM_INLINE Word operator=(Word New) {
    __atomic_store(&Value, &New, __ATOMIC_RELAXED);
    return New;
  }

private:
  Word Value;
};

/// A line for descriptor 2: "inmem: " and what is appended, written in one
/// piece by emit(); longer lines are cut. What text() is given must last until
/// then: who has something to say, and says nothing, should need little stack.
/// At most kPieces pieces, kNumbers of them numbers.
class Message {
public:
  Message() { text("inmem: "); }
  Message &text(const char *S);
  Message &number(uint64_t N);
  void emit();

private:
  static constexpr unsigned kPieces = 12, kNumbers = 4;
  const char *Pieces[kPieces];
  char Digits[kNumbers][21];
  unsigned PieceCount = 0, NumberCount = 0;
};

/// Short critical sections of the slow paths. Valid when zero; not recursive:
/// callers hold the thread's guard, so a nested event never gets here, and a
/// fork in a signal handler knows that a lock may be held. With
/// INMEM_CHECK_LOCKS that is checked. Keeps errno.
///
/// A thread that finds a lock held by itself left the holder by a jump out of a
/// signal handler, and takes it over. So what a section writes must be in order
/// after each store, or mended by whoever holds the lock next.
class Lock {
public:
  void acquire();
  void release();
  void reset() { Holder = 0; }
  /// Whether the calling thread holds it, or held it in a frame that is gone.
  bool isOwn() const;
  /// Releases it if so.
  void releaseOwn() {
    if (isOwn())
      release();
  }

private:
  /// The holder's thread pointer, and 1 if somebody sleeps; 0: free.
  uint64_t Holder = 0;
};

/// Keeps stores in order, as a signal handler on the same thread sees them.
INMEM_INLINE void orderStores() { __asm__ volatile("" ::: "memory"); }

class Locked {
public:
  explicit Locked(Lock &L) : L(L) { L.acquire(); }
  ~Locked() { L.release(); }
  Locked(const Locked &) = delete;
  Locked &operator=(const Locked &) = delete;

private:
  Lock &L;
};

/// No signal comes meanwhile but those that the thread itself causes. For what
/// is rare and could not be left by a jump at any store.
class SignalsBlocked {
public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  uint64_t Before = 0;
};

} // namespace inmem::rt

#endif
