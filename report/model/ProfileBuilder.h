//===- ProfileBuilder.h - Traces to results -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_REPORT_MODEL_PROFILEBUILDER_H
#define INMEM_REPORT_MODEL_PROFILEBUILDER_H

#include "report/model/CallStacks.h"
#include "report/model/LifetimeSum.h"
#include "report/model/NoteList.h"
#include "report/model/PartRows.h"

#include <map>
#include <set>
#include <unordered_map>

namespace inmem::report {

/// Adds traces up; its members are divided by what they add: one file each.
class ProfileBuilder {
public:
  explicit ProfileBuilder(const ProfileOptions &With)
      : Options(With),
        Calls(Out.Calls, With.Resolver,
              [this](std::string_view Linkage) { return plain(Linkage); }) {}

  trace::Result<Profile> run(std::span<const trace::Trace> Traces);

private:
  // ProfileBuilder.cpp
  trace::Status choosePart(const trace::Trace &T);
  bool wanted(const TypeResult &Type) const;
  bool wanted(const TypeResult &Type, const SiteResult &Site) const;
  const std::string &plain(std::string_view Linkage);
  // ProcessRows.cpp, Timeline.cpp
  void addProcess(const trace::Trace &T);
  void addTimeline(const trace::Trace &T);
  // TypeRows.cpp, SiteRows.cpp: the row in Out that is meant
  size_t addTypeRow(TypeResult Type, bool CountsElements);
  size_t rowOf(TypeResult Type);
  size_t typeOf(const trace::Trace &T, uint32_t Index);
  size_t typeNamed(const std::string &Name, uint64_t Size);
  size_t classOf(const trace::Trace &T, const trace::Object &O);
  void nameAlias(TypeResult &Type);
  SiteResult describe(const trace::Trace &T, const trace::Entry &E,
                      size_t Type);
  SiteResult describeCaller(const trace::Trace &T, const trace::Site &S,
                            size_t Type);
  size_t siteOf(SiteResult Site);
  // Blocks.cpp, Peaks.cpp
  void addEntries(const trace::Trace &T);
  std::vector<uint32_t> framesOf(const trace::Trace &T, const trace::Entry &E,
                                 SiteResult &Site);
  void addStack(const trace::Trace &T, const trace::Entry &E, size_t Site,
                std::vector<uint32_t> Frames, const Counts &C,
                const LifetimeSum &Life);
  // Parts.cpp
  void addParts(const trace::Trace &T, const trace::Entry &E, const Counts &C,
                const LifetimeSum &Life);
  void addLifeParts(const trace::Entry &E, const std::string &Thread,
                    const Counts &C, LifetimeSum Life);
  void keepThoseThatLived(LifetimeSum &Life, Counts &C) const;
  void addElements(const trace::Site &S, size_t Type, const Counts &C);
  void addAllocationLives(const trace::Trace &T, const trace::Entry &E,
                          size_t Site, const Counts &C);
  void addPeaks(const trace::Trace &T);
  void boundPeaks();
  // PeakParts.cpp
  void addPeakParts(const trace::Trace &T);
  void finishPeakParts();
  // Typing.cpp
  size_t decideType(const trace::Trace &T, const trace::Entry &E,
                    SiteResult &Site, const Counts &C);
  size_t assumedType(const SiteResult &Site);
  bool examine(const trace::Trace &T, const trace::Entry &E,
               const SiteResult &Site, const Counts &C);
  void finishTyping();
  // Frees.cpp, Threads.cpp
  void addFrees(const trace::Trace &T);
  void addThreads(const trace::Trace &T);
  void addSamples(const trace::Trace &T);
  void finishSamples();
  void addLivedThreads(const trace::Trace &T);
  std::string startOf(const trace::Trace &T, const trace::LivedThread &Thread);
  bool wantedThread(const trace::Trace &T, uint32_t Index) const;
  bool wantedThread(const trace::LivedThread &Thread) const;
  trace::RowTotals totalsOfThreads(const trace::Trace &T, const trace::Entry &E,
                                   trace::Buckets &Raw) const;
  void addStringCopies(const trace::Trace &T);
  // Objects.cpp
  void addObjects(const trace::Trace &T);
  using ByStorage = std::map<uint8_t, uint64_t>;
  void addReceived(const std::map<size_t, ByStorage> &Received);
  void addLives(const trace::Trace &T);
  void addObjectsThatLived(const trace::Trace &T);
  ObjectCounts *objectsOf(std::string_view ClassName, size_t &Class);
  // Order.cpp
  void finishSums();
  std::vector<size_t> orderTypes();
  std::vector<size_t> orderSites();
  void finish();

  const ProfileOptions &Options;
  Profile Out;
  // Of the trace that is being added:
  Interval Shown;
  std::optional<ThreadRows> ByThread; ///< of a part of the run, where known
  std::vector<LifetimeSum> SiteLives, TypeLives;
  /// As above, in allocations.
  std::map<size_t, LifetimeSum> SiteAllocationLives, TypeAllocationLives;
  std::vector<bool> ElementsKnown;
  /// Types that a site was moved to or from, and from which: what the runtime
  /// says of their peak is not about what is shown.
  std::map<size_t, std::set<size_t>> Retyped;
  std::map<size_t, uint64_t> RecordedPeaks; ///< by type, sums over traces
  bool TypePeaksKnown = true;
  std::map<uint32_t, Counts> Rules; ///< by enum inmem_type_rule
  /// By class: lives of objects, and how many they are.
  std::map<size_t, std::pair<LifetimeSum, Counts>> ObjectLives;
  /// Out.Sites by the trace's site ids.
  std::unordered_map<uint32_t, size_t> SiteOfId;
  /// Shown frees, and recorded ones, by the same key.
  std::map<uint32_t, std::pair<Counts, Counts>> FreesOfId;
  std::unordered_map<std::string, size_t> TypeIndex, SiteIndex;
  /// Options.ByReadableName: rows by what a reader sees.
  std::unordered_map<std::string, size_t> Readable;
  std::unordered_map<std::string, size_t> Named; ///< made by typeNamed()
  /// Rows of Out.Types by name, in their order.
  std::map<std::string, std::vector<size_t>, std::less<>> TypesByName;
  std::unordered_map<std::string, std::string> Demangled;
  std::unordered_map<std::string, std::string> SiteAliases; ///< by chain
  StackBuilder Calls;
  /// Those in Out.StringCopies, by their place, kind and parameter.
  std::set<std::tuple<std::string, uint32_t, uint32_t, uint8_t, uint64_t>>
      KnownCopies;
  bool PeakKnown = true;
  bool PeakPartsKnown = true; ///< SiteResult::Peak, TypeResult::Peak
  NoteList Notes;
};

} // namespace inmem::report

#endif
