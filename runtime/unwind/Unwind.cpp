//===- Unwind.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/Unwind.h"

#include "platform/Compiler.h"
#include "platform/Mappings.h"
#include "platform/Process.h"
#include "platform/Tasks.h"
#include "unwind/UnwindTables.h"

#include <string.h>

// Code sections of the hooks, of the function that calls a thread's first
// function, and of the one that calls replaced operators.
extern "C" {
extern const char __start_inmem_replaced[]
    __attribute__((weak, visibility("hidden")));
extern const char __stop_inmem_replaced[]
    __attribute__((weak, visibility("hidden")));
extern const char __start_inmem_called[]
    __attribute__((weak, visibility("hidden")));
extern const char __stop_inmem_called[]
    __attribute__((weak, visibility("hidden")));
extern const char __start_inmem_hooks[]
    __attribute__((weak, visibility("hidden")));
extern const char __stop_inmem_hooks[]
    __attribute__((weak, visibility("hidden")));
extern const char __start_inmem_starts[]
    __attribute__((weak, visibility("hidden")));
extern const char __stop_inmem_starts[]
    __attribute__((weak, visibility("hidden")));
}

namespace inmem::rt {

namespace {

constinit Relaxed<uintptr_t> StartUp = {};

bool within(uintptr_t Address, const char *Begin, const char *End) {
  return Address - reinterpret_cast<uintptr_t>(Begin) <
         reinterpret_cast<uintptr_t>(End) - reinterpret_cast<uintptr_t>(Begin);
}

bool inHooks(uintptr_t Address) {
  return within(Address, __start_inmem_hooks, __stop_inmem_hooks);
}

INMEM_COLD void fillRow(UnwindRow &Row, uintptr_t Address) {
  if (Address == StartUp ||
      within(Address, __start_inmem_starts, __stop_inmem_starts)) {
    Row = {};
    Row.Address = Address;
    Row.Kind = UnwindRow::Outermost;
  } else {
    Row = readUnwindRow(Address);
  }
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Upper end of the calling thread's stack: glibc puts the thread control block
/// there.
uintptr_t stackTop() {
  return threadId() == processId()
             ? mainStackEnd()
             : reinterpret_cast<uintptr_t>(threadPointer()) & ~uintptr_t{15};
}

bool arePagesReadable(uintptr_t From, uintptr_t To) {
  for (uintptr_t Page = From; Page < To; Page += kPage)
    if (!isReadable(reinterpret_cast<const void *>(Page)))
      return false;
  return true;
}

/// True if a word outside of the known ranges may be read.
INMEM_COLD bool isWordReadable(Unwinder &U, uintptr_t Address) {
  constexpr uintptr_t kMostAtOnce = 16 << 20;
  if (Address & 7 || Address < kPage)
    return false; // no compiler saves a register there
  if (!U.High)
    U.Low = U.High = stackTop();
  uintptr_t Page = Address & ~(kPage - 1);
  if (Address < U.Low && U.Low - Address < kMostAtOnce &&
      arePagesReadable(Page, U.Low)) {
    U.Low = Page;
    return true;
  }
  if (Page == U.Page)
    return true;
  if (!isReadable(reinterpret_cast<const void *>(Page)))
    return false;
  U.Page = Page;
  return true;
}

class Walker {
public:
  INMEM_INLINE Walker(Unwinder &U, uintptr_t Pc, uintptr_t Sp, uintptr_t Fp)
      : At(Pc), U(U), Sp(Sp), Fp(Fp) {}

  uintptr_t At;
  bool Outermost = false;

  /// Steps to the caller; false at the end, or if unwinding fails.
  INMEM_INLINE bool step() {
    UnwindRow &Row = U.Rows[At * 0x9E3779B97F4A7C15u >> 54];
    static_assert(Unwinder::kRows == 1u << (64 - 54));
    if (INMEM_UNLIKELY(Row.Address != At))
      fillRow(Row, At);
    if (INMEM_UNLIKELY(Row.Kind != UnwindRow::Normal))
      return specialStep(Row);
    uintptr_t Cfa =
        (Row.FromFp ? Fp : Sp) + static_cast<uintptr_t>(intptr_t{Row.Cfa});
    uintptr_t Return;
    if (Row.SavedFp &&
        !load(Cfa + static_cast<uintptr_t>(intptr_t{Row.SavedFp}), Fp))
      return false;
    if (!loadReturn(Row, Cfa, Return))
      return false;
    Sp = Cfa;
    At = Return - 1;
    return true;
  }

  UnwindRow::Step kind() { return row().Kind; }
  /// True if the walk ends before this frame.
  bool isOutermost() { return kind() == UnwindRow::Outermost; }

  uintptr_t sp() const { return Sp; }
  /// The location from which the last step read the return address; 0: not on
  /// the stack.
#if defined(__x86_64__)
  uintptr_t slot() const { return Sp - 8; }
#else
  uintptr_t slot() const { return Slot; }
#endif
  const UnwindRow &row() {
    UnwindRow &Row = U.Rows[At * 0x9E3779B97F4A7C15u >> 54];
    if (INMEM_UNLIKELY(Row.Address != At))
      fillRow(Row, At);
    return Row;
  }

private:
  INMEM_INLINE bool load(uintptr_t Address, uintptr_t &Value) {
    if (INMEM_UNLIKELY(Address - U.Low >= U.High - U.Low) &&
        !isWordReadable(U, Address))
      return false;
    Value = *reinterpret_cast<const uintptr_t *>(Address);
    return true;
  }

  INMEM_COLD bool specialStep(const UnwindRow &Row) {
    switch (Row.Kind) {
    case UnwindRow::Signal:
      return leaveSignalFrame();
    case UnwindRow::Deref:
      return leaveRealignedFrame(Row);
    case UnwindRow::Unknown:
      return followFramePointer();
    default:
      Outermost = true;
      return false;
    }
  }

#if defined(__x86_64__)
  INMEM_INLINE bool loadReturn(const UnwindRow &, uintptr_t Cfa,
                               uintptr_t &Return) {
    return Cfa > Sp && load(Cfa - 8, Return) && Return >= kPage;
  }

  bool leaveSignalFrame() {
    // The handler's return leaves the stack pointer at a ucontext_t;
    // its registers are an array from byte 40 on (<sys/ucontext.h>).
    const uintptr_t Registers = Sp + 40;
    uintptr_t Next, Return;
    if (!load(Registers + 10 * 8, Fp) || !load(Registers + 15 * 8, Next) ||
        !load(Registers + 16 * 8, Return) || Return < kPage)
      return false;
    Sp = Next;
    At = Return; // not a call: the instruction itself
    return true;
  }

  bool leaveRealignedFrame(const UnwindRow &Row) {
    uintptr_t Next, Return;
    if (!load(Fp + static_cast<uintptr_t>(intptr_t{Row.Cfa}), Next) ||
        Next <= Sp || !load(Next - 8, Return) || Return < kPage)
      return false;
    if (!load(Row.SavedFp ? Next + static_cast<uintptr_t>(intptr_t{Row.SavedFp})
                          : Fp,
              Fp))
      return false;
    Sp = Next;
    At = Return - 1;
    return true;
  }
#else
  bool loadReturn(const UnwindRow &Row, uintptr_t Cfa, uintptr_t &Return) {
    if (Row.SavedReturn == 0) { // a leaf function
      if (!Link || Cfa < Sp)
        return false;
      Return = Link;
      Slot = 0;
    } else {
      Slot = Cfa + static_cast<uintptr_t>(intptr_t{Row.SavedReturn});
      if (Cfa <= Sp || !load(Slot, Return))
        return false;
    }
    Link = 0; // callers have saved their links on the stack
    Return = withoutSignature(Return);
    return Return >= kPage && Return % 4 == 0;
  }

  bool leaveSignalFrame() {
    // The kernel's frame, at the old stack pointer: a siginfo_t of 128 bytes,
    // and a ucontext_t with the registers at byte 184; x30 is followed by the
    // stack pointer and the address (<asm/sigcontext.h>).
    const uintptr_t Registers = Sp + 128 + 184;
    uintptr_t Next, Return;
    if (!load(Registers + 29 * 8, Fp) || !load(Registers + 30 * 8, Link) ||
        !load(Registers + 31 * 8, Next) || !load(Registers + 32 * 8, Return) ||
        Return < kPage)
      return false;
    Sp = Next;
    At = Return; // not a call: the instruction itself
    Slot = 0;
    return true;
  }

  bool leaveRealignedFrame(const UnwindRow &) { return false; }

  /// True if the link register still leads to the interrupted function's
  /// caller: it is the return address of a call just before.
  bool isLinkFresh() {
    const uintptr_t Return = withoutSignature(Link),
                    Target = calledFunction(Return - 1);
    constexpr uintptr_t kMost = 4096, kInstruction = 4;
    constexpr uint32_t kReturnInstruction = 0xd65f03c0;
    if (!Target || Target > At || At - Target >= kMost ||
        !isReadable(reinterpret_cast<const void *>(Target & ~uintptr_t{7})))
      return false;
    for (uintptr_t P = Target; P < At; P += kInstruction)
      if (*reinterpret_cast<const uint32_t *>(P) == kReturnInstruction)
        return false; // belongs to another function
    uintptr_t Saved;
    return !(Fp >= Sp && load(Fp + 8, Saved) &&
             withoutSignature(Saved) == Return); // is already on the stack
  }
#endif

  /// Handles code without tables, such as generated code. The frame pointer
  /// leads to the caller's, and the return address is above it.
  bool followFramePointer() {
    uintptr_t Return;
#if defined(__aarch64__)
    if (Link && isLinkFresh()) {
      At = withoutSignature(Link) - 1;
      Link = Slot = 0;
      return true;
    }
    Link = 0;
#endif
    if (Fp < Sp || Fp - Sp > (1 << 20) || !load(Fp + 8, Return))
      return false;
#if defined(__aarch64__)
    Return = withoutSignature(Return);
    Slot = Fp + 8;
#endif
    if (Return < kPage ||
        !isReadable(reinterpret_cast<const void *>(Return & ~uintptr_t{7})))
      return false;
    Sp = Fp + 16;
    if (!load(Fp, Fp))
      return false;
    At = Return - 1;
    return true;
  }

  Unwinder &U;
  uintptr_t Sp, Fp;
#if defined(__aarch64__)
public:
  /// The link register at the start of the walk; 0: unknown.
  uintptr_t Link = 0;

private:
  uintptr_t Slot = 0;
#endif
};

} // namespace

constinit Relaxed<uint32_t> CodeGeneration = {};
void forgetCode() { CodeGeneration = CodeGeneration + 1; }
void setStartUp(CodeAddress Address) { StartUp = Address; }

bool isEntryFunction(CodeAddress Address) {
  uintptr_t Entry = programEntry();
  return Entry && functionStart(Address) == Entry;
}

bool isHook(CodeAddress Address) { return inHooks(Address); }

static INMEM_INLINE void beginWalk(Unwinder &U) {
  if (INMEM_UNLIKELY(U.Generation != codeGeneration())) {
    memset(U.Rows, 0, sizeof U.Rows);
    U.Generation = codeGeneration();
  }
  U.Page = 0;
}

void walkFrom(Unwinder &U, const Registers &At, StackWalk &Out,
              unsigned Depth) {
  beginWalk(U);
  Walker W(U, At.Pc, At.Sp, At.Fp);
#if defined(__aarch64__)
  W.Link = At.Link;
#endif
  uint64_t Hash = Depth;
  unsigned Count = 0;
  bool More = true;
  while (More && Count < Depth) {
    const uintptr_t Frame = W.At;
    More = W.step();
    if (!More && W.Outermost)
      break;
    Out.Frames[Count++] = Frame;
    Hash = ((Hash << 5 | Hash >> 59) ^ Frame) * 0x9E3779B97F4A7C15u;
  }
  Out.Count = Count;
  Out.Cut = More && !W.isOutermost();
  Out.Lost = !More && !W.Outermost;
  Out.End = W.At;
  Out.Hook = 0;
  Out.Hash = Hash ^ (uint64_t{Out.Cut} << 1 | uint64_t{Out.Lost});
}

/// Starts a walk here. A macro, because the function that uses it must not
/// return before the walk ends.
#if defined(__x86_64__)
#define INMEM_WALK_FROM_HERE(U)                                                \
  uintptr_t Pc, Sp, Fp;                                                        \
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"     \
                   : "=r"(Pc), "=r"(Sp), "=r"(Fp));                            \
  beginWalk(U);                                                                \
  Walker W(U, Pc, Sp, Fp)
#else
#define INMEM_WALK_FROM_HERE(U)                                                \
  uintptr_t Pc, Sp, Fp, Link;                                                  \
  __asm__ volatile("adr %0, .\n\tmov %1, sp\n\tmov %2, x29\n\tmov %3, x30"     \
                   : "=&r"(Pc), "=&r"(Sp), "=&r"(Fp), "=&r"(Link));            \
  beginWalk(U);                                                                \
  Walker W(U, Pc, Sp, Fp);                                                     \
  W.Link = Link
#endif

OperatorRoute routeFromOperator(Unwinder &U) {
  INMEM_WALK_FROM_HERE(U);
  do {
    if (within(W.At, __start_inmem_replaced, __stop_inmem_replaced) ||
        within(W.At, __start_inmem_called, __stop_inmem_called))
      return OperatorRoute::Direct;
    if (W.kind() == UnwindRow::Signal)
      return OperatorRoute::Handler;
  } while (W.step());
  return W.Outermost ? OperatorRoute::None : OperatorRoute::Unknown;
}

bool interruptsHook(Unwinder &U) {
  U.Low = U.High = 0;
  INMEM_WALK_FROM_HERE(U);
  bool InHandler = false;
  do {
    if (InHandler && inHooks(W.At))
      return true;
    InHandler = InHandler || W.kind() == UnwindRow::Signal;
  } while (W.step());
  return false;
}

namespace {

/// A walk that keeps the words it reads.
class Retracer {
public:
  Retracer(Unwinder &U, Retrace &Out, const Registers &At)
      : U(U), Out(Out), Pc(At.Pc), Sp(At.Sp), Fp(At.Fp) {}

