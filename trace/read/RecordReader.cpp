//===- RecordReader.cpp ---------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/RecordReader.h"

#include "trace/format/FeatureRecords.h"
#include "trace/read/ExtentIndex.h"

#include <cstring>

namespace inmem::trace {

// Reads a string of a list of Records.h, in functions for a record at At.
#define INMEM_STRING(Rank, Name, Key) Taken.Name = stringOf(At, H, Stored.Name);

constexpr uint32_t kDeepestStack = 1024; // more than INMEM_OPTIONS allows

void RecordReader::read() {
  for (const Extent &E : inSequence(Out, ExtentKind::Meta))
    readExtent(E);
}

void RecordReader::readExtent(const Extent &E) {
  const uint64_t Begin = E.Offset + sizeof(ExtentHeader);
  uint64_t At = Begin;
  const uint64_t End = Begin + E.Whole;
  while (At < End) {
    RecordHeader H;
    if (End - At < sizeof H || !Out.load(At, H))
      break; // Cut; reported with the extent.
    if (H.Bytes == 0 && H.Kind == RecordKind{})
      break; // Zeros after what was written.
    if (H.Bytes < sizeof H || H.Bytes % 8 != 0) {
      Report.damage(At + offsetof(RecordHeader, Bytes), "size of a record",
                    "a multiple of 8", text(H.Bytes));
      break;
    }
    if (H.Bytes > End - At) {
      if (E.Whole == E.Header.Used) // not cut: the count is wrong
        Report.damage(At + offsetof(RecordHeader, Bytes), "size of a record",
                      "at most " + text(End - At), text(H.Bytes));
      break;
    }
    readRecord(At, H);
    At += H.Bytes;
  }
}

template <class T>
bool RecordReader::loadRecord(uint64_t At, const RecordHeader &H, T &Record) {
  if (H.Bytes < sizeof(T)) {
    Report.damage(At, "record of kind " + text(static_cast<uint16_t>(H.Kind)),
                  "at least " + text(sizeof(T)) + " bytes", text(H.Bytes));
    return false;
  }
  return Out.load(At, Record);
}

std::string_view RecordReader::stringOf(uint64_t At, const RecordHeader &H,
                                        StringOffset O) {
  if (O == 0)
    return {};
  if (const auto S = Out.string(At, H.Bytes, O))
    return *S;
  Report.damage(At, "string of a record",
                "an offset below " + text(H.Bytes) + " to NUL-terminated bytes",
                text(O));
  return {};
}

bool RecordReader::arrayFits(uint64_t At, const RecordHeader &H,
                             uint32_t Offset, uint64_t Count, uint64_t Size,
                             const char *What) {
  if (Count == 0)
    return true;
  if (Offset >= sizeof(RecordHeader) && Offset <= H.Bytes &&
      Count <= (H.Bytes - Offset) / Size)
    return true;
  Report.damage(At, What, "within the record's " + text(H.Bytes) + " bytes",
                text(Count) + " at " + text(Offset));
  return false;
}

std::array<StringOffset, 2> stringsOf(const FieldRecord &R) {
  return {R.Name, R.TypeName};
}
std::array<StringOffset, 2> stringsOf(const FrameRecord &R) {
  return {R.Function, R.File};
}

/// Checks that the children's strings together are no longer than the record,
/// as each child has its own. Otherwise a small file could refer to gigabytes.
template <class Child>
bool RecordReader::childrenFit(uint64_t At, const RecordHeader &H,
                               uint32_t Offset, uint32_t Count,
                               const char *What) {
  if (!arrayFits(At, H, Offset, Count, sizeof(Child), What))
    return false;
  uint64_t Length = 0;
  for (uint32_t I = 0; I < Count; ++I) {
    Child R;
    if (!Out.load(At + Offset + uint64_t{I} * sizeof R, R))
      return false;
    for (const StringOffset O : stringsOf(R))
      if (O != 0)
        Length += Out.string(At, H.Bytes, O).value_or("").size() + 1;
    if (Length > H.Bytes) {
      Report.damage(At, "strings of a record in all",
                    "at most " + text(H.Bytes), "more");
      return false;
    }
  }
  return true;
}

template <class T>
T *RecordReader::slot(std::vector<T> &Table, uint64_t At, uint32_t Index,
                      uint64_t Max, const char *What) {
  if (Index == 0 || Index > Max) {
    Report.damage(At, What, "1 to " + text(Max), text(Index));
    return nullptr;
  }
  if (Index >= Table.size())
    Table.resize(Index + 1);
  return &Table[Index];
}

template <class Record>
Site *RecordReader::siteRecord(uint64_t At, const RecordHeader &H, Record &R) {
  if (!loadRecord(At, H, R))
    return nullptr;
  return slot(Out.Sites, At, R.Id,
              std::min<uint64_t>(kMaxSites - 1, mostOf(sizeof R)),
              "id of a site");
}

void RecordReader::readCommand(uint64_t At, const RecordHeader &H) {
  Out.Command.clear();
  const char *Text = reinterpret_cast<const char *>(Bytes.data() + At);
  std::string_view Rest(Text + sizeof H, H.Bytes - sizeof H);
  // The payload is padded with NULs; an empty argument in the middle counts.
  while (!Rest.empty() && Rest.back() == '\0')
    Rest.remove_suffix(1);
  Out.Command.reserve(
      static_cast<size_t>(std::count(Rest.begin(), Rest.end(), '\0')) + 1);
  while (!Rest.empty()) {
    const size_t End = Rest.find('\0');
    Out.Command.push_back(Rest.substr(0, End));
    if (End == std::string_view::npos)
      break;
    Rest.remove_prefix(End + 1);
  }
}

void RecordReader::readType(uint64_t At, const RecordHeader &H) {
  TypeRecord R;
  if (!loadRecord(At, H, R))
    return;
  Type *T = slot(Out.Types, At, R.Index, mostOf(sizeof R), "index of a type");
  if (!T)
    return;
  *T = {};
  INMEM_TAKE_IN(*T, R, INMEM_STRING, INMEM_TYPE_RECORD)
  T->Record = At;
  if (childrenFit<FieldRecord>(At, H, R.Fields, R.FieldCount,
                               "fields of a type")) {
    T->FieldCount = R.FieldCount;
    T->Fields = R.Fields;
  }
}

void RecordReader::readSite(uint64_t At, const RecordHeader &H) {
  SiteRecord R;
  Site *S = siteRecord(At, H, R);
  if (!S)
    return;
  INMEM_TAKE_IN(*S, R, INMEM_STRING, INMEM_SITE_RECORD)
  S->Record = At;
  S->FrameCount = 0;
  if (childrenFit<FrameRecord>(At, H, R.Frames, R.FrameCount,
                               "frames of a site")) {
    S->FrameCount = R.FrameCount;
    S->Frames = R.Frames;
  }
}

void RecordReader::readModule(uint64_t At, const RecordHeader &H) {
  ModuleRecord R;
  if (!loadRecord(At, H, R))
    return;
  Module *M = slot(Out.Modules, At, R.Id, mostOf(sizeof R), "id of a module");
  if (!M)
    return;
  *M = {R.Id, R.Base, stringOf(At, H, R.Path), {}};
  if (arrayFits(At, H, R.BuildId, R.BuildIdBytes, 1, "build id of a module"))
    M->BuildId = {reinterpret_cast<const char *>(Bytes.data() + At) + R.BuildId,
                  R.BuildIdBytes};
}

void RecordReader::readObject(uint64_t At, const RecordHeader &H) {
  ObjectRecord R;
  if (!loadRecord(At, H, R))
    return;
  Object &O = Out.Objects.emplace_back();
  INMEM_TAKE_IN(O, R, INMEM_STRING, INMEM_OBJECT_RECORD)
  O.Times = std::max<uint8_t>(O.Times, 1);
}

void RecordReader::readStringCopy(uint64_t At, const RecordHeader &H) {
  StringCopyRecord R;
  if (!loadRecord(At, H, R))
    return;
  StringCopy &C = Out.StringCopies.emplace_back();
  INMEM_TAKE_IN(C, R, INMEM_STRING, INMEM_STRING_COPY_RECORD)
}

void RecordReader::readSource(uint64_t At, const RecordHeader &H) {
  SourceRecord R;
  if (!loadRecord(At, H, R))
    return;
  Source &S = Out.Sources.emplace_back();
  INMEM_TAKE_IN(S, R, INMEM_STRING, INMEM_SOURCE_RECORD)
}

void RecordReader::readFoundType(uint64_t At, const RecordHeader &H) {
  FoundTypeRecord R;
  if (!loadRecord(At, H, R))
    return;
  if (R.Site == 0 || R.Site >= Out.Sites.size()) {
    Report.damage(At + offsetof(FoundTypeRecord, Site), "site of a type",
                  "the number of an earlier record", text(R.Site));
    return;
  }
  if (R.Source > static_cast<uint8_t>(TypeSource::Symbol)) {
    Report.damage(At + offsetof(FoundTypeRecord, Source), "source of a type",
                  "at most " + text(static_cast<uint8_t>(TypeSource::Symbol)),
                  text(R.Source));
    return;
  }
  FoundType &F = Out.FoundTypes[R.Site];
  INMEM_TAKE_IN(F, R, INMEM_STRING, INMEM_FOUND_TYPE_RECORD)
}

void RecordReader::readThread(uint64_t At, const RecordHeader &H) {
  ThreadRecord R;
  if (!loadRecord(At, H, R))
    return;
  Thread &T = Out.Threads[R.Index];
  INMEM_TAKE_IN(T, R, INMEM_STRING, INMEM_THREAD_RECORD)
}

void RecordReader::readPhase(uint64_t At, const RecordHeader &H) {
  PhaseRecord R;
  if (loadRecord(At, H, R))
    Out.Phases.push_back(
        {R.Ticks, R.Snapshot, R.Header.Reserved != 0, stringOf(At, H, R.Name)});
}

void RecordReader::readRecord(uint64_t At, const RecordHeader &H) {
  switch (H.Kind) {
  case RecordKind::Process:
    return readCommand(At, H);
  case RecordKind::Type:
    return readType(At, H);
  case RecordKind::Site:
    return readSite(At, H);
  case RecordKind::CalledSite:
    return readCalledSite(At, H);
  case RecordKind::CallerCall:
    return readCallerCall(At, H);
  case RecordKind::Address:
    return readAddress(At, H);
  case RecordKind::Stack:
    return readStack(At, H);
  case RecordKind::StackedSite:
    return readStackedSite(At, H);
  case RecordKind::Symbol:
    return readSymbol(At, H);
  case RecordKind::Name:
    return readName(At, H);
  case RecordKind::Module:
    return readModule(At, H);
  case RecordKind::Thread:
    return readThread(At, H);
  case RecordKind::Object:
    return readObject(At, H);
  case RecordKind::StringCopy:
    return readStringCopy(At, H);
  case RecordKind::Source:
    return readSource(At, H);
  case RecordKind::FoundType:
    return readFoundType(At, H);
  case RecordKind::Note:
  case RecordKind::Profile:
  case RecordKind::Wait:
    return; // see readThreads()
  case RecordKind::Phase:
    return readPhase(At, H);
  }
  Report.diagnose(Diagnostic::Level::Note, At,
                  "record of an unknown kind skipped", "1 to 8",
                  text(static_cast<uint16_t>(H.Kind)));
}

/// True if a source or name record at \p At refers to an address that precedes
/// it.
bool RecordReader::isKnownAddress(uint64_t At, uint32_t Address) {
  static_assert(offsetof(SymbolRecord, Address) ==
                offsetof(NameRecord, Address));
  if (Address != 0 && Address < Out.Addresses.size())
    return true;
  Report.damage(At + offsetof(SymbolRecord, Address), "address of a symbol",
                "1 to " + text(Out.Addresses.size() - 1), text(Address));
  return false;
}

void RecordReader::readCalledSite(uint64_t At, const RecordHeader &H) {
  CalledSiteRecord R;
  Site *S = siteRecord(At, H, R);
  if (!S)
    return;
  if (R.Site >= R.Id || Out.Sites[R.Site].Id == 0 ||
      Out.Sites[R.Site].Plain != 0) {
    Report.damage(At + offsetof(CalledSiteRecord, Site), "site of a caller",
                  "a plain site below " + text(R.Id), text(R.Site));
    return;
  }
  *S = Out.Sites[R.Site];
  S->Id = R.Id;
  S->Plain = R.Site;
  S->HasCaller = true;
  S->Caller = {stringOf(At, H, R.Function), stringOf(At, H, R.File), R.Line,
               R.Column};
}

void RecordReader::readCallerCall(uint64_t At, const RecordHeader &H) {
  CallerCallRecord R;
  if (!loadRecord(At, H, R))
    return;
  if (R.Id == 0 || R.Id >= Out.Sites.size() || !Out.Sites[R.Id].HasCaller) {
    Report.damage(At + offsetof(CallerCallRecord, Id),
                  "site of a caller's call", "a site with its caller",
                  text(R.Id));
    return;
  }
  Site &S = Out.Sites[R.Id];
  const auto Next = static_cast<uint32_t>(Out.CallerCalls.size());
  if (S.CallCount == 0)
    S.FirstCall = Next;
  if (S.FirstCall + S.CallCount == Next) {
    ++S.CallCount;
    Out.CallerCalls.push_back({R.Module, R.Offset});
  } else {
    Report.damage(At + offsetof(CallerCallRecord, Id),
                  "site of a caller's call",
                  "the one of the call before, or a new one", text(R.Id));
  }
}

//===----------------------------------------------------------------------===//
// Records that stacks=N adds
//===----------------------------------------------------------------------===//

void RecordReader::readAddress(uint64_t At, const RecordHeader &H) {
  AddressRecord R;
  if (!loadRecord(At, H, R))
    return;
  if (Address *A = slot(Out.Addresses, At, R.Id, mostOf(sizeof R),
                        "id of a code address"))
    *A = {R.Id,
          R.Module,
          R.Flags,
          R.Offset,
          stringOf(At, H, R.Function),
          R.SymbolOffset,
          {}};
}

void RecordReader::readStack(uint64_t At, const RecordHeader &H) {
  StackRecord R;
  if (!loadRecord(At, H, R))
    return;
  Stack *S = slot(Out.Stacks, At, R.Id, mostOf(sizeof R), "id of a stack");
  if (!S)
    return;
  if (R.Parent >= R.Id) // also makes walks to the root terminate
    Report.damage(At + offsetof(StackRecord, Parent), "parent of a stack",
                  "below " + text(R.Id), text(R.Parent));
  else if (const uint32_t Depth = Out.Stacks[R.Parent].Depth + 1;
           Depth > kDeepestStack ||
           (R.Parent != 0 && Out.Stacks[R.Parent].Id == 0))
    Report.damage(At + offsetof(StackRecord, Parent), "parent of a stack",
                  "a stack before it, of less than " + text(kDeepestStack) +
                      " frames",
                  text(R.Parent));
  else
    *S = {R.Id, R.Parent, R.Address, R.Flags, Depth};
}

void RecordReader::readStackedSite(uint64_t At, const RecordHeader &H) {
  StackedSiteRecord R;
  Site *S = siteRecord(At, H, R);
  if (!S)
    return;
  if (R.Site >= R.Id || Out.Sites[R.Site].Id == 0) {
    Report.damage(At + offsetof(StackedSiteRecord, Site), "site of a stack",
                  "a site below " + text(R.Id), text(R.Site));
    return;
  }
  *S = Out.Sites[R.Site];
  S->Id = R.Id;
  if (!S->Plain) // a site with its caller already has one
    S->Plain = R.Site;
  S->Stack = R.Stack;
}

void RecordReader::readName(uint64_t At, const RecordHeader &H) {
  NameRecord R;
  if (loadRecord(At, H, R) && isKnownAddress(At, R.Address)) {
    Address &A = Out.Addresses[R.Address];
    A.Function = stringOf(At, H, R.Function);
    A.SymbolOffset = R.SymbolOffset;
  }
}

void RecordReader::readSymbol(uint64_t At, const RecordHeader &H) {
  SymbolRecord R;
  if (!loadRecord(At, H, R) ||
      !childrenFit<FrameRecord>(At, H, R.Frames, R.FrameCount,
                                "frames of an address"))
    return;
  if (isKnownAddress(At, R.Address))
    Out.Addresses[R.Address].Source = Out.framesAt(At, R.Frames, R.FrameCount);
}

} // namespace inmem::trace
