//===- Unwind.h - From a hook to its callers ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the calling thread's stack by the tables that compilers write for
// exceptions (.eh_frame, DWARF 5 section 6.4), which nearly all code has:
// through libraries without frame pointers, signal handlers and alternate
// stacks. On AArch64 only walkFrom(). What the tables say of an address is
// worked out once a thread and kept in a small table, so that a step is a
// look-up and two loads. Code without tables is crossed by its frame pointer,
// if it has one.
//
// Memory is read only where it is known to be readable: a wrong table ends the
// walk, it does not crash the program. Nothing here allocates or locks, but
// the first look at an address asks the loader (Modules.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_UNWIND_H
#define INMEM_RUNTIME_UNWIND_H

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

#if defined(__x86_64__)
inline constexpr bool kCanUnwind = true;
#else
inline constexpr bool kCanUnwind = false;
#endif

/// The most frames that stacks= may ask for.
inline constexpr unsigned kMaxDepth = 128;

/// How to leave the frame of one code address.
struct UnwindRow {
  enum Step : uint8_t {
    Unknown,  ///< no table: try the frame pointer
    Normal,   ///< the caller's stack pointer is that or the frame pointer + Cfa
    Deref,    ///< it lies in memory at the frame pointer + Cfa
    Signal,   ///< the kernel's frame around a signal handler
    Outermost ///< start-up code: the walk ends before it
  };
  uintptr_t Address; ///< 0: the row is free
  int32_t Cfa;       ///< bytes
#if defined(__x86_64__)
  int16_t SavedFp; ///< bytes from the caller's stack pointer; 0: not saved
#else
  // A frame's record may lie below all else in it.
  int32_t SavedFp, SavedReturn; ///< the same; SavedReturn 0: in its register
#endif
  Step Kind;
  bool FromFp; ///< Normal: Cfa counts from the frame pointer
};
#if defined(__x86_64__)
static_assert(sizeof(UnwindRow) == 16);
#endif

/// One frame: the last byte of the call, or the instruction that a signal
/// interrupted.
using CodeAddress = uintptr_t;

struct Walk {
  CodeAddress Frames[kMaxDepth]; ///< innermost first
  unsigned Count;
  uint64_t Hash;    ///< of the frames, Cut and Lost
  CodeAddress Hook; ///< the runtime's function that the first frame called
  CodeAddress End;  ///< where it ended, if neither Cut nor Lost
  bool Cut;         ///< there are frames beyond Depth
  bool Lost;        ///< the way to the next frame is not known
};

/// What a thread keeps for its walks. Valid when zero.
struct Unwinder {
  static constexpr unsigned kRows = 1024;
  UnwindRow Rows[kRows];
  /// Readable without asking; the thread's own stack, as far as it was used.
  uintptr_t Low, High;
  uintptr_t Page; ///< of another stack, known to be readable in this walk
  uint32_t Generation;
};

/// Fills \p Out with up to \p Depth frames that lead to the hook in which the
/// calling thread is; none if it is in none. With the guard and no lock.
void walkStack(Unwinder &U, Walk &Out, unsigned Depth);

/// Where a thread was interrupted.
struct Registers {
  uintptr_t Pc, Sp, Fp;
  uintptr_t Link; ///< AArch64: x30
};
/// The same from there. In a signal handler of the thread that was interrupted;
/// \p U is for such walks alone. Neither guard nor lock; may change errno.
void walkFrom(Unwinder &U, const Registers &At, Walk &Out, unsigned Depth);

/// How the calling code came from the innermost operator that the program
/// replaced (Operators.h).
enum class OperatorWay {
  Direct,
  Handler, ///< through a signal handler
  None,    ///< there is none on this stack: it was left by a jump
  Unknown  ///< the stack does not tell
};
OperatorWay wayFromOperator(Unwinder &U);

/// Where the function around \p Address begins; 0: not known.
uintptr_t functionStart(CodeAddress Address);
/// The function that the call which ends at \p Address goes to, if the
/// instruction names it; 0: not known.
uintptr_t calledFunction(CodeAddress Address);
/// Whether \p Address lies in a function by which the program comes in.
bool isHook(CodeAddress Address);
/// The kernel's frame around a signal handler?
bool isSignalFrame(CodeAddress Address);
/// The first frame of main's callers, seen at the end of a whole stack: walks
/// end before it from now on. 0: not yet known. With the mutex.
void setStartUp(CodeAddress Address);
/// Whether \p Address lies in the program's first function.
bool isEntryFunction(CodeAddress Address);

/// Code was unloaded: other code may come to lie there.
void forgetCode();
/// Grows with forgetCode().
uint32_t codeGeneration();

} // namespace inmem::rt

#endif
