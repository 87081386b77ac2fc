//===- ProcessRows.cpp - A row for each process, with its notes -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Accumulators.h"
#include "trace/text/Names.h"

namespace inmem::report {

using trace::Trace;

/// Empty for another tool's profile.
static std::string clockOf(const trace::FileHeader &H) {
  return H.Flags & trace::kFlagImported
             ? ""
             : std::string(trace::nameOf(trace::kClockNames,
                                         static_cast<uint64_t>(H.Clock)));
}

static void addLabels(const Trace &T, ProcessResult &To) {
  for (const auto &[Key, Value] : T.labels())
    To.Labels.emplace_back(Key, Value);
}

/// The number of frames of the deepest stack.
static uint32_t deepestOf(const Trace &T) {
  uint32_t Most = 0;
  for (const trace::Stack &Frame : T.Stacks)
    Most = std::max(Most, Frame.Depth);
  return Most;
}

static void noteUnrecorded(const Trace &T, NoteList &Notes) {
  if (T.Header.MinSize > 0)
    Notes.add(T, "only allocations of " + std::to_string(T.Header.MinSize) +
                     " bytes and more were recorded");
  if (T.Header.MaxSize > 0)
    Notes.add(T, "only allocations of at most " +
                     std::to_string(T.Header.MaxSize) + " bytes were recorded");
  if (!(T.Header.Flags & trace::kFlagAttached))
    return;
  std::string Note =
      "attached to the running program: blocks from before are not shown";
  if (const uint64_t Frees = T.Header.EarlierFrees)
    Note += "; (before attaching): " + std::to_string(Frees) +
            " of them were freed since";
  Notes.add(T, Note);
}

void addProcess(const TracePart &Part, const ProfileOptions &Options,
                NoteList &Notes, Profile &Out) {
  const Trace &T = Part.T;
  const trace::FileHeader &H = T.Header;
  ProcessResult P;
  P.File = T.fileName();
  P.Pid = H.Pid;
  P.ParentPid = H.ParentPid;
  for (const std::string_view Word : T.Command)
    P.Command.emplace_back(Word);
  addLabels(T, P);
  P.Host = std::string(T.Host);
  P.Executable = std::string(T.Executable);
  if (P.Command.empty() && !P.Executable.empty())
    P.Command.push_back(P.Executable);
  P.StartUnixNs = H.StartUnixNs;
  if (const uint64_t Ran = durationOf(H);
      Ran > 0 || (H.EndUnixNs != 0 && H.EndUnixNs == H.StartUnixNs))
    P.DurationNs = Ran;
  if (H.PeakResidentBytes && H.ResidentBytes) {
    P.ResidentBytes = H.ResidentBytes;
    P.PeakResidentBytes = std::max(H.PeakResidentBytes, H.ResidentBytes);
  }
  P.Complete = T.complete();
  P.Cut = T.Cut;
  P.Running = H.State == trace::RunState::Running;
  P.Verified = T.verified();
  P.Clock = clockOf(H);
  P.Imported = H.Flags & trace::kFlagImported;
  P.DroppedEvents = H.DroppedEvents;
  P.Sampled = H.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery);
  P.Instrumented = H.Flags & trace::kFlagInstrumented;
  P.SampleBytes = H.SampleBytes;
  P.Every = std::max<uint64_t>(H.Every, 1);
  P.Reset = T.lastReset() != nullptr;
  if (H.Flags & trace::kFlagFull)
    Notes.add(T, "there was no more room for the trace, by the disk or by a "
                 "limit: it ends there, and what came later is missing");
  else if (T.Cut)
    Notes.add(T, "the trace was cut short; all that reached it is shown");
  else if (P.Running)
    Notes.add(T, "the program was still running, or was killed; all that it "
                 "recorded is shown, without checksums");
  if (T.damaged())
    Notes.add(T, "parts of the trace are damaged and left out "
                 "(see --diagnostics)");
  if (H.DroppedEvents > 0)
    Notes.add(T, std::to_string(H.DroppedEvents) +
                     " allocations could not be recorded");
  if (H.Flags & trace::kFlagSampledBytes)
    Notes.add(T, "sampled every " + std::to_string(H.SampleBytes) +
                     " bytes on average; figures are estimates");
  if ((H.Flags & trace::kFlagSampledEvery) && H.Every > 1)
    Notes.add(T, "one allocation in " + std::to_string(H.Every) +
                     " recorded; figures are estimates");
  noteUnrecorded(T, Notes);
  if (P.Reset && Part.Shown.From == T.lastReset())
    Notes.add(T, "counts begin at the last reset");
  if (!Options.Phase.empty())
    Notes.add(T, "figures are of --phase " + Options.Phase + " only");
  if (!Options.ThreadGlobs.empty())
    Notes.add(T, std::string("of the threads chosen only: live is what they "
                             "allocated less what they freed, regardless of "
                             "who allocated or freed the rest") +
                     (P.Reset && !Part.ByThread
                          ? "; from the start of the run, not the reset"
                          : ""));
  if (Options.Lived)
    Notes.add(T,
              "only blocks that were freed and had lived so long; how many of "
              "them were temporary is not known");
  for (const trace::Note &N : T.Notes)
    if (N.Kind != trace::NoteKind::Sealed &&
        N.Kind != trace::NoteKind::Labels && !N.Text.empty())
      Notes.add(T, std::string(N.Text));
  Out.Calls.Deepest = std::max(Out.Calls.Deepest, deepestOf(T));
  Out.Processes.push_back(std::move(P));
}

} // namespace inmem::report
