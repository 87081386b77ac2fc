//===- Parts.cpp - Samples by thread and lifetime -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/base/Arithmetic.h"
#include "report/model/Accumulators.h"

#include <set>

namespace inmem::report {

using trace::Trace;

/// The name of the thread that counted in a thread's rows; empty if several
/// threads with different names did, one after the other.
static std::string threadIn(const Trace &T, uint32_t Index) {
  std::set<std::string> Names;
  for (const trace::LivedThread &L : T.LivedThreads)
    if (L.Index == Index && Index != 0)
      Names.insert(L.Name.empty() ? "tid " + std::to_string(L.Tid)
                                  : std::string(L.Name));
  const auto Known = T.Threads.find(Index);
  if (Names.empty() && Known != T.Threads.end())
    Names.insert(Known->second.Name.empty()
                     ? "tid " + std::to_string(Known->second.Tid)
                     : std::string(Known->second.Name));
  return Names.size() == 1 ? *Names.begin() : "";
}

static void addLifetimeParts(const trace::Entry &E, const std::string &Thread,
                             const Counts &C, LifetimeSum Life,
                             std::vector<PartResult> &To) {
  static const std::vector<uint64_t> kDecades = [] {
    std::vector<uint64_t> Edges;
    for (uint64_t At = 1000; At <= uint64_t{1000} * 1000000000; At *= 10)
      Edges.push_back(At);
    return Edges;
  }();
  PartResult Rest{uint64_t{E.Site} << 32 | E.Type, Thread, std::nullopt, C};
  const Lifetime Known = Life.finish(C);
  const std::vector<Bucket> Rows =
      Known.known() ? Known.Lifetimes.between(kDecades) : std::vector<Bucket>();
  for (const Bucket &B : Rows) {
    if (B.Count == 0)
      continue;
    PartResult Part{Rest.Entry, Thread, B.From, {}};
    Part.Sum.Allocations = Part.Sum.Frees = B.Count;
    Part.Sum.AllocatedBytes = Part.Sum.FreedBytes = B.Bytes;
    for (const auto Member : {&Counts::Allocations, &Counts::Frees,
                              &Counts::AllocatedBytes, &Counts::FreedBytes})
      Rest.Sum.*Member = minus(Rest.Sum.*Member, Part.Sum.*Member);
    To.push_back(std::move(Part));
  }
  if (Rest.Sum.Allocations > 0 || Rest.Sum.AllocatedBytes > 0)
    To.push_back(std::move(Rest));
}

void addParts(const Trace &T, const trace::Entry &E, const Counts &C,
              const LifetimeSum &Life, std::vector<PartResult> &To) {
  struct Group {
    RowSums Sums;
    trace::Buckets Raw;
  };
  std::map<std::string, Group> Groups;
  bool Separate = !C.Estimated;
  for (uint32_t I = E.FirstRow; I != trace::RowRef::kNone && Separate;
       I = T.Rows[I].Next) {
    const trace::Row R = T.row(T.Rows[I]);
    Group &G = Groups[threadIn(T, T.Rows[I].Thread)];
    G.Sums.Now.add(R);
    T.addBuckets(T.Rows[I], G.Raw);
    Separate &= R.Frees <= minus(R.Allocations, R.MovedOut) &&
                R.FreedBytes <= minus(R.Bytes, R.MovedOutBytes);
  }
  if (!Separate || Groups.empty()) {
    addLifetimeParts(E, "", C, Life, To);
    return;
  }
  for (auto &[Name, G] : Groups) {
    const Counts Own = G.Sums.counts(T.Header);
    if (Own.Allocations == 0)
      continue;
    addLifetimeParts(
        E, Name, Own,
        lifetimeOf(T.Header, G.Sums, G.Raw, nullptr, Own, Grid(T.Header)), To);
  }
}

} // namespace inmem::report
