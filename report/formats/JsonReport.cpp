//===- JsonReport.cpp - "inmem-report/1" ----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/findings/RuleFacts.h"
#include "report/formats/Reports.h"
#include "report/model/FieldResult.h"

#include "inmem/abi.h"
#include "report/formats/JsonParts.h"
#include "report/model/LibraryCode.h"
#include "report/model/ShownNames.h"
#include "trace/text/Names.h"

#include <ranges>

namespace inmem::report {

void putCounts(Json &Into, const Counts &C) {
  Into["allocations"] = orNull(C.allocations());
  Into["allocated_bytes"] = orNull(C.allocatedBytes());
  Into["frees"] = orNull(C.frees());
  Into["freed_bytes"] = orNull(C.freedBytes());
  Into["live_allocations"] = orNull(C.liveAllocations());
  Into["live_bytes"] = orNull(C.liveBytes());
  if (C.CarriedAllocations != 0 || C.CarriedBytes != 0) {
    Into["carried_allocations"] = C.CarriedAllocations;
    Into["carried_bytes"] = C.CarriedBytes;
  }
  if (C.Estimated)
    Into["confidence_95"] = {{"allocations", C.allocationsWithin()},
                             {"allocated_bytes", C.bytesWithin()}};
}

namespace {

Json bucketsOf(const std::vector<Bucket> &Buckets, bool OpenEnd) {
  Json All = Json::array();
  for (const Bucket &B : Buckets) {
    const bool Open = OpenEnd && &B == &Buckets.back();
    All.push_back({{"from", B.From},
                   {"to", Open ? Json(nullptr) : Json(B.To)},
                   {"count", B.Count},
                   {"bytes", B.Bytes}});
  }
  return All;
}

Json lifetimeOf(const Lifetime &L, const char *Unit, const View &V) {
  if (!L.known() && L.Count > 0)
    return nullptr; // Freed, but never timed.
  Json Out;
  Out["unit"] = Unit;
  Out["count"] = L.Count;
  Out["timed"] = L.Timed;
  Out["min"] = orNull(L.Min);
  Out["mean"] = orNull(L.Mean);
  Out["p50"] = orNull(L.P50);
  Out["p90"] = orNull(L.P90);
  Out["p99"] = orNull(L.P99);
  Out["max"] = orNull(L.Max);
  Out["histogram"] = bucketsOf(L.Lifetimes.buckets(), false);
  if (!V.Edges.empty())
    Out["buckets"] = bucketsOf(L.Lifetimes.between(V.Edges), true);
  return Out;
}

Json lifetimeOf(const Lifetime &L, const Profile &P, const View &V) {
  return lifetimeOf(L, P.LifetimeUnit == Unit::Nanoseconds ? "ns" : "bytes", V);
}

Json locationOf(const SourceLocation &P) {
  return {{"function", orNull(P.Function)},
          {"file", orNull(P.File)},
          {"line", orNull(P.File.empty() ? 0 : P.Line)},
          {"column", orNull(P.File.empty() ? 0 : P.Column)}};
}

/// An unknown caller is null. A site in the user's code has no caller.
void putCaller(Json &Into, const SiteResult &S) {
  if (S.Caller)
    Into["caller"] = locationOf(*S.Caller);
  else if (isInLibrary(S))
    Into["caller"] = nullptr;
}

/// Adds nothing if there is no type.
void putSource(Json &Into, trace::TypeSource Source) {
  if (Source != trace::TypeSource::None)
    Into["type_source"] =
        trace::nameOf(trace::kTypeSourceNames, static_cast<uint64_t>(Source));
}

Json objectSiteOf(const ObjectSite &S) {
  Json Out = locationOf(S.Where);
  Out["storage"] = trace::nameOf(trace::kStorageNames, S.Storage);
  Out["manner"] = trace::nameOf(trace::kMannerNames, S.Manner);
  Out["constructed"] = S.Constructed;
  Out["alive"] = orNull(S.Alive);
  return Out;
}

Json objectsOf(const std::optional<ObjectCounts> &O, const Profile &P,
               const View &V) {
  if (!O)
    return nullptr;
  Json Out;
  Out["constructed"] = {{"heap", O->Heap},      {"stack", O->Stack},
                        {"static", O->Static},  {"member", O->Member},
                        {"thread", O->Thread},  {"placed", O->Placed},
                        {"unknown", O->Unknown}};
  Out["destroyed"] = O->DestructorKnown ? Json(O->Destroyed) : Json(nullptr);
  Out["carried"] = O->DestructorKnown ? orNull(O->Carried) : Json(nullptr);
  Out["alive"] = orNull(O->alive());
  Out["defaulted"] = O->Defaulted;
  Out["copied"] = O->Copied;
  Out["moved"] = O->Moved;
  Out["converted"] = O->Converted;
  Out["aggregate"] = O->Aggregate;
  Out["other"] = O->Other;
  Out["peak_alive"] = orNull(O->PeakAlive);
  Out["peak_alive_at_least"] = orNull(O->PeakAtLeast);
  Out["peak_alive_at_most"] = orNull(O->PeakAtMost);
  Out["destroyed_in"] = nullptr;
  if (const auto DestroyedIn = O->destroyedIn())
    for (size_t I = 0; I < DestroyedIn->size(); ++I)
      if (I != INMEM_STORAGE_BASE)
        Out["destroyed_in"]
           [std::string(trace::nameOf(trace::kStorageNames, I))] =
               (*DestroyedIn)[I];
  Out["lifetime"] = O->Life.known() ? lifetimeOf(O->Life, P, V) : Json(nullptr);
  Out["sites"] = Json::array();
  for (const ObjectSite &S : O->Sites)
    Out["sites"].push_back(objectSiteOf(S));
  return Out;
}

/// Classes of which fewer objects were destroyed than constructed.
Json leakedOf(const Profile &P) {
  Json Out = Json::array();
  if (!P.WholeRun)
    return Out; // They may be destroyed later.
  for (const TypeResult &T : P.Types) {
    const std::optional<uint64_t> Alive =
        T.Objects ? T.Objects->alive() : std::nullopt;
    if (Alive.value_or(0) == 0)
      continue;
    Json Row = {{"type", orNull(T.Name)},
                {"constructed", T.Objects->constructed()},
                {"destroyed", T.Objects->Destroyed},
                {"alive", *Alive}};
    Row["blocks"] = Json::array();
    for (const size_t I : T.Sites)
      if (const SiteResult &S = P.Sites[I]; S.Sum.LiveAllocations > 0) {
        Json Block = locationOf(S.Where);
        putCaller(Block, S);
        Block["live_allocations"] = S.Sum.LiveAllocations;
        Block["live_bytes"] = S.Sum.LiveBytes;
        Row["blocks"].push_back(std::move(Block));
      }
    Row["sites"] = Json::array();
    for (const ObjectSite &S : T.Objects->Sites)
      Row["sites"].push_back(objectSiteOf(S));
    Out.push_back(std::move(Row));
  }
  return Out;
}

/// Copy constructions by site, the most bytes first.
Json copiesOf(const Profile &P) {
  Json Out = Json::array();
  for (const CopyRow &C : copyRows(P)) {
    const TypeResult &T = P.Types[C.Type];
    Json Row = locationOf(C.Site->Where);
    Row["type"] = orNull(T.Name);
    Row["storage"] = trace::nameOf(trace::kStorageNames, C.Site->Storage);
    Row["copies"] = C.Site->Constructed;
    Row["bytes"] = T.Size ? Json(C.Site->Constructed * *T.Size) : Json(nullptr);
    Row["allocations"] = orNull(C.Site->InnerAllocations);
    Row["allocated_bytes"] = orNull(C.Site->InnerBytes);
    Out.push_back(std::move(Row));
  }
  return Out;
}

Json temporaryOf(const Profile &P, const Counts &C) {
  return P.TemporaryKnown ? orNull(C.temporary()) : Json(nullptr);
}

/// Adds nothing if the trace lacks it.
void putPeak(Json &Into, const std::optional<AtPeak> &Peak) {
  if (Peak)
    Into["at_peak"] = {{"bytes", orNull(Peak->bytes())},
                       {"blocks", orNull(Peak->blocks())},
                       {"bytes_at_least", Peak->BytesAtLeast},
                       {"bytes_at_most", Peak->BytesAtMost},
                       {"blocks_at_least", Peak->BlocksAtLeast},
                       {"blocks_at_most", Peak->BlocksAtMost}};
}

Json siteOf(const Profile &P, const SiteResult &S) {
  Json Out = locationOf(S.Where);
  putCaller(Out, S);
  putSource(Out, S.Source);
  Out["kind"] = orNull(S.Kind);
  Out["module"] = orNull(S.Module);
  putCounts(Out, S.Sum);
  Out["temporary_allocations"] = temporaryOf(P, S.Sum);
  putPeak(Out, S.Peak);
  Out["alias"] = orNull(S.Alias);
  if (!S.PlacedObjects.empty())
    Out["held"] = S.PlacedObjects;
  if (S.Chain.size() > 1) {
    Out["chain"] = Json::array();
    for (const SourceLocation &Step : S.Chain)
      Out["chain"].push_back(locationOf(Step));
  }
  return Out;
}

/// Adds the name that reports give the site's blocks.
Json namedSiteOf(const Profile &P, const SiteResult &S) {
  Json Out = siteOf(P, S);
  Out["name"] = shownBlocks(P, S);
  return Out;
}

Json fieldOf(const FieldResult &F) {
  Json Out = {{"field", F.Padding ? Json(nullptr) : Json(F.Name)},
              {"offset", F.FirstBit / 8},
              {"bytes", (F.FirstBit % 8 + F.Bits + 7) / 8}};
  if (F.Padding)
    return Out;
  Out["type"] = F.Type;
  if (F.Kind == INMEM_FIELD_BITFIELD) {
    Out["bit"] = F.FirstBit % 8;
    Out["bits"] = F.Bits;
  }
  if (!F.Of.empty())
    Out["of"] = F.Of;
  Out["reads"] = F.Reads;
  Out["writes"] = F.Writes;
  Out["copies"] = F.Copies;
  Out["initialised"] = F.Initialised;
  Out["released"] = F.Released;
  Out["exact"] = F.exact();
  Out["opaque"] = F.Opaque;
  if (F.HottestCount > 0)
    Out["hottest"] = locationOf(F.Hottest);
  return Out;
}

Json streamOf(const TypeResult &T, const StreamResult &Loop) {
  Json Fields = Json::array();
  uint64_t Bytes = 0;
  for (size_t I = 0; I < T.Fields.size(); ++I)
    if (Loop.Accessed[I] > 0 && !T.Fields[I].Padding) {
      Fields.push_back(T.Fields[I].Name);
      Bytes += Loop.Accessed[I] * ((T.Fields[I].Bits + 7) / 8);
    }
  return {{"loop", locationOf(Loop.Where)},
          {"elements", Loop.Elements},
          {"fields", std::move(Fields)},
          {"accessed_bytes", Bytes}};
}

uint64_t streamedBytes(const Profile &P) {
  uint64_t Sum = 0;
  for (const TypeResult &T : P.Types)
    for (const StreamResult &Loop : T.Streams)
      Sum += Loop.Elements * T.Size.value_or(0);
  return Sum;
}

Json typeOf(const TypeResult &T, const Profile &P, const View &V) {
  Json Out;
  Out["type"] = orNull(T.Name);
  putSource(Out, T.Source);
  Out["alias"] = orNull(T.Alias);
  Out["name"] = shownType(T);
  Out["size"] = orNull(T.Size);
  Out["align"] = orNull(T.Align);
  putCounts(Out, T.Sum);
  Out["peak_live_bytes"] = orNull(T.PeakLiveBytes);
  if (T.PeakAtMost)
    Out["peak_live_bytes_at_most"] = *T.PeakAtMost;
  putPeak(Out, T.Peak);
  Out["temporary_allocations"] = temporaryOf(P, T.Sum);
  Out["elements"] = orNull(T.Elements);
  Out["objects"] = objectsOf(T.Objects, P, V);
  for (const FieldResult &F : T.Fields)
    Out["fields"].push_back(fieldOf(F));
  if (const auto Each = accessesPerByte(T))
    Out["accesses_per_byte"] = {{"reads", Each->Reads},
                                {"writes", Each->Writes}};
  for (const StreamResult &Loop : T.Streams)
    Out["streams"].push_back(streamOf(T, Loop));
  Out["lifetime"] = T.Sum.frees() ? lifetimeOf(T.Life, P, V) : Json(nullptr);
  if (T.LifetimeInAllocations.known())
    Out["lifetime_in_allocations"] =
        lifetimeOf(T.LifetimeInAllocations, "allocations", V);
  for (const KindResult &K : T.Kinds) {
    Json Kind = {{"name", K.Name}};
    putCounts(Kind, K.Sum);
    Kind["temporary_allocations"] = temporaryOf(P, K.Sum);
    putPeak(Kind, K.Peak);
    Kind["lifetime"] = K.Sum.frees() ? lifetimeOf(K.Life, P, V) : Json(nullptr);
    Out["kinds"].push_back(std::move(Kind));
  }
  if (!V.SitesOfTypes)
    return Out;
  Out["sites"] = Json::array();
  for (const size_t I : T.Sites)
    Out["sites"].push_back(namedSiteOf(P, P.Sites[I]));
  return Out;
}

Json processOf(const ProcessResult &P) {
  Json Out;
  Out["pid"] = P.Imported ? orNull(P.Pid) : Json(P.Pid);
  Out["parent_pid"] = orNull(P.ParentPid);
  Out["command"] = P.Command.empty() ? Json(nullptr) : Json(P.Command);
  Out["host"] = orNull(P.Host);
  Out["executable"] = orNull(P.Executable);
  Out["start_unix_ns"] = orNull(P.StartUnixNs);
  Out["duration_ns"] = orNull(P.DurationNs);
  Out["complete"] = P.Complete;
  Out["cut"] = P.Cut;
  Out["verified"] = P.Verified;
  Out["clock"] = orNull(P.Clock);
  Out["dropped_events"] = P.DroppedEvents;
  Out["allocations"] = P.Allocations;
  Out["allocated_bytes"] = P.AllocatedBytes;
  Out["sample_bytes"] = orNull(P.SampleBytes);
  Out["every"] = P.Every;
  Out["trace"] = P.File;
  for (const auto &[Key, Value] : P.Labels)
    Out["labels"][Key] = Value;
  return Out;
}

/// The rules by which types were inferred, and doubtful types.
Json diagnosticsOf(const Profile &P) {
  Json Out;
  Out["rules"] = Json::object();
  for (const RuleResult &R : P.Rules)
    Out["rules"][R.Rule] = {{"allocations", R.Allocations},
                            {"allocated_bytes", R.AllocatedBytes}};
  Out["doubts"] = Json::array();
  for (const DoubtResult &D : P.Doubts) {
    Json Doubt;
    Doubt["what"] = nameOf(D.What);
    Doubt["type"] = orNull(D.Type);
    Doubt.update(siteOf(P, D.Site));
    Out["doubts"].push_back(std::move(Doubt));
  }
  return Out;
}

Json samplesOf(const Sampled &S) {
  Json Functions = Json::array();
  for (const SampledFunction &F : S.Functions) {
    Functions.push_back({{"function", F.Where.Function},
                         {"file", orNull(F.Where.File)},
                         {"line", orNull(F.Where.Line)},
                         {"self", F.Self},
                         {"total", F.Total},
                         {"running", F.Running},
                         {"blocked", F.Blocked},
                         {"interesting", F.Interesting},
                         {"allocator", F.Allocator},
                         {"allocations", F.Allocations},
                         {"allocated_bytes", F.AllocatedBytes}});
    constexpr size_t kMost = 20;
    for (const auto &[Offset, Self] : F.Offsets | std::views::take(kMost))
      Functions.back()["offsets"].push_back(
          {{"offset", Offset}, {"self", Self}});
  }
  const auto Named = [](const auto &Rows, const char *Key) {
    Json Out = Json::array();
    for (const auto &[Name, Count] : Rows)
      Out.push_back({{Key, Name}, {"samples", Count}});
    return Out;
  };
  return {{"clock", S.Clock},
          {"interval_ns", S.IntervalNs},
          {"samples", S.Samples},
          {"unwound", S.Unwound},
          {"running", S.Running},
          {"blocked", S.Blocked},
          {"signal_blocked", S.SignalBlocked},
          {"dropped", S.Dropped},
          {"other_samples", S.Other},
          {"functions", std::move(Functions)},
          {"threads", Named(S.Threads, "thread")},
          {"waits", Named(S.Waits, "wait")}};
}

Json threadsOf(const Profile &P, const View &V) {
  Json Out = Json::array();
  for (const size_t I : selectThreads(P, V)) {
    const ThreadResult &T = P.Threads[I];
    Out.push_back({{"pid", T.Pid},
                   {"index", T.Index},
                   {"tid", orNull(T.Tid)},
                   {"name", orNull(T.Name)},
                   {"start_routine", orNull(T.Start)},
                   {"allocations", T.Allocations},
                   {"allocated_bytes", T.AllocatedBytes},
                   {"frees", T.Frees},
                   {"freed_bytes", T.FreedBytes},
                   {"live_bytes", T.liveBytes()},
                   {"temporary_allocations", T.Temporary},
                   {"created_ns", orNull(T.BeganNs)},
                   {"died_ns", orNull(T.EndedNs)}});
    if (!T.Line.empty())
      Out.back()["timeline"] = {{"from_ns", T.LineFromNs},
                                {"width_ns", T.LineWidthNs},
                                {"bytes", T.Line},
                                {"crossings", T.Crossings}};
  }
  return Out;
}

Json mappedFigures(const MappedResult &R) {
  return {{"calls", R.Calls},
          {"mapped_bytes", R.Bytes},
          {"unmapped_bytes", R.UnmappedBytes},
          {"live_bytes", R.liveBytes()},
          {"peak_bytes", R.PeakBytes}};
}

/// Memory that the program maps itself.
Json mappedOf(const Profile &P, const View &V) {
  Json Out = mappedFigures(*P.MappedTotals);
  Out["callers"] = Json::array();
  for (const MappedResult &R : P.Mapped) {
    if (V.Top && Out["callers"].size() == V.Top)
      break;
    Json Row = locationOf(R.Site.Where);
    putCaller(Row, R.Site);
    Row["module"] = orNull(R.Site.Module);
    Row["call"] = R.Call;
    Row.update(mappedFigures(R));
    Out["callers"].push_back(std::move(Row));
  }
  return Out;
}

} // namespace

Json reportJson(const Profile &P, const View &V) {
  Json Out;
  Out["schema"] = "inmem-report/1";
  Out["processes"] = Json::array();
  for (const ProcessResult &Process : P.Processes)
    Out["processes"].push_back(processOf(Process));
  Out["findings"] = findingsJson(P, V);
  if (const auto Cost = allocationCost(P))
    Out["allocation_cost"] = {{"share", Cost->Part},
                              {"measured", Cost->Measured},
                              {"note", orNull(whyNotFaster(P))}};
  putCounts(Out["totals"], P.Totals);
  Out["totals"]["peak_live_bytes"] = orNull(P.PeakLiveBytes);
  Out["totals"]["temporary_allocations"] = orNull(P.Totals.temporary());
  const bool Imported =
      std::ranges::any_of(P.Processes, &ProcessResult::Imported);
  Out["totals"]["reallocations"] =
      Imported ? Json(nullptr) : Json(P.Totals.Reallocations);
  if (P.FieldsKnown)
    Out["totals"]["streamed_bytes"] = streamedBytes(P);
  if (const auto Peak = P.peakResidentBytes())
    Out["rss"] = {{"peak_bytes", *Peak},
                  {"end_bytes", P.residentBytes().value_or(0)}};
  if (P.MappedTotals)
    Out["mapped"] = mappedOf(P, V);
  Out["before_fork"] = nullptr;
  if (P.Inherited) {
    putCounts(Out["before_fork"], P.Inherited->Sum);
    Out["before_fork"]["types"] = Json::array();
    for (const auto &[Name, Sum] : P.Inherited->Types) {
      Json Type = {{"type", orNull(Name)}};
      putCounts(Type, Sum);
      Out["before_fork"]["types"].push_back(std::move(Type));
    }
  }
  Out["types"] = Json::array();
  for (const size_t I : selectTypes(P, V))
    Out["types"].push_back(typeOf(P.Types[I], P, V));
  if (V.shows(By::Site)) {
    Out["sites"] = Json::array();
    for (const size_t I : selectSites(P, V)) {
      Json Site = namedSiteOf(P, P.Sites[I]);
      Site["type"] = orNull(P.Types[P.Sites[I].Type].Name);
      Site["lifetime"] = P.Sites[I].Sum.frees()
                             ? lifetimeOf(P.Sites[I].Life, P, V)
                             : Json(nullptr);
      if (P.Sites[I].LifetimeInAllocations.known())
        Site["lifetime_in_allocations"] =
            lifetimeOf(P.Sites[I].LifetimeInAllocations, "allocations", V);
      Out["sites"].push_back(std::move(Site));
    }
  }
  if (V.shows(By::Thread) || !P.Threads.empty())
    Out["threads"] = threadsOf(P, V);
  if (P.Samples)
    Out["profile"] = samplesOf(*P.Samples);
  if (V.shows(By::Stack)) {
    Out["stacks"] = stackTreeJson(P, V);
    const std::vector<size_t> Shown = selectTypes(P, V);
    for (size_t I = 0; I < Shown.size(); ++I)
      Out["types"][I]["stacks"] = stacksOfTypeJson(P, Shown[I]);
  }
  if (V.shows(By::Frees))
    Out["frees"] = freesJson(P, V);
  if (V.shows(By::Blame))
    Out["blame"] = blameJson(P, V);
  if (!P.Phases.empty())
    Out["phases"] = phasesJson(P);
  if (!P.Timeline.empty())
    Out["timeline"] = timelineJson(P);
  if (V.Diagnostics)
    Out["diagnostics"] = diagnosticsOf(P);
  Out["leaked_objects"] = leakedOf(P);
  Out["copies"] = copiesOf(P);
  Out["notes"] = P.Notes;
  return Out;
}

std::string printJson(const Profile &P, const View &V) {
  return jsonText(reportJson(P, V));
}

} // namespace inmem::report
