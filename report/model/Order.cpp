//===- Order.cpp - Results in their order ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Arithmetic.h"
#include "report/model/Kinds.h"
#include "report/model/ProfileBuilder.h"
#include "report/model/UserLocations.h"

#include "inmem/abi.h"

#include <numeric>

namespace inmem::report {

/// True if each element of the class's blocks was one of its objects, and
/// became one: then blocks say how many of them there were at a time.
static bool eachInBlock(const TypeResult &Type) {
  const ObjectCounts &O = *Type.Objects;
  return O.Heap > 0 && Type.Elements == O.Heap &&
         Type.Sum.CarriedAllocations == 0 && O.Carried == 0 &&
         Type.Size.value_or(0) > 0 &&
         Type.Sum.AllocatedBytes == O.Heap * *Type.Size && // no cookies
         Type.PeakLiveBytes;
}

/// The most objects of a class that were alive at once, if counters show it:
/// none was destroyed, or each is alone in a block of its own.
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
/// moved as bytes is destroyed where none was made, so that the one it was
/// stays alive in the rows of lifetimes.
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

/// The peak of objects, or what is certain of it.
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

/// Derives results from the sums, with all traces added.
void ProfileBuilder::finishSums() {
  for (size_t I = 0; I < Out.Sites.size(); ++I) {
    SiteResult &Site = Out.Sites[I];
    Site.Sizes = SiteLives[I].Sizes;
    Site.Sizes.addLive(Site.Sum);
    Site.Life = SiteLives[I].finish(Site.Sum);
  }
  for (auto &[I, Lives] : SiteAllocationLives)
    Out.Sites[I].LifeInAllocations = Lives.finish(Out.Sites[I].Sum);
  for (auto &[I, Lives] : TypeAllocationLives)
    Out.Types[I].LifeInAllocations = Lives.finish(Out.Types[I].Sum);
  for (size_t I = 0; I < Out.Types.size(); ++I) {
    TypeResult &Type = Out.Types[I];
    Type.Life = TypeLives[I].finish(Type.Sum);
    if (const auto Lives = ObjectLives.find(I); Lives != ObjectLives.end())
      Type.Objects->Life = Lives->second.first.finish(Lives->second.second);
    if (!ElementsKnown[I])
      Type.Elements.reset();
    else if (Type.Name && !Type.Elements)
      Type.Elements = 0;
    // A block that another type took over while it was this one's at first
    // (a class's own operator new) may have raised the peak: it is no more
    // than what the type ever had.
    if (Type.PeakLiveBytes)
      Type.PeakLiveBytes =
          std::max(std::min(*Type.PeakLiveBytes,
                            Type.Sum.AllocatedBytes + Type.Sum.CarriedBytes),
                   Type.Sum.LiveBytes);
    if (Type.Objects && !Options.ofSomeBlocks()) {
      reconcile(*Type.Objects);
      boundPeak(Type);
    }
  }
  finishPeakParts();
  if (!PeakKnown)
    Out.PeakLiveBytes.reset();
  else if (Out.PeakLiveBytes) // a process was killed while it counted a block
    Out.PeakLiveBytes =
        std::max(std::min(*Out.PeakLiveBytes,
                          Out.Totals.AllocatedBytes + Out.Totals.CarriedBytes),
                 Out.Totals.LiveBytes);
}

/// Most bytes first, then by name, so that output is stable. Types without
/// blocks or objects go. \returns the new index of each.
std::vector<size_t> ProfileBuilder::orderTypes() {
  std::vector<size_t> Order(Out.Types.size());
  std::vector<size_t> NewIndex(Out.Types.size());
  for (size_t I = 0; I < Order.size(); ++I)
    Order[I] = I;
  std::erase_if(Order, [&](size_t I) {
    const TypeResult &T = Out.Types[I];
    return T.Sum.Allocations == 0 && T.Sum.CarriedAllocations == 0 &&
           !(T.Objects && T.Objects->constructed() + T.Objects->Destroyed +
                                  T.Objects->Carried.value_or(0) >
                              0);
  });
  std::sort(Order.begin(), Order.end(), [&](size_t A, size_t B) {
    const TypeResult &X = Out.Types[A], &Y = Out.Types[B];
    if (X.Sum.AllocatedBytes != Y.Sum.AllocatedBytes)
      return X.Sum.AllocatedBytes > Y.Sum.AllocatedBytes;
    if (X.Name != Y.Name)
      return X.Name < Y.Name;
    return X.Id < Y.Id;
  });
  std::vector<TypeResult> Types;
  for (const size_t I : Order) {
    NewIndex[I] = Types.size();
    Types.push_back(std::move(Out.Types[I]));
  }
  Out.Types = std::move(Types);
  for (SiteResult &S : Out.Sites)
    S.Type = NewIndex[S.Type];
  for (StackResult &S : Out.Calls.Stacks)
    S.Type = NewIndex[S.Type];
  std::stable_sort(Out.Calls.Stacks.begin(), Out.Calls.Stacks.end(),
                   [](const StackResult &A, const StackResult &B) {
                     return A.Sum.AllocatedBytes > B.Sum.AllocatedBytes;
                   });
  return NewIndex;
}

/// \returns the new index of each.
std::vector<size_t> ProfileBuilder::orderSites() {
  std::vector<size_t> SiteOrder(Out.Sites.size());
  std::iota(SiteOrder.begin(), SiteOrder.end(), size_t{0});
  std::sort(
      SiteOrder.begin(), SiteOrder.end(), [&](size_t First, size_t Second) {
        const SiteResult &A = Out.Sites[First], &B = Out.Sites[Second];
        if (A.Sum.AllocatedBytes != B.Sum.AllocatedBytes)
          return A.Sum.AllocatedBytes > B.Sum.AllocatedBytes;
        const SourceLocation &X = locationOf(A), &Y = locationOf(B);
        return std::tie(X.File, X.Line, X.Column, X.Function, A.Where.File,
                        A.Where.Line, A.Where.Column, A.Where.Function,
                        A.Type) <
               std::tie(Y.File, Y.Line, Y.Column, Y.Function, B.Where.File,
                        B.Where.Line, B.Where.Column, B.Where.Function, B.Type);
      });
  std::vector<SiteResult> Sites;
  std::vector<size_t> NewSite(SiteOrder.size());
  for (const size_t I : SiteOrder) {
    NewSite[I] = Sites.size();
    Sites.push_back(std::move(Out.Sites[I]));
  }
  Out.Sites = std::move(Sites);
  return NewSite;
}

void ProfileBuilder::finish() {
  finishSums();
  const std::vector<size_t> NewIndex = orderTypes();
  const std::vector<size_t> NewSite = orderSites();
  for (StackResult &S : Out.Calls.Stacks)
    S.Site = NewSite[S.Site];
  for (EntryRow &E : Out.Entries)
    E.Site = NewSite[E.Site];
  for (FreeResult &F : Out.Frees) {
    F.Type = NewIndex[F.Type];
    F.Site = NewSite[F.Site];
  }
  std::stable_sort(Out.Frees.begin(), Out.Frees.end(),
                   [](const FreeResult &A, const FreeResult &B) {
                     return A.FreedBytes > B.FreedBytes;
                   });
  for (size_t I = 0; I < Out.Sites.size(); ++I)
    Out.Types[Out.Sites[I].Type].Sites.push_back(I);
  for (TypeResult &Type : Out.Types) {
    nameAlias(Type);
    Type.Kinds = kindsOf(Out, Type);
    if (Type.Objects)
      std::sort(Type.Objects->Sites.begin(), Type.Objects->Sites.end(),
                [](const ObjectSite &A, const ObjectSite &B) {
                  if (A.Constructed != B.Constructed)
                    return A.Constructed > B.Constructed;
                  return std::tie(A.Where.File, A.Where.Line, A.Where.Column,
                                  A.Where.Function, A.Storage, A.Manner) <
                         std::tie(B.Where.File, B.Where.Line, B.Where.Column,
                                  B.Where.Function, B.Storage, B.Manner);
                });
  }
  std::sort(Out.Threads.begin(), Out.Threads.end(),
            [](const ThreadResult &A, const ThreadResult &B) {
              return A.AllocatedBytes != B.AllocatedBytes
                         ? A.AllocatedBytes > B.AllocatedBytes
                         : std::tie(A.Pid, A.Index) < std::tie(B.Pid, B.Index);
            });
}

} // namespace inmem::report
