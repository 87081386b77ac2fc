//===- Unwind.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stacks/Unwind.h"

#include "recording/Modules.h"

#include <string.h>
#include <sys/auxv.h>

// The hooks' code, that which calls a thread's first function, and that which
// calls operators that the program replaced.
extern "C" {
extern const char __start_inmem_replaced[]
    __attribute__((weak, visibility("hidden")));
extern const char __stop_inmem_replaced[]
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

constinit Relaxed<uint32_t> Generation = {};
constinit Relaxed<uintptr_t> StartUp = {};

bool within(uintptr_t Address, const char *Begin, const char *End) {
  return Address - reinterpret_cast<uintptr_t>(Begin) <
         reinterpret_cast<uintptr_t>(End) - reinterpret_cast<uintptr_t>(Begin);
}

bool inHooks(uintptr_t Address) {
  return within(Address, __start_inmem_hooks, __stop_inmem_hooks);
}

//===----------------------------------------------------------------------===//
// .eh_frame
//===----------------------------------------------------------------------===//

/// Encodings of pointers (LSB, "DWARF extensions").
enum : uint8_t {
  kOmit = 0xff,
  kFormMask = 0x0f,
  kUleb = 0x01,
  kData2 = 0x02,
  kData4 = 0x03,
  kData8 = 0x04,
  kSigned = 0x08,
  kRelative = 0x10,     ///< to the pointer's own place
  kDataRelative = 0x30, ///< to the start of .eh_frame_hdr
  kIndirect = 0x80
};

/// Reads a table's bytes; past the end it reads zeros and Ok is false.
class Bytes {
public:
  Bytes(const char *Begin, const char *End) : At(Begin), End(End) {}

  const char *place() const { return At; }
  bool more() const { return Ok && At < End; }
  bool ok() const { return Ok; }
  void skip(uint64_t Count) {
    if (Count > static_cast<uint64_t>(End - At))
      Ok = false;
    else
      At += Count;
  }
  template <class T> T fixed() {
    T Value = {};
    if (static_cast<size_t>(End - At) < sizeof(T)) {
      Ok = false;
      return Value;
    }
    memcpy(&Value, At, sizeof(T));
    At += sizeof(T);
    return Value;
  }
  uint64_t uleb() {
    uint64_t Value = 0;
    for (unsigned Shift = 0;; Shift += 7) {
      auto Byte = fixed<uint8_t>();
      if (Shift < 64)
        Value |= uint64_t{Byte & 0x7fu} << Shift;
      if (!(Byte & 0x80) || !Ok)
        return Value;
    }
  }
  int64_t sleb() {
    uint64_t Value = 0;
    for (unsigned Shift = 0;;) {
      auto Byte = fixed<uint8_t>();
      if (Shift < 64)
        Value |= uint64_t{Byte & 0x7fu} << Shift;
      Shift += 7;
      if ((Byte & 0x80) && Ok)
        continue;
      if ((Byte & 0x40) && Shift < 64)
        Value |= ~uint64_t{0} << Shift;
      return static_cast<int64_t>(Value);
    }
  }
  uintptr_t pointer(uint8_t Encoding, const char *DataBase) {
    auto Own = reinterpret_cast<uintptr_t>(At);
    uint64_t Value = 0;
    switch (Encoding & kFormMask) {
    case 0:
    case kData8:
    case kData8 | kSigned:
      Value = fixed<uint64_t>();
      break;
    case kUleb:
      Value = uleb();
      break;
    case kUleb | kSigned:
      Value = static_cast<uint64_t>(sleb());
      break;
    case kData2:
      Value = fixed<uint16_t>();
      break;
    case kData2 | kSigned:
      Value = static_cast<uint64_t>(int64_t{fixed<int16_t>()});
      break;
    case kData4:
      Value = fixed<uint32_t>();
      break;
    case kData4 | kSigned:
      Value = static_cast<uint64_t>(int64_t{fixed<int32_t>()});
      break;
    default:
      Ok = false;
    }
    switch (Encoding & 0x70) {
    case 0:
      break;
    case kRelative:
      Value += Own;
      break;
    case kDataRelative:
      Value += reinterpret_cast<uintptr_t>(DataBase);
      break;
    default:
      Ok = false;
    }
    return Value;
  }

private:
  const char *At, *End;
  bool Ok = true;
};

/// A function's entry and what it shares with others.
struct Entry {
  uintptr_t Start = 0, Size = 0;
  uint64_t CodeAlign = 0;
  int64_t DataAlign = 0;
  uint64_t ReturnColumn = 0;
  bool Signal = false;
  const char *Shared = nullptr, *SharedEnd = nullptr; ///< instructions
  const char *Own = nullptr, *OwnEnd = nullptr;
};

/// Reads a length and the end that it means; null at the terminator.
const char *endOf(Bytes &In) {
  uint64_t Length = In.fixed<uint32_t>();
  if (Length == 0xffffffff)
    Length = In.fixed<uint64_t>();
  return Length ? In.place() + Length : nullptr;
}

constexpr uint64_t kMostEntryBytes = 1 << 20;

bool readShared(const char *At, Entry &E, uint8_t &PointerEncoding,
                bool &Augmented) {
  Bytes Head(At, At + 12);
  const char *End = endOf(Head);
  if (!End || static_cast<uint64_t>(End - At) > kMostEntryBytes)
    return false;
  Bytes In(Head.place(), End);
  if (In.fixed<uint32_t>() != 0)
    return false;
  auto Version = In.fixed<uint8_t>();
  const char *Augmentation = In.place();
  // Not strnlen: a sample may have interrupted a sanitizer's.
  while (In.ok() && In.fixed<uint8_t>() != 0) {
  }
  if (Version != 1 && Version != 3)
    return false;
  E.CodeAlign = In.uleb();
  E.DataAlign = In.sleb();
  E.ReturnColumn = Version == 1 ? In.fixed<uint8_t>() : In.uleb();
  PointerEncoding = 0;
  Augmented = *Augmentation == 'z';
  if (Augmented) {
    uint64_t Length = In.uleb();
    const char *Instructions = In.place() + Length;
    for (const char *C = Augmentation + 1; *C && In.ok(); ++C) {
      if (*C == 'R')
        PointerEncoding = In.fixed<uint8_t>();
      else if (*C == 'L')
        In.skip(1);
      else if (*C == 'P')
        In.pointer(In.fixed<uint8_t>() & ~kIndirect, nullptr);
      else if (*C == 'S')
        E.Signal = true;
    }
    E.Shared = Instructions;
  } else if (*Augmentation) {
    return false;
  } else {
    E.Shared = In.place();
  }
  E.SharedEnd = End;
  return In.ok() && E.Shared <= End;
}

bool readEntry(const char *At, Entry &E) {
  Bytes Head(At, At + 12);
  const char *End = endOf(Head);
  if (!End || static_cast<uint64_t>(End - At) > kMostEntryBytes)
    return false;
  Bytes In(Head.place(), End);
  const char *Here = In.place();
  auto Distance = In.fixed<uint32_t>();
  uint8_t Encoding = 0;
  bool Augmented = false;
  if (!Distance || !readShared(Here - Distance, E, Encoding, Augmented))
    return false;
  E.Start = In.pointer(Encoding, nullptr);
  E.Size = In.pointer(Encoding & kFormMask, nullptr);
  if (Augmented)
    In.skip(In.uleb());
  E.Own = In.place();
  E.OwnEnd = End;
  return In.ok();
}

/// Looks \p Address up in the sorted table of .eh_frame_hdr.
bool findEntry(uintptr_t Address, Entry &E) {
  const char *Header = unwindTableOf(Address);
  if (!Header || Header[0] != 1)
    return false;
  auto FrameEncoding = static_cast<uint8_t>(Header[1]);
  auto CountEncoding = static_cast<uint8_t>(Header[2]);
  auto TableEncoding = static_cast<uint8_t>(Header[3]);
  constexpr uint8_t kUsual = kDataRelative | kSigned | kData4;
  if (CountEncoding == kOmit || TableEncoding != kUsual)
    return false;
  Bytes In(Header + 4, Header + 24);
  In.pointer(FrameEncoding, Header);
  uint64_t Count = In.pointer(CountEncoding, Header);
  if (!In.ok() || Count == 0)
    return false;
  struct Pair {
    int32_t Start, Entry; ///< from Header
  };
  auto *Table = reinterpret_cast<const Pair *>(In.place());
  int64_t Wanted = static_cast<int64_t>(Address) -
                   static_cast<int64_t>(reinterpret_cast<uintptr_t>(Header));
  uint64_t First = 0;
  while (Count > 0) { // the last one that starts at or before it
    uint64_t Half = Count / 2;
    if (Table[First + Half].Start <= Wanted) {
      First += Half + 1;
      Count -= Half + 1;
    } else {
      Count = Half;
    }
  }
  return First > 0 && readEntry(Header + Table[First - 1].Entry, E) &&
         Address - E.Start < E.Size;
}

/// Rules of the registers that matter: the caller's stack pointer (CFA), frame
/// pointer and return address.
struct Rules {
  enum How : uint8_t {
    Same,
    AtOffset, ///< saved at the CFA + Offset
    AtFp,     ///< saved where the frame pointer points
    Undefined,
    Other
  };
  struct Saved {
    How Kind = Same;
    int64_t Offset = 0;
  };
  uint64_t Register = 0;
  int64_t Offset = 0;
  bool Expression = false, Deref = false;
  Saved Fp, Return;
};

// DWARF's numbers of registers on x86-64.
constexpr uint64_t kFp = 6, kSp = 7, kReturn = 16;

class Interpreter {
public:
  Interpreter(const Entry &E, uintptr_t Address) : E(E), Address(Address) {}

  bool run() {
    if (!execute(E.Shared, E.SharedEnd, UINTPTR_MAX))
      return false;
    Initial = Now;
    return execute(E.Own, E.OwnEnd, Address);
  }
  const Rules &result() const { return Now; }

private:
  Rules::Saved *saved(uint64_t Register) {
    return Register == kFp       ? &Now.Fp
           : Register == kReturn ? &Now.Return
                                 : nullptr;
  }
  void setSaved(uint64_t Register, Rules::How Kind, int64_t Offset = 0) {
    if (Rules::Saved *S = saved(Register))
      *S = {Kind, Offset};
  }
  void cfa(uint64_t Register, int64_t Offset) {
    Now.Register = Register;
    Now.Offset = Offset;
    Now.Expression = false;
  }
  void cfaExpression(Bytes &In);
  void savedExpression(Bytes &In, bool IsValue);
  bool execute(const char *Begin, const char *End, uintptr_t Until);

  const Entry &E;
  uintptr_t Address;
  Rules Now, Initial;
  static constexpr unsigned kMostRemembered = 4; // gcc and clang need one
  Rules Remembered[kMostRemembered];
  unsigned Depth = 0;
};

/// Two expressions occur: a pointer kept below a realigned frame, and that of
/// the linker's PLT, whose result depends on the address alone.
void Interpreter::cfaExpression(Bytes &In) {
  uint64_t Length = In.uleb();
  Bytes X(In.place(), In.place() + Length);
  In.skip(Length);
  Now.Expression = true;
  Now.Deref = false;
  Now.Register = UINT64_MAX;
  auto First = X.fixed<uint8_t>();
  if (First == 0x70 + kFp) { // DW_OP_breg6 n; DW_OP_deref
    int64_t Offset = X.sleb();
    if (X.fixed<uint8_t>() == 0x06 && X.ok()) {
      Now.Deref = true;
      Now.Register = kFp;
      Now.Offset = Offset;
    }
    return;
  }
  // rsp + 8 + ((rip & 15) >= n) << 3
  static constexpr uint8_t kPlt[] = {0x08, 0x80, 0x00, 0x3f, 0x1a};
  uint8_t Rest[10] = {};
  for (uint8_t &B : Rest)
    B = X.fixed<uint8_t>();
  if (First == 0x70 + kSp && X.ok() && memcmp(Rest, kPlt, sizeof kPlt) == 0 &&
      Rest[5] >= 0x30 && Rest[5] <= 0x4f && Rest[6] == 0x2a &&
      Rest[7] == 0x33 && Rest[8] == 0x24 && Rest[9] == 0x22) {
    Now.Expression = false;
    Now.Register = kSp;
    Now.Offset = 8 + ((Address & 15) >= Rest[5] - 0x30u ? 8 : 0);
  }
}

void Interpreter::savedExpression(Bytes &In, bool IsValue) {
  uint64_t Register = In.uleb(), Length = In.uleb();
  Bytes X(In.place(), In.place() + Length);
  In.skip(Length);
  auto First = X.fixed<uint8_t>();
  int64_t Offset = X.sleb();
  bool AtFp = !IsValue && First == 0x70 + kFp && Offset == 0 && !X.more();
  setSaved(Register, AtFp ? Rules::AtFp : Rules::Other);
}

bool Interpreter::execute(const char *Begin, const char *End, uintptr_t Until) {
  Bytes In(Begin, End);
  uintptr_t Place = E.Start;
  auto Advance = [&](uint64_t Delta) { Place += Delta * E.CodeAlign; };
  auto Scaled = [&](uint64_t Offset) {
    return static_cast<int64_t>(Offset) * E.DataAlign;
  };
  while (In.more() && Place <= Until) {
    auto Code = In.fixed<uint8_t>();
    uint64_t Low = Code & 0x3f, Register;
    switch (Code >> 6) {
    case 1:
      Advance(Low);
      continue;
    case 2:
      setSaved(Low, Rules::AtOffset, Scaled(In.uleb()));
      continue;
    case 3:
      if (Rules::Saved *S = saved(Low))
        *S = Low == kFp ? Initial.Fp : Initial.Return;
      continue;
    }
    switch (Code) {
    case 0x00: // nop
      break;
    case 0x01: // set_loc
      return false;
    case 0x02:
      Advance(In.fixed<uint8_t>());
      break;
    case 0x03:
      Advance(In.fixed<uint16_t>());
      break;
    case 0x04:
      Advance(In.fixed<uint32_t>());
      break;
    case 0x05: // offset_extended
      Register = In.uleb();
      setSaved(Register, Rules::AtOffset, Scaled(In.uleb()));
      break;
    case 0x06: // restore_extended
      Register = In.uleb();
      if (Rules::Saved *S = saved(Register))
        *S = Register == kFp ? Initial.Fp : Initial.Return;
      break;
    case 0x07: // undefined
      setSaved(In.uleb(), Rules::Undefined);
      break;
    case 0x08: // same_value
      setSaved(In.uleb(), Rules::Same);
      break;
    case 0x09: // register
      setSaved(In.uleb(), Rules::Other);
      In.uleb();
      break;
    case 0x0a: // remember_state
      if (Depth == kMostRemembered)
        return false;
      Remembered[Depth++] = Now;
      break;
    case 0x0b: // restore_state
      if (Depth == 0)
        return false;
      Now = Remembered[--Depth];
      break;
    case 0x0c: // def_cfa
      Register = In.uleb();
      cfa(Register, static_cast<int64_t>(In.uleb()));
      break;
    case 0x0d: // def_cfa_register
      Now.Register = In.uleb();
      Now.Expression = false;
      break;
    case 0x0e: // def_cfa_offset
      Now.Offset = static_cast<int64_t>(In.uleb());
      break;
    case 0x0f:
      cfaExpression(In);
      break;
    case 0x10:
      savedExpression(In, /*IsValue=*/false);
      break;
    case 0x11: // offset_extended_sf
      Register = In.uleb();
      setSaved(Register, Rules::AtOffset, In.sleb() * E.DataAlign);
      break;
    case 0x12: // def_cfa_sf
      Register = In.uleb();
      cfa(Register, In.sleb() * E.DataAlign);
      break;
    case 0x13: // def_cfa_offset_sf
      Now.Offset = In.sleb() * E.DataAlign;
      break;
    case 0x14: // val_offset
    case 0x15:
      setSaved(In.uleb(), Rules::Other);
      In.uleb();
      break;
    case 0x16:
      savedExpression(In, /*IsValue=*/true);
      break;
    case 0x2e: // GNU_args_size
      In.uleb();
      break;
    default:
      return false;
    }
  }
  return In.ok();
}

/// The row for \p Address, which is not kept yet.
UnwindRow computeRow(uintptr_t Address) {
  UnwindRow Row = {Address, 0, 0, UnwindRow::Unknown, false};
  if (Address == StartUp ||
      within(Address, __start_inmem_starts, __stop_inmem_starts)) {
    Row.Kind = UnwindRow::Outermost;
    return Row;
  }
  Entry E;
  if (!findEntry(Address, E)) {
    // Nobody called what "returns" to a function's first byte (makecontext).
    if (findEntry(Address + 1, E) && E.Start == Address + 1)
      Row.Kind = UnwindRow::Outermost;
    // The loader's first instructions have no entry.
    const char *Loader = unwindTableOf(getauxval(AT_BASE));
    if (Loader && unwindTableOf(Address) == Loader)
      Row.Kind = UnwindRow::Outermost;
    return Row;
  }
  if (E.Signal) {
    Row.Kind = UnwindRow::Signal;
    return Row;
  }
  Interpreter I(E, Address);
  if (!I.run() || E.ReturnColumn != kReturn)
    return Row;
  const Rules &R = I.result();
  if (R.Return.Kind == Rules::Undefined) {
    Row.Kind = UnwindRow::Outermost;
    return Row;
  }
  bool KnownCfa = (R.Register == kSp && !R.Expression) || R.Register == kFp;
  if (!KnownCfa || R.Offset != static_cast<int32_t>(R.Offset) ||
      R.Return.Kind != Rules::AtOffset || R.Return.Offset != -8)
    return Row;
  Row.Cfa = static_cast<int32_t>(R.Offset);
  Row.FromFp = R.Register == kFp;
  Row.Kind = R.Deref && R.Expression ? UnwindRow::Deref : UnwindRow::Normal;
  switch (R.Fp.Kind) {
  case Rules::Same:
    break;
  case Rules::AtOffset:
    if (R.Fp.Offset != static_cast<int16_t>(R.Fp.Offset) || !R.Fp.Offset) {
      Row.Kind = UnwindRow::Unknown;
      break;
    }
    Row.SavedFp = static_cast<int16_t>(R.Fp.Offset);
    break;
  case Rules::AtFp:
    if (Row.Kind != UnwindRow::Deref)
      Row.Kind = UnwindRow::Unknown;
    break;
  default:
    Row.Kind = UnwindRow::Unknown;
  }
  return Row;
}

INMEM_COLD void fillRow(UnwindRow &Row, uintptr_t Address) {
  Row = computeRow(Address);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Where the calling thread's stack ends: glibc puts a thread's own block
/// there, and the kernel the first arguments of the main thread.
uintptr_t stackTop() {
  bool Main = threadId() == processId();
  uintptr_t Top = Main ? getauxval(AT_RANDOM)
                       : reinterpret_cast<uintptr_t>(threadPointer());
  return Top & ~uintptr_t{15};
}

bool arePagesReadable(uintptr_t From, uintptr_t To) {
  for (uintptr_t Page = From; Page < To; Page += kPage)
    if (!isReadable(reinterpret_cast<const void *>(Page)))
      return false;
  return true;
}

/// Whether the word at \p Address, outside of what is known, may be read.
INMEM_COLD bool isWordReadable(Unwinder &U, uintptr_t Address) {
  constexpr uintptr_t kMostAtOnce = 16 << 20;
  if (Address & 7)
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

  /// To the caller; false at the end, or where the way is not known.
  INMEM_INLINE bool step() {
    UnwindRow &Row = U.Rows[At * 0x9E3779B97F4A7C15u >> 54];
    static_assert(Unwinder::kRows == 1u << (64 - 54));
    if (INMEM_UNLIKELY(Row.Address != At))
      fillRow(Row, At);
    if (INMEM_UNLIKELY(Row.Kind != UnwindRow::Normal))
      return unusualStep(Row);
    uintptr_t Cfa =
        (Row.FromFp ? Fp : Sp) + static_cast<uintptr_t>(intptr_t{Row.Cfa});
    uintptr_t Return;
    if (Row.SavedFp &&
        !load(Cfa + static_cast<uintptr_t>(intptr_t{Row.SavedFp}), Fp))
      return false;
    if (Cfa <= Sp || !load(Cfa - 8, Return) || Return < kPage)
      return false;
    Sp = Cfa;
    At = Return - 1;
    return true;
  }

  UnwindRow::Step kind() {
    UnwindRow &Row = U.Rows[At * 0x9E3779B97F4A7C15u >> 54];
    if (INMEM_UNLIKELY(Row.Address != At))
      fillRow(Row, At);
    return Row.Kind;
  }
  /// Whether the walk ends before this frame.
  bool isOutermost() { return kind() == UnwindRow::Outermost; }

private:
  INMEM_INLINE bool load(uintptr_t Address, uintptr_t &Value) {
    if (INMEM_UNLIKELY(Address - U.Low >= U.High - U.Low) &&
        !isWordReadable(U, Address))
      return false;
    Value = *reinterpret_cast<const uintptr_t *>(Address);
    return true;
  }

  INMEM_COLD bool unusualStep(const UnwindRow &Row) {
    uintptr_t Next, Return;
    switch (Row.Kind) {
    case UnwindRow::Signal: {
      // Where the handler's return leaves the stack pointer lies a ucontext_t;
      // its registers are an array from byte 40 on (<sys/ucontext.h>).
      uintptr_t Registers = Sp + 40;
      if (!load(Registers + 10 * 8, Fp) || !load(Registers + 15 * 8, Next) ||
          !load(Registers + 16 * 8, Return) || Return < kPage)
        return false;
      Sp = Next;
      At = Return; // not a call: the instruction itself
      return true;
    }
    case UnwindRow::Deref:
      if (!load(Fp + static_cast<uintptr_t>(intptr_t{Row.Cfa}), Next) ||
          Next <= Sp || !load(Next - 8, Return) || Return < kPage)
        return false;
      if (!load(Row.SavedFp
                    ? Next + static_cast<uintptr_t>(intptr_t{Row.SavedFp})
                    : Fp,
                Fp))
        return false;
      Sp = Next;
      At = Return - 1;
      return true;
    case UnwindRow::Unknown:
      // Generated code, say. A frame pointer leads to the caller's, and the
      // return address lies above it.
      if (Fp < Sp || Fp - Sp > (1 << 20) || !load(Fp + 8, Return) ||
          Return < kPage ||
          !isReadable(reinterpret_cast<const void *>(Return & ~uintptr_t{7})))
        return false;
      Sp = Fp + 16;
      if (!load(Fp, Fp))
        return false;
      At = Return - 1;
      return true;
    default:
      Outermost = true;
      return false;
    }
  }

  Unwinder &U;
  uintptr_t Sp, Fp;
};

} // namespace

uint32_t codeGeneration() { return Generation; }
void forgetCode() { Generation = Generation + 1; }
void setStartUp(CodeAddress Address) { StartUp = Address; }

bool isEntryFunction(CodeAddress Address) {
  uintptr_t Entry = getauxval(AT_ENTRY);
  return Entry && functionStart(Address) == Entry;
}

uintptr_t functionStart(CodeAddress Address) {
  Entry E;
  return findEntry(Address, E) ? E.Start : 0;
}

bool isHook(CodeAddress Address) { return inHooks(Address); }

bool isSignalFrame(CodeAddress Address) {
  Entry E;
  return findEntry(Address, E) && E.Signal;
}

#if defined(__x86_64__)
/// A walk from here. A macro: the function that has it must not return sooner.
#define INMEM_WALK_FROM_HERE(U)                                                \
  uintptr_t Pc, Sp, Fp;                                                        \
  __asm__ volatile("leaq 0(%%rip), %0\n\tmovq %%rsp, %1\n\tmovq %%rbp, %2"     \
                   : "=r"(Pc), "=r"(Sp), "=r"(Fp));                            \
  beginWalk(U);                                                                \
  Walker W(U, Pc, Sp, Fp)

static INMEM_INLINE void beginWalk(Unwinder &U) {
  if (INMEM_UNLIKELY(U.Generation != codeGeneration())) {
    memset(U.Rows, 0, sizeof U.Rows);
    U.Generation = codeGeneration();
  }
  U.Page = 0;
}

OperatorWay wayFromOperator(Unwinder &U) {
  INMEM_WALK_FROM_HERE(U);
  do {
    if (within(W.At, __start_inmem_replaced, __stop_inmem_replaced))
      return OperatorWay::Direct;
    if (W.kind() == UnwindRow::Signal)
      return OperatorWay::Handler;
  } while (W.step());
  return W.Outermost ? OperatorWay::None : OperatorWay::Unknown;
}

void walkStack(Unwinder &U, Walk &Out, unsigned Depth) {
  INMEM_WALK_FROM_HERE(U);
  Out.Count = 0;
  Out.Hash = 0;
  Out.Hook = 0;
  Out.Cut = Out.Lost = false;
  // Out of the runtime. Its functions call one another, the hook is the last.
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
void walkFrom(Unwinder &U, const Registers &At, Walk &Out, unsigned Depth) {
  beginWalk(U);
  Walker W(U, At.Pc, At.Sp, At.Fp);
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
#else
void walkStack(Unwinder &, Walk &Out, unsigned) { Out.Count = 0; }
OperatorWay wayFromOperator(Unwinder &) { return OperatorWay::Unknown; }
#endif

} // namespace inmem::rt
