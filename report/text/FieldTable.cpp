//===- FieldTable.cpp - Reads and writes by field -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/model/FieldResult.h"
#include "report/names/TypeName.h"
#include "report/text/LocationText.h"
#include "report/text/Sections.h"

#include "inmem/abi.h"

#include <algorithm>
#include <fmt/format.h>

namespace inmem::report {

namespace {

std::string nameOf(const Style &S, const FieldResult &F) {
  if (F.Padding)
    return "(padding)";
  std::string Name = printable(S, F.Name.empty() ? "(unnamed)" : F.Name);
  if (F.Kind == INMEM_FIELD_BASE || F.Kind == INMEM_FIELD_VIRTUAL_BASE)
    Name = "(base)";
  if (!F.Of.empty())
    Name = printable(S, simplifyName(F.Of)) + "::" + Name;
  return Name;
}

std::string bytesOf(const FieldResult &F) {
  if (F.Kind == INMEM_FIELD_BITFIELD)
    return fmt::format("{} bit{}", F.Bits, F.Bits == 1 ? "" : "s");
  return std::to_string(F.Bits / 8);
}

std::string countOf(const FieldResult &F, uint64_t Count) {
  return F.Padding || Count == 0 ? "-" : humanCount(Count);
}

/// The fields of one class.
Table tableOf(const ReportContext &In, const TypeResult &T) {
  Table Rows;
  Rows.column({"offset", true, false, 2});
  Rows.column({"bytes", true, false, 1});
  Rows.column({"field", false, true, 0, Paint::Bold, shortenName});
  Rows.column({"type", false, true, 6, Paint::None, shortenName});
  Rows.column({"reads"});
  Rows.column({"writes"});
  Rows.column({"copies", true, false, 3});
  Rows.column({"initialised", true, false, 5});
  Rows.column(locationColumn("hottest line"));
  for (const FieldResult &F : T.Fields) {
    std::string Reads = countOf(F, F.Reads);
    if (!F.exact())
      Reads.insert(0, In.S.Unicode ? "≈" : "~");
    if (F.Opaque)
      Reads += " ?";
    Rows.row({std::to_string(F.FirstBit / 8), bytesOf(F), nameOf(In.S, F),
              printable(In.S, simplifyName(F.Type)), std::move(Reads),
              countOf(F, F.Writes), countOf(F, F.Copies),
              countOf(F, F.Initialised),
              F.HottestCount > 0 && F.Hottest.Line > 0
                  ? locationText(In.S, F.Hottest)
                  : std::string("-")});
  }
  return Rows;
}

/// A loop over an array of the objects, and the fields that it accesses.
std::string loopText(const ReportContext &In, const TypeResult &T,
                     const StreamResult &Loop) {
  std::string Names;
  uint64_t Bytes = 0;
  for (size_t I = 0; I < T.Fields.size(); ++I)
    if (Loop.Accessed[I] > 0 && !T.Fields[I].Padding) {
      Names += (Names.empty() ? "" : ", ") + nameOf(In.S, T.Fields[I]);
      Bytes += (T.Fields[I].Bits + 7) / 8;
    }
  return fmt::format("loop {}: {} elements, {} of {} bytes: {}",
                     fitLocation(In.S, locationText(In.S, Loop.Where), 40),
                     humanCount(Loop.Elements), Bytes, T.Size.value_or(0),
                     Names);
}

/// The class, and the size and number of its objects.
std::vector<std::string> headOf(const ReportContext &In, const TypeResult &T) {
  constexpr size_t kIndent = 2;
  std::vector<std::string> Head = {
      shortenName(In.S, classText(In.S, T),
                  std::max<size_t>(In.S.Width, kIndent + 1) - kIndent)};
  const uint64_t Size = T.Size.value_or(0);
  if (Size > 0)
    Head.push_back(fmt::format("{} bytes", Size));
  if (T.PeakLiveBytes && Size > 0 && *T.PeakLiveBytes >= Size)
    Head.push_back(fmt::format("{} in blocks at the peak",
                               humanCount(*T.PeakLiveBytes / Size)));
  if (const auto Each = accessesPerByte(T))
    Head.push_back(fmt::format("{:.1f} reads and {:.1f} writes per byte",
                               Each->Reads, Each->Writes));
  return Head;
}

} // namespace

void fieldSection(Sheet &To, const ReportContext &In) {
  std::vector<const TypeResult *> Types;
  for (const size_t I : selectTypes(In.P, In.V))
    if (!In.P.Types[I].Fields.empty())
      Types.push_back(&In.P.Types[I]);
  To.title("FIELDS");
  bool Opaque = false, About = false;
  const size_t Most =
      In.V.Top ? std::min(In.V.Top, Types.size()) : Types.size();
  for (size_t I = 0; I < Most; ++I) {
    if (I > 0)
      To.line("");
    To.wrapped(headOf(In, *Types[I]), 2, Paint::Cyan);
    To.table(tableOf(In, *Types[I]), 4);
    constexpr size_t kMostLoops = 3;
    for (size_t L = 0; L < std::min(kMostLoops, Types[I]->Streams.size()); ++L)
      To.paragraph(loopText(In, *Types[I], Types[I]->Streams[L]), 4, {},
                   Paint::Dim);
    for (const FieldResult &F : Types[I]->Fields) {
      Opaque |= F.Opaque;
      About |= !F.exact();
    }
  }
  To.more(Types.size() - Most, "class");
  if (Opaque)
    To.paragraph("?: code that does not name the field may access it, too", 2,
                 {}, Paint::Dim);
  if (About)
    To.paragraph(fmt::format("{}: some reads were of this field or another",
                             In.S.Unicode ? "≈" : "~"),
                 2, {}, Paint::Dim);
}

} // namespace inmem::report
