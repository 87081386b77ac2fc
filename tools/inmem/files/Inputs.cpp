//===- Inputs.cpp - Reading and diagnosing --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/Inputs.h"

#include "cli/Terminal.h"
#include "trace/read/Reader.h"
#include "trace/read/Verifier.h"
#include "trace/text/Text.h"

#include <cstdio>
#include <map>
#include <tuple>

namespace inmem::tools {

using namespace trace;

namespace {

/// Traces of distinct processes.
class DistinctTraces {
public:
  /// Adds a trace. If its process is already present (a file was given twice,
  /// or is part of a merged one), keeps the trace with more data.
  void add(Trace T) {
    const FileHeader &H = T.Header;
    if (H.StartUnixNs == 0) // the start time is unknown
      return All.push_back(std::move(T));
    const auto [At, New] = Indices.try_emplace(
        {H.Pid, H.StartUnixNs, H.StartTicks, std::string(T.Host)}, All.size());
    if (New)
      return All.push_back(std::move(T));
    Trace &Same = All[At->second];
    Notes.push_back(Same.fileName() + " and " + T.fileName() +
                    " have the same process, pid " + std::to_string(H.Pid) +
                    ": it is counted once");
    const auto Says = [](const Trace &Of) {
      return std::pair(!Of.Cut, Of.Header.LastTicks);
    };
    if (Says(T) > Says(Same))
      Same = std::move(T);
  }

  std::vector<Trace> All;
  std::vector<std::string> Notes; ///< remarks on the traces, for the user

private:
  using Identity = std::tuple<uint64_t, uint64_t, uint64_t, std::string>;
  std::map<Identity, size_t> Indices;
};

} // namespace

Result<std::vector<Trace>> readInputs(const std::vector<std::string> &Files) {
  DistinctTraces Traces;
  const Progress Working(Files.size() == 1
                             ? "reading " + escaped(Files[0])
                             : "reading " + std::to_string(Files.size()) +
                                   " traces");
  for (const std::string &File : Files) {
    auto Some = readTraces(File);
    if (!Some)
      return Some.status();
    for (Trace &T : *Some)
      Traces.add(std::move(T));
  }
  // A command that fails prints only its error.
  if (!firstDamage(Traces.All))
    for (const std::string &Note : Traces.Notes)
      std::fprintf(stderr, "inmem: note: %s\n", Note.c_str());
  return std::move(Traces.All);
}

std::optional<Status> firstDamage(const std::vector<Trace> &Traces) {
  for (const Trace &T : Traces)
    for (const Diagnostic &F : T.Diagnostics)
      if (F.Severity == Diagnostic::Level::Damage)
        return F.status(T.fileName());
  return std::nullopt;
}

static const char *word(Diagnostic::Level Level) {
  switch (Level) {
  case Diagnostic::Level::Note:
    return "note";
  case Diagnostic::Level::Cut:
    return "cut";
  case Diagnostic::Level::Invariant:
    return "invariant";
  case Diagnostic::Level::Damage:
    return "damage";
  }
  return "";
}

void printDiagnostics(const std::vector<Trace> &Traces) {
  for (const Trace &T : Traces) {
    const auto Print = [&](const Diagnostic &F) {
      std::fprintf(stderr, "inmem: %s: %s\n", word(F.Severity),
                   F.status(T.fileName()).str().c_str());
    };
    for (const Diagnostic &F : T.Diagnostics)
      Print(F);
    const std::vector<Diagnostic> Verified = verify(T);
    for (const Diagnostic &F : Verified)
      Print(F);
    std::fprintf(
        stderr,
        "inmem: %s: pid %llu: %zu extents, %zu types, %zu sites, %zu "
        "rows, %zu threads, %zu objects, %zu snapshots; %zu diagnostics "
        "of the reader, %zu of the verifier\n",
        T.fileName().c_str(), static_cast<unsigned long long>(T.Header.Pid),
        T.Extents.size(), T.Types.size() - 1, T.Sites.size() - 1, T.Rows.size(),
        T.Threads.size(), T.Objects.size(), T.Snapshots.size(),
        T.Diagnostics.size() + static_cast<size_t>(T.DiagnosticsLeftOut),
        Verified.size());
    const trace::RunState End = T.Header.State;
    if (!T.Sealed &&
        (End == trace::RunState::Execed || End == trace::RunState::Complete))
      std::fprintf(stderr, "inmem: %s: %s, so no checksums cover its figures\n",
                   T.fileName().c_str(),
                   End == trace::RunState::Execed
                       ? "the program became another by exec"
                       : "threads went on after the program's end");
  }
}

void printNotes(const report::Profile &P) {
  for (const std::string &Note : P.Notes)
    std::fprintf(stderr, "inmem: %s\n", escaped(Note).c_str());
}

void printTyping(const report::Profile &P) {
  const auto Number = [](uint64_t N) {
    return static_cast<unsigned long long>(N);
  };
  for (const report::RuleResult &R : P.Rules)
    std::fprintf(stderr, "inmem: types by rule '%s': %llu blocks, %llu bytes\n",
                 R.Rule.c_str(), Number(R.Allocations),
                 Number(R.AllocatedBytes));
  for (const report::DoubtResult &D : P.Doubts) {
    const report::SourceLocation &At = D.Site.Where;
    std::string Shown = D.Type.empty()
                            ? "shown without a type"
                            : "shown as '" + trace::escaped(D.Type) + "'";
    if (D.What == report::DoubtResult::Kind::Remainder)
      Shown += " of " + std::to_string(D.TypeSize) + " bytes";
    std::fprintf(stderr,
                 "inmem: type in doubt (%s): %s:%u:%u in %s: %llu blocks, %llu "
                 "bytes, %s\n",
                 std::string(nameOf(D.What)).c_str(), escaped(At.File).c_str(),
                 At.Line, At.Column, escaped(At.Function).c_str(),
                 Number(D.Site.Sum.Allocations),
                 Number(D.Site.Sum.AllocatedBytes), Shown.c_str());
  }
}

} // namespace inmem::tools
