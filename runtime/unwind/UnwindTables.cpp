//===- UnwindTables.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unwind/UnwindTables.h"

#include "platform/Image.h"
#include "unwind/Instructions.h"

#include <string.h>

namespace inmem::rt {

namespace {

/// Encodings of pointers (LSB, "DWARF extensions").
enum : uint8_t {
  kOmit = 0xff,
  kFormMask = 0x0f,
  kUleb = 0x01,
  kData2 = 0x02,
  kData4 = 0x03,
  kData8 = 0x04,
  kSigned = 0x08,
  kRelative = 0x10,     ///< to the pointer's own address
  kDataRelative = 0x30, ///< to the start of .eh_frame_hdr
  kIndirect = 0x80
};

/// Reads a table's bytes; past the end it reads zeros and Ok is false.
class Bytes {
public:
  Bytes(const char *Begin, const char *End) : At(Begin), End(End) {}

  const char *cursor() const { return At; }
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

/// A function's entry (FDE) and the part it shares with others (CIE).
struct Entry {
  uintptr_t Start = 0, Size = 0;
  uint64_t CodeAlign = 0;
  int64_t DataAlign = 0;
  uint64_t ReturnColumn = 0;
  bool Signal = false;
  const char *Shared = nullptr, *SharedEnd = nullptr; ///< instructions
  const char *Own = nullptr, *OwnEnd = nullptr;
};

/// Reads a length and returns the end; null at the terminator.
const char *endOf(Bytes &In) {
  uint64_t Length = In.fixed<uint32_t>();
  if (Length == 0xffffffff)
    Length = In.fixed<uint64_t>();
  return Length ? In.cursor() + Length : nullptr;
}

constexpr uint64_t kMostEntryBytes = 1 << 20;

bool readShared(const char *At, Entry &E, uint8_t &PointerEncoding,
                bool &Augmented) {
  Bytes Head(At, At + 12);
  const char *End = endOf(Head);
  if (!End || static_cast<uint64_t>(End - At) > kMostEntryBytes)
    return false;
  Bytes In(Head.cursor(), End);
  if (In.fixed<uint32_t>() != 0)
    return false;
  auto Version = In.fixed<uint8_t>();
  const char *Augmentation = In.cursor();
  // Not strnlen, which sanitizers intercept: a signal may have interrupted
  // theirs.
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
    const char *Instructions = In.cursor() + Length;
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
    E.Shared = In.cursor();
  }
  E.SharedEnd = End;
  return In.ok() && E.Shared <= End;
}

bool readEntry(const char *At, Entry &E) {
  Bytes Head(At, At + 12);
  const char *End = endOf(Head);
  if (!End || static_cast<uint64_t>(End - At) > kMostEntryBytes)
    return false;
  Bytes In(Head.cursor(), End);
  const char *Here = In.cursor();
  auto Distance = In.fixed<uint32_t>();
  uint8_t Encoding = 0;
  bool Augmented = false;
  if (!Distance || !readShared(Here - Distance, E, Encoding, Augmented))
    return false;
  E.Start = In.pointer(Encoding, nullptr);
  E.Size = In.pointer(Encoding & kFormMask, nullptr);
  if (Augmented)
    In.skip(In.uleb());
  E.Own = In.cursor();
  E.OwnEnd = End;
  return In.ok();
}

/// The .eh_frame_hdr of \p Address's file, or null. Takes no lock.
const char *unwindTableOf(uintptr_t Address) {
  return Image::unwindTableAround(Address);
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
  auto *Table = reinterpret_cast<const Pair *>(In.cursor());
  int64_t Wanted = static_cast<int64_t>(Address) -
                   static_cast<int64_t>(reinterpret_cast<uintptr_t>(Header));
  uint64_t First = 0;
  while (Count > 0) { // find the last entry at or below it
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

// DWARF's numbers of registers.
#if defined(__x86_64__)
constexpr uint64_t kFp = 6, kSp = 7, kReturn = 16;
#else
constexpr uint64_t kFp = 29, kSp = 31, kReturn = 30;
#endif

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

/// Two expressions occur in practice: a pointer saved below a realigned frame,
/// and the PLT's, which depends on the address alone.
void Interpreter::cfaExpression(Bytes &In) {
  uint64_t Length = In.uleb();
  Bytes X(In.cursor(), In.cursor() + Length);
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
  Bytes X(In.cursor(), In.cursor() + Length);
  In.skip(Length);
  auto First = X.fixed<uint8_t>();
  int64_t Offset = X.sleb();
  bool AtFp = !IsValue && First == 0x70 + kFp && Offset == 0 && !X.more();
  setSaved(Register, AtFp ? Rules::AtFp : Rules::Other);
}

/// True for padding; on AArch64 also for negate_ra_state, with and without pc:
/// walks strip signatures off return addresses.
bool changesNothing(uint8_t Code) {
#if defined(__aarch64__)
  if (Code == 0x2c || Code == 0x2d)
    return true;
#endif
  return Code == 0x00; // nop
}

bool Interpreter::execute(const char *Begin, const char *End, uintptr_t Until) {
  Bytes In(Begin, End);
  uintptr_t Position = E.Start;
  auto Advance = [&](uint64_t Delta) { Position += Delta * E.CodeAlign; };
  auto Scaled = [&](uint64_t Offset) {
    return static_cast<int64_t>(Offset) * E.DataAlign;
  };
  while (In.more() && Position <= Until) {
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
      if (!changesNothing(Code))
        return false;
    }
  }
  return In.ok();
}

/// True if \p Address is the trampoline by which signal handlers return, which
/// many systems' tables omit: mov x8, #__NR_rt_sigreturn; svc #0. On x86-64
/// musl's omit it: mov $__NR_rt_sigreturn, %rax; syscall.
bool isTrampoline([[maybe_unused]] uintptr_t Address) {
#if defined(__x86_64__) && defined(__GLIBC__)
  return false;
#else
#if defined(__aarch64__)
  // Address is the last byte of a call.
  const uintptr_t Position = (Address + 1) & ~uintptr_t{3};
  constexpr uint32_t kCode[] = {0xd2801168, 0xd4000001};
#else
  const uintptr_t Position = Address + 1;
  constexpr uint8_t kCode[] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};
#endif
  const auto IsReadableAt = [](uintptr_t At) {
    return isReadable(reinterpret_cast<const void *>(At & ~uintptr_t{7}));
  };
  return IsReadableAt(Position) && IsReadableAt(Position + sizeof kCode - 1) &&
         memcmp(reinterpret_cast<const void *>(Position), kCode,
                sizeof kCode) == 0;
#endif
}

/// Sets the location of the saved return address, if rows can express it.
bool setReturn([[maybe_unused]] UnwindRow &Row, const Rules::Saved &Return) {
#if defined(__x86_64__)
  return Return.Kind == Rules::AtOffset && Return.Offset == -8;
#else
  if (Return.Kind == Rules::Same)
    return true; // still in its register
  Row.SavedReturn = static_cast<int32_t>(Return.Offset);
  return Return.Kind == Rules::AtOffset && Return.Offset != 0 &&
         Return.Offset == Row.SavedReturn;
#endif
}

/// Sets the frame pointer's location; false if rows cannot express it.
bool setFp(UnwindRow &Row, const Rules::Saved &Fp) {
  switch (Fp.Kind) {
  case Rules::Same:
    return true;
  case Rules::AtOffset:
    Row.SavedFp = static_cast<decltype(Row.SavedFp)>(Fp.Offset);
    return Fp.Offset != 0 && Fp.Offset == Row.SavedFp;
  case Rules::AtFp:
    return Row.Kind == UnwindRow::Deref;
  default:
    return false;
  }
}

/// Handles code without an entry.
UnwindRow::Step stepWithoutEntry(uintptr_t Address) {
  if (isTrampoline(Address))
    return UnwindRow::Signal;
  // A return to a function's first byte was not a call (makecontext).
  Entry E;
  if (findEntry(Address + 1, E) && E.Start == Address + 1)
    return UnwindRow::Outermost;
  // The loader's first instructions have no entry.
  return Image::isCodeOfLoader(Address) ? UnwindRow::Outermost
                                        : UnwindRow::Unknown;
}

} // namespace

UnwindRow readUnwindRow(uintptr_t Address) {
  UnwindRow Row = {};
  Row.Address = Address;
  Row.Kind = UnwindRow::Unknown;
  Entry E;
  if (!findEntry(Address, E)) {
    Row.Kind = stepWithoutEntry(Address);
    return Row;
  }
  if (E.Signal || isTrampoline(Address)) {
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
      !setReturn(Row, R.Return))
    return Row;
  Row.Cfa = static_cast<int32_t>(R.Offset);
  Row.FromFp = R.Register == kFp;
  Row.Kind = R.Deref && R.Expression ? UnwindRow::Deref : UnwindRow::Normal;
  if (!setFp(Row, R.Fp))
    Row.Kind = UnwindRow::Unknown;
  return Row;
}

AddressRange functionRange(CodeAddress Address) {
  Entry E;
  return findEntry(Address, E) ? AddressRange{E.Start, E.Start + E.Size}
                               : AddressRange{};
}

bool isInFixedFrame(CodeAddress Address) {
  const AddressRange Function = functionRange(Address);
  return hasFixedFrame(Function.Start, Function.End);
}

bool isSignalFrame(CodeAddress Address) {
  Entry E;
  return findEntry(Address, E) ? E.Signal : isTrampoline(Address);
}

} // namespace inmem::rt