  /// Adds the frame and steps to the caller; false at the end.
  bool step() {
    UnwindRow &Row = U.Rows[Pc * 0x9E3779B97F4A7C15u >> 54];
    if (Row.Address != Pc)
      fillRow(Row, Pc);
    Out.Complete = Row.Kind == UnwindRow::Outermost;
    Out.End = Pc;
    if (Row.Kind != UnwindRow::Normal)
      return false;
    Out.Frames[Out.Count] = Pc;
    Out.Before[Out.Count] = static_cast<uint16_t>(Out.NumWords);
    if (Row.FromFp)
      noteFp();
    ++Out.Count;
    const uintptr_t Cfa =
        (Row.FromFp ? Fp : Sp) + static_cast<uintptr_t>(intptr_t{Row.Cfa});
    const uintptr_t Slot = Cfa + savedReturn(Row);
    uintptr_t Return;
    if (Cfa <= Sp || Slot == Cfa || !load(Slot, Return) || Return < kPage)
      return false;
    if (Row.SavedFp) {
      FpAt = Cfa + static_cast<uintptr_t>(intptr_t{Row.SavedFp});
      if (!load(FpAt, Fp))
        return false;
      FpIsNoted = false;
    }
    note(Slot, Return);
    Sp = Cfa;
    Pc = withoutSignature(Return) - 1;
    return true;
  }

private:
  static uintptr_t savedReturn([[maybe_unused]] const UnwindRow &Row) {
#if defined(__aarch64__)
    return static_cast<uintptr_t>(intptr_t{Row.SavedReturn});
#else
    return uintptr_t{0} - 8;
#endif
  }
  bool load(uintptr_t Address, uintptr_t &Value) const {
    if (Address & 7 || Address - U.Low >= U.High - U.Low)
      return false;
    Value = *reinterpret_cast<const uintptr_t *>(Address);
    return true;
  }
  void note(uintptr_t Address, uintptr_t Value) {
    Out.Words[Out.NumWords++] = {Address, Value};
  }
  /// Notes that the walk depends on the frame pointer.
  void noteFp() {
    if (FpAt && !FpIsNoted)
      note(FpAt, Fp);
    else if (!FpAt && Out.FpFrom > Out.Count)
      Out.FpFrom = Out.Count;
    FpIsNoted = true;
  }

