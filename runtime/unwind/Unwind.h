//===- Unwind.h - From a hook to its callers ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the calling thread's stack by the tables that compilers write for
// exceptions (.eh_frame, DWARF 5 section 6.4), which nearly all code has:
// through libraries without frame pointers, signal handlers and alternate
// stacks. The rule for an address is computed once per thread and kept in a
// small table, so that a step is a look-up and two loads. Code without tables
// is crossed by its frame pointer, if it has one.
//
// Memory is read only if it is known to be readable, so that a wrong table ends
// the walk instead of crashing the program. Nothing here allocates or locks,
// except that the first look-up of an address queries the loader (Modules.h).
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_RUNTIME_UNWIND_H
#define INMEM_RUNTIME_UNWIND_H

#include "platform/Compiler.h"

#include <stddef.h>
#include <stdint.h>

namespace inmem::rt {

/// The most frames that stacks= accepts.
inline constexpr unsigned kMaxDepth = 128;

/// Rule for unwinding from one code address.
struct UnwindRow {
  enum Step : uint8_t {
    Unknown,  ///< no table: try the frame pointer
    Normal,   ///< caller's SP is the stack or frame pointer + Cfa
    Deref,    ///< caller's SP is stored at the frame pointer + Cfa
    Signal,   ///< the kernel's signal-handler frame
    Outermost ///< start-up code, which ends the walk
  };
  uintptr_t Address; ///< 0: the row is free
  int32_t Cfa;       ///< bytes
#if defined(__x86_64__)
  int16_t SavedFp; ///< offset from the caller's SP; 0: not saved
#else
  // A frame's record may be below everything else in the frame.
  int32_t SavedFp,
      SavedReturn; ///< offsets as above; SavedReturn 0: in its register
#endif
  Step Kind;
  bool FromFp; ///< Normal: Cfa is relative to the frame pointer
};
#if defined(__x86_64__)
static_assert(sizeof(UnwindRow) == 16);
#endif

/// One frame: the last byte of the call, or the interrupted instruction.
using CodeAddress = uintptr_t;

struct StackWalk {
  CodeAddress Frames[kMaxDepth]; ///< innermost first
  unsigned Count;
  uint64_t Hash;    ///< hash of the frames, Cut and Lost
  CodeAddress Hook; ///< the runtime function called by the first frame
  CodeAddress End;  ///< end of the walk if neither Cut nor Lost
  bool Cut;         ///< there are frames beyond Depth
  bool Lost;        ///< unwinding failed
};

/// Per-thread state of walks. Valid when zero.
struct Unwinder {
  static constexpr unsigned kRows = 1024;
  UnwindRow Rows[kRows];
  /// Readable without a check: the used part of the thread's own stack.
  uintptr_t Low, High;
  uintptr_t Page; ///< page of another stack, readable during this walk
  uint32_t Generation;
};

/// A return address on the way from an allocation to the user's code, and the
/// location of the next one.
struct CallerFrame {
  uintptr_t Return;
  uint32_t Up; ///< Fixed: bytes from this location to the next
  /// ByFp: the distance in words from this one's location to that of the saved
  /// frame pointer.
  int16_t FpAt;
  enum : uint8_t {
    None,  ///< the walk ended here
    Fixed, ///< always at the same distance
    ByFp   ///< 8 bytes above where the frame pointer at FpAt points
  } How;
  /// Bytes from the location of the caller's saved frame pointer up to this
  /// one's location; 0: no frame so far has saved it.
  int64_t AboveFp;

