//===- Refusal.cpp ---------------------------------------------------------===//
//
// The tables are those of the Itanium C++ ABI for exception handling, which
// GCC and clang write for each function that has something to do when an
// exception passes (the "language-specific data area"): which parts of the
// code lead to which landing pad, and which types are caught there.
//
//===----------------------------------------------------------------------===//
#include "Refusal.h"

#include "Allocator.h"
#include "Image.h"
#include "Recorder.h"

#include <link.h>
#include <string.h>
#include <unwind.h>

extern "C" int _dl_find_object(void *, struct dl_find_object *)
    __attribute__((weak)); // glibc 2.35

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

/// \returns false if the encoding is none that we know.
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

/// The mangled name of the type whose std::type_info (virtual table, name) is at
/// \p Info.
const char *nameOfType(uintptr_t Info) {
  const char *Name;
  memcpy(&Name, reinterpret_cast<const char *>(Info) + sizeof(void *),
         sizeof Name);
  return Name + (*Name == '*'); // GCC: compare by address
}

/// Does a handler of the type take inmem::budget_exceeded?
bool takesRefusal(const char *Type) {
  return strcmp(Type, "N5inmem15budget_exceededE") == 0 ||
         strcmp(Type, "St9bad_alloc") == 0 || strcmp(Type, "St9exception") == 0;
}

enum class Passage { Unknown, Goes, Caught, Terminates };

/// What our compiler says of the handler whose type follows in the table: see
/// plugin/ir/MarkHandlers.h. Unknown: \p Type is no marker.
Passage markedPassage(const char *Type) {
  if (strcmp(Type, "N5inmem7handler8swallowsE") == 0)
    return Passage::Caught;
  if (strcmp(Type, "N5inmem7handler8rethrowsE") == 0)
    return Passage::Goes; // what is further out matters too
  if (strcmp(Type, "N5inmem7handler10terminatesE") == 0)
    return Passage::Terminates;
  return Passage::Unknown;
}

// In code of other compilations: whether a landing pad is clang's way to
// std::terminate. Its noexcept
// functions catch everything, as catch (...) does, and then call a small
// function of two calls, __cxa_begin_catch and std::terminate; a catch (...)
// calls __cxa_begin_catch first.
#ifdef __x86_64__
/// A call instruction at \p At: where it leads, or where that is written
/// (-fno-plt); 0: it is none.
uintptr_t calleeAt(const uint8_t *At, unsigned &Bytes) {
  Bytes = At[0] == 0xe8 ? 5 : At[0] == 0xff && At[1] == 0x15 ? 6 : 0;
  if (!Bytes)
    return 0;
  int32_t Distance;
  memcpy(&Distance, At + Bytes - 4, sizeof Distance);
  return reinterpret_cast<uintptr_t>(At + Bytes + Distance);
}

/// If the function at \p At is that small one: its first callee, else 0.
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

bool leadsToTerminate(const uint8_t *From) {
  constexpr unsigned kReach = 160;
  constexpr unsigned kFunction = 24; ///< bytes that beginCatchOf looks at
  struct dl_find_object Own, Other;
  if (!_dl_find_object ||
      _dl_find_object(const_cast<uint8_t *>(From), &Own) != 0)
    return true;
  auto *End = static_cast<const uint8_t *>(Own.dlfo_map_end);
  uintptr_t Callees[kReach];
  unsigned Count = 0, Bytes;
  // Byte by byte: what looks like a call may be part of another instruction,
  // and then leads nowhere.
  for (const uint8_t *At = From; At < From + kReach && At + 6 < End; ++At) {
    uintptr_t Callee = calleeAt(At, Bytes);
    auto *Code = reinterpret_cast<uint8_t *>(Callee);
    if (!Callee || _dl_find_object(Code, &Other) != 0 ||
        Other.dlfo_map_start != Own.dlfo_map_start || Code + kFunction > End)
      continue;
    uintptr_t BeginCatch = Bytes == 5 ? beginCatchOf(Code) : 0;
    for (unsigned I = 0; I < Count; ++I)
      if (BeginCatch && Callees[I] == BeginCatch)
        return false;
    if (BeginCatch)
      return true;
    Callees[Count++] = Callee;
  }
  return false;
}
#else
bool leadsToTerminate(const uint8_t *) { return true; }
#endif

