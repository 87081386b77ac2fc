//===- Refusal.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the Itanium C++ ABI's tables for exception handling (the
// "language-specific data area"). GCC and clang emit one for each function that
// must act when an exception passes. It maps parts of the code to landing pads,
// and lists the types that are caught there.
//
//===----------------------------------------------------------------------===//
#include "scopes/Scopes.h"

#include "allocator/Allocator.h"
#include "hot/Recorder.h"
#include "platform/Image.h"
#include "registry/Modules.h"
#include "stacks/SymbolNames.h"

#include "inmem/abi.h"

#include <string.h>
#include <unwind.h>

#ifndef __GLIBC__
// Weak, because a program in C has no unwinder; every program that can throw
// has one.
#pragma weak _Unwind_Backtrace
#pragma weak _Unwind_GetIPInfo
#pragma weak _Unwind_GetRegionStart
#pragma weak _Unwind_GetLanguageSpecificData
#endif

namespace inmem::rt {

namespace {

/// DW_EH_PE_*: how a pointer is written.
enum Encoding : uint8_t {
  kAbsolute = 0x00,
  kUleb = 0x01,
  kUdata2 = 0x02,
  kUdata4 = 0x03,
  kUdata8 = 0x04,
  kSleb = 0x09,
  kSdata2 = 0x0a,
  kSdata4 = 0x0b,
  kSdata8 = 0x0c,
  kFormat = 0x0f,
  kRelative = 0x10,
  kIndirect = 0x80,
  kOmitted = 0xff
};

uint64_t readUleb(const uint8_t *&At) {
  uint64_t Value = 0;
  for (unsigned Shift = 0;; Shift += 7) {
    uint8_t Byte = *At++;
    if (Shift < 64)
      Value |= uint64_t{Byte & 0x7fu} << Shift;
    if (!(Byte & 0x80))
      return Value;
  }
}

int64_t readSleb(const uint8_t *&At) {
  int64_t Value = 0;
  unsigned Shift = 0;
  uint8_t Byte;
  do {
    Byte = *At++;
    if (Shift < 64)
      Value |= static_cast<int64_t>(uint64_t{Byte & 0x7fu} << Shift);
    Shift += 7;
  } while (Byte & 0x80);
  if (Shift < 64 && (Byte & 0x40))
    Value |= -(int64_t{1} << Shift);
  return Value;
}

template <class Number> uintptr_t readFixed(const uint8_t *&At) {
  Number N;
  memcpy(&N, At, sizeof N);
  At += sizeof N;
  return static_cast<uintptr_t>(static_cast<intptr_t>(N));
}

/// \returns false for an unknown encoding
bool readPointer(const uint8_t *&At, uint8_t How, uintptr_t &Value) {
  auto Here = reinterpret_cast<uintptr_t>(At);
  switch (How & kFormat) {
  case kAbsolute:
  case kUdata8:
  case kSdata8:
    Value = readFixed<uint64_t>(At);
    break;
  case kUleb:
    Value = readUleb(At);
    break;
  case kSleb:
    Value = static_cast<uintptr_t>(readSleb(At));
    break;
  case kUdata2:
    Value = readFixed<uint16_t>(At);
    break;
  case kSdata2:
    Value = readFixed<int16_t>(At);
    break;
  case kUdata4:
    Value = readFixed<uint32_t>(At);
    break;
  case kSdata4:
    Value = readFixed<int32_t>(At);
    break;
  default:
    return false;
  }
  uint8_t Base = How & 0x70;
  if (Base != 0 && Base != kRelative)
    return false;
  if (Value && Base == kRelative)
    Value += Here;
  if (Value && (How & kIndirect))
    memcpy(&Value, reinterpret_cast<const void *>(Value), sizeof Value);
  return true;
}

size_t sizeOf(uint8_t How) {
  switch (How & kFormat) {
  case kUdata2:
  case kSdata2:
    return 2;
  case kUdata4:
  case kSdata4:
    return 4;
  default:
    return 8;
  }
}

/// The mangled name of the type with its std::type_info (vtable, name) at \p
/// Info.
const char *nameOfType(uintptr_t Info) {
  const char *Name;
  memcpy(&Name, reinterpret_cast<const char *>(Info) + sizeof(void *),
         sizeof Name);
  return Name + (*Name == '*'); // GCC: '*' means compare by address
}

/// True if a handler for that type catches inmem::budget_exceeded.
bool takesRefusal(const char *Type) {
  return strcmp(Type, "N5inmem15budget_exceededE") == 0 ||
         strcmp(Type, "St9bad_alloc") == 0 || strcmp(Type, "St9exception") == 0;
}

/// GoesFromHandler: the handler rethrows it, out of the function or to code
/// around the handler, which the tables do not show. TerminatesAtEnd: only
/// exceptions thrown at the end of a handler get there.
enum class Passage {
  Unknown,
  Goes,
  GoesFromHandler,
  Caught,
  TerminatesAtEnd,
  Terminates
};

/// Decodes our compiler's marker for the handler of the following type in the
/// table (plugin/ir/HandlerFates.h). Unknown: \p Type is not a marker.
Passage markedPassage(const char *Type) {
  if (strcmp(Type, "N5inmem7handler8swallowsE") == 0)
    return Passage::Caught;
  if (strcmp(Type, "N5inmem7handler8rethrowsE") == 0)
    return Passage::Goes; // handlers further out matter too
  if (strcmp(Type, "N5inmem7handler11may_rethrowE") == 0)
    return Passage::GoesFromHandler;
  if (strcmp(Type, "N5inmem7handler17terminates_at_endE") == 0)
    return Passage::TerminatesAtEnd;
  if (strcmp(Type, "N5inmem7handler10terminatesE") == 0)
    return Passage::Terminates;
  return Passage::Unknown;
}

// True if a landing pad without our compiler's markers is clang's call of
// std::terminate. clang's noexcept functions catch everything, as catch (...)
// does, and then call a small function that calls __cxa_begin_catch and
// std::terminate; a catch (...) calls __cxa_begin_catch first.
#ifdef __x86_64__
constexpr unsigned kStep = 1, kDirect = 5; ///< bytes: scan step, direct call
/// The target of a call instruction at \p At, or the address of a pointer to it
/// (-fno-plt); 0: not a call.
uintptr_t calleeAt(const uint8_t *At, unsigned &Bytes) {
  Bytes = At[0] == 0xe8 ? 5 : At[0] == 0xff && At[1] == 0x15 ? 6 : 0;
  if (!Bytes)
    return 0;
  int32_t Distance;
  memcpy(&Distance, At + Bytes - 4, sizeof Distance);
  return reinterpret_cast<uintptr_t>(At + Bytes + Distance);
}

/// The first callee of the function at \p At if that is this small function;
/// else 0.
uintptr_t beginCatchOf(const uint8_t *At) {
  // endbr64; push %rbp; mov %rsp,%rbp; or push %rax.
  if (memcmp(At, "\xf3\x0f\x1e\xfa", 4) == 0)
    At += 4;
  if (memcmp(At, "\x55\x48\x89\xe5", 4) == 0)
    At += 4;
  else if (*At == 0x50)
    At += 1;
  else
    return 0;
  unsigned First, Second;
  uintptr_t Callee = calleeAt(At, First);
  return Callee && calleeAt(At + First, Second) ? Callee : 0;
}
#else
constexpr unsigned kStep = 4, kDirect = 4;
/// As above. All instructions are as long as bl.
uintptr_t calleeAt(const uint8_t *At, unsigned &Bytes) {
  Bytes = 4;
  uint32_t Code;
  memcpy(&Code, At, sizeof Code);
  if (Code >> 26 != 0x25) // bl
    return 0;
  const int32_t Distance = static_cast<int32_t>(Code << 6) >> 4;
  return reinterpret_cast<uintptr_t>(At + Distance);
}

uintptr_t beginCatchOf(const uint8_t *At) {
  const auto IsPrologue = [](const uint8_t *Code) {
    uint32_t I;
    memcpy(&I, Code, sizeof I);
    return (I & 0xfffff01f) == 0xd503201f || // hints: bti c, paciasp
           I == 0xa9bf7bfd ||                // stp x29, x30, [sp, #-16]!
           I == 0x910003fd ||                // mov x29, sp
           I == 0xf81f0ffe;                  // str x30, [sp, #-16]!
  };
  constexpr unsigned kMost = 4;
  for (unsigned I = 0; I < kMost && IsPrologue(At); ++I)
    At += 4;
  unsigned First, Second;
  const uintptr_t Callee = calleeAt(At, First);
  return Callee && calleeAt(At + First, Second) ? Callee : 0;
}
#endif

bool leadsToTerminate(const uint8_t *From) {
  constexpr unsigned kReach = 160;
  constexpr unsigned kFunction = 24; ///< bytes that beginCatchOf() examines
  const AddressRange Own = Image::spanAround(reinterpret_cast<uintptr_t>(From));
  if (!Own.End)
    return true;
  uintptr_t Callees[kReach];
  unsigned Count = 0, Bytes;
  // x86-64 code is searched byte by byte. Bytes that look like a call may be
  // part of another instruction; their target is then no such function.
  for (const uint8_t *At = From;
       At < From + kReach && reinterpret_cast<uintptr_t>(At) + 6 < Own.End;
       At += kStep) {
    uintptr_t Callee = calleeAt(At, Bytes);
    if (!Own.contains(Callee) || Callee + kFunction > Own.End)
      continue;
    auto *Code = reinterpret_cast<uint8_t *>(Callee);
    uintptr_t BeginCatch = Bytes == kDirect ? beginCatchOf(Code) : 0;
    for (unsigned I = 0; I < Count; ++I)
      if (BeginCatch && Callees[I] == BeginCatch)
        return false;
    if (BeginCatch)
      return true;
    Callees[Count++] = Callee;
  }
  return false;
}

/// The exception's passage at landing pad \p Pad, with the action list at \p
/// Record; types are numbered backwards from \p Types.
Passage passageOfPad(const uint8_t *Pad, const uint8_t *Record,
                     const uint8_t *Types, uint8_t TypesHow) {
  Passage Marked = Passage::Unknown;
  for (;;) {
    int64_t Filter = readSleb(Record);
    const uint8_t *Link = Record;
    int64_t Next = readSleb(Record);
    if (Filter < 0 || (Filter > 0 && !Types))
      return Passage::Terminates; // a pre-C++17 throw(...) list
    if (Filter > 0) {
      const uint8_t *Entry =
          Types - static_cast<uint64_t>(Filter) * sizeOf(TypesHow);
      uintptr_t Info;
      if (!readPointer(Entry, TypesHow, Info))
        return Passage::Terminates;
      const char *Type = Info ? nameOfType(Info) : nullptr;
      if (!Type || takesRefusal(Type)) {
        if (Marked != Passage::Unknown)
          return Marked;
        if (Type)
          return Passage::Caught;
        // A catch (...) often rethrows: handlers further out matter too.
        return leadsToTerminate(Pad) ? Passage::Terminates : Passage::Goes;
      }
      Marked = markedPassage(Type);
    }
    if (!Next)
      return Passage::Goes;
    Record = Link + Next;
  }
}

/// The call-site table of a function, in order of its calls.
class CallTable {
public:
  CallTable(const uint8_t *Data, uintptr_t Function)
      : At(Data), PadBase(Function) {
    uint8_t How = *At++;
    if (How != kOmitted && !readPointer(At, How, PadBase))
      return; // no call sites
    TypesHow = *At++;
    if (TypesHow != kOmitted) {
      uint64_t Distance = readUleb(At);
      Types = At + Distance;
    }
    CallsHow = *At++;
    uint64_t CallBytes = readUleb(At);
    Actions = At + CallBytes;
  }
  /// Steps to the next entry. \returns false at the end, or if it cannot be
  /// read
  bool next() {
    if (!Actions || At >= Actions || !readPointer(At, CallsHow, Start) ||
        !readPointer(At, CallsHow, Length) || !readPointer(At, CallsHow, Pad))
      return false;
    Action = readUleb(At);
    return true;
  }
  /// The passage of an exception from a call of this entry.
  Passage passage() const {
    if (!Pad || !Action)
      return Passage::Goes;
    return passageOfPad(reinterpret_cast<const uint8_t *>(PadBase + Pad),
                        Actions + Action - 1, Types, TypesHow);
  }

