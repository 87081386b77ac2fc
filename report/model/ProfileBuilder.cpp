//===- ProfileBuilder.cpp - Traces to results -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/ProfileBuilder.h"
#include "report/model/InheritedBlocks.h"
#include "report/model/Match.h"
#include "report/model/PartRows.h"
#include "report/names/TypeName.h"

namespace inmem::report {

using trace::Trace;

/// Where the figures of this trace begin and end.
trace::Status ProfileBuilder::choosePart(const Trace &T) {
  Shown = {T.lastReset(), nullptr};
  if (Options.Within)
    Shown = *Options.Within;
  if (!Options.Phase.empty()) {
    const auto Found = findInterval(T, Options.Phase);
    if (!Found)
      return Found.status();
    Shown = *Found;
  }
  ByThread.reset();
  if (Shown.From || Shown.To)
    ByThread = ThreadRows::of(T, Shown);
  if (Options.inPhase() && !Options.ThreadGlobs.empty() && !ByThread)
    return trace::Status::error(
        T.fileName(), "--phase with --thread: its snapshots do not say what "
                      "single threads did (an older inmem wrote it, or there "
                      "was no room)");
  return {};
}

const std::string &ProfileBuilder::plain(std::string_view Linkage) {
  const auto [Where, New] = Demangled.try_emplace(std::string(Linkage));
  if (New)
    Where->second = demangle(Linkage);
  return Where->second;
}

bool ProfileBuilder::wanted(const TypeResult &Type) const {
  return Options.TypeGlobs.empty() ||
         std::any_of(
             Options.TypeGlobs.begin(), Options.TypeGlobs.end(),
             [&](const std::string &G) { return matchesType(G, Type); });
}

/// Blocks go by their site's name, too: `std::string buffer` for `char`.
bool ProfileBuilder::wanted(const TypeResult &Type,
                            const SiteResult &Site) const {
  const auto Any = [](const std::vector<std::string> &Globs, auto Matches) {
    return std::any_of(Globs.begin(), Globs.end(), Matches);
  };
  const bool ByAlias = Type.Name && !Site.Alias.empty() &&
                       Any(Options.TypeGlobs, [&](const std::string &G) {
                         return matchesGlob(G, Site.Alias);
                       });
  return (ByAlias || wanted(Type)) &&
         (Options.SiteGlobs.empty() ||
          Any(Options.SiteGlobs,
              [&](const std::string &G) { return matchesSite(G, Site); }));
}

void ProfileBuilder::addStringCopies(const Trace &T) {
  for (const trace::StringCopy &C : T.StringCopies)
    if (KnownCopies
            .emplace(std::string(C.File), C.Line, C.Column, C.Kind, C.Key)
            .second)
      Out.StringCopies.push_back(
          {{plain(C.Function), std::string(C.File), C.Line, C.Column},
           std::string(C.Name),
           C.Key,
           C.Kind,
           C.Flags});
}

trace::Result<Profile> ProfileBuilder::run(std::span<const Trace> Traces) {
  for (size_t I = 0; I < Traces.size(); ++I) {
    const Unit U = Grid(Traces[I].Header).unit();
    if (I == 0)
      Out.LifeUnit = U;
    else if (U != Out.LifeUnit)
      return trace::Status::error(
          Traces[I].fileName(),
          "its lifetimes are in another unit than those of " +
              Traces[0].fileName() +
              " (clock=events or not): report them "
              "one at a time");
  }
  for (const Trace &T : Traces) {
    Out.Resolution = std::max(Out.Resolution, Grid(T.Header).fromTicks(1));
    if (trace::Status Chosen = choosePart(T); !Chosen.ok())
      return Chosen;
    Out.TemporaryKnown = !Options.Lived;
    if (Options.inPart() || T.Header.Flags & trace::kFlagOfAMoment)
      Out.WholeRun = false;
    Out.Filtered = Options.ofSomeBlocks() || !Options.TypeGlobs.empty() ||
                   !Options.SiteGlobs.empty();
    Calls.learnFolders(T);
    addProcess(T);
    addEntries(T);
    addFrees(T);
    addStringCopies(T);
    if (!(T.Header.Flags & trace::kFlagImported))
      addThreads(T);
    if (Options.inPhase() || Options.Lived)
      Out.SamplesOfWholeRun |= !T.Samples.empty();
    else
      addSamples(T);
    if (!Options.Lived)
      addObjects(T);
    else if (Options.ThreadGlobs.empty())
      addObjectsThatLived(T);
    // The rest is known of all threads only.
    if (Options.ofSomeBlocks()) {
      PeakKnown = PeakPartsKnown = false;
      continue;
    }
    addPeaks(T);
    addPeakParts(T);
    addLives(T);
    if (Options.inPhase())
      continue;
    addInherited(T, Out.Inherited);
    if (Traces.size() == 1 && !T.Snapshots.empty())
      addTimeline(T);
  }
  boundPeaks();
  if (Traces.size() != 1) {
    Out.Entries.clear();
    Out.Parts.clear();
  }
  Out.CompileFolders.assign(Calls.folders().folders().begin(),
                            Calls.folders().folders().end());
  finish();
  finishTyping();
  finishSamples();
  Notes.writeTo(Out.Notes);
  return std::move(Out);
}

trace::Result<Profile> buildProfile(std::span<const Trace> Traces,
                                    const ProfileOptions &Options) {
  return ProfileBuilder(Options).run(Traces);
}

} // namespace inmem::report
