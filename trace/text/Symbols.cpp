//===- Symbols.cpp --------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/text/Symbols.h"

#include "trace/format/Checksum.h"

#include <algorithm>
#include <cstring>

namespace inmem::trace {

namespace {

void append(std::vector<std::byte> &To, const void *Data, size_t Size) {
  const auto *Begin = static_cast<const std::byte *>(Data);
  To.insert(To.end(), Begin, Begin + Size);
}

void appendRecord(std::vector<std::byte> &To, uint32_t Address,
                  const std::vector<SourceFrame> &Frames) {
  SymbolRecord R{};
  R.Address = Address;
  R.FrameCount = static_cast<uint32_t>(Frames.size());
  R.Frames = sizeof R;
  std::vector<FrameRecord> Fixed(Frames.size());
  std::vector<std::byte> Strings;
  const size_t StringsAt = sizeof R + Fixed.size() * sizeof(FrameRecord);
  const auto String = [&](const std::string &Text) -> StringOffset {
    if (Text.empty())
      return 0;
    const size_t At = StringsAt + Strings.size();
    append(Strings, Text.c_str(), Text.size() + 1);
    return static_cast<StringOffset>(At);
  };
  for (size_t I = 0; I < Frames.size(); ++I)
    Fixed[I] = {String(Frames[I].Function), String(Frames[I].File),
                Frames[I].Line,
                static_cast<uint16_t>(std::min(Frames[I].Column, 0xffffu)), 0};
  Strings.resize((Strings.size() + 7) / 8 * 8);
  R.Header = {RecordKind::Symbol, 0,
              static_cast<uint32_t>(StringsAt + Strings.size())};
  append(To, &R, sizeof R);
  append(To, Fixed.data(), Fixed.size() * sizeof(FrameRecord));
  append(To, Strings.data(), Strings.size());
}

void appendType(std::vector<std::byte> &To, uint32_t Site, const SiteType &T) {
  FoundTypeRecord R{};
  R.Site = Site;
  R.Name = sizeof R;
  R.Size = T.Size;
  R.Source = static_cast<uint8_t>(T.Source);
  R.Rule = static_cast<uint8_t>(T.Rule);
  R.Passed = T.Passed;
  const size_t Bytes = (sizeof R + T.Name.size() + 1 + 7) / 8 * 8;
  R.Header = {RecordKind::FoundType, 0, static_cast<uint32_t>(Bytes)};
  const size_t Begin = To.size();
  append(To, &R, sizeof R);
  append(To, T.Name.c_str(), T.Name.size() + 1);
  To.resize(Begin + Bytes);
}

} // namespace

SymbolAddition addSymbols(const Trace &T, const SourceTable &Sources,
                          const SiteTypes &Types) {
  SymbolAddition Out;
  std::vector<std::byte> Records;
  for (const auto &[Address, Frames] : Sources)
    appendRecord(Records, Address, Frames);
  for (const auto &[Site, Type] : Types)
    appendType(Records, Site, Type);
  ExtentHeader E{};
  E.Magic = kExtentMagic;
  E.Kind = ExtentKind::Meta;
  E.Flags = kExtentFinal;
  E.Bytes = (sizeof E + Records.size() + kExtentAlign - 1) / kExtentAlign *
            kExtentAlign;
  E.Used = Records.size();
  for (const Extent &Other : T.Extents)
    E.Sequence = std::max(E.Sequence, Other.Header.Sequence + 1);
  E.Identity = identityOf(E);
  Records.resize(E.Bytes - sizeof E);
  E.Checksum = checksumOf(E, Records.data());
  append(Out.Extent, &E, sizeof E);
  append(Out.Extent, Records.data(), Records.size());

  const auto Page = T.File->bytes().subspan(T.Base, kHeaderBytes);
  Out.Header.assign(Page.begin(), Page.end());
  FileHeader H = T.Header;
  H.FileBytes = T.End - T.Base + E.Bytes;
  std::memcpy(Out.Header.data(), static_cast<const void *>(&H), sizeof H);
  const uint64_t Seal = T.Sealed ? sealOf(Out.Header.data()) : 0;
  std::memcpy(&Out.Header[kSealOffset], &Seal, sizeof Seal);
  return Out;
}

} // namespace inmem::trace
