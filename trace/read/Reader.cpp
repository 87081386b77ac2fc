//===- Reader.cpp ---------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/read/Reader.h"

#include "trace/read/MissingPages.h"
#include "trace/read/ProcessReader.h"

#include <algorithm>
#include <cstring>

namespace inmem::trace {

/// Checks that nothing follows the last process, except what its writer
/// preallocated.
static void findRest(Trace &Last, std::span<const std::byte> Rest) {
  if (Last.Cut || Last.damaged())
    return;
  Diagnostic F;
  F.Offset = Last.End;
  if (Last.Header.Followers > 0) {
    Last.Cut = true;
    F.Severity = Diagnostic::Level::Cut;
    F.What = "file ends between processes";
    F.Expected = std::to_string(Last.Header.Followers) + " more";
  } else {
    if (Last.Header.State == RunState::Running)
      return; // it may have grown since
    // All bytes are 0: the first one is, and each equals the one before it.
    if (Rest.empty() ||
        (Rest[0] == std::byte{0} &&
         std::memcmp(Rest.data(), Rest.data() + 1, Rest.size() - 1) == 0))
      return;
    const auto Some = std::find_if(Rest.begin(), Rest.end(), [](std::byte B) {
      return B != std::byte{0};
    });
    F.Severity = Diagnostic::Level::Damage;
    F.Offset += static_cast<uint64_t>(Some - Rest.begin());
    F.What = "byte behind the end of the trace";
    F.Expected = "0, or another trace";
    F.Found = std::to_string(std::to_integer<unsigned>(*Some));
  }
  Last.Diagnostics.push_back(std::move(F));
}

Result<std::vector<Trace>> readTraces(const std::shared_ptr<const Buffer> &In) {
  std::vector<Trace> All;
  uint64_t Base = 0;
  for (;;) {
    Trace One;
    One.File = In;
    One.Base = Base;
    if (Status S = ProcessReader(One).read(); !S.ok()) {
      if (All.empty())
        return S;
      Diagnostic F;
      F.Severity = Diagnostic::Level::Damage;
      F.Offset = S.offset().value_or(Base);
      F.What = S.what() + " of the next process";
      All.back().Diagnostics.push_back(std::move(F));
      return All;
    }
    const uint64_t End = One.End;
    All.push_back(std::move(One));
    // After `inmem merge` the next process follows directly.
    const auto Rest = In->bytes().subspan(End);
    if (End <= Base || Rest.size() < sizeof kMagic ||
        std::memcmp(Rest.data(), kMagic, sizeof kMagic) != 0) {
      findRest(All.back(), Rest);
      return All;
    }
    Base = End;
  }
}

Result<std::vector<Trace>> readTraces(const std::string &Path) {
  // A file that becomes shorter during the read is read again; if that
  // continues, it is taken as it is.
  constexpr int kTries = 3;
  for (int Try = 1;; ++Try) {
    auto File = Buffer::open(Path);
    if (!File)
      return File.status();
    const MissingPages Missing(**File);
    auto Traces = readTraces(*File);
    if (!Missing.found() || Try == kTries || Path == "-")
      return Traces;
  }
}

} // namespace inmem::trace
