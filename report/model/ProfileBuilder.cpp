//===- ProfileBuilder.cpp - Traces to results -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each accumulator adds one kind of figure: add(trace) for each trace, then
// finish().
//
//===----------------------------------------------------------------------===//
#include "report/model/Accumulators.h"
#include "report/model/Blame.h"
#include "report/model/FieldSums.h"
#include "report/model/LibraryCode.h"
#include "report/model/ObjectSums.h"
#include "report/model/OverTime.h"
#include "report/model/Peaks.h"

#include <algorithm>

namespace inmem::report {

using trace::Trace;

/// The selected part of a trace.
static trace::Result<TracePart> partOf(const Trace &T,
                                       const ProfileOptions &Options) {
  TracePart Part{T, {T.lastReset(), nullptr}, std::nullopt};
  if (Options.Within)
    Part.Shown = *Options.Within;
  if (!Options.Phase.empty()) {
    const auto Found = findInterval(T, Options.Phase);
    if (!Found)
      return Found.status();
    Part.Shown = *Found;
  }
  if (Part.Shown.From || Part.Shown.To)
    Part.ByThread = ThreadRows::of(T, Part.Shown);
  if (Options.inPhase() && !Options.ThreadGlobs.empty() && !Part.ByThread)
    return trace::Status::error(
        T.fileName(), "--phase with --thread: its snapshots do not say what "
                      "single threads did (an older inmem wrote it, or there "
                      "was no room)");
  return Part;
}

namespace {

class ProfileBuilder {
public:
  explicit ProfileBuilder(const ProfileOptions &With) : Options(With) {}

  trace::Status add(const Trace &T);
  /// \param Only the trace, if it is the only one
  Profile finish(const Trace *Only);

private:
  const ProfileOptions &Options;
  Profile Out;
  PlainNames Names;
  NoteList Notes;
  StackBuilder Calls{
      Out.Calls, Options.Resolver,
      [this](std::string_view Linkage) { return Names.plain(Linkage); }};
  TypeRows Types{Options, Out.Types};
  SiteRows Sites{Options.Resolver, Out.Sites, Names, Calls, Notes};
  Typing Rules{Options, Out, Types};
  BlockSums Blocks{Options, Out, Types, Sites, Rules, Calls, Notes};
  FreeSums Frees{Options, Out, Calls};
  StringCopySums Copies{Out.StringCopies, Names};
  ThreadSums Threads{Options, Out.Threads, Calls, Notes};
  SampleSums Samples{Options, Out, Calls};
  ObjectSums Objects{Options, Out, Types, Names};
  FieldSums Fields{Options, Out, Types, Names};
  MappedSums Mapped{Out, Sites};
  PeakSums Peaks{Options, Out, Types, Blocks, Rules};
};

trace::Status ProfileBuilder::add(const Trace &T) {
  if (Out.Processes.empty())
    Out.LifetimeUnit = Grid(T.Header).unit();
  Out.Resolution = std::max(Out.Resolution, Grid(T.Header).fromTicks(1));
  const auto Part = partOf(T, Options);
  if (!Part)
    return Part.status();
  Out.TemporaryKnown = !Options.Lived;
  if (Options.inPart() || T.Header.Flags & trace::kFlagOfAMoment)
    Out.WholeRun = false;
  Out.Filtered = Options.ofSomeBlocks() || !Options.TypeGlobs.empty() ||
                 !Options.SiteGlobs.empty();
  Calls.learnFolders(T);
  addProcess(*Part, Options, Notes, Out);
  Blocks.add(*Part);
  Frees.add(*Part, Blocks);
  Copies.add(T);
  if (!(T.Header.Flags & trace::kFlagImported))
    Threads.add(*Part);
  Samples.add(T);
  Objects.add(*Part, Blocks);
  if (!Options.Lived)
    Fields.add(*Part);
  if (!Part->Shown.From && !Part->Shown.To && !Options.ofSomeBlocks())
    Mapped.add(T);
  if (Options.ofSomeBlocks()) {
    Peaks.addUnknown();
    return {};
  }
  Peaks.add(*Part);
  if (!Options.inPhase())
    addInherited(T, Out.Inherited);
  return {};
}

Profile ProfileBuilder::finish(const Trace *Only) {
  if (Only && !Options.inPart() && !Only->Snapshots.empty())
    addTimeline(*Only, Blocks.siteOfId(), Out);
  Blocks.finish();
  Peaks.finish();
  Objects.finish();
  Fields.finish();
  Mapped.finish();
  if (!Only) {
    Out.Entries.clear();
    Out.Parts.clear();
  }
  Out.CompileFolders.assign(Calls.folders().folders().begin(),
                            Calls.folders().folders().end());
  markLibraryFrames(Out.Calls);
  orderResults(Out);
  Rules.finish();
  Samples.finish();
  Notes.writeTo(Out.Notes);
  std::ranges::move(hintsForWrappers(Out), std::back_inserter(Out.Notes));
  return std::move(Out);
}

/// An error if lifetimes are in several units.
trace::Status checkUnits(std::span<const Trace> Traces) {
  for (const Trace &T : Traces)
    if (Grid(T.Header).unit() != Grid(Traces[0].Header).unit())
      return trace::Status::error(
          T.fileName(),
          "its lifetimes are in another unit than in " + Traces[0].fileName() +
              " (clock=events or not): report them one at a time");
  return {};
}

} // namespace

trace::Result<Profile> buildProfile(std::span<const Trace> Traces,
                                    const ProfileOptions &Options) {
  if (trace::Status Checked = checkUnits(Traces); !Checked.ok())
    return Checked;
  ProfileBuilder Builder(Options);
  for (const Trace &T : Traces)
    if (trace::Status Added = Builder.add(T); !Added.ok())
      return Added;
  return Builder.finish(Traces.size() == 1 ? &Traces.front() : nullptr);
}

} // namespace inmem::report
