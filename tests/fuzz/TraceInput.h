//===- TraceInput.h - Traces as short inputs for a fuzzer -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trace is mostly zeros: extents are as large as pages. An input is
//
//   flags  1 byte: bit 0 all checksums are made to hold; the others choose one
//          of the target's parts (Parts)
//   page*  n, 2 bytes little-endian, then n bytes; the rest of the page is 0
//
// An input that ends within a page is a trace that does so too.
// `pack_trace FILE...` makes inputs of traces.
//
//===----------------------------------------------------------------------===//
#ifndef INMEM_FUZZ_TRACEINPUT_H
#define INMEM_FUZZ_TRACEINPUT_H

#include "trace/format/Format.h"
#include "trace/text/Text.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace inmem::fuzz {

inline constexpr size_t kInputPage = 4096;
inline constexpr size_t kMostPages = 32;

/// Which of a target's parts an input is for: one, which is as many times
/// faster as there are; where the corpus is replayed, all.
class Parts {
public:
  Parts(const uint8_t *Data, size_t Size)
      : Asked(Size > 0 ? Data[0] >> 1 : 0) {}
  bool has([[maybe_unused]] size_t Part, [[maybe_unused]] size_t Count) const {
#ifdef INMEM_ALL_PARTS
    return true;
#else
    return Asked % Count == Part;
#endif
  }

private:
  [[maybe_unused]] unsigned Asked;
};

inline std::vector<std::byte> unpackTrace(const uint8_t *Data, size_t Size) {
  std::vector<std::byte> Out;
  if (Size == 0)
    return Out;
  const bool Seal = Data[0] & 1;
  Out.reserve(std::min(kMostPages, Size / 2) * kInputPage);
  size_t At = 1, Pages = 0;
  while (Size - At >= 2 && Pages++ < kMostPages) {
    const size_t Asked =
        std::min<size_t>(Data[At] | Data[At + 1] << 8, kInputPage);
    At += 2;
    const size_t There = std::min(Asked, Size - At);
    const auto *Begin = reinterpret_cast<const std::byte *>(Data + At);
    const size_t Start = Out.size();
    Out.insert(Out.end(), Begin, Begin + There);
    At += There;
    if (There == Asked)
      Out.resize(Start + kInputPage);
  }
  if (Seal) // each process's part
    for (size_t Start = 0; Start + kInputPage <= Out.size();
         Start += kInputPage)
      if (std::memcmp(&Out[Start], trace::kMagic, sizeof trace::kMagic) == 0)
        trace::seal(std::span(Out).subspan(Start));
  return Out;
}

inline std::vector<uint8_t> packTrace(const std::vector<uint8_t> &Trace,
                                      bool Seal) {
  std::vector<uint8_t> Out{static_cast<uint8_t>(Seal)};
  for (size_t At = 0; At < Trace.size(); At += kInputPage) {
    size_t Length = std::min(kInputPage, Trace.size() - At);
    // The header's checksum is at the page's end, and is made again.
    if (Seal && Length == kInputPage &&
        std::memcmp(&Trace[At], trace::kMagic, sizeof trace::kMagic) == 0)
      Length = trace::kSealOffset;
    while (Length > 0 && Trace[At + Length - 1] == 0)
      --Length;
    Out.push_back(static_cast<uint8_t>(Length & 0xff));
    Out.push_back(static_cast<uint8_t>(Length >> 8));
    Out.insert(Out.end(), &Trace[At], &Trace[At] + Length);
  }
  return Out;
}

} // namespace inmem::fuzz

#endif
