//===- HeapNames.cpp ------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/HeapNames.h"

#include "files/Symbolizer.h"
#include "report/names/TypeName.h"

#include <algorithm>
#include <charconv>

namespace inmem::tools {

namespace {

/// The offset of "app+0x1c40" in the file /bin/app; none: it has a name.
std::optional<uint64_t> offsetIn(const heap::SourceLocation &P) {
  const std::string_view File = P.File.substr(P.File.rfind('/') + 1);
  constexpr std::string_view kPlus = "+0x";
  if (File.empty() || P.Line || !P.Function.starts_with(File) ||
      !P.Function.substr(File.size()).starts_with(kPlus))
    return std::nullopt;
  const char *From = P.Function.data() + File.size() + kPlus.size();
  const char *End = P.Function.data() + P.Function.size();
  constexpr int kHex = 16;
  uint64_t Offset = 0;
  const auto [Rest, Error] = std::from_chars(From, End, Offset, kHex);
  return Error == std::errc() && Rest == End ? std::optional(Offset)
                                             : std::nullopt;
}

void name(heap::Heap &H, Symbolizer &Files, heap::SourceLocation &P) {
  const auto Offset = offsetIn(P);
  if (!Offset)
    return;
  const auto Keep = [&](std::string Text) -> std::string_view {
    return H.Found.emplace_back(std::move(Text));
  };
  const std::vector<report::SourceLocation> Chain =
      Files.expand(P.File, "", *Offset);
  // The library's code may have been inlined into the user's.
  const auto Own = std::ranges::find_if(Chain, report::isUserPath,
                                        &report::SourceLocation::File);
  if (Own != Chain.end()) {
    P.Function = Keep(Own->Function);
    P.File = Keep(Own->File);
    P.Line = Own->Line;
    P.Column = Own->Column;
  } else if (!Chain.empty() && !Chain.back().Function.empty()) {
    P.Function = Keep(Chain.back().Function);
  } else if (const auto Known = Files.resolve(P.File, "", 0, *Offset)) {
    P.Function = Keep(Known->Function);
  }
}

} // namespace

trace::Result<heap::Heap> readNamedHeap(const std::string &Path) {
  auto H = heap::readHeap(Path);
  if (!H)
    return H;
  Symbolizer Files;
  for (auto &[Id, S] : H->Sites) {
    name(*H, Files, S.Where);
    if (S.Caller)
      name(*H, Files, *S.Caller);
  }
  return H;
}

} // namespace inmem::tools
