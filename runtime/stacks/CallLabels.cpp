//===- CallLabels.cpp -----------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/CallLabels.h"

#include "platform/Mappings.h"
#include "registry/Modules.h"
#include "registry/SiteRegistry.h"
#include "stacks/ProgramFrames.h"
#include "state/Runtime.h"
#include "unwind/Instructions.h"
#include "unwind/Unwind.h"
#include "unwind/UnwindTables.h"

namespace inmem::rt {

constinit Relaxed<bool> HasCallLabels = {};

namespace {

/// True if labelled calls of some file may be tail calls.
constinit Relaxed<bool> HasJumps = {};

uintptr_t codeOf(const struct inmem_call &C) {
  return reinterpret_cast<uintptr_t>(&C.code) +
         static_cast<uintptr_t>(intptr_t{C.code});
}

/// The labels of one file, in order of their code.
class Labels {
public:
  explicit Labels(const RegisteredModule &M) : M(M) {
    const struct inmem_module *D = M.Descriptor;
    // The member is a pointer: NOLINTNEXTLINE(bugprone-sizeof-expression)
    if (D && INMEM_MODULE_HAS(D, calls_end) && D->calls_begin)
      Count = static_cast<uint32_t>(D->calls_end - D->calls_begin);
  }
  uint32_t count() const { return Count; }
  const struct inmem_call &operator[](uint32_t I) const {
    return M.Descriptor->calls_begin[M.CallOrder ? M.CallOrder[I] : I];
  }
  /// Number of labels at or before \p Address.
  uint32_t upTo(uintptr_t Address) const {
    uint32_t First = 0;
    for (uint32_t Left = Count; Left > 0;) {
      const uint32_t Half = Left / 2;
      if (codeOf((*this)[First + Half]) <= Address) {
        First += Half + 1;
        Left -= Half + 1;
      } else {
        Left = Half;
      }
    }
    return First;
  }

private:
  const RegisteredModule &M;
  uint32_t Count = 0;
};

bool mayJump(const Labels &L) {
  for (uint32_t I = 0; I < L.count(); ++I)
    if (relative<struct inmem_frame>(L[I].place)->flags & INMEM_FRAME_MAY_JUMP)
      return true;
  return false;
}

/// Linkers order the table as the code. If a linker has not, sorts a separate
/// index.
void putInOrder(RegisteredModule &M) {
  M.CallsOrdered = true;
  const Labels L(M);
  const auto Code = [&](uint32_t I) {
    return codeOf(M.Descriptor->calls_begin[I]);
  };
  bool Ordered = true;
  for (uint32_t I = 1; I < L.count() && Ordered; ++I)
    Ordered = Code(I - 1) <= Code(I);
  if (Ordered)
    return;
  auto *Order = static_cast<uint32_t *>(mapPages(L.count() * sizeof(uint32_t)));
  if (!Order)
    return;
  for (uint32_t I = 0; I < L.count(); ++I)
    Order[I] = I;
  uint32_t Gap = 1; // Shell sort, as in SymbolNames.cpp
  while (Gap < L.count() / 3)
    Gap = Gap * 3 + 1;
  for (; Gap > 0; Gap /= 3)
    for (uint32_t I = Gap; I < L.count(); ++I) {
      const uint32_t Moved = Order[I];
      uint32_t J = I;
      for (; J >= Gap && Code(Moved) < Code(Order[J - Gap]); J -= Gap)
        Order[J] = Order[J - Gap];
      Order[J] = Moved;
    }
  orderStores();
  M.CallOrder = Order;
}

/// A cheap test: files do not interleave their code.
bool functionMayReach(uintptr_t Start, uintptr_t Code) {
  constexpr uintptr_t kLongest = 16 << 20; // bytes
  return Code - Start < kLongest;
}

struct Lookup {
  bool Any = false; ///< the function has labels
  const struct inmem_frame *Frame = nullptr;
};

/// Finds the label of the call that returns to \p Return. \p Start: the start
/// of the function around it; 0: unknown. Needs the mutex.
Lookup findLabel(uintptr_t Start, uintptr_t Return) {
  Lookup Result;
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next) {
    const Labels L(*M);
    if (!L.count() || Return <= codeOf(L[0]))
      continue;
    const uint32_t Before = L.upTo(Return - 1);
    const struct inmem_call &Last = L[Before - 1];
    const uintptr_t Code = codeOf(Last);
    if (leadsToCall(Code, Return)) {
      Result.Frame = relative<struct inmem_frame>(Last.place);
      return Result;
    }
    Result.Any |= Start && Code >= Start;
  }
  return Result;
}

/// True if the function that begins at \p Start has labels.
bool isLabelled(uintptr_t Start) {
  uintptr_t Code = 0;
  {
    Locked L(Process.Mutex);
    for (RegisteredModule *M = RegisteredModules; M && !Code; M = M->Next) {
      const Labels Of(*M);
      if (!Of.count() || Start > codeOf(Of[Of.count() - 1]))
        continue;
      const uint32_t First = Of.upTo(Start - 1);
      if (functionMayReach(Start, codeOf(Of[First])))
        Code = codeOf(Of[First]);
    }
  }
  return Code && (Code == Start || functionStart(Code) == Start);
}

} // namespace

void noteCallLabels() {
  bool Any = false, Instrumented = false;
  for (RegisteredModule *M = RegisteredModules; M; M = M->Next) {
    Instrumented |= M->Descriptor != nullptr;
    if (!M->CallsOrdered && M->Descriptor) {
      putInOrder(*M);
      HasJumps = HasJumps || mayJump(Labels(*M));
    }
    Any |= Labels(*M).count() > 0;
  }
  const bool IsOn = Process.Config.Callers.Index == Options::CallersOn;
  HasCallLabels = Any && IsOn;
  FollowsProgram = !Instrumented && IsOn && mayBePreloaded();
}

CallSearch::Step CallSearch::look(uintptr_t Return) {
  const uintptr_t Start = functionStart(Return - 1);
  // A function that ended in a tail call is no longer on the stack. If it is a
  // library's, the call of it is still the user's.
  const uintptr_t Called = calledFunction(Return - 1);
  const bool Jumped = Called && Inner && Called != Inner && !isHook(Called);
  // A call through a pointer does not show which function it called.
  const bool MayHaveJumped = !Called && Inner && HasJumps;
  Inner = Start;
  if (Jumped && isLabelled(Called))
    return Unknown;
  Locked L(Process.Mutex);
  const Lookup Label = findLabel(Start, Return);
  Frame = Label.Frame;
  if (Frame && Frame->flags & INMEM_FRAME_PASSED) {
    Frame = nullptr;
    return Outwards;
  }
  if (Frame && (MayHaveJumped || !Frame->line))
    return Unknown; // line 0: several lines share the code
  return Frame ? Found : Label.Any ? Unknown : Outwards;
}

} // namespace inmem::rt