  uintptr_t Start = 0, Length = 0; ///< relative to the function's start

private:
  const uint8_t *At;
  uintptr_t PadBase, Pad = 0;
  uint64_t Action = 0;
  const uint8_t *Types = nullptr, *Actions = nullptr;
  uint8_t TypesHow = kOmitted, CallsHow = 0;
};

/// The exception's passage through the function with tables \p Data, at \p
/// Address in it.
Passage passageThrough(const uint8_t *Data, uintptr_t Function,
                       uintptr_t Address) {
  CallTable Calls(Data, Function);
  do {
    // Entries are in order, so the call has none: an exception terminates.
    if (!Calls.next() || Address < Function + Calls.Start)
      return Passage::Terminates;
  } while (Address >= Function + Calls.Start + Calls.Length);
  Passage Here = Calls.passage();
  if (Here != Passage::GoesFromHandler)
    return Here;
  // Conservative: terminates if an exception from any other call of the
  // function would.
  for (CallTable Others(Data, Function); Others.next();)
    if (Others.passage() == Passage::Terminates)
      return Passage::Terminates;
  return Passage::Goes;
}

enum class Language { CPlusPlus, Unknown, C };

/// Classifies a function by the plugin's mark; Unknown without one.
Language markedLanguage(const Image &File, uintptr_t Function) {
  constexpr size_t kBytes = sizeof(INMEM_LANGUAGE_C) - 1;
  if (!File.isReadable(Function - kBytes, kBytes))
    return Language::Unknown;
  auto *Mark = reinterpret_cast<const char *>(Function - kBytes);
  if (memcmp(Mark, INMEM_LANGUAGE_C, kBytes) == 0)
    return Language::C;
  return memcmp(Mark, INMEM_LANGUAGE_CPLUSPLUS, kBytes) == 0
             ? Language::CPlusPlus
             : Language::Unknown;
}

/// Classifies a function by its exported or .symtab name.
Language languageByName(const Image &File, uintptr_t Function) {
  char InFile[16]; // start of the .symtab name
  uint32_t Offset;
  const char *Name = File.symbolAt(Function, Offset, UINT32_MAX);
  if (!Name) {
    const Module *Known = findModule(Function);
    if (Known &&
        readSymbolName(*Known, Function - File.base(), InFile, sizeof InFile))
      Name = InFile;
  }
  if (!Name) // often stripped, but known to be C++
    return File.isNamed("libstdc++.") || File.isNamed("libc++.")
               ? Language::CPlusPlus
               : Language::Unknown;
  return strncmp(Name, "_Z", 2) == 0 || strncmp(Name, INMEM_HOOK_PREFIX,
                                                strlen(INMEM_HOOK_PREFIX)) == 0
             ? Language::CPlusPlus
             : Language::C;
}

/// The language of the function at \p Function. An exception could pass through
/// C, but resources of C frames would leak.
Language languageOf(uintptr_t Function, bool HasTables) {
  Image File, Own;
  if (!Image::around(Function, File))
    return HasTables ? Language::CPlusPlus : Language::Unknown;
  if (Image::around(reinterpret_cast<uintptr_t>(&languageByName), Own) &&
      Own.base() == File.base())
    return Language::CPlusPlus;
  Language Marked = markedLanguage(File, Function);
  if (Marked != Language::Unknown)
    return Marked;
  return HasTables ? Language::CPlusPlus : languageByName(File, Function);
}

struct Search {
  Passage Result = Passage::Goes;
  Language Through = Language::CPlusPlus; ///< C if any function is C
  uintptr_t Last = 0; ///< the outermost address that was seen
};

_Unwind_Reason_Code visitFrame(struct _Unwind_Context *Context, void *Result) {
  auto &Found = *static_cast<Search *>(Result);
  int Before = 0;
  uintptr_t Address = _Unwind_GetIPInfo(Context, &Before);
  Found.Last = Address;
  auto Function = static_cast<uintptr_t>(_Unwind_GetRegionStart(Context));
  auto *Data = static_cast<const uint8_t *>(
      reinterpret_cast<const void *>(_Unwind_GetLanguageSpecificData(Context)));
  // A call is before its return address.
  Passage P =
      Data ? passageThrough(Data, Function, Address - !Before) : Passage::Goes;
  if (P == Passage::Goes) {
    Language L = Address && Found.Through != Language::C
                     ? languageOf(Function, Data != nullptr)
                     : Language::CPlusPlus;
    Found.Through = L > Found.Through ? L : Found.Through;
    return _URC_NO_REASON;
  }
  Found.Result = P;
  return _URC_NORMAL_STOP;
}

} // namespace

bool canRefuse(bool ToNobody, const char *&WhyNot) {
  WhyNot = nullptr;
#ifndef __GLIBC__
  if (!_Unwind_Backtrace)
    return false;
#endif
  // A replaced operator new may not support the way in which we free the block.
  if (Real.OperatorsReplaced && !Real.ReplacedByValgrind)
    return false;
  if (Thread.Excess.CannotUndo) {
    Thread.Excess.CannotUndo = false; // act may jump past its end
    return false;
  }
  Search Found;
  _Unwind_Backtrace(visitFrame, &Found);
  if (Found.Result == Passage::Caught) {
    if (Found.Through == Language::C)
      WhyNot = "not thrown through C code";
    else if (Found.Through == Language::Unknown)
      WhyNot = "not thrown through code without symbols, which may be C";
    return !WhyNot;
  }
  // There is no handler if the walk reached the stack's end, which has no
  // address, rather than code without tables.
  return Found.Result == Passage::Goes && ToNobody && Found.Last == 0;
}

void refuse(void *P) {
  recordFreeAt(P);
  if (Real.ReplacedByValgrind)
    return Thread.Operators.Undo(P, Thread.Operators.UndoSecond, 0);
  Real.free(P);
}

} // namespace inmem::rt
