//===- ObjectSums.cpp - Objects by class: made and destroyed --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/ObjectSums.h"
#include "report/base/Arithmetic.h"
#include "report/model/PartObjects.h"

#include "inmem/abi.h"

namespace inmem::report {

using trace::Trace;

namespace {

uint64_t &byStorage(ObjectCounts &C, uint8_t Storage) {
  switch (Storage) {
  case INMEM_STORAGE_HEAP:
    return C.Heap;
  case INMEM_STORAGE_STACK:
    return C.Stack;
  case INMEM_STORAGE_STATIC:
    return C.Static;
  case INMEM_STORAGE_THREAD:
    return C.Thread;
  case INMEM_STORAGE_MEMBER:
    return C.Member;
  case INMEM_STORAGE_PLACED:
    return C.Placed;
  default:
    return C.Unknown;
  }
}

constexpr uint8_t kStorages[] = {INMEM_STORAGE_UNKNOWN, INMEM_STORAGE_HEAP,
                                 INMEM_STORAGE_STACK,   INMEM_STORAGE_STATIC,
                                 INMEM_STORAGE_THREAD,  INMEM_STORAGE_MEMBER,
                                 INMEM_STORAGE_PLACED};

/// False for accesses to fields.
bool isOfObjects(const trace::Object &O) {
  return O.Event < INMEM_OBJECT_FIELD_READ;
}

uint64_t &byManner(ObjectCounts &C, uint8_t Manner) {
  switch (Manner) {
  case INMEM_MANNER_DEFAULT:
    return C.Defaulted;
  case INMEM_MANNER_COPY:
    return C.Copied;
  case INMEM_MANNER_MOVE:
    return C.Moved;
  case INMEM_MANNER_CONVERT:
    return C.Converted;
  case INMEM_MANNER_AGGREGATE:
    return C.Aggregate;
  default:
    return C.Other;
  }
}

} // namespace

/// Objects constructed in a return slot are stored where the caller wants them.
/// The number received may exceed the number constructed, because some come
/// from code without counters.
void ObjectSums::addReceived(const std::map<size_t, ByStorage> &Received) {
  for (const auto &[Class, Storages] : Received)
    for (const auto &[Storage, Count] : Storages) {
      ObjectCounts &Sum = *Out.Types[Class].Objects;
      const uint64_t Known = std::min(Count, Sum.Unknown);
      Sum.Unknown -= Known;
      byStorage(Sum, Storage) += Known;
    }
}

/// For a part of the run: its counts, and the number alive at its start. For
/// some threads: the objects that they constructed and destroyed.
void ObjectSums::addCounts(const TracePart &Part) {
  const Trace &T = Part.T;
  const auto Counts = PartObjects::of(Part, Options);
  if (!Counts)
    return;
  Out.ObjectsKnown |=
      std::any_of(T.Objects.begin(), T.Objects.end(), isOfObjects);
  std::map<size_t, std::pair<uint64_t, uint64_t>> Earlier; // made, destroyed
  // Objects that a function returned, by class and final storage.
  std::map<size_t, ByStorage> Received;
  for (const trace::Object &O : T.Objects) {
    if (!isOfObjects(O) || O.Storage == INMEM_STORAGE_BASE ||
        (O.ClassName.empty() && O.Type == 0))
      continue;
    const size_t Class = Types.ofClass(T, O);
    TypeResult &Type = Out.Types[Class];
    if (!selects(Options, Type))
      continue;
    if (!Type.Objects)
      Type.Objects.emplace();
    ObjectCounts &Sum = *Type.Objects;
    const uint64_t Count = Counts->within(O);
    if (O.Event == INMEM_OBJECT_DESTROYED) {
      Earlier[Class].second += Counts->before(O);
      Sum.Destroyed += Count;
      Sum.DestructorKnown = true;
      continue;
    }
    if (O.Event == INMEM_OBJECT_RECEIVED) {
      Received[Class][O.Storage] += Count;
      continue;
    }
    Earlier[Class].first += Counts->before(O);
    byStorage(Sum, O.Storage) += Count;
    byManner(Sum, O.Manner) += Count;
    if (Count == 0)
      continue;
    ObjectSite Site;
    Site.Where = {plain(O.Function), std::string(O.File), O.Line, O.Column};
    Site.Storage = O.Storage;
    Site.Manner = O.Manner;
    const auto Same = std::find_if(
        Sum.Sites.begin(), Sum.Sites.end(), [&](const ObjectSite &S) {
          return S.Where == Site.Where && S.Storage == Site.Storage &&
                 S.Manner == Site.Manner;
        });
    if (Same == Sum.Sites.end()) {
      Site.Constructed = Count;
      Sum.Sites.push_back(std::move(Site));
    } else {
      Same->Constructed += Count;
    }
  }
  addReceived(Received);
  for (const auto &[Class, Counted] : Earlier) {
    std::optional<uint64_t> &Carried = Out.Types[Class].Objects->Carried;
    if (Counted.second > Counted.first)
      Carried.reset();
    else if (Carried)
      *Carried += Counted.first - Counted.second;
  }
}

/// Adds objects=lifetime's figures to the counts of objects.
void ObjectSums::addLifetimes(const TracePart &Part, const BlockSums &Blocks) {
  const Trace &T = Part.T;
  const Interval &Shown = Part.Shown;
  const auto &SiteOfId = Blocks.siteOfId();
  const Grid Of(T.Header);
  const PartRows Rows(T, Shown);
  for (const trace::Entry &E : T.Entries) {
    const trace::Site &S = T.site(E.Site);
    if (S.ofBlocks())
      continue;
    RowSums Sums = Rows.since(E);
    if (S.Kind == INMEM_SITE_HELD) {
      const auto Block = SiteOfId.find(S.Line);
      const trace::Site &Objects = T.site(static_cast<uint32_t>(S.Key));
      if (Block != SiteOfId.end() && Objects.Kind == INMEM_SITE_OBJECT)
        Out.Sites[Block->second]
            .PlacedObjects[std::string(T.type(Objects.Type).Name)] +=
            minus(Sums.Now.Allocations, Sums.Before.Allocations);
    }
    if (S.Kind != INMEM_SITE_OBJECT)
      continue;
    TypeResult *Class = Types.followed(T.type(E.Type).Name);
    if (!Class)
      continue; // filtered out
    ObjectCounts *Sum = &*Class->Objects;
    const Counts C =
        Sums.counts(trace::FileHeader{}); // objects are never sampled
    const auto Earlier = Rows.before(E);
    auto &[Lived, Destroyed] =
        Lifetimes[static_cast<size_t>(Class - Out.Types.data())];
    Lived.add(lifetimeOf(T.Header, Sums, Rows.atEnd(E),
                         Earlier ? &*Earlier : nullptr, C, Of));
    Destroyed.add(C);
    const uint8_t Storage = S.ArrayCookie & 15,
                  Manner = S.ArrayCookie >> 4 & 15;
    if (!Sum->DestroyedIn)
      Sum->DestroyedIn.emplace();
    if (Storage < Sum->DestroyedIn->size())
      (*Sum->DestroyedIn)[Storage] += C.Frees;
    const SourceLocation Where = {plain(S.Function), std::string(S.File),
                                  S.Line, S.Column};
    const auto IsHere = [&](const ObjectSite &Site) {
      return Site.Where == Where && Site.Storage == Storage &&
             Site.Manner == Manner;
    };
    if (C.LiveAllocations > 0 &&
        std::none_of(Sum->Sites.begin(), Sum->Sites.end(), IsHere)) {
      ObjectSite Absent; // constructs no objects in this part of the run
      Absent.Where = Where;
      Absent.Storage = Storage;
      Absent.Manner = Manner;
      Sum->Sites.push_back(std::move(Absent));
    }
    for (ObjectSite &Site : Sum->Sites) {
      if (!IsHere(Site))
        continue;
      Site.Alive = Site.Alive.value_or(0) + C.LiveAllocations;
      if (Manner == INMEM_MANNER_COPY) {
        Site.InnerAllocations =
            Site.InnerAllocations.value_or(0) +
            minus(Sums.Now.InnerAllocations, Sums.Before.InnerAllocations);
        Site.InnerBytes = Site.InnerBytes.value_or(0) +
                          minus(Sums.Now.InnerBytes, Sums.Before.InnerBytes);
      }
    }
  }
  const auto Peaks = T.peaksBetween(Shown.From, Shown.To);
  for (uint32_t I = 1; Peaks && I < T.Live.size(); ++I) {
    const trace::Type &Type = T.type(I);
    if (Type.Index == 0 || !(Type.Flags & INMEM_TYPE_OBJECT) || !Type.Size)
      continue;
    if (TypeResult *Class = Types.followed(Type.Name))
      Class->Objects->PeakAlive =
          Class->Objects->PeakAlive.value_or(0) +
          static_cast<uint64_t>(std::max<int64_t>(0, Peaks->Types[I])) /
              Type.Size;
  }
}

/// Adds objects of followed classes (objects=lifetime) that were destroyed at
/// an age in Options.Lived.
void ObjectSums::addThoseThatLived(const TracePart &Part) {
  const Trace &T = Part.T;
  const Grid Of(T.Header);
  const PartRows Rows(T, Part.Shown);
  for (const trace::Entry &E : T.Entries) {
    const trace::Site &S = T.site(E.Site);
    if (S.Kind != INMEM_SITE_OBJECT || T.type(E.Type).Index == 0)
      continue;
    RowSums Sums = Rows.since(E);
    Counts C = Sums.counts(trace::FileHeader{});
    const auto Begun = Rows.before(E);
    LifetimeSum Life = lifetimeOf(T.Header, Sums, Rows.atEnd(E),
                                  Begun ? &*Begun : nullptr, C, Of);
    Life.keep(*Options.Lived);
    trace::Object Followed;
    Followed.ClassName = T.type(E.Type).Name;
    const size_t Class = Types.ofClass(T, Followed);
    TypeResult &Type = Out.Types[Class];
    if (Life.Lifetimes.count() == 0 || !selects(Options, Type))
      continue;
    if (!Type.Objects)
      Type.Objects.emplace();
    ObjectCounts &Sum = *Type.Objects;
    const uint8_t Storage = S.ArrayCookie & 15,
                  Manner = S.ArrayCookie >> 4 & 15;
    C.Allocations = C.Frees = Life.Lifetimes.count();
    C.FreedBytes = Life.Lifetimes.bytes();
    Sum.DestructorKnown = true;
    Sum.Destroyed += C.Frees;
    byStorage(Sum, Storage) += C.Frees;
    byManner(Sum, Manner) += C.Frees;
    if (!Sum.DestroyedIn)
      Sum.DestroyedIn.emplace();
    if (Storage < Sum.DestroyedIn->size())
      (*Sum.DestroyedIn)[Storage] += C.Frees;
    ObjectSite Site;
    Site.Where = {plain(S.Function), std::string(S.File), S.Line, S.Column};
    Site.Storage = Storage;
    Site.Manner = Manner;
    Site.Constructed = C.Frees;
    Site.Alive = 0;
    Sum.Sites.push_back(std::move(Site));
    auto &[Lived, Destroyed] = Lifetimes[Class];
    Lived.add(Life);
    Destroyed.add(C);
  }
}

void ObjectSums::add(const TracePart &Part, const BlockSums &Blocks) {
  if (!Options.Lived)
    addCounts(Part);
  else if (Options.ThreadGlobs.empty())
    addThoseThatLived(Part);
  if (!Options.ofSomeBlocks())
    addLifetimes(Part, Blocks);
}

/// True if each element of the class's blocks became one of its objects. Then
/// blocks determine how many were alive at a time.
static bool eachInBlock(const TypeResult &Type) {
  const ObjectCounts &O = *Type.Objects;
  return O.Heap > 0 && Type.Elements == O.Heap &&
         Type.Sum.CarriedAllocations == 0 && O.Carried == 0 &&
         Type.Size.value_or(0) > 0 &&
         Type.Sum.AllocatedBytes == O.Heap * *Type.Size && // no array cookies
         Type.PeakLiveBytes;
}

/// The most objects of a class alive at the same time, if counters show it: if
/// none was destroyed, or if each object has its own block.
static std::optional<uint64_t> peakAliveByCounts(const TypeResult &Type) {
  const ObjectCounts &O = *Type.Objects;
  if (O.DestructorKnown && O.Destroyed == 0 && O.Carried)
    return O.constructed() + *O.Carried;
  if (!eachInBlock(Type) || O.Heap != O.constructed() ||
      O.Heap != Type.Sum.Allocations || *Type.PeakLiveBytes % *Type.Size != 0)
    return std::nullopt;
  return *Type.PeakLiveBytes / *Type.Size;
}

/// Corrects the result of objects=lifetime by the counts. An object that was
/// moved as bytes is destroyed at an address where none was constructed, so
/// that the original stays alive in the rows of lifetimes.
static void reconcile(ObjectCounts &O) {
  if (!O.DestroyedIn || !O.alive())
    return;
  uint64_t Followed = 0, Alive = 0, Sites = 0;
  for (const uint64_t Count : *O.DestroyedIn)
    Followed += Count;
  (*O.DestroyedIn)[INMEM_STORAGE_UNKNOWN] += minus(O.Destroyed, Followed);
  for (const ObjectSite &Site : O.Sites) {
    Alive += Site.Alive.value_or(0);
    Sites += Site.Alive.value_or(0) > 0;
  }
  if (Alive > *O.alive())
    for (ObjectSite &Site : O.Sites)
      if (Site.Alive.value_or(0) > 0)
        Site.Alive = Sites == 1 || *O.alive() == 0 ? O.alive() : std::nullopt;
  if (O.PeakAlive)
    O.PeakAlive = std::max(*O.PeakAlive, *O.alive());
}

/// The peak of objects, or its known bounds.
static void boundPeak(TypeResult &Type) {
  ObjectCounts &O = *Type.Objects;
  if (!O.PeakAlive)
    O.PeakAlive = peakAliveByCounts(Type);
  if (O.PeakAlive) {
    O.PeakAtLeast = O.PeakAtMost = O.PeakAlive;
    return;
  }
  if (!O.alive())
    return;
  O.PeakAtLeast = std::max<uint64_t>(
      {*O.alive(), *O.Carried, uint64_t{O.constructed() > 0}});
  if (eachInBlock(Type))
    O.PeakAtLeast = std::max(*O.PeakAtLeast, *Type.PeakLiveBytes / *Type.Size);
  O.PeakAtMost = O.constructed() + *O.Carried;
  if (O.PeakAtLeast == O.PeakAtMost)
    O.PeakAlive = O.PeakAtMost;
}

void ObjectSums::finish() {
  for (auto &[Class, Life] : Lifetimes)
    Out.Types[Class].Objects->Life = Life.first.finish(Life.second);
  if (Options.ofSomeBlocks())
    return;
  for (TypeResult &Type : Out.Types)
    if (Type.Objects) {
      reconcile(*Type.Objects);
      boundPeak(Type);
    }
}

std::optional<std::array<uint64_t, 8>> ObjectCounts::destroyedIn() const {
  if (DestroyedIn || !DestructorKnown || Destroyed > constructed() ||
      Carried != 0)
    return DestroyedIn;
  std::array<uint64_t, 8> Made{};
  ObjectCounts Copy = *this;
  for (const uint8_t Storage : kStorages)
    Made[Storage] = byStorage(Copy, Storage);
  if (Destroyed == 0)
    return std::array<uint64_t, 8>{};
  if (Destroyed == constructed())
    return Made;
  for (uint64_t &Count : Made)
    if (Count == constructed()) {
      Count = Destroyed;
      return Made;
    }
  return std::nullopt;
}

} // namespace inmem::report
