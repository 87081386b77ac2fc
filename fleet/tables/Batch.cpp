//===- Batch.cpp ----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fleet/tables/Batch.h"

#include "fleet/tables/ContentHash.h"
#include "fleet/tables/LifetimeGrid.h"
#include "report/findings/Findings.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "report/model/View.h"

#include <algorithm>

namespace inmem::fleet {

using namespace report;

Batch::Batch(std::string Date, std::string Service)
    : Date(std::move(Date)), Service(std::move(Service)) {
  for (const TableSpec &Spec : tables())
    Tables.emplace_back(Spec, Texts);
}

size_t Batch::bytes() const {
  size_t Sum = Texts.bytes();
  for (const Rows &R : Tables)
    Sum += R.bytes();
  return Sum;
}

void Batch::add(const trace::Trace &T, const Profile &P, const TraceKey &Key) {
  const Source S{P, Key.TraceId, Texts.add(Key.Build)};
  Ids.push_back(Key.TraceId);
  Builds.insert(Key.Build);
  addProcess(T, Key, S);
  addTypes(S);
  addSites(S);
  addTimeline(S);
  addResident(S);
  addFindings(S);
  addFrees(S);
}

void Batch::finish() { addDaily(); }

/// Sorting puts next to each other the rows of lifetimes that differ only in
/// the trace.
void Batch::addDaily() {
  const Rows &Lifetimes = rows(TableId::Lifetimes);
  const std::vector<uint32_t> &Order = Lifetimes.sorted();
  constexpr size_t kBuild = 1, kType = 2, kUnit = 3, kBucket = 4, kCount = 5,
                   kBytes = 6;
  const auto Sum = [](int64_t A, int64_t B) {
    int64_t Out = 0;
    return __builtin_add_overflow(A, B, &Out) ? INT64_MAX : Out;
  };
  const int64_t *Build = Lifetimes.column(kBuild),
                *Type = Lifetimes.column(kType),
                *Unit = Lifetimes.column(kUnit),
                *Bucket = Lifetimes.column(kBucket),
                *Blocks = Lifetimes.column(kCount),
                *Size = Lifetimes.column(kBytes);
  for (size_t I = 0; I < Order.size();) {
    const uint32_t First = Order[I];
    int64_t Count = 0, Bytes = 0, Traces = 0;
    const auto Same = [&](uint32_t Row) {
      return Bucket[Row] == Bucket[First] && Type[Row] == Type[First] &&
             Build[Row] == Build[First] && Unit[Row] == Unit[First];
    };
    for (; I < Order.size() && Same(Order[I]); ++I, ++Traces) {
      Count = Sum(Count, Blocks[Order[I]]);
      Bytes = Sum(Bytes, Size[Order[I]]);
    }
    rowsOf(TableId::LifetimesDaily)
        .add({Build[First], Type[First], Unit[First], Bucket[First], Count,
              Bytes, Traces});
  }
}

void Batch::addProcess(const trace::Trace &T, const TraceKey &Key,
                       const Source &S) {
  const ProcessResult &Process = S.P.Processes.front();
  const auto Label = [&](std::string_view Name) -> std::string_view {
    for (const auto &[Is, Value] : Key.Labels)
      if (Is == Name)
        return Value;
    return {};
  };
  std::string Command;
  for (const std::string &Word : Process.Command)
    Command += (Command.empty() ? "" : " ") + Word;
  const Counts &C = S.P.Totals;
  const std::string_view Host = Label("host");
  const std::string_view File = T.fileName();
  rowsOf(TableId::Processes)
      .add({S.TraceId,
            S.Build,
            Texts.orNull(Host.empty() ? std::string_view(Process.Host) : Host),
            Texts.orNull(Label("git_revision")),
            Texts.orNull(File.substr(File.rfind('/') + 1)),
            Texts.orNull(Process.Executable),
            Texts.orNull(Command),
            cell(Process.Pid),
            cell(Process.StartUnixNs / 1000),
            cell(Process.DurationNs),
            Texts.orNull(Process.Clock),
            cell(Process.SampleBytes),
            cell(Process.Every),
            Process.Complete,
            cell(Process.DroppedEvents),
            cell(C.allocations()),
            cell(C.allocatedBytes()),
            cell(C.frees()),
            cell(C.freedBytes()),
            cell(C.liveAllocations()),
            cell(C.liveBytes()),
            cell(S.P.PeakLiveBytes),
            cell(C.temporary())});
  for (const auto &[Name, Value] : Key.Labels)
    rowsOf(TableId::Labels)
        .add({S.TraceId, S.Build, Texts.add(Name), Texts.add(Value)});
}

int64_t Batch::nameType(const TypeResult &T) {
  const int64_t Id = T.Name ? idOf(*T.Name) : 0;
  if (NamedTypes.insert(Id).second)
    rowsOf(TableId::TypeNames)
        .add({Id, T.Name ? Texts.add(*T.Name) : kNull,
              Texts.add(T.Name ? shownType(T) : std::string(kUnknownType))});
  return Id;
}

/// The mean covers timed frees. The sum is scaled to all frees.
static int64_t lifetimeSum(const TypeResult &T, Unit In) {
  if (!T.Life.Mean || In != Unit::Nanoseconds)
    return kNull;
  const unsigned __int128 Sum =
      static_cast<unsigned __int128>(*T.Life.Mean) * T.Life.Count;
  return cell(Sum > ~uint64_t{0} ? ~uint64_t{0} : static_cast<uint64_t>(Sum));
}

void Batch::addTypes(const Source &S) {
  for (const TypeResult &T : S.P.Types) {
    const Counts &C = T.Sum;
    const bool Blocks = (C.Allocations | C.Frees | C.LiveAllocations) != 0;
    if (!Blocks && !T.Objects)
      continue;
    const int64_t Id = nameType(T);
    if (T.Objects)
      addObjects(T, Id, S);
    if (!Blocks)
      continue;
    rowsOf(TableId::Types)
        .add({S.TraceId, S.Build, Id, cell(T.Size), cell(T.Align),
              cell(C.allocations()), cell(C.allocatedBytes()), cell(C.frees()),
              cell(C.freedBytes()), cell(C.liveAllocations()),
              cell(C.liveBytes()), cell(T.PeakLiveBytes), cell(C.temporary()),
              cell(T.Elements), cell(T.Life.Timed),
              lifetimeSum(T, S.P.LifetimeUnit)});
    addLifetimes(T, Id, S);
  }
}

void Batch::addLifetimes(const TypeResult &T, int64_t TypeId, const Source &S) {
  const int64_t Unit =
      Texts.add(S.P.LifetimeUnit == report::Unit::Nanoseconds ? "ns" : "bytes");
  for (const GridCell &C : onGrid(T.Life.Lifetimes)) {
    const int64_t Bucket = C.Bucket;
    rowsOf(TableId::Lifetimes)
        .add({S.TraceId, S.Build, TypeId, Unit, Bucket, cell(C.Count),
              cell(C.Bytes)});
  }
}

void Batch::addObjects(const TypeResult &T, int64_t TypeId, const Source &S) {
  const ObjectCounts &O = *T.Objects;
  rowsOf(TableId::Objects)
      .add({S.TraceId, S.Build, TypeId, cell(O.constructed()), cell(O.Heap),
            cell(O.Stack), cell(O.Static), cell(O.Member),
            cell(O.Thread + O.Placed + O.Unknown), cell(O.Copied),
            cell(O.Moved), O.DestructorKnown ? cell(O.Destroyed) : kNull,
            cell(O.alive()), cell(O.PeakAlive)});
}

int64_t Batch::nameLocation(const SourceLocation &P) {
  const int64_t Id = idOf(P.Function + '\n' + P.File);
  if (NamedSites.insert(Id).second)
    rowsOf(TableId::SiteNames)
        .add({Id, Id, Texts.orNull(P.Function), Texts.orNull(P.File),
              P.Line == 0 ? kNull : P.Line, Texts.add("place"), kNull, kNull,
              kNull});
  return Id;
}

int64_t Batch::nameSite(const SiteResult &S) {
  const SourceLocation &Shown = locationOf(S);
  std::string Whole = S.Kind;
  for (const SourceLocation *P : {&S.Where, S.Caller ? &*S.Caller : nullptr})
    if (P)
      ((((((Whole += '\n') += P->Function) += '\n') += P->File) += '\n') +=
       std::to_string(P->Line)) += ':' + std::to_string(P->Column);
  const int64_t Id = idOf(Whole);
  if (!NamedSites.insert(Id).second)
    return Id;
  const auto Line = [](const SourceLocation &P) {
    return P.Line == 0 ? kNull : int64_t{P.Line};
  };
  const bool InLibrary = S.Caller.has_value();
  rowsOf(TableId::SiteNames)
      .add({Id, nameLocation(Shown), Texts.orNull(Shown.Function),
            Texts.orNull(Shown.File), Line(Shown), Texts.orNull(S.Kind),
            InLibrary ? Texts.orNull(S.Where.Function) : kNull,
            InLibrary ? Texts.orNull(S.Where.File) : kNull,
            InLibrary ? Line(S.Where) : kNull});
  return Id;
}

void Batch::addSites(const Source &S) {
  for (const SiteResult &Site : S.P.Sites) {
    const Counts &C = Site.Sum;
    rowsOf(TableId::Sites)
        .add({S.TraceId, S.Build, nameType(S.P.Types[Site.Type]),
              nameSite(Site), cell(C.allocations()), cell(C.allocatedBytes()),
              cell(C.frees()), cell(C.freedBytes()), cell(C.liveAllocations()),
              cell(C.liveBytes()),
              Site.Peak ? cell(Site.Peak->BytesAtMost) : kNull,
              cell(C.temporary())});
  }
}

void Batch::addTimeline(const Source &S) {
  const std::vector<TimePoint> &Points = S.P.Timeline;
  for (const TypeResult &T : S.P.Types)
    for (size_t I = 0; I < std::min(Points.size(), T.LiveBytesAt.size()); ++I)
      if (T.LiveBytesAt[I] != 0)
        rowsOf(TableId::Timeline)
            .add({S.TraceId, S.Build, nameType(T), static_cast<int64_t>(I),
                  Texts.add(Points[I].Kind), Texts.orNull(Points[I].Name),
                  cell(Points[I].Ns), cell(T.LiveBytesAt[I])});
}

/// The highest size, and that of each moment that is known; the end always is.
void Batch::addResident(const Source &S) {
  const auto Add = [&](int64_t Point, int64_t Kind, int64_t Name, int64_t Ns,
                       uint64_t Bytes) {
    rowsOf(TableId::Resident)
        .add({S.TraceId, S.Build, Point, Kind, Name, Ns, cell(Bytes)});
  };
  const std::vector<TimePoint> &Points = S.P.Timeline;
  bool HasEnd = false;
  for (size_t I = 0; I < Points.size(); ++I) {
    const TimePoint &At = Points[I];
    if (!At.ResidentBytes)
      continue;
    HasEnd |= At.Kind == "end";
    Add(static_cast<int64_t>(I), Texts.add(At.Kind), Texts.orNull(At.Name),
        cell(At.Ns), *At.ResidentBytes);
  }
  if (const auto End = S.P.residentBytes(); End && !HasEnd)
    Add(kNull, Texts.add("end"), kNull, kNull, *End);
  if (const auto Peak = S.P.peakResidentBytes())
    Add(kNull, Texts.add("peak"), kNull, kNull, *Peak);
}

void Batch::addFindings(const Source &S) {
  constexpr size_t kMost = 100;
  for (const Finding &F : findingsOf(S.P, kMost))
    rowsOf(TableId::Findings)
        .add({S.TraceId, S.Build, Texts.add(report::nameOf(F.Rule)),
              Texts.add(nameOf(F.severity())),
              F.Type ? nameType(S.P.Types[*F.Type]) : kNull,
              F.Where.Function.empty() ? kNull : nameLocation(F.Where),
              cell(F.Bytes), cell(F.Allocations), cell(F.SavesBytes),
              cell(F.SavesAllocations), Texts.add(F.Message),
              Texts.add(F.Advice)});
}

void Batch::addFrees(const Source &S) {
  std::map<std::array<int64_t, 5>, FreeTotals> Sums;
  for (const FreePair &Pair : freePairs(S.P, {})) {
    const FreeResult &R = *Pair.Cell;
    Sums[{nameType(S.P.Types[R.Type]), nameSite(S.P.Sites[R.Site]),
          Pair.Freeing.Function.empty() ? kNull : nameLocation(Pair.Freeing),
          Texts.orNull(R.AllocatedIn.Name), Texts.orNull(R.FreedIn.Name)}]
        .add(R);
  }
  for (const auto &[Key, Sum] : Sums)
    rowsOf(TableId::Frees)
        .add({S.TraceId, S.Build, Key[0], Key[1], Key[2], Key[3], Key[4],
              cell(Sum.Frees), cell(Sum.Bytes)});
}

} // namespace inmem::fleet
