//===- HeapTextImport.cpp - Heap profiles as text -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/import/HeapText.h"
#include "trace/format/Format.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

class HeapTextImporter {
public:
  explicit HeapTextImporter(const HeapText &Of) : Text(Of) {
    for (const HeapText::Mapping &M : Text.Maps) {
      auto [At, New] = Bases.try_emplace(M.Path, M.Start);
      At->second = std::min(At->second, M.Start);
    }
  }

  Imported run();

private:
  uint32_t frameOf(uint64_t Address) {
    const uint64_t Call = Address ? Address - 1 : 0;
    ImportedFrame F;
    auto Behind = std::ranges::upper_bound(Text.Maps, Call, {},
                                           &HeapText::Mapping::Start);
    if (Behind != Text.Maps.begin() && Call < std::prev(Behind)->End) {
      --Behind;
      F.Module = Behind->Path;
      F.Offset = Call - Bases[F.Module];
      F.Locations.push_back(
          {fmt::format("{}+{:#x}", F.Module.substr(F.Module.rfind('/') + 1),
                       *F.Offset),
           "", 0});
    } else {
      F.Locations.push_back({fmt::format("{:#x}", Address), "", 0});
    }
    return Out.frame(F);
  }

  uint32_t stackOf(const HeapText::Row &R) {
    uint32_t At = 0;
    if (R.Calls.empty())
      for (auto A = R.Addresses.rbegin(); A != R.Addresses.rend(); ++A)
        At = Out.stack(At, frameOf(*A));
    for (auto C = R.Calls.rbegin(); C != R.Calls.rend(); ++C)
      At = Out.stack(At, Out.frame({{*C}, "", std::nullopt}));
    return At;
  }

  const HeapText &Text;
  Imported Out;
  std::map<std::string, uint64_t> Bases; ///< lowest addresses by path
};

Imported HeapTextImporter::run() {
  if (!Text.Program.empty())
    Out.Command = {Text.Program};
  Out.Cut = Text.Cut;
  Out.Tool = "pprof";
  Out.Unknown =
      trace::kFlagNoTemporary | trace::kFlagNoPeak | trace::kFlagOfAMoment;
  if (!Text.HasAll) {
    Out.Unknown |= trace::kFlagNoTotals;
    Out.Notes.push_back("the profile knows what was alive, not what was "
                        "allocated: bytes by place are those alive");
  }
  if (Text.Period > 1)
    Out.Notes.push_back(
        fmt::format("sampled every {} bytes on average; figures are estimates",
                    Text.Period));
  for (const HeapText::Row &R : Text.Rows) {
    HeapText::Figures F = R.Of;
    Text.scale(F.Live, F.LiveBytes);
    Text.scale(F.All, F.AllBytes);
    // Makes unknown figures consistent with known ones; sampled sums may cross.
    F.All = Text.HasAll ? std::max(F.All, F.Live) : F.Live;
    F.AllBytes = Text.HasAll ? std::max(F.AllBytes, F.LiveBytes) : F.LiveBytes;
    if (F.AllBytes == 0)
      continue;
    ImportedCounts &C = Out.row(stackOf(R)).Sum;
    C.Allocations += F.All;
    C.Bytes += F.AllBytes;
    C.Frees += F.All - F.Live;
    C.FreedBytes += F.AllBytes - F.LiveBytes;
  }
  return std::move(Out);
}

} // namespace

trace::Result<Imported> readHeapText(const trace::Buffer &File) {
  const auto Text = parseHeapText(File);
  if (!Text)
    return Text.status();
  return HeapTextImporter(*Text).run();
}

} // namespace inmem::report