  Unwinder &U;
  Retrace &Out;
  uintptr_t Pc, Sp, Fp;
  uintptr_t FpAt = 0; ///< where Fp was read; 0: in the register
  bool FpIsNoted = false;
};

} // namespace

void retrace(Unwinder &U, const Registers &At, Retrace &Out, unsigned Depth) {
  Out.Count = Out.NumWords = 0;
  Out.FpFrom = kMaxDepth;
  Retracer R(U, Out, At);
  bool More = true;
  while (More && Out.Count < Depth)
    More = R.step();
}

bool hookExit(uintptr_t Address, int32_t &Cfa, int32_t &SavedFp) {
  if (!inHooks(Address))
    return false;
  const UnwindRow Row = readUnwindRow(Address - 1);
#if defined(__aarch64__)
  Cfa = -Row.SavedFp;
  SavedFp = 0;
  return Row.Kind == UnwindRow::Normal && Row.SavedFp < 0 &&
         Row.SavedReturn == Row.SavedFp + 8;
#else
  Cfa = Row.Cfa;
  SavedFp = Row.SavedFp;
  return Row.Kind == UnwindRow::Normal && !Row.FromFp;
#endif
}

/// True if the frame pointer points 8 bytes below the return address.
static bool returnsBehindFp(const UnwindRow &Row) {
#if defined(__x86_64__)
  return Row.FromFp && Row.Cfa == 16;
#else
  return Row.FromFp && Row.SavedReturn && Row.Cfa + Row.SavedReturn == 8;
#endif
}

/// \returns whether there is a frame pointer at \p FpAt, below the return
/// address of \p F at \p Slot
static bool fpDistance(uintptr_t Slot, uintptr_t FpAt, CallerFrame &F) {
  if (!FpAt || FpAt >= Slot || (Slot - FpAt) / 8 > INT16_MAX || FpAt % 8 != 0)
    return false;
  F.FpAt = static_cast<int16_t>(-static_cast<intptr_t>((Slot - FpAt) / 8));
  return true;
}

unsigned walkCallers(Unwinder &U, uintptr_t Slot, CallerFrame *Out,
                     unsigned Most, uintptr_t &Function,
                     bool (*GoOn)(void *, uintptr_t), void *Of) {
  INMEM_WALK_FROM_HERE(U);
  Function = 0;
  // The location at which the next frame's frame pointer is saved; 0: nowhere.
  uintptr_t FpAt = 0;
  const auto NoteFp = [&](const UnwindRow &Row) {
    if (Row.SavedFp)
      FpAt = W.sp() + static_cast<uintptr_t>(intptr_t{Row.SavedFp});
  };
  // Walks down to the frame with its return address in the slot.
  constexpr unsigned kMostOwn = 32;
  for (unsigned Own = 0; Own == 0 || W.slot() != Slot; ++Own) {
    if (Own > kMostOwn || (Own && W.slot() > Slot))
      return 0;
    Function = W.At;
    const UnwindRow Row = W.row();
    if (!W.step())
      return 0;
    // Each hook saves it elsewhere, and hooks jump to one another. AArch64's
    // hooks have a frame record, which contains the slot.
    FpAt = inHooks(Function) && kHasFrameRecords ? Slot - 8 : 0;
    if (!inHooks(Function))
      NoteFp(Row);
  }
  unsigned Count = 0;
  while (Count < Most) {
    CallerFrame &F = Out[Count++];
    const uintptr_t Before = W.slot();
    F = {W.At + 1, 0, 0, CallerFrame::None,
         FpAt ? static_cast<int64_t>(Before - FpAt) : 0};
    if (!GoOn(Of, F.Return))
      break;
    const UnwindRow Row = W.row();
    if (Row.Kind != UnwindRow::Normal || !W.step())
      break;
    const uintptr_t Up = W.slot() - Before;
    const bool IsNear = Up % 8 == 0 && Up / 8 <= INT16_MAX;
    if (returnsBehindFp(Row) && fpDistance(Before, FpAt, F)) {
      F.How = CallerFrame::ByFp;
    } else if (IsNear && (!Row.FromFp || isInFixedFrame(F.Return - 1))) {
      F.How = CallerFrame::Fixed;
      F.Up = static_cast<uint32_t>(Up);
    } else {
      break; // the next return address cannot be located
    }
    NoteFp(Row);
  }
  return Count;
}

void walkStack(Unwinder &U, StackWalk &Out, unsigned Depth) {
  INMEM_WALK_FROM_HERE(U);
  Out.Count = 0;
  Out.Hash = 0;
  Out.Hook = 0;
  Out.Cut = Out.Lost = false;
  // Leaves the runtime: its functions call one another; the hook is outermost.
  constexpr unsigned kMostOwn = 24;
  unsigned Own = 0;
  while (!inHooks(W.At))
    if (++Own > kMostOwn || !W.step())
      return;
  do {
    Out.Hook = W.At;
    if (!W.step())
      return;
  } while (inHooks(W.At));
  uint64_t Hash = Depth;
  unsigned Count = 0;
  bool More = true;
  while (More && Count < Depth) {
    uintptr_t At = W.At;
    More = W.step();
#ifdef INMEM_STATIC
    if (inHooks(At)) { // operator new called malloc
      Out.Hook = At;
      Count = 0;
      continue;
    }
#endif
    if (!More && W.Outermost)
      break;
    Out.Frames[Count++] = At;
    Hash = ((Hash << 5 | Hash >> 59) ^ At) * 0x9E3779B97F4A7C15u;
  }
  Out.Count = Count;
  Out.Cut = More && !W.isOutermost();
  Out.Lost = !More && !W.Outermost;
  Out.End = W.At;
  Out.Hash = Hash ^ (uint64_t{Out.Cut} << 1 | uint64_t{Out.Lost});
}

} // namespace inmem::rt
