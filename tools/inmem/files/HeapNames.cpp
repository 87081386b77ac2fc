//===- HeapNames.cpp - Functions and lines of a heap snapshot -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/Symbolizer.h"

#include "cli/Terminal.h"
#include "debuginfo/TypeFinder.h"
#include "report/names/TypeName.h"
#include "trace/text/Text.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace inmem::tools {

namespace {

/// The offset of "app+0x1c40" in the file /bin/app; nullopt if it has a name.
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
  // Library code may have been inlined into the user's code.
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

/// Infers types of blocks from debug information, for a program without
/// instrumentation. Runs before names are found, because until then sites have
/// addresses.
void addTypes(heap::Heap &H) {
  const auto HasType = [](const auto &One) { return One.second.Type != 0; };
  if (std::ranges::any_of(H.Sites, HasType))
    return;
  std::unordered_map<uint32_t, debuginfo::BlockSizes> Sizes;
  for (uint32_t I = 0; I < H.objects(); ++I) {
    ++Sizes[H.SiteOf[I]].Blocks;
    Sizes[H.SiteOf[I]].Bytes += H.Size[I];
  }
  debuginfo::ProgramFiles Files({});
  debuginfo::TypeFinder Finder(Files);
  std::map<std::string, uint32_t> Numbers;
  for (auto &[Id, S] : H.Sites) {
    std::vector<debuginfo::CallAddress> Calls;
    const auto Add = [&](const heap::SourceLocation &At) {
      const auto Offset = offsetIn(At);
      if (Offset)
        Calls.push_back({At.File, "", *Offset});
      return Offset.has_value();
    };
    if (!Sizes.contains(Id) || !Add(S.Where))
      continue;
    if (S.Caller)
      Add(*S.Caller);
    const auto Found = Finder.find(Calls, Sizes[Id]);
    if (!Found || Found->Name.empty())
      continue;
    const std::string Name = (Found->Certain ? "" : "~") + Found->Name;
    auto &Number = Numbers[Name];
    if (Number == 0) {
      heap::Type Type = {};
      Type.Record.Name = H.Found.emplace_back(Name);
      Type.Record.Size = Found->Size;
      H.Types.push_back(std::move(Type));
      Number = static_cast<uint32_t>(H.Types.size());
    }
    S.Type = Number;
  }
  for (uint32_t I = 0; I < H.objects(); ++I)
    if (const auto Of = H.Sites.find(H.SiteOf[I]);
        Of != H.Sites.end() && H.TypeOf[I] == 0)
      H.TypeOf[I] = Of->second.Type;
}

} // namespace

trace::Result<heap::Heap> readNamedHeap(const std::string &Path) {
  const Progress Working("reading " + trace::escaped(Path));
  auto H = heap::readHeap(Path);
  if (!H)
    return H;
  addTypes(*H);
  Symbolizer Files;
  for (auto &[Id, S] : H->Sites) {
    name(*H, Files, S.Where);
    if (S.Caller)
      name(*H, Files, *S.Caller);
  }
  heap::nameLibraryBlocks(*H);
  return H;
}

} // namespace inmem::tools
