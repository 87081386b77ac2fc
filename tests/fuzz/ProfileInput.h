//===- ProfileInput.h - Profiles of short inputs --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef INMEM_FUZZ_PROFILEINPUT_H
#define INMEM_FUZZ_PROFILEINPUT_H

#include "Fuzz.h"
#include "TraceInput.h"

#include "report/model/OverTime.h"
#include "trace/read/Reader.h"

namespace inmem::fuzz {

/// Reads an input as TraceInput.h describes it, makes a profile with its
/// phases, and demands that Use, which is given the traces and the profile,
/// takes at most \p Multiple times the trace's size of heap with all that, and
/// 1 MiB. Does nothing with other bytes than a trace.
template <class F>
void withProfile(const uint8_t *Data, size_t Size, size_t Multiple, F Use) {
  auto Bytes = unpackTrace(Data, Size);
  const size_t Most = (1 << 20) + Multiple * Bytes.size();
  const auto File = trace::Buffer::fromBytes(std::move(Bytes), "input");
  resetPeak();
  {
    const auto All = trace::readTraces(File);
    if (!All)
      return;
    auto P = report::buildProfile(*All);
    if (!P)
      return;
    if (auto Phases = report::phasesOf(*All, {}, 50))
      P->Phases = std::move(*Phases);
    Use(*All, *P);
  }
  check(peakOfHeap() <= Most, "a profile's use takes its share of the heap");
}

} // namespace inmem::fuzz

#endif