  /// True if later steps from both are the same.
  bool leadsOnAs(const CallerFrame &Other) const {
    return Return == Other.Return && AboveFp == Other.AboveFp;
  }
};

/// True if frames begin with the caller's frame pointer and a return address.
#if defined(__aarch64__)
inline constexpr bool kHasFrameRecords = true;
#else
inline constexpr bool kHasFrameRecords = false;
#endif

/// Walks up to \p Most frames from the one that saves its return address at \p
/// Slot, while \p GoOn returns true for the return address and the location of
/// the next one is certain. \p Function: code in the frame that owns the slot.
/// \returns the number of frames; 0 if no frame has the slot. Needs the guard,
/// without a lock.
unsigned walkCallers(Unwinder &U, uintptr_t Slot, CallerFrame *Out,
                     unsigned Most, uintptr_t &Function,
                     bool (*GoOn)(void *, uintptr_t), void *Of);

/// The registers at the start of a walk.
struct Registers {
  uintptr_t Pc, Sp, Fp;
  uintptr_t Link; ///< AArch64: x30
};

/// A walk over frames that the tables describe, with its inputs: registers at
/// its start, and words of the thread's own stack.
struct Retrace {
  struct Word {
    uintptr_t Address, Value;
  };
  CodeAddress Frames[kMaxDepth]; ///< innermost first
  uint16_t Before[kMaxDepth];    ///< number of words read before each frame
  unsigned Count;
  static constexpr unsigned kHookWords = 3;
  Word Words[2 * kMaxDepth + kHookWords]; ///< includes room for a hook's words
  unsigned NumWords;
  unsigned FpFrom; ///< first frame that depends on the initial FP
  bool Complete;   ///< reached start-up code
  CodeAddress End; ///< where start-up code begins
};

/// Fills \p Out with up to \p Depth frames from \p At on, while their layout is
/// known and they are on the calling thread's own stack. A walk must have
/// covered them before. Needs the guard, without a lock.
void retrace(Unwinder &U, const Registers &At, Retrace &Out, unsigned Depth);

/// Pointer authentication of AArch64 signs return addresses in their upper
/// bits. Processors without it ignore the instruction.
INMEM_INLINE uintptr_t withoutSignature(uintptr_t Address) {
#if defined(__aarch64__)
  register uintptr_t Lr __asm__("x30") = Address;
  __asm__("hint #7" : "+r"(Lr)); // xpaclri
  return Lr;
#else
  return Address;
#endif
}

/// The way out of the hook that contains the return address \p Address. \p Cfa:
/// the distance in bytes from the call's frame (AArch64: from the hook's frame
/// record) to the hook's caller's. \p SavedFp: the distance from there to the
/// caller's saved frame pointer; 0: not saved. False if \p Address is not in a
/// hook, or unknown.
bool hookExit(uintptr_t Address, int32_t &Cfa, int32_t &SavedFp);

/// Fills \p Out with up to \p Depth frames that lead to the calling thread's
/// current hook; none if it is not in a hook. Needs the guard, without a lock.
void walkStack(Unwinder &U, StackWalk &Out, unsigned Depth);

/// As walkStack(), from the point at which a thread was interrupted. Call in a
/// signal handler of that thread; \p U is for such walks only. Needs neither
/// guard nor lock; may change errno.
void walkFrom(Unwinder &U, const Registers &At, StackWalk &Out, unsigned Depth);

/// The route from the innermost replaced operator (Suspension.h) to the calling
/// code.
enum class OperatorRoute {
  Direct,
  Handler, ///< through a signal handler
  None,    ///< not on this stack: a jump skipped it
  Unknown  ///< the stack does not determine it
};
OperatorRoute routeFromOperator(Unwinder &U);

/// True if the calling code runs in a handler of a signal that interrupted a
/// hook, or a function that a hook called. The rows of \p U may be another
/// thread's.
bool interruptsHook(Unwinder &U);

/// True if \p Address is in a function through which the program enters us.
bool isHook(CodeAddress Address);
/// Sets the first frame above main, as found at the end of a complete stack:
/// later walks end before it. 0: not yet known. Needs the mutex.
void setStartUp(CodeAddress Address);
/// True if \p Address is in the program's first function.
bool isEntryFunction(CodeAddress Address);

/// Call when code was unloaded, since other code may be loaded there.
void forgetCode();
INMEM_HIDDEN extern Relaxed<uint32_t> CodeGeneration;
/// Incremented by forgetCode().
inline uint32_t codeGeneration() { return CodeGeneration; }

} // namespace inmem::rt

#endif