/// What happens to it at the landing pad \p Pad, whose list of types to catch
/// begins at \p Record and numbers them by their place before \p Types.
Passage passageOfPad(const uint8_t *Pad, const uint8_t *Record,
                     const uint8_t *Types, uint8_t TypesHow) {
  Passage Marked = Passage::Unknown;
  for (;;) {
    int64_t Filter = readSleb(Record);
    const uint8_t *Link = Record;
    int64_t Next = readSleb(Record);
    if (Filter < 0 || (Filter > 0 && !Types))
      return Passage::Terminates; // throw (...) of old
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
        // A catch (...) often throws it on: what is further out matters too.
        return leadsToTerminate(Pad) ? Passage::Terminates : Passage::Goes;
      }
      Marked = markedPassage(Type);
    }
    if (!Next)
      return Passage::Goes;
    Record = Link + Next;
  }
}

/// What happens to the exception in the function whose tables \p Data are, at
/// \p Address within it.
Passage passageThrough(const uint8_t *Data, uintptr_t Function,
                       uintptr_t Address) {
  const uint8_t *At = Data;
  uintptr_t PadBase = Function;
  uint8_t How = *At++;
  if (How != kOmitted && !readPointer(At, How, PadBase))
    return Passage::Terminates;
  uint8_t TypesHow = *At++;
  const uint8_t *Types = nullptr;
  if (TypesHow != kOmitted) {
    uint64_t Distance = readUleb(At);
    Types = At + Distance;
  }
  uint8_t CallsHow = *At++;
  uint64_t CallBytes = readUleb(At);
  const uint8_t *Actions = At + CallBytes;
  while (At < Actions) {
    uintptr_t Start, Length, Pad;
    if (!readPointer(At, CallsHow, Start) || !readPointer(At, CallsHow, Length) ||
        !readPointer(At, CallsHow, Pad))
      return Passage::Terminates;
    uint64_t Action = readUleb(At);
    if (Address < Function + Start)
      return Passage::Terminates; // the calls are in order: it has none
    if (Address >= Function + Start + Length)
      continue;
    if (!Pad || !Action)
      return Passage::Goes;
    return passageOfPad(reinterpret_cast<const uint8_t *>(PadBase + Pad),
                        Actions + Action - 1, Types, TypesHow);
  }
  return Passage::Terminates;
}

struct Search {
  Passage Result;
  bool ThroughC;
  uintptr_t Last; ///< the outermost address that was seen
};

/// Whether a function without tables is C, as far as its file exports its name:
/// an exception would pass it, but what it holds would never be given back.
bool isC(uintptr_t Function) {
  Image File;
  uint32_t Offset;
  const char *Name =
      Image::around(Function, File) ? File.symbolAt(Function, Offset) : nullptr;
  return Name && strncmp(Name, "_Z", 2) != 0 &&
         strncmp(Name, "__inmem_", 8) != 0; // us
}

_Unwind_Reason_Code visitFrame(struct _Unwind_Context *Context, void *Result) {
  auto &Found = *static_cast<Search *>(Result);
  int Before = 0;
  uintptr_t Address = _Unwind_GetIPInfo(Context, &Before);
  Found.Last = Address;
  auto *Data = static_cast<const uint8_t *>(
      reinterpret_cast<const void *>(_Unwind_GetLanguageSpecificData(Context)));
  if (!Data) {
    if (Address)
      Found.ThroughC |=
          isC(static_cast<uintptr_t>(_Unwind_GetRegionStart(Context)));
    return _URC_NO_REASON;
  }
  // The call lies before its return address.
  Passage P = passageThrough(
      Data, static_cast<uintptr_t>(_Unwind_GetRegionStart(Context)),
      Address - !Before);
  if (P == Passage::Goes)
    return _URC_NO_REASON;
  Found.Result = P;
  return _URC_NORMAL_STOP;
}

} // namespace

bool canRefuse(bool ToNobody) {
  // A replaced operator new may not get on with our way of giving back.
  if (Real.OperatorsReplaced)
    return false;
  Search Found = {Passage::Goes, false, 0};
  _Unwind_Backtrace(visitFrame, &Found);
  if (Found.Result != Passage::Goes)
    return Found.Result == Passage::Caught && !Found.ThroughC;
  // Without a handler, if the stack was seen to its end, which has no address, and
  // not down to code that has no tables.
  return ToNobody && Found.Last == 0;
}

void refuse(void *P) {
  freed(P);
  Real.free(P);
}

} // namespace inmem::rt
