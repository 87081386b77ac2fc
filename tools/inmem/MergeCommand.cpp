//===- MergeCommand.cpp - inmem merge -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Concatenates traces, each cut to its used part. The result is lossless, and
// every command reads it as the processes that it contains.
//
//===----------------------------------------------------------------------===//
#include "cli/Command.h"
#include "cli/OutputFile.h"
#include "cli/Terminal.h"
#include "files/Inputs.h"
#include "trace/format/Checksum.h"
#include "trace/text/Text.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace inmem::tools {

/// The header page of T for a file in which `Followers` processes follow it;
/// `Whole` is the size of its part.
static std::array<std::byte, trace::kHeaderBytes>
headerIn(const trace::Trace &T, uint32_t Followers, uint64_t Whole) {
  std::array<std::byte, trace::kHeaderBytes> Page{};
  const auto Bytes = T.File->bytes().subspan(T.Base);
  std::copy_n(Bytes.begin(), std::min(Bytes.size(), Page.size()), Page.begin());
  trace::FileHeader H = T.Header;
  H.Followers = Followers;
  if (T.Cut) { // data at the cut is lost
    H.State = trace::RunState::Running;
    H.Flags |= trace::kFlagCut;
    H.FileBytes = Whole;
  }
  std::memcpy(Page.data(), static_cast<const void *>(&H), sizeof H);
  const uint64_t Seal = T.Sealed && !T.Cut ? trace::sealOf(Page.data()) : 0;
  std::memcpy(&Page[trace::kSealOffset], &Seal, sizeof Seal);
  return Page;
}

Action setUpMerge(CommandLine &App) {
  struct MergeState {
    std::vector<std::string> Files;
    std::string Output;
  };
  const auto S = std::make_shared<MergeState>();
  App.option("FILE", S->Files, "trace files").required().reads();
  App.option("-o,--output", S->Output, "the trace to write")
      .valueName("OUT")
      .required()
      .writes();
  App.footer("Examples:\n"
             "  inmem merge -o all.inmem inmem.*.inmem\n"
             "  inmem report all.inmem");
  return [S]() -> Outcome {
    const auto Traces = readInputs(S->Files);
    if (!Traces)
      return Outcome::unreadable(Traces.status());
    if (const auto Damage = firstDamage(*Traces))
      return Outcome::unreadable(*Damage);
    auto To = OutputFile::open(S->Output, stdout);
    if (!To)
      return Outcome::unwritable(To.status());
    const auto Write = [&To](std::span<const std::byte> Bytes) {
      To->write({reinterpret_cast<const char *>(Bytes.data()), Bytes.size()});
    };
    const Progress Working("writing " + trace::escaped(S->Output));
    size_t Followers = Traces->size();
    for (const trace::Trace &T : *Traces) {
      // Parts cut off by a crash become zeros, which readers ignore.
      uint64_t Whole = T.Header.HeaderBytes;
      for (const trace::Extent &E : T.Extents)
        Whole += E.Header.Bytes;
      const auto Page = headerIn(T, static_cast<uint32_t>(--Followers), Whole);
      Write(Page);
      auto Bytes = T.File->bytes().subspan(T.Base, T.End - T.Base);
      Bytes = Bytes.subspan(std::min(Bytes.size(), Page.size()));
      Write(Bytes);
      constexpr std::byte kZeros[trace::kExtentAlign] = {};
      for (uint64_t At = Page.size() + Bytes.size(); At < Whole;) {
        const size_t Some =
            static_cast<size_t>(std::min<uint64_t>(Whole - At, sizeof kZeros));
        Write(std::span(kZeros).first(Some));
        At += Some;
      }
    }
    const trace::Status Done = To->commit();
    return Done.ok() ? Outcome{} : Outcome::unwritable(Done);
  };
}

} // namespace inmem::tools
