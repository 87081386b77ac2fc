//===- ThreadResults.cpp - Activity of single threads ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/Accumulators.h"
#include "report/model/View.h"

namespace inmem::report {

using trace::Trace;

/// The function in which a thread began. The class of `std::thread`'s own
/// function names the function that it calls.
std::string ThreadSums::startOf(const Trace &T,
                                const trace::LivedThread &Thread) {
  if (Thread.Tid != 0 && Thread.Tid == T.Header.Pid)
    return "main";
  if (Thread.Start == 0)
    return "";
  std::string Function = Calls.functionAt(T, Thread.Start);
  constexpr std::string_view kBegin =
      "std::thread::_State_impl<std::thread::_Invoker<std::tuple<";
  const size_t End = Function.rfind("::_M_run()");
  if (!Function.starts_with(kBegin) || End == std::string::npos)
    return Function;
  size_t Last = End;
  for (int Closed = 0; Closed < 3 && Last > kBegin.size(); ++Closed)
    Last = Function.rfind('>', Last - 1);
  while (Last > kBegin.size() && Function[Last - 1] == ' ')
    --Last;
  return Function.substr(kBegin.size(), Last - kBegin.size());
}

/// Adds each thread, even if they shared rows.
void ThreadSums::addLived(const Trace &T) {
  const bool HasTimes = T.Header.Clock != trace::ClockKind::Events;
  std::map<size_t, uint64_t> Crossings;
  for (const trace::ThreadCrossing &C : T.Crossings)
    Crossings[C.Lifetime] += C.Times;
  std::map<size_t, const trace::ThreadLine *> Lines;
  for (const trace::ThreadLine &L : T.ThreadLines)
    Lines[L.Lifetime] = &L;
  for (size_t I = 1; I < T.LivedThreads.size(); ++I) {
    const trace::LivedThread &L = T.LivedThreads[I];
    if (L.Counts.Allocations == 0 && L.Counts.Frees == 0 &&
        T.ThreadLines.empty())
      continue;
    if (!Options.ThreadGlobs.empty() && !selectsThread(Options, T, L.Index))
      continue;
    ThreadResult R;
    R.Pid = T.Header.Pid;
    R.Index = L.Index;
    R.Tid = L.Tid;
    R.Name = L.Tid == 0 ? "(further threads)" : std::string(L.Name);
    R.Start = startOf(T, L);
    R.Allocations = L.Counts.Allocations;
    R.AllocatedBytes = L.Counts.Bytes;
    R.Frees = L.Counts.Frees;
    R.FreedBytes = L.Counts.FreedBytes;
    R.Temporary = L.Counts.Temporary;
    if (HasTimes) {
      R.BeganNs = L.BeganNs;
      if (L.EndedNs != 0)
        R.EndedNs = L.EndedNs;
    }
    R.Crossings = Crossings[I];
    if (const auto Line = Lines.find(I); Line != Lines.end()) {
      const trace::ThreadLine::Form &F =
          Line->second->Forms[Line->second->Active];
      R.LineFromNs = F.FromNs;
      R.LineWidthNs = F.WidthNs;
      R.Line.assign(std::begin(F.Bytes), std::end(F.Bytes));
    }
    Out.push_back(std::move(R));
  }
}

void ThreadSums::add(const TracePart &Part) {
  const Trace &T = Part.T;
  if (Options.Lived)
    return; // known only for all blocks together
  const bool Sampled =
      T.Header.Flags & (trace::kFlagSampledBytes | trace::kFlagSampledEvery);
  if (T.LivedThreads.size() > 1 && !Part.ByThread && !Part.Shown.From &&
      !Part.Shown.To && !Sampled)
    return addLived(T);
  std::map<uint32_t, std::pair<trace::RowTotals, trace::RowTotals>> InPart;
  if (Part.ByThread)
    InPart = Part.ByThread->sums(
        [](const trace::MarkRow &M) { return M.Thread; },
        [](const trace::MarkRow &M) { return M.Thread != 0; });
  else if (Part.Shown.From || Part.Shown.To)
    return Options.inPhase() || !Options.ThreadGlobs.empty()
               ? void()
               : Notes.add(T, "what single threads did since the last reset is "
                              "not known");
  for (const auto &[Index, Thread] : T.Threads) {
    RowSums Sums;
    Sums.SomeThreads = true;
    if (Part.ByThread)
      std::tie(Sums.Before, Sums.Now) = InPart[Index];
    else
      Sums.Now = Thread.Totals;
    const Counts C = Sums.counts(T.Header);
    if ((C.Allocations == 0 && C.Frees == 0) ||
        (!Options.ThreadGlobs.empty() && !selectsThread(Options, T, Index)))
      continue;
    ThreadResult R;
    R.Pid = T.Header.Pid;
    R.Index = Index;
    R.Tid = Thread.Tid;
    R.Name = std::string(Thread.Name);
    R.Allocations = C.Allocations;
    R.AllocatedBytes = C.AllocatedBytes;
    R.Frees = C.Frees;
    R.FreedBytes = C.FreedBytes;
    R.Temporary = C.Temporary;
    Out.push_back(std::move(R));
  }
}

} // namespace inmem::report
